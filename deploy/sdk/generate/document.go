package generate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// document is what the SDKs need of the OpenAPI document.
type document struct {
	Info struct {
		Version string `json:"version"`
	} `json:"info"`
	Paths      ordered[ordered[operation]] `json:"paths"`
	Webhooks   map[string]ordered[operation]
	Components struct {
		Schemas    ordered[*schema]     `json:"schemas"`
		Parameters map[string]parameter `json:"parameters"`
	} `json:"components"`
}

type operation struct {
	ID          string      `json:"operationId"`
	Tags        []string    `json:"tags"`
	Summary     string      `json:"summary"`
	Description string      `json:"description"`
	Parameters  []parameter `json:"parameters"`
	RequestBody struct {
		Content map[string]media `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]media `json:"content"`
	} `json:"responses"`
	Security []map[string][]string `json:"security"`
	Roles    []string              `json:"x-roles"`
	Class    string                `json:"x-class"`
	Direct   string                `json:"x-direct"`
}

type media struct {
	Schema *schema `json:"schema"`
}

type parameter struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Required    bool    `json:"required"`
	Description string  `json:"description"`
	Schema      *schema `json:"schema"`
}

type schema struct {
	Ref         string           `json:"$ref"`
	Type        string           `json:"type"`
	Description string           `json:"description"`
	Format      string           `json:"format"`
	Const       any              `json:"const"`
	Enum        []any            `json:"enum"`
	Required    []string         `json:"required"`
	Properties  ordered[*schema] `json:"properties"`
	Items       *schema          `json:"items"`
	AnyOf       []*schema        `json:"anyOf"`
	Additional  bool             `json:"additionalProperties"`
	Content     *schema          `json:"contentSchema"`
}

// member is one member of an object.
type member[T any] struct {
	name  string
	value T
}

// ordered is a JSON object in the order of the text, which is the order of the methods
// and fields of an SDK.
type ordered[T any] []member[T]

// UnmarshalJSON reads an object. A name that stands twice is an error.
func (o *ordered[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("want an object, got %.40q", text)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var m member[T]
		m.name, _ = name.(string)
		if err := d.Decode(&m.value); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if _, ok := o.find(m.name); ok {
			return fmt.Errorf("%s stands twice", m.name)
		}
		*o = append(*o, m)
	}
	return nil
}

// find gives a member's value; false: there is none.
func (o ordered[T]) find(name string) (value T, ok bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return value, false
}

// last is the name that a reference ends with.
func last(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }
