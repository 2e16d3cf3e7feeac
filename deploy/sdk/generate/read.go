package generate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// reader builds the model of a document.
type reader struct {
	doc     document
	objects map[string]Object
}

// Read builds the model of an OpenAPI document. Its errors say which part of the document
// no SDK can express.
func Read(text []byte) (Model, error) {
	r := reader{objects: map[string]Object{}}
	if err := json.Unmarshal(text, &r.doc); err != nil {
		return Model{}, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	m := Model{Version: r.doc.Info.Version}
	gateway := map[string]operation{}
	for _, path := range r.doc.Paths {
		for _, o := range path.value {
			if o.value.Direct != "" {
				gateway[o.value.Direct] = o.value
			}
		}
	}
	for _, path := range r.doc.Paths {
		for _, o := range path.value {
			if o.value.Class == "" || o.value.Direct != "" {
				continue // tokens, and the routes of the gateway
			}
			sealed, there := gateway[o.value.ID]
			route, err := r.route(strings.ToUpper(o.name), path.name, o.value, sealed)
			if err != nil {
				return Model{}, fmt.Errorf("%s: %w", o.value.ID, err)
			}
			route.Gateway = there
			m.Routes = append(m.Routes, route)
		}
	}
	if err := r.event(&m); err != nil {
		return Model{}, fmt.Errorf("callbacks: %w", err)
	}
	for _, o := range r.objects {
		m.Objects = append(m.Objects, o)
	}
	slices.SortFunc(m.Objects, func(a, b Object) int { return cmp.Compare(a.Name, b.Name) })
	m.Extras = extras(m.Routes)
	return m, nameRoutes(m.Routes)
}

// route builds a route. sealed is the same one at the gateway, or zero.
func (r *reader) route(method, path string, o, sealed operation) (Route, error) {
	out := Route{
		ID: o.ID, Method: method, Path: path, Summary: o.Summary, About: aboutRoute(o.Description), Roles: o.Roles, Kind: Kind(o.Class),
		Direct: true, Open: len(o.Security) == 0,
	}
	if len(o.Tags) > 0 {
		out.Tag = o.Tags[0]
	}
	for _, p := range o.Parameters {
		if p.Ref != "" {
			out.Identity = out.Identity || last(p.Ref) == "IdempotencyKey"
			continue
		}
		if p.In != "path" && p.In != "query" {
			return Route{}, fmt.Errorf("the parameter %s is in the %s", p.Name, p.In)
		}
		f, err := r.field(p.Name, p.Schema, p.Required, o.ID)
		if err != nil {
			return Route{}, err
		}
		f.In, f.About = Place(p.In), p.Description
		out.Fields = append(out.Fields, f)
	}
	if body := o.RequestBody.Content["application/json"].Schema; body != nil {
		if err := r.body(&out, body); err != nil {
			return Route{}, err
		}
	}
	if err := r.sameAtGateway(out, sealed); err != nil {
		return Route{}, err
	}
	out.Acting = slices.ContainsFunc(out.Fields, func(f Field) bool { return f.Name == "merchantId" && f.In != InPath })
	slices.SortStableFunc(out.Fields, func(a, b Field) int { return rank(a) - rank(b) })
	var err error
	out.Reply, err = r.reply(o)
	return out, err
}

// rank sorts required fields before others, and those of the path first.
func rank(f Field) int {
	switch {
	case f.In == InPath:
		return 0
	case f.Required:
		return 1
	}
	return 2
}

// body adds the fields of a request's body.
func (r *reader) body(out *Route, body *schema) error {
	s, err := r.resolve(body)
	if err != nil {
		return err
	}
	for _, p := range s.Properties {
		f, err := r.field(p.name, p.value, slices.Contains(s.Required, p.name), out.ID)
		if err != nil {
			return err
		}
		f.In = InBody
		out.Fields = append(out.Fields, f)
	}
	return nil
}

// sameAtGateway checks that the sealed body of a route has the fields of the direct one
// that are not in the path, so that one method serves both.
func (r *reader) sameAtGateway(direct Route, sealed operation) error {
	if sealed.ID == "" {
		return nil
	}
	payload, ok := sealed.RequestBody.Content["application/json"].Schema.Properties.find("payload")
	if !ok || payload.Content == nil {
		return fmt.Errorf("%s does not say what its payload is", sealed.ID)
	}
	s, err := r.resolve(payload.Content)
	if err != nil {
		return err
	}
	var at []string
	for _, p := range s.Properties {
		at = append(at, p.name)
	}
	for _, f := range direct.Fields {
		if f.In != InPath && !slices.Contains(at, f.Name) {
			return fmt.Errorf("%s lacks the field %s of the direct route", sealed.ID, f.Name)
		}
	}
	for _, name := range at {
		if !slices.ContainsFunc(direct.Fields, func(f Field) bool { return f.Name == name }) {
			return fmt.Errorf("the direct route lacks the field %s of %s", name, sealed.ID)
		}
	}
	return nil
}

// event reads the data of a callback.
func (r *reader) event(m *Model) error {
	hook, _ := r.doc.Webhooks["operation.finished"].find("post")
	body := hook.RequestBody.Content["application/json"].Schema
	if body == nil {
		return fmt.Errorf("the document has no webhook operation.finished")
	}
	data, ok := body.Properties.find("data")
	if !ok {
		return fmt.Errorf("the webhook has no data")
	}
	var err error
	m.Event, err = r.object("FinishedOperation", data)
	return err
}

// extras are the fields beside data of all replies, each name once.
func extras(routes []Route) []Field {
	var out []Field
	for _, route := range routes {
		for _, f := range route.Reply.Extra {
			if !slices.ContainsFunc(out, func(g Field) bool { return g.Name == f.Name }) {
				f.Required = false
				out = append(out, f)
			}
		}
	}
	return out
}
