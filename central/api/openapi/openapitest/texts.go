package openapitest

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

// groupFiles are the files with the routes' texts, in the order of the document.
var groupFiles = []string{"tokens", "agent", "aeps", "customer", "transfer", "bc", "upi", "vendor", "selfservice", "own"}

// routeGroup is a group of related routes.
type routeGroup struct {
	Name   string      `json:"name"`
	About  string      `json:"about"`
	Routes []routeText `json:"routes"`
}

// routeText is the part of a route's description that code does not have.
type routeText struct {
	ID      op.RouteID `json:"id"`
	Summary string     `json:"summary"`
	About   string     `json:"about,omitzero"`
	// Bank is how the route asks the bank network: as an operation, once and
	// under an identity, as a consultation, or (empty) not at all.
	Bank string `json:"bank,omitzero"`
	// Request has the example's values that differ from those of fields.json;
	// null removes a field.
	Request ordered[jsontext.Value] `json:"request,omitzero"`
	// Fields has meanings that differ from those of fields.json.
	Fields map[string]string `json:"fields,omitzero"`
	// Own are the fields of a route that httpapi serves itself, and Form is true
	// if they come as a form.
	Own     *schema     `json:"own,omitzero"`
	Replies []replyText `json:"replies"`
	// Also names replies in data/shared.json that the route can give as well.
	Also   []string        `json:"also,omitzero"`
	Faults []central.Fault `json:"faults,omitzero"` // in addition to those that follow from the route
}

// Values of Bank.
const (
	bankOperation = "operation"
	bankConsult   = "consultation"
)

// replyText is a reply of a route, errors excepted.
type replyText struct {
	When string `json:"when"`
	HTTP int    `json:"http"`
	// Says is true if the message is always the example's.
	Says bool `json:"says,omitzero"`
	// Declined is true if the statusCode is the bank's, anything but 00.
	Declined bool             `json:"declined,omitzero"`
	Data     *schema          `json:"data,omitzero"`   // of the envelope; nil: there is none
	Beside   ordered[*schema] `json:"beside,omitzero"` // fields of the envelope beside data
	May      []string         `json:"may,omitzero"`    // those of them that may be absent
	CSV      bool             `json:"csv,omitzero"`    // it comes as CSV as well, where that is asked for
	Body     *schema          `json:"body,omitzero"`   // of a reply without the envelope
	Example  jsontext.Value   `json:"example"`         // the whole body
}

// fieldText is a field's example and meaning.
type fieldText struct {
	Example jsontext.Value `json:"example"`
	About   string         `json:"about,omitzero"`
}

// texts is all embedded data.
type texts struct {
	groups  []routeGroup
	fields  ordered[fieldText]
	schemas ordered[*schema]
}

// load reads the embedded data. Its errors are bugs of the program.
func load() (texts, error) {
	var l texts
	var shared ordered[replyText]
	wrong := []error{read("shared", &shared)}
	for _, name := range groupFiles {
		var f routeGroup
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
		l.groups = append(l.groups, f)
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

// find returns the texts of a route.
func (l texts) find(id op.RouteID) (routeText, bool) {
	for _, f := range l.groups {
		for _, w := range f.Routes {
			if w.ID == id {
				return w, true
			}
		}
	}
	return routeText{}, false
}

// body returns the schema of a reply's whole body.
func (s replyText) body() (*schema, error) {
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
