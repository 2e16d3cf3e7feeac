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

// Field is a field of a body as it was sent.
type Field struct {
	Name  []byte // unescaped
	Value jsontext.Value
}

// Values are the fields of a body in their order, each name once. They are parts of
// the body and valid as long as it does not change.
type Values []Field

// Get returns the raw value of a field.
func (v Values) Get(name string) (value jsontext.Value, present bool) {
	for i := range v {
		if string(v[i].Name) == name {
			return v[i].Value, true
		}
	}
	return nil, false
}

// Without gives the values without a field.
func (v Values) Without(name string) Values {
	return slices.DeleteFunc(slices.Clone(v), func(f Field) bool { return string(f.Name) == name })
}

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
	object := object{body: body}
	err := json.Unmarshal(body, &object)
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return object.fields, nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return nil, malformed("duplicate", "must not contain the same field twice")
	case errors.As(err, &syntax):
		return nil, malformed("json", fmt.Sprintf("must be well-formed JSON; it is not at byte %d", syntax.ByteOffset))
	default:
		return nil, malformed("json", "must be well-formed JSON")
	}
}

// object reads the fields of a body without copying them.
type object struct {
	body   []byte
	fields Values
}

// usualFields is for how many fields there is room at first: a transfer has twelve.
const usualFields = 16

// UnmarshalJSONFrom implements json.UnmarshalerFrom. The decoder's values are only
// valid until the next one, so the same bytes of the body are kept instead.
func (o *object) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if _, err := in.ReadToken(); err != nil {
		return err
	}
	read := func() (jsontext.Value, error) {
		v, err := in.ReadValue()
		end := in.InputOffset()
		return o.body[end-int64(len(v)) : end], err
	}
	o.fields = make(Values, 0, usualFields)
	for in.PeekKind() != jsontext.KindEndObject {
		name, err := read()
		if err != nil {
			return err
		}
		value, err := read()
		if err != nil {
			return err
		}
		unescaped := name[1 : len(name)-1]
		if bytes.IndexByte(unescaped, '\\') >= 0 {
			if unescaped, err = jsontext.AppendUnquote(nil, name); err != nil {
				return err
			}
		}
		o.fields = append(o.fields, Field{unescaped, value})
	}
	_, err := in.ReadToken()
	return err
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
	_, ok := r.Values.Get(field)
	return ok
}

// OneOf records an error if none of the fields is present.
func (r *Reader) OneOf(fields ...string) {
	if slices.ContainsFunc(fields, r.Has) {
		return
	}
	for _, f := range fields {
		r.FailEither(f, fields...)
	}
}

// FailEither records that a field is missing, and that another one of the fields would do.
func (r *Reader) FailEither(field string, fields ...string) {
	others := slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return f == field })
	r.Fail(field, "required", "is required, or "+strings.Join(others, " or ")+" in its place")
}

// IsWrong reports whether a field has an error.
func (r *Reader) IsWrong(field string) bool {
	return slices.ContainsFunc(r.wrong, func(e central.FieldError) bool { return e.Field == field })
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
		if r.IsWrong(f) {
			continue
		}
		r.Fail(f, "alone", "must be the only one of "+strings.Join(fields, ", "))
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
	v, present = r.Values.Get(field)
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
	if s, ok = unquote(v); !ok {
		r.Fail(field, "type", "must be a string")
		return "", false
	}
	if s == "" && need == Must {
		r.Fail(field, "required", "must not be empty")
		return "", false
	}
	return s, true
}

// unquote returns the text of a JSON string; ok is false if it is something else.
func unquote(v jsontext.Value) (s string, ok bool) {
	if v.Kind() != jsontext.KindString {
		return "", false
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1]), true
	}
	text, err := jsontext.AppendUnquote(make([]byte, 0, len(v)), v)
	return string(text), err == nil
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
		inBody, both := r.Values.Get(name)
		text := jsontext.Value(quote(value))
		switch {
		case both && string(inBody) != string(text):
			r.Fail(name, "same", "must be the same in the query and in the body where both are sent")
		case !both:
			r.Values = append(r.Values, Field{[]byte(name), text})
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
