package openapitest

import (
	"strings"

	"galla/shared/op"
)

// Samples are the sandbox's calls as data, for the page that sends them (package tryit):
// groups of routes, each route with its fields, in which $NAME stands for a variable, the
// client that calls, and the routes before it.
func (d *Document) Samples() ([]byte, error) {
	groups := []object{}
	for _, group := range d.texts.groups {
		var routes []object
		for _, e := range d.entries {
			if e.group == group.Name {
				routes = append(routes, e.sampleData())
			}
		}
		if len(routes) > 0 {
			groups = append(groups, object{{"name", group.Name}, {"routes", routes}})
		}
	}
	return write(object{{"version", Version}, {"groups", groups}})
}

// sampleData is a route's sample. Fields stand in the order of its example; a value is
// JSON, but for $NAME, which may stand in a string or alone.
func (e *entry) sampleData() object {
	fields := []object{}
	for _, place := range []string{inPath, inQuery, inBody} {
		for _, f := range e.sampleFields(place, false) {
			fields = append(fields, object{{"name", f.name}, {"in", place}, {"value", f.value}})
		}
	}
	after := []string{}
	for _, id := range e.sample.After {
		method, path, _ := strings.Cut(string(id), " ")
		after = append(after, operationID(op.Route{Method: method, Path: path}))
	}
	roles := e.route.Roles
	if roles == nil {
		roles = []op.Role{}
	}
	data := object{
		{"id", operationID(e.route)}, {"method", e.route.Method}, {"path", pathTemplate(e.route.Path)}, {"summary", e.Summary},
		{"roles", roles}, {"gateway", e.route.Entrances&op.Gateway != 0}, {"operation", e.Bank == bankOperation},
		{"acting", e.acting}, {"form", e.Own != nil}, {"body", e.readsBody() || e.route.Method == "POST"},
		{"step", e.sample.step}, {"after", after}, {"fields", fields}, {"saves", e.sample.Saves},
	}
	for _, optional := range []struct{ name, value string }{{"as", e.sample.As}, {"finger", e.sample.Finger}, {"otp", e.sample.OTP}, {"pending", e.sample.Pending}} {
		if optional.value != "" {
			data = data.with(optional.name, optional.value)
		}
	}
	if e.acting {
		data = data.with("merchant", merchantOf(e.sample.As))
	}
	if len(e.sample.New) > 0 {
		data = data.with("new", e.sample.New)
	}
	return data
}
