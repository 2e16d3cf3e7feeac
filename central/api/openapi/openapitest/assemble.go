package openapitest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"galla/shared/op"
)

// Names of components.
const (
	schemeOAuth   = "clientCredentials"
	schemeBearer  = "accessToken"
	schemeGateway = "gatewayClient"
	sealedName    = "Sealed"
)

const mediaJSON = "application/json"

// assemble builds the document.
func (d *Document) assemble() (object, error) {
	var tags []object
	for _, f := range d.texts.groups {
		if d.hasGroup(f.Name) {
			tags = append(tags, object{{"name", f.Name}, {"description", f.About}})
		}
	}
	paths, hooks := d.paths(), webhooks()
	components, err := pruneComponents(object{{"paths", paths}, {"webhooks", hooks}}, object{
		{"securitySchemes", securitySchemes()},
		{"parameters", parameters()},
		{"headers", headers()},
		{"responses", d.responses()},
		{"examples", d.examples()},
		{"schemas", d.schemas()},
	})
	return object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", title},
			{"version", Version},
			{"license", object{{"name", license}, {"identifier", licenseID}}},
			{"description", strings.Join(introduction(), "\n\n")},
		}},
		{"servers", []object{{{"url", "/"}, {"description", "Direct: this address. Gateway: the paths that begin with /process, at the gateway's address."}}}},
		{"tags", tags},
		{"paths", paths},
		{"webhooks", hooks},
		{"components", components},
	}, err
}

func (d *Document) hasGroup(family string) bool {
	return slices.ContainsFunc(d.entries, func(e entry) bool { return e.group == family })
}

// pathTemplate writes a path in OpenAPI's form.
func pathTemplate(path string) string {
	for _, name := range params(path) {
		path = strings.Replace(path, ":"+name, "{"+name+"}", 1)
	}
	return path
}

// operationID names an operation; method and path make it unique.
func operationID(route op.Route) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, strings.TrimPrefix(pathTemplate(route.Path), "/"))
	return strings.ToLower(route.Method) + "_" + strings.ReplaceAll(strings.Trim(name, "_"), "__", "_")
}

// paths are the direct routes, then their gateway mirrors.
func (d *Document) paths() ordered[object] {
	var paths ordered[object]
	add := func(path, method string, operation object) {
		for i := range paths {
			if paths[i].name == path {
				paths[i].value = paths[i].value.with(strings.ToLower(method), operation)
				return
			}
		}
		paths = append(paths, named[object]{path, object{{strings.ToLower(method), operation}}})
	}
	for _, e := range d.entries {
		if e.route.Entrances&op.Direct != 0 {
			add(pathTemplate(e.route.Path), e.route.Method, d.directOperation(e))
		}
	}
	for _, e := range d.entries {
		if e.route.Entrances&op.Gateway != 0 {
			add("/process"+pathTemplate(e.route.Path), e.route.Method, d.gatewayOperation(e))
		}
	}
	return paths
}

// parameter is a field outside the body.
func (f requestField) parameter() object {
	p := object{{"name", f.name}, {"in", f.in}, {"required", f.required}, {"description", f.schema.Description}, {"schema", f.schemaWithoutDescription()}}
	if f.example != nil {
		p = p.with("example", f.example)
	}
	return p
}

// directOperation is a route as merchants' and vendors' programs call it.
func (d *Document) directOperation(e entry) object {
	out := object{
		{"operationId", operationID(e.route)},
		{"tags", []string{e.group}},
		{"summary", e.Summary},
		{"description", e.describe()},
	}
	var list []any
	for _, f := range e.fields {
		if f.in != inBody {
			list = append(list, f.parameter())
		}
	}
	if e.Bank == bankOperation {
		list = append(list, reference("parameters", "IdempotencyKey"))
	}
	if e.served {
		list = append(list, reference("parameters", "RequestId"))
	}
	if len(list) > 0 {
		out = out.with("parameters", list)
	}
	if e.readsBody() {
		out = out.with("requestBody", e.requestBody())
	}
	out = out.with("responses", d.responsesOf(e)).with("security", e.security())
	if len(e.route.Roles) > 0 {
		out = out.with("x-roles", e.route.Roles)
	}
	if e.served {
		out = out.with("x-class", e.route.Class)
	}
	return out.with("x-section", e.route.Section).with("x-sandbox", e.sandboxStep()).with("x-codeSamples", e.codeSamples())
}

// describe is the description of a route for people.
func (e *entry) describe() string {
	text := e.About
	if len(e.route.Roles) > 0 {
		var roles []string
		for _, r := range e.route.Roles {
			roles = append(roles, string(r))
		}
		text += "\n\nRoles: " + strings.Join(roles, ", ") + "."
	}
	if e.acting {
		text += " A vendor names the merchant it acts for in merchantId."
	}
	text += "\n\n" + e.samplesBefore()
	return strings.TrimSpace(text)
}

// schemaWithoutDescription returns the field's schema; its description stands
// beside it.
func (f requestField) schemaWithoutDescription() *schema {
	s := *f.schema
	s.Description = ""
	return &s
}

func (e *entry) requestBody() object {
	media := object{{"schema", refTo(requestName(e.route))}}
	if e.example != nil {
		media = media.with("example", e.example)
	}
	kind := mediaJSON
	if e.Own != nil {
		kind = "application/x-www-form-urlencoded"
	}
	required := slices.ContainsFunc(e.fields, func(f requestField) bool { return f.in == inBody && f.required })
	return object{{"required", required}, {"content", object{{kind, media}}}}
}

func requestName(route op.Route) string { return operationID(route) + ".request" }

// requestSchema is the schema of everything that a route reads outside its path.
func (e *entry) requestSchema() *schema {
	s := &schema{Type: "object", Properties: ordered[*schema]{}}
	for _, f := range e.fields {
		if f.in == inPath {
			continue
		}
		s.Properties = append(s.Properties, named[*schema]{f.name, f.schema})
		if f.required {
			s.Required = append(s.Required, f.name)
		}
	}
	return s
}

func (e *entry) security() []object {
	if len(e.route.Roles) == 0 {
		return []object{}
	}
	return []object{{{schemeOAuth, []string{}}}, {{schemeBearer, []string{}}}}
}

// responsesOf are a direct route's replies by HTTP status: its own, and the errors
// that it can return.
func (d *Document) responsesOf(e entry) object {
	var statuses []int
	own, errs := map[int][]replyText{}, map[int][]fault{}
	for _, s := range e.Replies {
		own[s.HTTP] = append(own[s.HTTP], s)
		statuses = append(statuses, s.HTTP)
	}
	for _, f := range e.faults {
		errs[f.HTTP] = append(errs[f.HTTP], f)
		statuses = append(statuses, f.HTTP)
	}
	slices.Sort(statuses)
	var out object
	for _, status := range slices.Compact(statuses) {
		key := strconv.Itoa(status)
		if len(own[status]) == 0 && len(errs[status]) == 1 {
			out = out.with(key, reference("responses", errs[status][0].name))
			continue
		}
		out = out.with(key, combinedResponse(own[status], errs[status], e.Bank == bankOperation))
	}
	return out
}

// combinedResponse is one status with replies of one or several shapes.
func combinedResponse(own []replyText, errs []fault, replays bool) object {
	var whens []string
	var shapes []*schema
	var examples object
	for i, s := range own {
		body, err := s.body()
		if err != nil {
			continue // addEntries has reported it
		}
		whens, shapes = append(whens, s.When), append(shapes, body)
		examples = examples.with(fmt.Sprintf("reply%d", i+1), object{{"summary", s.When}, {"value", s.Example}})
	}
	for _, f := range errs {
		whens, shapes = append(whens, f.When), append(shapes, refTo(f.name+"Error"))
		examples = examples.with(f.name, reference("examples", f.name))
	}
	content := shapes[0]
	if len(shapes) > 1 {
		content = &schema{AnyOf: shapes}
	}
	sent := object{{"X-Request-Id", reference("headers", "RequestId")}}
	if replays && len(own) > 0 {
		sent = sent.with("Idempotent-Replayed", reference("headers", "Replayed"))
	}
	media := object{{mediaJSON, object{{"schema", content}, {"examples", examples}}}}
	if len(own) > 0 && own[0].CSV {
		media = media.with("text/csv", object{{"schema", object{{"type", "string"}}}})
	}
	return object{
		{"description", strings.Join(whens, " ")},
		{"headers", sent},
		{"content", media},
	}
}

func reference(kind, name string) object {
	return object{{"$ref", "#/components/" + kind + "/" + name}}
}

// responses are the error table.
func (d *Document) responses() object {
	var out object
	for _, f := range d.faults {
		sent := object{{"X-Request-Id", reference("headers", "RequestId")}}
		if f.HTTP == 429 {
			sent = sent.with("Retry-After", reference("headers", "RetryAfter"))
		}
		if f.HTTP == 401 {
			sent = sent.with("WWW-Authenticate", reference("headers", "Challenge"))
		}
		out = out.with(f.name, object{
			{"description", f.When},
			{"headers", sent},
			{"content", object{{mediaJSON, object{{"schema", refTo(f.name + "Error")}, {"example", f.Example}}}}},
		})
	}
	return out.with(sealedName, sealedResponse())
}

// examples are those of errors, which many routes share.
func (d *Document) examples() object {
	var out object
	for _, f := range d.faults {
		out = out.with(f.name, object{{"summary", f.When}, {"value", f.Example}})
	}
	return out
}

// schemas are the objects of replies, the errors, and the requests.
func (d *Document) schemas() ordered[*schema] {
	out := slices.Clone(d.texts.schemas)
	for _, f := range d.faults {
		if body, err := f.body(); err == nil {
			out = append(out, named[*schema]{f.name + "Error", body})
		}
	}
	for _, e := range d.entries {
		if e.readsBody() || e.route.Entrances&op.Gateway != 0 {
			out = append(out, named[*schema]{requestName(e.route), e.requestSchema()})
		}
	}
	return append(out, named[*schema]{sealedName, sealedBody(nil)})
}
