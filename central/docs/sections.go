package docs

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"galla/central/docs/search"
)

// sections divides a document at its headings.
func (d *document) sections() (out []search.Section) {
	var text, terms strings.Builder
	name := strings.NewReplacer("/", " ", "-", " ").Replace(d.name)
	current := search.Section{Path: HandbookRoot + d.name, Page: d.title, Name: name}
	end := func() {
		current.Text, current.Terms = rowEnds.Replace(oneLine(text.String())), oneLine(terms.String())
		out = append(out, current)
		text.Reset()
		terms.Reset()
	}
	for n := d.tree.FirstChild(); n != nil; n = n.NextSibling() {
		h, isHeading := n.(*ast.Heading)
		switch {
		case isHeading && h.Level > 1:
			end()
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			current = search.Section{Path: HandbookRoot + d.name + "#" + string(anchor), Page: d.title, Name: name, Heading: nodeText(h, d.source)}
		case !isHeading:
			d.collect(n, &text, &terms)
		}
	}
	end()
	if out[0].Text == "" && len(out) > 1 { // a page that begins with a heading
		out[0].Preview = out[1].Text
	}
	return out
}

// rowEnds puts the ends of a table's rows right behind their last words.
var rowEnds = strings.NewReplacer(". ;", ".", " ;", ";")

// collect adds a block's text. To terms it adds what the block explains: the first cells of
// its tables' rows, cells that are one name, and the names with which a paragraph begins.
func (d *document) collect(n ast.Node, text, terms *strings.Builder) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // never returns an error
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				text.WriteString(readText(n, d.source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					text.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				text.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				text.Write(n.Label(d.source))
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				text.Write(n.Lines().Value(d.source))
			}
		case *ast.Paragraph:
			if entering {
				terms.WriteString(d.leadingCode(n))
			}
		case *east.TableCell:
			words := nodeText(n, d.source)
			isName := n.ChildCount() == 1 && n.FirstChild().Kind() == ast.KindCodeSpan && strings.ContainsFunc(words, unicode.IsLetter)
			if entering && (isName || n.PreviousSibling() == nil) && n.Parent().Kind() != east.KindTableHeader {
				terms.WriteString(words + " ")
			}
			if !entering && n.NextSibling() != nil {
				text.WriteString(" · ")
			}
		}
		switch {
		case entering || n.Type() != ast.TypeBlock:
		case n.Kind() == east.KindTableRow || n.Kind() == east.KindTableHeader:
			text.WriteString("; ")
		default:
			text.WriteString(" ")
		}
		return ast.WalkContinue, nil
	})
}

// leadingCode gives the names with which a paragraph begins, such as the alerts of a runbook.
func (d *document) leadingCode(paragraph ast.Node) (names string) {
	for n := paragraph.FirstChild(); n != nil; n = n.NextSibling() {
		text, isText := n.(*ast.Text)
		switch {
		case n.Kind() == ast.KindCodeSpan:
			names += nodeText(n, d.source) + " "
		case !isText || strings.Trim(readText(text, d.source), ", ") != "":
			return names
		}
	}
	return names
}

var (
	htmlHeading = regexp.MustCompile(`(?s)<h([123])(?: id="([^"]*)")?[^>]*>(.*?)</h[123]>`)
	htmlTerm    = regexp.MustCompile(`(?s)<tr><td>(.*?)</td>|<dt>(.*?)</dt>|<p class="call">(.*?)</p>`)
	htmlBlock   = regexp.MustCompile(`(?s)<pre[ >].*?</pre>`)
	htmlTag     = regexp.MustCompile(`(?s)<[^>]*>`)
)

// htmlSections divides a page's main part at its headings up to the third level. Examples
// are left out: they repeat what the text explains.
func htmlSections(page OtherPage) (out []search.Section) {
	_, body, _ := strings.Cut(string(page.HTML), `<main id="main">`)
	body, _, _ = strings.Cut(body, "</main>")
	body = htmlBlock.ReplaceAllString(body, " ")
	current, from := search.Section{Path: page.Path, Page: page.Title}, 0
	end := func(to int) {
		part := body[from:to]
		current.Text = textOf(part)
		for _, m := range htmlTerm.FindAllStringSubmatch(part, -1) {
			current.Terms += textOf(m[1]+m[2]+m[3]) + " "
		}
		if current.Text != "" {
			out = append(out, current)
		}
	}
	for _, m := range htmlHeading.FindAllStringSubmatchIndex(body, -1) {
		end(m[0])
		from = m[1]
		if body[m[2]:m[3]] == "1" {
			current = search.Section{Path: page.Path, Page: page.Title}
			continue
		}
		address := strings.Split(current.Path, "#")[0] + "#" + anchorOf(body, m)
		if m[4] < 0 { // a step within a section
			address = current.Path
		}
		current = search.Section{Path: address, Page: page.Title, Heading: textOf(body[m[6]:m[7]])}
	}
	end(len(body))
	return out
}

// anchorOf is the id of a heading, if it has one.
func anchorOf(body string, m []int) string {
	if m[4] < 0 {
		return ""
	}
	return body[m[4]:m[5]]
}

// textOf is the text of a piece of HTML.
func textOf(piece string) string {
	return oneLine(html.UnescapeString(htmlTag.ReplaceAllString(strings.ReplaceAll(piece, "</td><td>", " · "), " ")))
}

// oneLine puts one space in place of all white space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
