package openapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/op"
)

// head is what every envelope begins with.
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

// learn collects the shapes of every route's replies by their HTTP status, and
// holds every example against its own.
func (d *Document) learn() error {
	var wrong []error
	for _, e := range d.entries {
		shapes := map[int][]*schema{}
		for _, s := range e.Replies {
			wrong = append(wrong, d.learnReply(e.route.ID, s, shapes))
		}
		for _, f := range e.faults {
			wrong = append(wrong, d.learnReply(e.route.ID, f.shown, shapes))
		}
		d.replies[e.route.ID] = shapes
	}
	return errors.Join(wrong...)
}

func (d *Document) learnReply(id op.RouteID, s shown, shapes map[int][]*schema) error {
	body, err := s.body()
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	shapes[s.HTTP] = append(shapes[s.HTTP], body)
	return d.checker.check(body, s.Example, fmt.Sprintf("%s, %s, example", id, s.When), 0)
}

// Routes lists the routes that the document describes, in its order: those of
// the table, and those that the door serves itself.
func (d *Document) Routes() []op.RouteID {
	var ids []op.RouteID
	for _, e := range d.entries {
		ids = append(ids, e.route.ID)
	}
	return ids
}

// Find gives the route that a request is for, by its method and its path
// without the query, as a client sends them; false where the document has none.
func (d *Document) Find(method, path string) (op.RouteID, bool) {
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

// Check holds a reply of a direct call to what the document says of the route:
// the HTTP status must be one of its own, and the body have one of the shapes
// it has there. It is stricter than the schemas: a field that the document does
// not name is a fault, but where the bank network fills an object. The error
// lists everything that is wrong; nil says that document and server agree.
func (d *Document) Check(id op.RouteID, http int, body []byte) error {
	shapes, ok := d.replies[id]
	if !ok {
		return fmt.Errorf("the document does not have the route %s", id)
	}
	if len(shapes[http]) == 0 {
		return fmt.Errorf("%s answered HTTP %d, which the document does not have: %s", id, http, brief(body))
	}
	if !jsontext.Value(body).IsValid() {
		return fmt.Errorf("%s answered HTTP %d with what is no JSON: %s", id, http, brief(body))
	}
	at := fmt.Sprintf("%s, HTTP %d: body", id, http)
	likely := d.likely(shapes[http], body)
	if len(likely) == 1 {
		return d.checker.check(likely[0], body, at, 0)
	}
	return d.checker.checkAny(likely, body, at, 0)
}

// likely are the shapes that have the body's statusCode and message, so that an
// error tells of those alone; all of them where none has.
func (d *Document) likely(shapes []*schema, body jsontext.Value) []*schema {
	var told ordered[jsontext.Value]
	if json.Unmarshal(body, &told) != nil {
		return shapes
	}
	for _, name := range []string{"statusCode", "message"} {
		value, _ := told.find(name)
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
