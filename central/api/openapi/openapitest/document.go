package openapitest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/api"
	"galla/central/api/field"
	"galla/shared/op"
)

// Version is the version of the interface that the document describes. Its first
// number changes when a program written for the old version would fail.
const Version = "1.1.0"

// Describer lists the fields of a route; *api.Handler implements it.
type Describer interface {
	// Describe lists the fields as the route's own code reads them. merchantId,
	// which vendors add on routes that act for a merchant, comes last.
	Describe(id op.RouteID) []field.Description
}

// Document describes the interface. It never changes and may be used by many
// goroutines at once.
type Document struct {
	entries []entry
	faults  []fault
	texts   texts
	checker checker
	replies map[op.RouteID]map[int][]*schema

	json []byte
	page []byte
}

// entry is a route with its description.
type entry struct {
	routeText
	route  op.Route
	served bool // in the route table; otherwise httpapi serves it itself
	acting bool // vendors name the merchant
	fields []requestField
	// example is a request's body; nil if the route reads none.
	example jsontext.Value
	faults  []fault
	group   string
	sample  sampleText
}

// Where a field stands.
const (
	inPath  = "path"
	inQuery = "query"
	inBody  = "body"
)

// requestField is a field of a request.
type requestField struct {
	name     string
	in       string
	required bool
	schema   *schema
	example  jsontext.Value
}

// fault is a kind of error: its line of the error table, and when it occurs.
type fault struct {
	replyText
	fault central.Fault
	name  string // the name of its component
	code  string // statusCode
	text  string // the message of errors that have none of their own
}

// New describes the routes. Its error lists every mismatch between the code and
// the data.
func New(d Describer, routes []op.Route) (*Document, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	doc := &Document{texts: l, checker: checker{named: map[string]*schema{}}, replies: map[op.RouteID]map[int][]*schema{}}
	for _, s := range l.schemas {
		doc.checker.named[s.name] = s.value
	}
	if doc.faults, err = readFaults(); err != nil {
		return nil, err
	}
	if err := errors.Join(doc.addEntries(d, routes), doc.checkExamples(), doc.readSamples()); err != nil {
		return nil, fmt.Errorf("the interface does not match its description: %w", err)
	}
	whole, err := doc.assemble()
	if err == nil {
		doc.json, err = write(whole)
	}
	if err != nil {
		return nil, fmt.Errorf("write the OpenAPI document: %w", err)
	}
	if err := doc.renderPage(); err != nil {
		return nil, fmt.Errorf("write the page of the interface: %w", err)
	}
	return doc, nil
}

// JSON is the OpenAPI 3.1 document.
func (d *Document) JSON() []byte { return d.json }

// Page is the interface as one HTML page.
func (d *Document) Page() []byte { return d.page }

// addEntries makes the entries in the order of the data, and finds what is missing
// on either side.
func (d *Document) addEntries(describer Describer, routes []op.Route) error {
	var wrong []error
	table := map[op.RouteID]op.Route{}
	for _, r := range routes {
		if r.Entrances&(op.Direct|op.Gateway) == 0 {
			continue // for terminals only (uplink.md)
		}
		table[r.ID] = r
		if _, ok := d.texts.find(r.ID); !ok {
			wrong = append(wrong, fmt.Errorf("%s has no text in data/", r.ID))
		}
	}
	for _, family := range d.texts.groups {
		for _, w := range family.Routes {
			e := entry{routeText: w, group: family.Name}
			route, ok := table[w.ID]
			switch {
			case ok:
				e.route, e.served = route, true
				wrong = append(wrong, d.describe(&e, describer.Describe(w.ID)))
			case w.Own != nil:
				method, path, _ := strings.Cut(string(w.ID), " ")
				e.route = op.Route{ID: w.ID, Method: method, Path: path, Entrances: op.Direct, Section: "own additions"}
				wrong = append(wrong, d.describeOwn(&e))
			default:
				continue // not served
			}
			d.entries = append(d.entries, e)
		}
	}
	return errors.Join(wrong...)
}

// params lists the names in a path.
func params(path string) []string {
	var names []string
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			names = append(names, name)
		}
	}
	return names
}

// describe fills in the fields that the route's code reads.
func (d *Document) describe(e *entry, read []field.Description) error {
	var wrong []error
	add := func(f requestField, text field.Schema) {
		m, ok := d.texts.fields.find(f.name)
		if !ok {
			wrong = append(wrong, fmt.Errorf("%s: field %s has no line in data/fields.json", e.route.ID, f.name))
		}
		if about, ok := e.Fields[f.name]; ok {
			m.About = about
		}
		f.example = m.Example
		if v, ok := e.Request.find(f.name); ok {
			f.example = v
		}
		f.schema = schemaOf(text, m.About)
		e.fields = append(e.fields, f)
	}
	for _, name := range params(e.route.Path) {
		add(requestField{name: name, in: inPath, required: true}, field.Schema{Type: "string"})
	}
	place := inBody
	if e.route.Method == "GET" {
		place = inQuery
	}
	for _, f := range read {
		add(requestField{name: f.Name, in: place, required: f.Required}, f.Schema)
		if f.Name == "merchantId" && !f.Required && e.route.Allows(op.Vendor) {
			e.acting = true
		}
	}
	e.faults = d.faultsOf(e)
	return errors.Join(append(wrong, d.buildExample(e))...)
}

