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
	book   *i18n.Bundle
	parsed map[string]*template.Template // by page; never executed, so that they can be cloned
	icons  map[string]template.HTML

	mu        sync.Mutex
	localized map[string]*template.Template // by language and page
}

// loadTemplates parses every page's template with the shared pieces and those of its
// section.
func loadTemplates(parts []sectionFiles, files *webguard.Static, book *i18n.Bundle) (*templateSet, error) {
	p := &templateSet{book: book, parsed: map[string]*template.Template{}, icons: map[string]template.HTML{}, localized: map[string]*template.Template{}}
	for _, part := range parts {
		if err := p.readIcons(part); err != nil {
			return nil, err
		}
	}
	english := book.Localizer(i18n.English)
	base := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"t": english.Text, "n": english.Plural, "asset": files.URL, "icon": p.icon, "rupees": i18n.Rupees, "short": i18n.ShortRupees,
	})
	base, err := base.ParseFS(parts[0].files, "templates/layout.html", "templates/pieces/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the page layout: %w", err)
	}
	for i, part := range parts {
		if err := p.readSection(part, base, i == 0); err != nil {
			return nil, fmt.Errorf("the pages of %s: %w", part.name, err)
		}
	}
	return p, nil
}

func (p *templateSet) readIcons(part sectionFiles) error {
	found, err := fs.Glob(part.files, "icons/*.svg")
	if err != nil {
		return fmt.Errorf("the icons of %s: %w", part.name, err)
	}
	for _, file := range found {
		name := strings.TrimSuffix(path.Base(file), ".svg")
		b, err := fs.ReadFile(part.files, file)
		if err != nil {
			return fmt.Errorf("the icons of %s: %w", part.name, err)
		}
		if _, ok := p.icons[name]; ok {
			return fmt.Errorf("the icon %s is brought by two sections, one is %s: rename it", name, part.name)
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
func (p *templateSet) readSection(part sectionFiles, base *template.Template, kit bool) error {
	found, err := fs.Glob(part.files, "templates/*.html")
	if err != nil {
		return err
	}
	set, err := base.Clone()
	if err != nil {
		return err
	}
	if !kit {
		pieces, err := fs.Glob(part.files, "templates/pieces/*.html")
		if err != nil {
			return err
		}
		for _, file := range pieces {
			if set, err = addTemplate(set, base, part.files, file); err != nil {
				return err
			}
		}
	}
	for _, file := range found {
		if kit && path.Base(file) == "layout.html" {
			continue
		}
		page, err := set.Clone()
		if err == nil {
			page, err = addTemplate(page, base, part.files, file)
		}
		if err != nil {
			return err
		}
		if page.Lookup("main") == nil {
			return fmt.Errorf("%s defines no template \"main\"", file)
		}
		p.parsed[part.name+"/"+strings.TrimSuffix(path.Base(file), ".html")] = page
	}
	return nil
}

// addTemplate parses a file into a set; the kit's templates can't be redefined.
func addTemplate(set, base *template.Template, files fs.FS, file string) (*template.Template, error) {
	before := map[string]bool{}
	for _, t := range base.Templates() {
		before[t.Name()] = true
	}
	b, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, err
	}
	fresh, err := base.Clone()
	if err != nil {
		return nil, err
	}
	was := map[string]any{}
	for name := range before {
		was[name] = fresh.Lookup(name).Tree
	}
	if fresh, err = fresh.New(path.Base(file)).Parse(string(b)); err != nil {
		return nil, err
	}
	for name, tree := range was {
		if now := fresh.Lookup(name); now == nil || any(now.Tree) != tree {
			return nil, fmt.Errorf("%s defines %q, which is a shared piece: give it another name", file, name)
		}
	}
	return set.New(path.Base(file)).Parse(string(b))
}

var errNoPage = errors.New("no such page")

// localize returns a page's template in a language.
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
