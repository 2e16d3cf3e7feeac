package field

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
)

// Values are the raw fields of a body.
type Values = map[string]jsontext.Value

// Decode reads a body as one JSON object and returns its fields' raw values. An
// empty body has no fields. Errors are Invalid and never quote the body.
func Decode(body []byte) (Values, error) {
	text := bytes.TrimLeft(body, " \t\r\n")
	if len(text) == 0 {
		return nil, nil
	}
	malformed := func(rule, message string) error { return central.NewFieldError("body", rule, message) }
	if !utf8.Valid(body) {
		return nil, malformed("utf8", "must be valid UTF-8")
	}
	if text[0] != '{' {
		return nil, malformed("object", "must be one JSON object")
	}
	var values Values
	err := json.Unmarshal(body, &values)
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return values, nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return nil, malformed("duplicate", "must not contain the same field twice")
	case errors.As(err, &syntax):
		return nil, malformed("json", fmt.Sprintf("must be well-formed JSON; it is not at byte %d", syntax.ByteOffset))
	default:
		return nil, malformed("json", "must be well-formed JSON")
	}
}

// Need is whether a field is required.
type Need bool

// Values of Need.
const (
	Must Need = true
	May  Need = false
)

// Schema describes what is accepted, in the words of JSON Schema.
type Schema struct {
	Type      string // string, number, integer, boolean
	Format    string
	Pattern   string
	MinLength int
	MaxLength int
	Minimum   string // a number, as text; empty: none
	Maximum   string
	Enum      []string
	Note      string // for people
	// Or is another form of the same value, such as a mobile number written as a
	// JSON number.
	Or *Schema
}

// Description is a field that a route reads.
type Description struct {
	Name     string
	Required bool
	Schema   Schema
}

// Reader reads a body's fields and collects all errors, in the order in which the
// fields are read.
type Reader struct {
	Values Values
	// Describing makes the methods record every field in Described. The values
	// that they return then have no meaning.
	Describing bool

	wrong     []central.FieldError
	described []Description
}

// Described lists the fields that were read while Describing, each once.
func (r *Reader) Described() []Description { return r.described }

// Fail records that a field is wrong. The message continues 'the field …' and
// never quotes the value.
func (r *Reader) Fail(field, rule, message string) {
	r.wrong = append(r.wrong, central.FieldError{Field: field, Rule: rule, Message: message})
}

// Failures is the number of errors so far.
func (r *Reader) Failures() int { return len(r.wrong) }

// Err is the Invalid error with every wrong field, or nil.
func (r *Reader) Err() error {
	if len(r.wrong) == 0 {
		return nil
	}
	return &central.Error{Fault: central.Invalid, Message: "Invalid request", Fields: r.wrong}
}

// Has reports whether the field is present, whatever its value.
func (r *Reader) Has(field string) bool {
	_, ok := r.Values[field]
	return ok
}

// OneOf records an error if none of the fields is present.
func (r *Reader) OneOf(fields ...string) {
	if slices.ContainsFunc(fields, r.Has) {
		return
	}
	for _, f := range fields {
		r.Fail(f, "required", fmt.Sprintf("is required, or one of %v in its place", fields))
	}
}

// ExactlyOne records an error if none of the fields is present, or more than one.
// Fields that are already wrong get no further error.
func (r *Reader) ExactlyOne(fields ...string) {
	var given []string
	for _, f := range fields {
		if r.Has(f) {
			given = append(given, f)
		}
	}
	if len(given) == 0 {
		r.OneOf(fields...)
	}
	if len(given) < 2 {
		return
	}
	for _, f := range given {
		if slices.ContainsFunc(r.wrong, func(e central.FieldError) bool { return e.Field == f }) {
			continue
		}
		r.Fail(f, "alone", fmt.Sprintf("must be the only one of %v", fields))
	}
}

// describe records the field for the OpenAPI document.
func (r *Reader) describe(field string, need Need, s Schema) {
	if !r.Describing {
		return
	}
	if slices.ContainsFunc(r.described, func(known Description) bool { return known.Name == field }) {
		return
	}
	r.described = append(r.described, Description{Name: field, Required: bool(need), Schema: s})
}

// value returns a field's raw value. A required one that is absent is recorded.
func (r *Reader) value(field string, need Need) (v jsontext.Value, present bool) {
	v, present = r.Values[field]
	if !present && need == Must {
		r.Fail(field, "required", "is required")
	}
	return v, present
}

// stringValue returns a string field; ok is false if it is absent or wrong. A
// required one must not be empty.
func (r *Reader) stringValue(field string, need Need) (s string, ok bool) {
	v, present := r.value(field, need)
	if !present {
		return "", false
	}
	if v.Kind() != jsontext.KindString || json.Unmarshal(v, &s) != nil {
		r.Fail(field, "type", "must be a string")
		return "", false
	}
	if s == "" && need == Must {
		r.Fail(field, "required", "must not be empty")
		return "", false
	}
	return s, true
}

// numberValue returns a JSON number in plain digits (see PlainNumber); ok is false
// if it is absent or wrong.
func (r *Reader) numberValue(field string, need Need) (text string, ok bool) {
	v, present := r.value(field, need)
	if !present {
		return "", false
	}
	if v.Kind() != jsontext.KindNumber {
		r.Fail(field, "type", "must be a number")
		return "", false
	}
	return r.plainNumber(field, v)
}

// RawText returns a text unchecked; "" if it is absent or no string.
func (r *Reader) RawText(field string) string {
	s, _ := r.stringValue(field, May)
	return s
}

// PathValue reads a parameter of a path as sent. An invalid escape, or one that hides a
// separator, finds nothing: the error is NotFound.
func PathValue(sent string) (string, error) {
	value, err := url.PathUnescape(sent)
	if err != nil || strings.Contains(value, "/") || !utf8.ValidString(value) {
		return "", central.NewError(central.NotFound, "")
	}
	return value, nil
}

// AddQuery adds the fields of a query as strings. One that the body has too must
// have the same value there.
func (r *Reader) AddQuery(query map[string]string) {
	for name, value := range query {
		inBody, both := r.Values[name]
		text := jsontext.Value(quote(value))
		switch {
		case both && string(inBody) != string(text):
			r.Fail(name, "same", "must be the same in the query and in the body where both are sent")
		case !both:
			if r.Values == nil {
				r.Values = Values{}
			}
			r.Values[name] = text
		}
	}
}

// quote writes a text as JSON.
func quote(s string) []byte {
	b, err := json.Marshal(s, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return []byte(`""`)
	}
	return b
}
