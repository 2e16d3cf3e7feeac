package openapitest

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// member is a name with its value.
type member struct {
	name  string
	value any
}

// object is a JSON object whose members keep their order.
type object []member

// with adds a member.
func (o object) with(name string, value any) object { return append(o, member{name, value}) }

// MarshalJSONTo implements json.MarshalerTo.
func (o object) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, m.value); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// ordered is a JSON object with members of one type, in the order of the source.
type ordered[T any] []named[T]

type named[T any] struct {
	name  string
	value T
}

// find returns the member with a name.
func (o ordered[T]) find(name string) (value T, ok bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return value, false
}

// MarshalJSONTo implements json.MarshalerTo.
func (o ordered[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	out := make(object, 0, len(o))
	for _, m := range o {
		out = out.with(m.name, m.value)
	}
	return out.MarshalJSONTo(enc)
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (o *ordered[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != jsontext.KindBeginObject {
		return fmt.Errorf("want an object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		m := named[T]{name: name.String()}
		if err := json.UnmarshalDecode(dec, &m.value); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		*o = append(*o, m)
	}
	_, err := dec.ReadToken()
	return err
}

// write returns a value's JSON without white space.
func write(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true))
}

// pretty indents JSON for the page.
func pretty(v jsontext.Value) (string, error) {
	out := v.Clone()
	if err := out.Indent(jsontext.WithIndent("  ")); err != nil {
		return "", fmt.Errorf("indent an example: %w", err)
	}
	return string(out), nil
}
