package docs

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"galla/central/docs/search"
)

//go:embed handbook.html
var handbookTemplate string

//go:embed handbook.js
var handbookScript string

// HandbookRoot is the address below which the pages are served.
const HandbookRoot = "/docs/"

// SearchPath is the address that answers searches, with the query in the parameter q.
const SearchPath = HandbookRoot + "search"

// Script is the text of the script element of each page of the handbook. Without it, all of
// a page works but the key / (it moves the focus to the search).
func Script() string { return handbookScript }

// Config is what a Handbook is made of.
type Config struct {
	Documents fs.FS
	Style     string // of the pages' style element
	// Others are pages that are no documents; their sections can be found, too.
	Others []OtherPage
}

// OtherPage is a page that is no document.
type OtherPage struct {
	Path, Title string
	HTML        []byte
}

// Handbook is the pages, and what answers searches in them.
type Handbook struct {
	pages  map[string][]byte
	frame  *template.Template
	style  string
	groups []group
	index  func() *search.Index // made by the first search: most starts see none
}

// group is a part of the list of all pages.
type group struct {
	Title   string
	Entries []tocEntry
}

// tocEntry is one page in the list of all.
type tocEntry struct {
	Path, Title string
	Here        bool
}

// handbookPage is the data of a page.
type handbookPage struct {
	Style    template.CSS
	Script   template.JS
	Title    string
	Headings []heading
	Groups   []group
	Body     template.HTML
	Search   *searchPage // of the page of results only
}

// groupOrder is the list of all pages: for whom, the folder whose pages come here, and the
// pages that come first, in this order. The others follow by name.
func groupOrder() []struct {
	title, folder string
	first         []string
} {
	return []struct {
		title, folder string
		first         []string
	}{
		{"Run a central", ".", []string{"install", "operate", "console", "reconcile", "recover", "upgrade", "ha", "capacity", "settings", "metrics"}},
		{"At the counter", "", []string{"enrol", "counter", "updates"}},
		{"For partners", "", []string{"integrate", "sandbox", "portal", "changes", "design/interface", "design/gateway"}},
		{"When something is wrong", "runbooks", nil},
		{"How Galla works", "design", []string{"glossary", "design/architecture", "design/security", "design/domain", "dependencies"}},
	}
}

// NewHandbook builds the pages and their index. The same documents give the same bytes. Its
// errors are mistakes in the documents, each with its name.
func NewHandbook(cfg Config) (*Handbook, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	all, err := readDocuments(cfg.Documents, md)
	if err != nil {
		return nil, err
	}
	frame, err := template.New("page").Parse(handbookTemplate)
	if err != nil {
		return nil, fmt.Errorf("read the template of the handbook: %w", err)
	}
	h := &Handbook{pages: map[string][]byte{}, frame: frame, style: cfg.Style, groups: groupsOf(all, cfg.Others)}
	var faults []error
	var sections []search.Section
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d := all[name]
		if err := d.resolve(all); err != nil {
			faults = append(faults, err)
			continue
		}
		sections = append(sections, d.sections()...)
		var body bytes.Buffer
		if err := md.Renderer().Render(&body, d.source, d.tree); err != nil {
			return nil, fmt.Errorf("render %s: %w", name, err)
		}
		page, err := h.render(HandbookRoot+name, handbookPage{Title: d.title, Headings: d.headings, Body: scrollable(body.String())})
		if err != nil {
			return nil, fmt.Errorf("fill the template of the handbook for %s: %w", name, err)
		}
		h.pages[HandbookRoot+name] = page
	}
	h.index = sync.OnceValue(func() *search.Index {
		for _, page := range cfg.Others {
			sections = append(sections, htmlSections(page)...)
		}
		return search.New(sections)
	})
	return h, errors.Join(faults...)
}

// Pages are the pages of the documents, keyed by the path at which each is served.
func (h *Handbook) Pages() map[string][]byte { return h.pages }

// render fills the frame of a page.
func (h *Handbook) render(address string, p handbookPage) ([]byte, error) {
	p.Style, p.Script = template.CSS(h.style), template.JS(handbookScript)
	for _, g := range h.groups {
		entries := slices.Clone(g.Entries)
		for i := range entries {
			entries[i].Here = entries[i].Path == address
		}
		p.Groups = append(p.Groups, group{g.Title, entries})
	}
	var out bytes.Buffer
	err := h.frame.Execute(&out, p)
	return out.Bytes(), err
}

// scrollable makes blocks with long lines, and tables, scroll on their own, also by
// keyboard: each can have the focus and has a name. Text of a page is escaped, so only the
// renderer's own elements are found.
func scrollable(body string) template.HTML {
	lines, tables := 0, 0
	parts := strings.SplitAfter(body, ">")
	for i, p := range parts {
		switch { // the numbers keep the names of a page different
		case strings.HasSuffix(p, "<pre>"):
			lines++
			parts[i] = strings.TrimSuffix(p, "<pre>") + fmt.Sprintf(`<pre class="lines" tabindex="0" role="region" aria-label="Lines %d">`, lines)
		case strings.HasSuffix(p, "<table>"):
			tables++
			parts[i] = strings.TrimSuffix(p, "<table>") + fmt.Sprintf(`<div class="wide" tabindex="0" role="region" aria-label="Table %d"><table>`, tables)
		case strings.HasSuffix(p, "</table>"):
			parts[i] = p + "</div>"
		}
	}
	return template.HTML(strings.Join(parts, ""))
}

// groupsOf lists all pages, each once.
func groupsOf(all map[string]*document, others []OtherPage) (out []group) {
	listed := map[string]bool{}
	for _, order := range groupOrder() {
		for _, name := range order.first {
			listed[name] = true
		}
	}
	for _, order := range groupOrder() {
		g := group{Title: order.title}
		for _, name := range slices.SortedFunc(maps.Keys(all), byRank(order.first)) {
			if slices.Contains(order.first, name) || !listed[name] && path.Dir(name) == order.folder {
				listed[name] = true
				g.Entries = append(g.Entries, tocEntry{Path: HandbookRoot + name, Title: all[name].title})
			}
		}
		if order.title == "For partners" {
			for _, page := range others {
				g.Entries = append(g.Entries, tocEntry{Path: page.Path, Title: page.Title})
			}
		}
		if len(g.Entries) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// byRank orders names: the first ones in their order, then the others by name.
func byRank(first []string) func(a, b string) int {
	rank := func(name string) int {
		if i := slices.Index(first, name); i >= 0 {
			return i
		}
		return len(first)
	}
	return func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) }
}