// describeOwn does the same for a route that httpapi serves itself.
func (d *Document) describeOwn(e *entry) error {
	for _, p := range e.Own.Properties {
		f := requestField{name: p.name, in: inBody, required: contains(e.Own.Required, p.name), schema: p.value}
		if len(p.value.Examples) > 0 {
			f.example = p.value.Examples[0]
		}
		e.fields = append(e.fields, f)
	}
	for _, f := range d.faults {
		if slices.Contains(e.Faults, f.fault) {
			e.faults = append(e.faults, f)
		}
	}
	return d.buildExample(e)
}

// buildExample makes the example request, and checks each value against its schema.
func (d *Document) buildExample(e *entry) error {
	var wrong []error
	var body object
	for i, f := range e.fields {
		left := f.example == nil || f.example.Kind() == jsontext.KindNull
		if f.name == "merchantId" && e.acting {
			left = true // a merchant's token names it
		}
		if left {
			if f.required {
				wrong = append(wrong, fmt.Errorf("%s: field %s is required and has no example", e.route.ID, f.name))
			}
			if f.example == nil || f.example.Kind() == jsontext.KindNull {
				e.fields[i].example = nil
			}
			continue
		}
		wrong = append(wrong, d.checker.check(f.schema, f.example, string(e.route.ID)+" "+f.name, 0))
		if f.in == inBody {
			body = body.with(f.name, f.example)
		}
	}
	for _, r := range e.Request {
		if !hasField(e.fields, r.name) {
			wrong = append(wrong, fmt.Errorf("%s: the example has the field %s, which the route does not read", e.route.ID, r.name))
		}
	}
	if e.readsBody() && len(body) > 0 {
		text, err := write(body)
		e.example = text
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

func hasField(fields []requestField, name string) bool {
	for _, f := range fields {
		if f.name == name {
			return true
		}
	}
	return false
}

// readsBody reports whether a request has a body with fields.
func (e *entry) readsBody() bool {
	for _, f := range e.fields {
		if f.in == inBody {
			return true
		}
	}
	return false
}

// schemaOf writes what a reader accepts as JSON Schema.
func schemaOf(f field.Schema, about string) *schema {
	s := &schema{
		Type: f.Type, Format: f.Format, Pattern: f.Pattern, MinLength: f.MinLength, MaxLength: f.MaxLength,
		Minimum: number(f.Minimum), Maximum: number(f.Maximum), Description: about,
	}
	for _, word := range f.Enum {
		if f.Type == "string" {
			s.Enum = append(s.Enum, constant(word))
		} else {
			s.Enum = append(s.Enum, jsontext.Value(word))
		}
	}
	if f.Note != "" && !strings.Contains(s.Description, f.Note) {
		s.Description = strings.TrimSpace(s.Description + " " + sentence(f.Note))
	}
	if f.Or != nil {
		about := s.Description
		s.Description = ""
		s = &schema{AnyOf: []*schema{s, schemaOf(*f.Or, "")}, Description: about}
	}
	return s
}

// sentence makes a sentence of a note.
func sentence(note string) string {
	return strings.ToUpper(note[:1]) + strings.TrimSuffix(note[1:], ".") + "."
}

func number(text string) jsontext.Value {
	if text == "" {
		return nil
	}
	return jsontext.Value(text)
}

// readFaults builds the error table from the code's own replies and
// data/faults.json.
func readFaults() ([]fault, error) {
	var texts ordered[replyText]
	if err := read("faults", &texts); err != nil {
		return nil, err
	}
	var list []fault
	var wrong []error
	for _, kind := range central.Faults() {
		words, ok := texts.find(string(kind))
		if !ok {
			wrong = append(wrong, fmt.Errorf("fault %s has no text in data/faults.json", kind))
			continue
		}
		http, body := api.Renderer{}.NotExecutedReply(central.Operation{}, central.NewError(kind, ""))
		f := fault{replyText: words, fault: kind, name: component(string(kind))}
		f.HTTP = http
		head, err := readHead(body)
		if f.Example == nil {
			f.Example = body
		}
		given, errGiven := readHead(f.Example)
		if err = errors.Join(err, errGiven); err == nil && given.StatusCode != head.StatusCode {
			err = fmt.Errorf("its example has statusCode %s, the code %s", given.StatusCode, head.StatusCode)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("fault %s: %w", kind, err))
		}
		f.code, f.text = head.StatusCode, head.Message
		list = append(list, f)
	}
	return list, errors.Join(wrong...)
}

// component makes a name such as AccessDenied of access-denied.
func component(words string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(words, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// faultsOf lists the errors that a route of the table can return: those that
// follow from its properties, and those that its data name.
func (d *Document) faultsOf(e *entry) []fault {
	met := map[central.Fault]bool{central.Invalid: true, central.TooMany: true, central.Internal: true}
	if len(e.route.Roles) > 0 {
		met[central.Unauthenticated], met[central.AccessDenied] = true, true
	}
	if e.route.Method != "GET" {
		met[central.TooLarge] = true
	}
	if e.route.Allows(op.Merchant) {
		met[central.MerchantNotFound], met[central.FailedPrecondition] = true, true
	}
	if e.route.Allows(op.Vendor) {
		met[central.FailedPrecondition] = true
	}
	for _, name := range params(e.route.Path) {
		if name == "vendorId" {
			met[central.MerchantNotFound] = true
		} else {
			met[central.NotFound] = true
		}
	}
	switch e.Bank {
	case bankOperation:
		met[central.Conflict], met[central.BankUnreachable], met[central.FailedPrecondition] = true, true, true
	case bankConsult:
		met[central.BankUnreachable] = true
	}
	for _, f := range e.Faults {
		met[f] = true
	}
	var list []fault
	for _, f := range d.faults {
		if met[f.fault] {
			list = append(list, f)
		}
	}
	return list
}
