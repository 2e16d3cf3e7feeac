package docs

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

//go:embed handbook.html
var handbookTemplate string

// HandbookRoot is the address below which the pages are served.
const HandbookRoot = "/docs/"

// suffix ends the names of documents.
const suffix = ".md"

// Limits of the embedded documents, far above what there is, so that a file in the
// wrong folder is noticed.
const (
	maxPages = 100
	maxBytes = 256 << 10 // of one document
)

// firstPages are the documents that come first in the list, in this order; the
// others follow by name.
func firstPages() []string {
	return []string{"install", "enrol", "operate", "recover", "integrate", "sandbox"}
}

// document is one document that becomes a page.
type document struct {
	name     string // such as runbooks/bank-down
	title    string
	source   []byte
	tree     ast.Node
	headings []heading
	anchors  map[string]bool
}

// heading is an entry of a page's table of contents.
type heading struct{ Anchor, Title string }

// tocEntry is one page in the list of all.
type tocEntry struct {
	Path, Title string
	Here        bool
}

// handbookPage is the data of a page.
type handbookPage struct {
	Style    template.CSS
	Title    string
	Headings []heading
	Main     []tocEntry
	Runbooks []tocEntry
	Body     template.HTML
}

// Handbook builds the pages, keyed by the path at which each is served. style is
// the text of their style element. The same documents give the same bytes. Its
// errors are mistakes in the documents, each with its name.
func Handbook(documents fs.FS, style string) (map[string][]byte, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	all, err := readDocuments(documents, md)
	if err != nil {
		return nil, err
	}
	frame, err := template.New("page").Parse(handbookTemplate)
	if err != nil {
		return nil, fmt.Errorf("read the template of the handbook: %w", err)
	}
	var faults []error
	out := map[string][]byte{}
	for _, name := range sortedNames(all) {
		d := all[name]
		if err := d.resolve(all); err != nil {
			faults = append(faults, err)
			continue
		}
		var body, page bytes.Buffer
		if err := md.Renderer().Render(&body, d.source, d.tree); err != nil {
			return nil, fmt.Errorf("render %s: %w", name, err)
		}
		s := handbookPage{Style: template.CSS(style), Title: d.title, Headings: d.headings, Body: scrollableLines(body.String())}
		s.Main, s.Runbooks = tableOfContents(all, name)
		if err := frame.Execute(&page, s); err != nil {
			return nil, fmt.Errorf("fill the template of the handbook for %s: %w", name, err)
		}
		out[HandbookRoot+name] = page.Bytes()
	}
	return out, errors.Join(faults...)
}

// scrollableLines makes blocks with long lines scroll on their own, also by
// keyboard: each block can have the focus and has a name. Text of a page is
// escaped, so only the renderer's own blocks are found.
func scrollableLines(body string) template.HTML {
	parts := strings.Split(body, "<pre>")
	for i := range parts[1:] {
		parts[i+1] = fmt.Sprintf(`<pre class="lines" tabindex="0" role="region" aria-label="Lines %d">`, i+1) + parts[i+1]
	}
	return template.HTML(strings.Join(parts, ""))
}

// readDocuments reads all documents.
func readDocuments(documents fs.FS, md goldmark.Markdown) (map[string]*document, error) {
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
		title := headingText(h, d.source)
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

// headingText is the text of a heading.
func headingText(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // never returns an error
		if t, ok := n.(*ast.Text); ok && entering {
			out.Write(t.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// dropPictures takes out the paragraphs that are a picture and nothing else: they are for
// readers of the repository.
func (d *document) dropPictures() {
	for n := d.tree.FirstChild(); n != nil; {
		next := n.NextSibling()
		if _, paragraph := n.(*ast.Paragraph); paragraph && n.ChildCount() == 1 && n.FirstChild().Kind() == ast.KindImage {
			d.tree.RemoveChild(d.tree, n)
		}
		n = next
	}
}

// resolve turns links between documents into links between pages, and refuses what
// a page can't show.
func (d *document) resolve(all map[string]*document) error {
	d.dropPictures()
	var faults []error
	err := ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock, *ast.Image:
			faults = append(faults, fmt.Errorf("%s: HTML, and pictures in a sentence, are not shown in the handbook", d.name))
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

// target returns the address of a link.
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
	address := HandbookRoot + to.name
	if to == d && deep {
		address = ""
	}
	if deep {
		address += "#" + anchor
	}
	return address, nil
}

// sortedNames are the documents' names in the order of the list.
func sortedNames(all map[string]*document) []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	rank := func(name string) int {
		if i := slices.Index(firstPages(), name); i >= 0 {
			return i
		}
		return len(firstPages())
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return names
}

// tableOfContents lists all pages: those in the handbook's own folder, and the
// runbooks below it.
func tableOfContents(all map[string]*document, here string) (main, runbooks []tocEntry) {
	for _, name := range sortedNames(all) {
		e := tocEntry{Path: HandbookRoot + name, Title: all[name].title, Here: name == here}
		if strings.Contains(name, "/") {
			runbooks = append(runbooks, e)
		} else {
			main = append(main, e)
		}
	}
	return main, runbooks
}
