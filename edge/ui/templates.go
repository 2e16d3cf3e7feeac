package ui

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"sync"

	"galla/edge/i18n"
	"galla/shared/webguard"
)

// templateSet holds the templates of all sections. Those of a language are made when its
// first page is rendered.
type templateSet struct {
	funcs  template.FuncMap
	parsed map[string]*template.Template // by page; never executed, so that they can be cloned
	icons  map[string]template.HTML

	mu        sync.Mutex
	localized map[string]*template.Template // by language and page
}

// loadTemplates parses every page's template with the shared pieces and those of its
// section.
func loadTemplates(sections []Contents, files *webguard.Static, book *i18n.Bundle) (*templateSet, error) {
	p := &templateSet{parsed: map[string]*template.Template{}, icons: map[string]template.HTML{}, localized: map[string]*template.Template{}}
	for _, part := range sections {
		if err := p.readIcons(part); err != nil {
			return nil, err
		}
	}
	english := book.Localizer(i18n.English)
	p.funcs = template.FuncMap{
		"t": english.Text, "n": english.Plural, "asset": files.URL, "icon": p.icon, "rupees": i18n.Rupees, "short": i18n.ShortRupees,
	}
	base, err := template.New("").Option("missingkey=error").Funcs(p.funcs).ParseFS(sections[0].Files, "templates/pieces/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the page layout: %w", err)
	}
	for i, part := range sections {
		if err := p.readSection(part, base, i == 0); err != nil {
			return nil, fmt.Errorf("the pages of %s: %w", part.Name, err)
		}
	}
	return p, nil
}

func (p *templateSet) readIcons(part Contents) error {
	found, err := fs.Glob(part.Files, "icons/*.svg")
	if err != nil {
		return fmt.Errorf("the icons of %s: %w", part.Name, err)
	}
	for _, file := range found {
		name := strings.TrimSuffix(path.Base(file), ".svg")
		b, err := fs.ReadFile(part.Files, file)
		if err != nil {
			return fmt.Errorf("the icons of %s: %w", part.Name, err)
		}
		if _, ok := p.icons[name]; ok {
			return fmt.Errorf("the icon %s is brought by two sections, one is %s: rename it", name, part.Name)
		}
		svg := strings.Replace(strings.TrimSpace(string(b)), "<svg ", `<svg class="icon" aria-hidden="true" focusable="false" `, 1)
		p.icons[name] = template.HTML(svg) // embedded, so as trusted as the program
	}
	return nil
}

// icon returns an inline drawing. It is decoration: the words beside it say the same.
func (p *templateSet) icon(name string) (template.HTML, error) {
	if svg, ok := p.icons[name]; ok {
		return svg, nil
	}
	return "", fmt.Errorf("no icon %q", name)
}

// readSection parses the pieces of a section and each of its pages.
func (p *templateSet) readSection(section Contents, base *template.Template, kit bool) error {
	set, err := base.Clone()
	if err != nil {
		return err
	}
	pieces, err := fs.Glob(section.Files, "templates/pieces/*.html")
	if kit {
		pieces = nil // they are the base
	}
	for _, file := range pieces {
		err = errors.Join(err, p.addTemplate(set, base, section.Files, file))
	}
	pages, pagesErr := fs.Glob(section.Files, "templates/*.html")
	if err = errors.Join(err, pagesErr); err != nil {
		return err
	}
	for _, file := range pages {
		page, err := set.Clone()
		if err == nil {
			err = p.addTemplate(page, base, section.Files, file)
		}
		if err != nil {
			return err
		}
		if page.Lookup("main") == nil {
			return fmt.Errorf("%s defines no template \"main\"", file)
		}
		p.parsed[section.Name+"/"+strings.TrimSuffix(path.Base(file), ".html")] = page
	}
	return nil
}

// addTemplate parses a file into a set; the kit's templates can't be redefined.
func (p *templateSet) addTemplate(set, base *template.Template, files fs.FS, file string) error {
	b, err := fs.ReadFile(files, file)
	if err != nil {
		return err
	}
	own, err := template.New(file).Funcs(p.funcs).Parse(string(b))
	if err != nil {
		return err
	}
	for _, t := range own.Templates() {
		if base.Lookup(t.Name()) != nil {
			return fmt.Errorf("%s defines %q, which is a shared piece: give it another name", file, t.Name())
		}
	}
	_, err = set.New(file).Parse(string(b))
	return err
}

var errNoPage = errors.New("no such page")

func (p *templateSet) localize(w *i18n.Localizer, page string) (*template.Template, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := w.Code() + " " + page
	if t := p.localized[key]; t != nil {
		return t, nil
	}
	set := p.parsed[page]
	if set == nil {
		return nil, fmt.Errorf("%w: %q; pages are named section/page", errNoPage, page)
	}
	t, err := set.Clone()
	if err != nil {
		return nil, err
	}
	t.Funcs(template.FuncMap{"t": w.Text, "n": w.Plural})
	p.localized[key] = t
	return t, nil
}
