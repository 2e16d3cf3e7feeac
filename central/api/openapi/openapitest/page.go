package openapitest

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central/api/openapi"
	"galla/central/docs"
	"galla/shared/op"
)

//go:embed page.html
var pageText string

// pageData is the data of the page.
type pageData struct {
	Title    string
	Version  string
	Style    template.CSS
	Script   template.JS
	Sections []section
	Faults   []faultRow
	Seal     []headerRow
	Checksum string
	Callback callbackView
}

// section is a group of routes.
type section struct {
	Anchor, Name, About string
	Routes              []routeView
}

// routeView is a route on the page.
type routeView struct {
	Anchor, Method, Path, Summary, About string
	Roles                                string
	Gateway                              bool
	Operation                            bool
	Section                              string
	Form                                 bool // the body is a form
	Fields                               []fieldRow
	Request                              string
	Before                               string // which samples come before
	Samples                              []sampleView
	Replies                              []replyView
	Faults                               []faultRow
}

type fieldRow struct {
	Name, In, Type, About string
	Required              bool
}

// sampleView is a command that calls the route at the sandbox.
type sampleView struct{ Label, Source string }

type replyView struct {
	HTTP          int
	When, Example string
	Fields        []fieldRow
}

type faultRow struct {
	Anchor, Code, Message, When string
	HTTP                        int
}

type headerRow struct{ Name, About string }

// renderPage builds the page.
func (d *Document) renderPage() error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return fmt.Errorf("read the template: %w", err)
	}
	s := pageData{Title: title, Version: Version, Style: template.CSS(openapi.Style()), Script: template.JS(docs.Script()), Checksum: checksumText}
	for _, f := range d.faults {
		s.Faults = append(s.Faults, faultRowOf(f))
	}
	for _, h := range sealHeaders() {
		if h.name != "SealChecksum" {
			s.Seal = append(s.Seal, headerRow{h.header, h.about})
		}
	}
	for _, f := range d.texts.groups {
		c := section{Anchor: anchor(f.Name), Name: f.Name, About: f.About}
		for _, e := range d.entries {
			if e.group != f.Name {
				continue
			}
			v, err := d.routeView(e)
			if err != nil {
				return fmt.Errorf("%s: %w", e.route.ID, err)
			}
			c.Routes = append(c.Routes, v)
		}
		if len(c.Routes) > 0 {
			s.Sections = append(s.Sections, c)
		}
	}
	if s.Callback, err = viewCallback(); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, s); err != nil {
		return fmt.Errorf("fill the template: %w", err)
	}
	d.page = out.Bytes()
	return nil
}

func faultRowOf(f fault) faultRow {
	return faultRow{Anchor: "error-" + string(f.fault), Code: f.code, Message: f.text, When: f.When, HTTP: f.HTTP}
}

// anchor makes a fragment's name of words.
func anchor(words string) string {
	return strings.Trim(strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(words)), "-")
}

// routeView returns a route as the page shows it.
func (d *Document) routeView(e entry) (routeView, error) {
	v := routeView{
		Anchor: operationID(e.route), Method: e.route.Method, Path: pathTemplate(e.route.Path), Summary: e.Summary, About: e.About,
		Gateway: e.route.Entrances&op.Gateway != 0, Operation: e.Bank == bankOperation, Section: e.route.Section, Form: e.Own != nil,
	}
	var roles []string
	for _, r := range e.route.Roles {
		roles = append(roles, string(r))
	}
	v.Roles = strings.Join(roles, ", ")
	for _, f := range e.fields {
		v.Fields = append(v.Fields, fieldRow{Name: f.name, In: f.in, Type: typeOf(f.schema), About: f.schema.Description, Required: f.required})
	}
	request, err := requestText(e)
	if err != nil {
		return v, err
	}
	v.Request, v.Before = request, e.samplesBefore()
	v.Samples = append(v.Samples, sampleView{"Paste: direct", e.directSample()})
	if v.Gateway {
		v.Samples = append(v.Samples, sampleView{"Paste: gateway", e.gatewaySample()})
	}
	for _, s := range e.Replies {
		text, err := pretty(s.Example)
		if err != nil {
			return v, err
		}
		r := replyView{HTTP: s.HTTP, When: s.When, Example: text}
		switch {
		case s.Body != nil:
			r.Fields = d.rows(s.Body, "", 0)
		default:
			r.Fields = d.rows(s.Data, "data", 0)
			for _, b := range s.Beside {
				r.Fields = append(r.Fields, d.row(b.value, b.name, !contains(s.May, b.name), 0)...)
			}
		}
		v.Replies = append(v.Replies, r)
	}
	for _, f := range e.faults {
		v.Faults = append(v.Faults, faultRowOf(f))
	}
	return v, nil
}

