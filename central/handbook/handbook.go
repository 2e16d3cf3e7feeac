package handbook

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed page.html
var pageText string

// Root is the address below which the pages are served.
const Root = "/docs/"

// suffix ends the names of documents.
const suffix = ".md"

// Bounds of what the program brings: far above what it does, so that a file in the
// wrong folder is noticed.
const (
	maxPages = 100
	maxBytes = 256 << 10 // of one document
)

// first are the documents that readers look for, in their order; the others follow
// by name.
func first() []string { return []string{"install", "enrol", "operate", "recover", "integrate"} }

// document is one document on its way to a page.
type document struct {
	name     string // such as runbooks/bank-down
	title    string
	source   []byte
	tree     ast.Node
	headings []heading
	anchors  map[string]bool
}

// heading is one of a page's own contents.
type heading struct{ Anchor, Title string }

// entry is one page in the list of all.
type entry struct {
	Path, Title string
	Here        bool
}

// sheet is everything that a page shows.
type sheet struct {
	Style    template.CSS
	Title    string
	Headings []heading
	Main     []entry
	Runbooks []entry
	Body     template.HTML
}

// Pages makes the pages, by the path at which each is served. style is the text of
// their style element. The same documents make the same bytes. Its errors are
// faults of the documents, each with its name.
func Pages(documents fs.FS, style string) (map[string][]byte, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	all, err := read(documents, md)
	if err != nil {
		return nil, err
	}
	frame, err := template.New("page").Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("read the template of the handbook: %w", err)
	}
	var faults []error
	out := map[string][]byte{}
	for _, name := range inOrder(all) {
		d := all[name]
		if err := d.resolve(all); err != nil {
			faults = append(faults, err)
			continue
		}
		var body, page bytes.Buffer
		if err := md.Renderer().Render(&body, d.source, d.tree); err != nil {
			return nil, fmt.Errorf("render %s: %w", name, err)
		}
		s := sheet{Style: template.CSS(style), Title: d.title, Headings: d.headings, Body: scrolling(body.String())}
		s.Main, s.Runbooks = contents(all, name)
		if err := frame.Execute(&page, s); err != nil {
			return nil, fmt.Errorf("fill the template of the handbook for %s: %w", name, err)
		}
		out[Root+name] = page.Bytes()
	}
	return out, errors.Join(faults...)
}

// scrolling lets lines that are wider than the screen be moved by themselves, by
// keyboard, too: each block of them can have the focus, and has a name. What is
// text in a page is escaped, so that only the renderer's own blocks are found.
func scrolling(body string) template.HTML {
	parts := strings.Split(body, "<pre>")
	for i := range parts[1:] {
		parts[i+1] = fmt.Sprintf(`<pre class="lines" tabindex="0" role="region" aria-label="Lines %d">`, i+1) + parts[i+1]
	}
	return template.HTML(strings.Join(parts, ""))
}

// read reads all documents.
func read(documents fs.FS, md goldmark.Markdown) (map[string]*document, error) {
	all := map[string]*document{}
	err := fs.WalkDir(documents, ".", func(file string, about fs.DirEntry, err error) error {
		name, isDocument := strings.CutSuffix(file, suffix)
		if err != nil || about.IsDir() || !isDocument {
			return err
		}
		source, err := fs.ReadFile(documents, file)
		if err != nil {
			return err
		}
		if len(source) > maxBytes || len(all) >= maxPages {
			return fmt.Errorf("%s: a handbook has at most %d documents of %d bytes", file, maxPages, maxBytes)
		}
		d := &document{name: name, source: source, tree: md.Parser().Parse(text.NewReader(source)), anchors: map[string]bool{}}
		all[name] = d
		return d.outline()
	})
	if err != nil {
		return nil, fmt.Errorf("read the handbook: %w", err)
	}
	return all, nil
}

// outline finds a document's title and headings.
func (d *document) outline() error {
	for n := d.tree.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		id, _ := h.AttributeString("id")
		anchor, _ := id.([]byte)
		title := words(h, d.source)
		d.anchors[string(anchor)] = true
		switch {
		case h.Level == 1 && d.title == "":
			d.title = title
		case h.Level == 1:
			return fmt.Errorf("%s has a second title, %q", d.name, title)
		case h.Level == 2:
			d.headings = append(d.headings, heading{string(anchor), title})
		}
	}
	if d.title == "" {
		return fmt.Errorf("%s has no title, a line that begins with '# '", d.name)
	}
	return nil
}

// words are the words of a heading.
func words(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // gives no error
		if t, ok := n.(*ast.Text); ok && entering {
			out.Write(t.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// resolve turns links between documents into those of their pages, and refuses what
// a page can't show.
func (d *document) resolve(all map[string]*document) error {
	var faults []error
	err := ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock, *ast.Image:
			faults = append(faults, fmt.Errorf("%s: HTML and pictures are not shown in the handbook", d.name))
		case *ast.Link:
			to, err := d.target(string(n.Destination), all)
			if err != nil {
				faults = append(faults, err)
			}
			n.Destination = []byte(to)
		}
		return ast.WalkContinue, nil
	})
	return errors.Join(append(faults, err)...)
}

// target gives the address of what a link means.
func (d *document) target(link string, all map[string]*document) (string, error) {
	if strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "/docs") {
		return link, nil
	}
	file, anchor, deep := strings.Cut(link, "#")
	to := d
	if file != "" {
		name, isDocument := strings.CutSuffix(path.Join(path.Dir(d.name), file), suffix)
		if to = all[name]; to == nil || !isDocument {
			return "", fmt.Errorf("%s: the link to %s leads to no document", d.name, link)
		}
	}
	if deep && !to.anchors[anchor] {
		return "", fmt.Errorf("%s: the link to %s leads to no heading", d.name, link)
	}
	address := Root + to.name
	if to == d && deep {
		address = ""
	}
	if deep {
		address += "#" + anchor
	}
	return address, nil
}

// inOrder are the documents' names, as readers look for them.
func inOrder(all map[string]*document) []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	rank := func(name string) int {
		if i := slices.Index(first(), name); i >= 0 {
			return i
		}
		return len(first())
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return names
}

// contents lists all pages: those in the handbook's own folder, and the runbooks
// below it.
func contents(all map[string]*document, here string) (main, runbooks []entry) {
	for _, name := range inOrder(all) {
		e := entry{Path: Root + name, Title: all[name].title, Here: name == here}
		if strings.Contains(name, "/") {
			runbooks = append(runbooks, e)
		} else {
			main = append(main, e)
		}
	}
	return main, runbooks
}
