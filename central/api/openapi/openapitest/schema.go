package openapitest

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// schema is the part of JSON Schema 2020-12 that the document uses. A keyword that
// the checker does not implement can't be read.
type schema struct {
	Ref         string           `json:"$ref,omitzero"`
	Type        string           `json:"type,omitzero"`
	Const       jsontext.Value   `json:"const,omitzero"`
	Enum        []jsontext.Value `json:"enum,omitzero"`
	Format      string           `json:"format,omitzero"`
	Pattern     string           `json:"pattern,omitzero"`
	MinLength   int              `json:"minLength,omitzero"`
	MaxLength   int              `json:"maxLength,omitzero"`
	Minimum     jsontext.Value   `json:"minimum,omitzero"`
	Maximum     jsontext.Value   `json:"maximum,omitzero"`
	Required    []string         `json:"required,omitzero"`
	Properties  ordered[*schema] `json:"properties,omitzero"`
	Items       *schema          `json:"items,omitzero"`
	AnyOf       []*schema        `json:"anyOf,omitzero"`
	Not         *schema          `json:"not,omitzero"`
	Default     jsontext.Value   `json:"default,omitzero"`
	Description string           `json:"description,omitzero"`
	Examples    []jsontext.Value `json:"examples,omitzero"`
	// Open marks an object that the bank network fills: CheckReply accepts other
	// fields there. Any JSON Schema allows them.
	Open bool `json:"additionalProperties,omitzero"`
	// Encoding, Media and Inner describe a sealed payload.
	Encoding string  `json:"contentEncoding,omitzero"`
	Media    string  `json:"contentMediaType,omitzero"`
	Inner    *schema `json:"contentSchema,omitzero"`
}

// schemaPrefix begins every reference.
const schemaPrefix = "#/components/schemas/"

func refTo(name string) *schema { return &schema{Ref: schemaPrefix + name} }

func constant(s string) jsontext.Value {
	text, err := json.Marshal(s)
	if err != nil {
		return jsontext.Value(`""`)
	}
	return text
}

// checker checks values against schemas.
type checker struct {
	named map[string]*schema
}

// maxDepth limits references to references, which only a loop has.
const maxDepth = 32

// check returns what is wrong with a value; path names it in the errors.
func (c checker) check(s *schema, v jsontext.Value, path string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: the schema refers to itself", path)
	}
	if s.Ref != "" {
		target := c.named[strings.TrimPrefix(s.Ref, schemaPrefix)]
		if target == nil {
			return fmt.Errorf("%s: the document has no %s", path, s.Ref)
		}
		return c.check(target, v, path, depth+1)
	}
	if len(s.AnyOf) > 0 {
		return c.checkAny(s.AnyOf, v, path, depth)
	}
	if s.Not != nil && c.check(s.Not, v, path, depth+1) == nil {
		return fmt.Errorf("%s is %s, which it must not be", path, v)
	}
	if err := checkValue(s, v, path); err != nil {
		return err
	}
	switch v.Kind() {
	case jsontext.KindBeginObject:
		return c.checkObject(s, v, path, depth)
	case jsontext.KindBeginArray:
		return c.checkArray(s, v, path, depth)
	}
	return nil
}

// checkAny accepts any of several shapes; the error lists all of them if none fits.
func (c checker) checkAny(shapes []*schema, v jsontext.Value, path string, depth int) error {
	var wrong []error
	for i, s := range shapes {
		err := c.check(s, v, path, depth+1)
		if err == nil {
			return nil
		}
		wrong = append(wrong, fmt.Errorf("as shape %d: %w", i+1, err))
	}
	return fmt.Errorf("%s has none of its %d shapes: %w", path, len(shapes), errors.Join(wrong...))
}

func (c checker) checkObject(s *schema, v jsontext.Value, path string, depth int) error {
	var fields ordered[jsontext.Value]
	if err := json.Unmarshal(v, &fields); err != nil {
		return fmt.Errorf("%s can't be read: %w", path, err)
	}
	var wrong []error
	for _, name := range s.Required {
		if _, ok := fields.find(name); !ok {
			wrong = append(wrong, fmt.Errorf("%s.%s is missing", path, name))
		}
	}
	for _, f := range fields {
		property, known := s.Properties.find(f.name)
		switch {
		case known:
			wrong = append(wrong, c.check(property, f.value, path+"."+f.name, depth+1))
		case !s.Open:
			wrong = append(wrong, fmt.Errorf("%s.%s is not in the document", path, f.name))
		}
	}
	return errors.Join(wrong...)
}

