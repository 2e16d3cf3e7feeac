package web

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"sync"

	"galla/edge/words"
)

// pages are the templates of all rooms. Those of a language are made when the
// first page of the language is asked for.
type pages struct {
	book  *words.Book
	rooms map[string]*template.Template // by page; never executed, so that it can be cloned
	icons map[string]template.HTML

	mu   sync.Mutex
	made map[string]*template.Template // by language and page
}

// loadPages parses every page's template together with the shared pieces and
// those of its room.
func loadPages(parts []part, files *static, book *words.Book) (*pages, error) {
	p := &pages{book: book, rooms: map[string]*template.Template{}, icons: map[string]template.HTML{}, made: map[string]*template.Template{}}
	for _, part := range parts {
		if err := p.readIcons(part); err != nil {
			return nil, err
		}
	}
	english := book.In(words.English)
	base := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"t": english.Say, "n": english.Count, "asset": files.url, "icon": p.icon, "rupees": words.Rupees, "short": words.Short,
	})
	base, err := base.ParseFS(parts[0].files, "templates/layout.html", "templates/pieces/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the page layout: %w", err)
	}
	for i, part := range parts {
		if err := p.readRoom(part, base, i == 0); err != nil {
			return nil, fmt.Errorf("the pages of %s: %w", part.name, err)
		}
	}
	return p, nil
}

func (p *pages) readIcons(part part) error {
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
			return fmt.Errorf("the icon %s is brought by two rooms, one is %s: rename it", name, part.name)
		}
		svg := strings.Replace(strings.TrimSpace(string(b)), "<svg ", `<svg class="icon" aria-hidden="true" focusable="false" `, 1)
		p.icons[name] = template.HTML(svg) // embedded, so as trusted as the program
	}
	return nil
}

// icon gives a drawing to stand inside a page. It is decoration: the words
// beside it say the same.
func (p *pages) icon(name string) (template.HTML, error) {
	if svg, ok := p.icons[name]; ok {
		return svg, nil
	}
	return "", fmt.Errorf("no icon %q", name)
}

// readRoom parses the pieces of a room and each of its pages.
func (p *pages) readRoom(part part, base *template.Template, kit bool) error {
	found, err := fs.Glob(part.files, "templates/*.html")
	if err != nil {
		return err
	}
	room, err := base.Clone()
	if err != nil {
		return err
	}
	if !kit {
		pieces, err := fs.Glob(part.files, "templates/pieces/*.html")
		if err != nil {
			return err
		}
		for _, file := range pieces {
			if room, err = add(room, base, part.files, file); err != nil {
				return err
			}
		}
	}
	for _, file := range found {
		if kit && path.Base(file) == "layout.html" {
			continue
		}
		page, err := room.Clone()
		if err == nil {
			page, err = add(page, base, part.files, file)
		}
		if err != nil {
			return err
		}
		if page.Lookup("main") == nil {
			return fmt.Errorf("%s defines no template \"main\"", file)
		}
		p.rooms[part.name+"/"+strings.TrimSuffix(path.Base(file), ".html")] = page
	}
	return nil
}

// add parses a file into a set; what the kit defines can't be defined again.
func add(set, base *template.Template, files fs.FS, file string) (*template.Template, error) {
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

// in gives a page's template in a language.
func (p *pages) in(w *words.Words, page string) (*template.Template, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := w.Code() + " " + page
	if t := p.made[key]; t != nil {
		return t, nil
	}
	room := p.rooms[page]
	if room == nil {
		return nil, fmt.Errorf("%w: %q; pages are named room/page", errNoPage, page)
	}
	t, err := room.Clone()
	if err != nil {
		return nil, err
	}
	t.Funcs(template.FuncMap{"t": w.Say, "n": w.Count})
	p.made[key] = t
	return t, nil
}
