package openapitest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/op"
)

// head is the start of every envelope.
type head struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
}

func readHead(body []byte) (head, error) {
	var h head
	if err := json.Unmarshal(body, &h); err != nil {
		return head{}, fmt.Errorf("read the envelope: %w", err)
	}
	return h, nil
}

// checkExamples collects the shapes of every route's replies by HTTP status, and
// checks every example against its own shape.
func (d *Document) checkExamples() error {
	var wrong []error
	for _, e := range d.entries {
		shapes := map[int][]*schema{}
		for _, s := range e.Replies {
			wrong = append(wrong, d.checkExample(e.route.ID, s, shapes))
		}
		for _, f := range e.faults {
			wrong = append(wrong, d.checkExample(e.route.ID, f.replyText, shapes))
		}
		d.replies[e.route.ID] = shapes
	}
	return errors.Join(wrong...)
}

func (d *Document) checkExample(id op.RouteID, s replyText, shapes map[int][]*schema) error {
	body, err := s.body()
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	shapes[s.HTTP] = append(shapes[s.HTTP], body)
	return d.checker.check(body, s.Example, fmt.Sprintf("%s, %s, example", id, s.When), 0)
}

// Routes lists the routes that the document describes, in its order: those of the
// route table, and those that httpapi serves itself.
func (d *Document) Routes() []op.RouteID {
	var ids []op.RouteID
	for _, e := range d.entries {
		ids = append(ids, e.route.ID)
	}
	return ids
}

// FindRoute returns the route of a request, by its method and its path without the
// query, as a client sends them; false if the document has none.
func (d *Document) FindRoute(method, path string) (op.RouteID, bool) {
	sent := strings.Split(path, "/")
	best, fewest := op.RouteID(""), len(sent)+1
	for _, e := range d.entries {
		parts := strings.Split(e.route.Path, "/")
		if e.route.Method != method || len(parts) != len(sent) {
			continue
		}
		free := 0
		fits := true
		for i, p := range parts {
			if strings.HasPrefix(p, ":") && sent[i] != "" {
				free++
			} else if p != sent[i] {
				fits = false
			}
		}
		if fits && free < fewest {
			best, fewest = e.route.ID, free
		}
	}
	return best, best != ""
}

// CheckReply compares a reply of a direct request with the document: the HTTP
// status must be one of the route's, and the body must have one of its shapes. It
// is stricter than the schemas: a field that is not in the document is an error,
// except in objects that the bank network fills. The error lists everything that
// is wrong.
func (d *Document) CheckReply(id op.RouteID, http int, body []byte) error {
	shapes, ok := d.replies[id]
	if !ok {
		return fmt.Errorf("the document does not have the route %s", id)
	}
	if len(shapes[http]) == 0 {
		return fmt.Errorf("%s answered HTTP %d, which the document does not have: %s", id, http, excerpt(body))
	}
	if !jsontext.Value(body).IsValid() {
		return fmt.Errorf("%s answered HTTP %d with what is no JSON: %s", id, http, excerpt(body))
	}
	at := fmt.Sprintf("%s, HTTP %d: body", id, http)
	likely := d.candidates(shapes[http], body)
	if len(likely) == 1 {
		return d.checker.check(likely[0], body, at, 0)
	}
	return d.checker.checkAny(likely, body, at, 0)
}

// candidates are the shapes that have the body's statusCode and message, so that
// an error is about those only; all shapes if none has.
func (d *Document) candidates(shapes []*schema, body jsontext.Value) []*schema {
	var members ordered[jsontext.Value]
	if json.Unmarshal(body, &members) != nil {
		return shapes
	}
	for _, name := range []string{"statusCode", "message"} {
		value, _ := members.find(name)
		var fit []*schema
		for _, s := range shapes {
			property, ok := s.Properties.find(name)
			if ok && value != nil && d.checker.check(property, value, name, 0) == nil {
				fit = append(fit, s)
			}
		}
		if len(fit) > 0 {
			shapes = fit
		}
	}
	return shapes
}
