package openapi

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/op"
)

//go:embed data/*.json
var files embed.FS

// familyFiles are the files with the routes' words, in the order of the
// document.
var familyFiles = []string{"tokens", "agent", "aeps", "customer", "transfer", "bc", "upi", "vendor", "own"}

// family is a group of routes that people look for together.
type family struct {
	Name   string  `json:"name"`
	About  string  `json:"about"`
	Routes []words `json:"routes"`
}

// words are what code cannot know of a route.
type words struct {
	ID      op.RouteID `json:"id"`
	Summary string     `json:"summary"`
	About   string     `json:"about,omitzero"`
	// Bank says how the route asks the bank network: as an operation, once and
	// under an identity, as a consultation, or (empty) not at all.
	Bank string `json:"bank,omitzero"`
	// Request has the example's values that differ from those of fields.json;
	// null leaves a field out.
	Request ordered[jsontext.Value] `json:"request,omitzero"`
	// Fields has meanings that differ from those of fields.json.
	Fields map[string]string `json:"fields,omitzero"`
	// Own are the fields of a route that the door serves itself, and Form says
	// that it takes them as a form.
	Own     *schema `json:"own,omitzero"`
	Replies []shown `json:"replies"`
	// Also names replies of data/shared.json that the route can give, too.
	Also   []string        `json:"also,omitzero"`
	Faults []central.Fault `json:"faults,omitzero"` // beyond those that follow from the route
}

// How a route asks the bank network.
const (
	bankOperation = "operation"
	bankConsult   = "consultation"
)

// shown is a reply that a route gives, with everything but its errors.
type shown struct {
	When string `json:"when"`
	HTTP int    `json:"http"`
	// Says: the message is always the example's.
	Says bool `json:"says,omitzero"`
	// Declined: the statusCode is the bank's, anything but 00.
	Declined bool             `json:"declined,omitzero"`
	Data     *schema          `json:"data,omitzero"`   // of the envelope; nil: there is none
	Beside   ordered[*schema] `json:"beside,omitzero"` // fields of the envelope beside data
	May      []string         `json:"may,omitzero"`    // those of them that may be absent
	Body     *schema          `json:"body,omitzero"`   // of a reply without the envelope
	Example  jsontext.Value   `json:"example"`         // the whole body
}

// meaning is a field's example and what it is.
type meaning struct {
	Example jsontext.Value `json:"example"`
	About   string         `json:"about,omitzero"`
}

// library is all the data of the room.
type library struct {
	families []family
	fields   ordered[meaning]
	schemas  ordered[*schema]
}

// load reads the embedded data. Its errors are faults of the program.
func load() (library, error) {
	var l library
	var shared ordered[shown]
	wrong := []error{read("shared", &shared)}
	for _, name := range familyFiles {
		var f family
		wrong = append(wrong, read(name, &f))
		for i, w := range f.Routes {
			for _, also := range w.Also {
				s, ok := shared.find(also)
				if !ok {
					wrong = append(wrong, fmt.Errorf("%s: data/shared.json has no reply %s", w.ID, also))
				}
				f.Routes[i].Replies = append(f.Routes[i].Replies, s)
			}
		}
		l.families = append(l.families, f)
	}
	wrong = append(wrong, read("fields", &l.fields), read("schemas", &l.schemas))
	return l, errors.Join(wrong...)
}

func read(name string, into any) error {
	text, err := fs.ReadFile(files, "data/"+name+".json")
	if err != nil {
		return fmt.Errorf("read the data of the document: %w", err)
	}
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("data/%s.json: %w", name, err)
	}
	return nil
}

// find gives the words of a route.
func (l library) find(id op.RouteID) (words, bool) {
	for _, f := range l.families {
		for _, w := range f.Routes {
			if w.ID == id {
				return w, true
			}
		}
	}
	return words{}, false
}

// body gives the schema of a reply's whole body.
func (s shown) body() (*schema, error) {
	if s.Body != nil {
		return s.Body, nil
	}
	var head struct {
		StatusCode string `json:"statusCode"`
		Message    string `json:"message"`
	}
	if err := json.Unmarshal(s.Example, &head); err != nil || head.StatusCode == "" || head.Message == "" {
		return nil, errors.Join(fmt.Errorf("the example of %q has no envelope", s.When), err)
	}
	code := &schema{Type: "string", Const: constant(head.StatusCode)}
	if s.Declined {
		code = &schema{Type: "string", Not: &schema{Const: constant("00")}, Description: "The bank network's code."}
	}
	message := &schema{Type: "string"}
	if s.Says {
		message.Const = constant(head.Message)
	}
	out := &schema{Type: "object", Required: []string{"statusCode", "message"}}
	out.Properties = ordered[*schema]{{"statusCode", code}, {"message", message}}
	if s.Data != nil {
		out.Properties = append(out.Properties, named[*schema]{"data", s.Data})
		out.Required = append(out.Required, "data")
	}
	for _, b := range s.Beside {
		out.Properties = append(out.Properties, b)
		if !contains(s.May, b.name) {
			out.Required = append(out.Required, b.name)
		}
	}
	return out, nil
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