func (c checker) checkArray(s *schema, v jsontext.Value, path string, depth int) error {
	var items []jsontext.Value
	if err := json.Unmarshal(v, &items); err != nil {
		return fmt.Errorf("%s can't be read: %w", path, err)
	}
	if s.Items == nil {
		return nil
	}
	var wrong []error
	for i, item := range items {
		wrong = append(wrong, c.check(s.Items, item, fmt.Sprintf("%s[%d]", path, i), depth+1))
	}
	return errors.Join(wrong...)
}

// checkValue checks a value against the keywords for single values.
func checkValue(s *schema, v jsontext.Value, path string) error {
	if s.Type != "" && !hasType(s.Type, v) {
		return fmt.Errorf("%s is %s; want %s", path, excerpt(v), s.Type)
	}
	if s.Const != nil && !equalJSON(s.Const, v) {
		return fmt.Errorf("%s is %s; want %s", path, excerpt(v), s.Const)
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(e jsontext.Value) bool { return equalJSON(e, v) }) {
		return fmt.Errorf("%s is %s; want one of %s", path, excerpt(v), s.Enum)
	}
	switch v.Kind() {
	case jsontext.KindString:
		return checkText(s, v, path)
	case jsontext.KindNumber:
		return checkNumber(s, v, path)
	}
	return nil
}

func checkText(s *schema, v jsontext.Value, path string) error {
	var text string
	if err := json.Unmarshal(v, &text); err != nil {
		return fmt.Errorf("%s can't be read: %w", path, err)
	}
	n := utf8.RuneCountInString(text)
	if n < s.MinLength || s.MaxLength > 0 && n > s.MaxLength {
		return fmt.Errorf("%s has %d characters; want %d to %d", path, n, s.MinLength, s.MaxLength)
	}
	if s.Pattern != "" {
		pattern, err := regexp.Compile(s.Pattern)
		if err != nil {
			return fmt.Errorf("%s: the document's pattern %s: %w", path, s.Pattern, err)
		}
		if !pattern.MatchString(text) {
			return fmt.Errorf("%s is %s; want %s", path, excerpt(v), s.Pattern)
		}
	}
	if !hasFormat(s.Format, text) {
		return fmt.Errorf("%s is %s; want a %s", path, excerpt(v), s.Format)
	}
	return nil
}

func checkNumber(s *schema, v jsontext.Value, path string) error {
	n, ok := new(big.Rat).SetString(string(v))
	if !ok {
		return fmt.Errorf("%s is no number", path)
	}
	for _, bound := range []struct {
		text jsontext.Value
		sign int
		word string
	}{{s.Minimum, -1, "at least"}, {s.Maximum, 1, "at most"}} {
		if bound.text == nil {
			continue
		}
		limit, ok := new(big.Rat).SetString(string(bound.text))
		if !ok || n.Cmp(limit) == bound.sign {
			return fmt.Errorf("%s is %s; want %s %s", path, v, bound.word, bound.text)
		}
	}
	return nil
}

func hasType(want string, v jsontext.Value) bool {
	switch v.Kind() {
	case jsontext.KindString:
		return want == "string"
	case jsontext.KindNumber:
		n, ok := new(big.Rat).SetString(string(v))
		return want == "number" || want == "integer" && ok && n.IsInt()
	case jsontext.KindTrue, jsontext.KindFalse:
		return want == "boolean"
	case jsontext.KindBeginObject:
		return want == "object"
	case jsontext.KindBeginArray:
		return want == "array"
	}
	return false
}

// hasFormat reports whether a text has a format. Formats that are not listed are
// for people only.
func hasFormat(format, text string) bool {
	switch format {
	case "uuid":
		id, err := uuid.Parse(text)
		return err == nil && id.String() == text
	case "date":
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case "date-time":
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	}
	return true
}

// equalJSON reports whether two values are equal, however they are written.
func equalJSON(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && string(a) == string(b)
}

// excerpt quotes the start of a value in an error.
func excerpt(v jsontext.Value) string {
	const enough = 80
	if len(v) > enough {
		return string(v[:enough]) + "…"
	}
	return string(v)
}
