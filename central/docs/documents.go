package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// suffix ends the names of documents.
const suffix = ".md"

// Limits of the embedded documents, far above what there is, so that a file in the
// wrong folder is noticed.
const (
	maxPages = 100
	maxBytes = 256 << 10 // of one document
)

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

// readDocuments reads all documents.
func readDocuments(documents fs.FS, md goldmark.Markdown) (map[string]*document, error) {
	all := map[string]*document{}
	if documents == nil {
		return all, nil
	}
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
		title := nodeText(h, d.source)
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

// readText is a piece of text as people read it, without Markdown's escapes.
func readText(t *ast.Text, source []byte) string {
	value := t.Value(source)
	if t.IsRaw() {
		return string(value)
	}
	return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(value))))
}

// nodeText is the text of a node without its marks.
func nodeText(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // never returns an error
		if t, ok := n.(*ast.Text); ok && entering {
			out.WriteString(readText(t, source))
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
	var out []ast.Node
	err := ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock, *ast.Image:
			faults = append(faults, fmt.Errorf("%s: HTML, and pictures in a sentence, are not shown in the handbook", d.name))
		case *ast.Link:
			if d.leadsOut(string(n.Destination)) {
				out = append(out, n)
				return ast.WalkContinue, nil
			}
			to, err := d.target(string(n.Destination), all)
			if err != nil {
				faults = append(faults, err)
			}
			n.Destination = []byte(to)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range out { // not while the tree is walked
		unlink(link)
	}
	return errors.Join(append(faults, err)...)
}

// leadsOut reports whether a link leads out of the folder of the documents, such as to a
// program's source: such links are for readers of the repository.
func (d *document) leadsOut(link string) bool {
	return !strings.HasPrefix(link, "/") && strings.HasPrefix(path.Join(path.Dir(d.name), link), "../")
}

// unlink puts a link's text in its place.
func unlink(n ast.Node) {
	for parent := n.Parent(); n.FirstChild() != nil; {
		parent.InsertBefore(parent, n, n.FirstChild())
	}
	n.Parent().RemoveChild(n.Parent(), n)
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