// maxNesting is how deep the page lists the fields of a reply.
const maxNesting = 5

// rows lists the fields of an object or of an array's items, by their path.
func (d *Document) rows(s *schema, path string, depth int) []fieldRow {
	if s == nil || depth > maxNesting {
		return nil
	}
	if s.Ref != "" {
		return d.rows(d.checker.named[strings.TrimPrefix(s.Ref, schemaPrefix)], path, depth+1)
	}
	if s.Items != nil {
		return d.rows(s.Items, path+"[]", depth+1)
	}
	var list []fieldRow
	for _, p := range s.Properties {
		name := p.name
		if path != "" {
			name = path + "." + p.name
		}
		list = append(list, d.row(p.value, name, contains(s.Required, p.name), depth)...)
	}
	return list
}

// row is a field, and the fields in it.
func (d *Document) row(s *schema, path string, required bool, depth int) []fieldRow {
	shown := s
	if s.Ref != "" {
		shown = d.checker.named[strings.TrimPrefix(s.Ref, schemaPrefix)]
	}
	return append([]fieldRow{{Name: path, Type: typeOf(shown), About: shown.Description, Required: required}}, d.rows(s, path, depth+1)...)
}

// typeOf names a value's type in a few words.
func typeOf(s *schema) string {
	words := s.Type
	switch {
	case len(s.AnyOf) > 0:
		var list []string
		for _, shape := range s.AnyOf {
			if word := cmp.Or(shape.Type, "object"); !contains(list, word) {
				list = append(list, word)
			}
		}
		return strings.Join(list, " or ")
	case s.Const != nil:
		return string(s.Const)
	case len(s.Enum) > 0:
		var list []string
		for _, e := range s.Enum {
			list = append(list, string(e))
		}
		return strings.Join(list, " or ")
	case s.Items != nil:
		return "array"
	case s.Format != "":
		return words + ", " + s.Format
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("%s, %s to %s", words, s.Minimum, s.Maximum)
	case s.MinLength > 0 && s.MaxLength > 0:
		return fmt.Sprintf("%s, %d to %d characters", words, s.MinLength, s.MaxLength)
	case s.MaxLength > 0:
		return fmt.Sprintf("%s, at most %d characters", words, s.MaxLength)
	}
	return words
}

// requestText writes an example request: the first line, and the body if there is
// one.
func requestText(e entry) (string, error) {
	line := e.route.Method + " " + pathTemplate(e.route.Path)
	var query, form []string
	for _, f := range e.fields {
		if f.example == nil || f.name == "merchantId" && e.acting {
			continue
		}
		text := plainText(f.example)
		switch {
		case f.in == inPath:
			line = strings.Replace(line, "{"+f.name+"}", text, 1)
		case f.in == inQuery:
			query = append(query, f.name+"="+text)
		case e.Own != nil:
			form = append(form, f.name+"="+text)
		}
	}
	if len(query) > 0 {
		line += "?" + strings.Join(query, "&")
	}
	switch {
	case e.served && len(e.route.Roles) > 0:
		line += "\nAuthorization: Bearer <access token>"
	case len(form) > 0:
		line += "\nContent-Type: application/x-www-form-urlencoded\n\n" + strings.Join(form, "&")
	}
	if e.served && e.route.Method != "GET" && e.route.Method != "DELETE" {
		line += "\nContent-Type: application/json"
	}
	if e.Own != nil || e.example == nil {
		return line, nil
	}
	body, err := pretty(e.example)
	return line + "\n\n" + body, err
}

// plainText writes a value as in a path, a query or a form.
func plainText(v jsontext.Value) string {
	var text string
	if v.Kind() == jsontext.KindString && json.Unmarshal(v, &text) == nil {
		return text
	}
	return string(v)
}
