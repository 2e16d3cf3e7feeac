package openapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"galla/shared/op"
	"galla/shared/secret"
)

// load31 reads the document with the independent library.
func load31(t *testing.T, text []byte) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatalf("the document can't be read: %v", err)
	}
	return doc
}

// TestValid: an independent validator finds the document valid, examples
// included.
func TestValid(t *testing.T) {
	doc := load31(t, document(t).JSON())
	if doc.OpenAPI != "3.1.0" || !doc.IsOpenAPI31OrLater() {
		t.Fatalf("version %q", doc.OpenAPI)
	}
	if err := doc.Validate(context.Background(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaPatternValidation()); err != nil {
		t.Fatalf("the document is not valid: %v", err)
	}
}

// TestValidatorFindsFaults: what is wrong is found, so that TestValid says
// something.
func TestValidatorFindsFaults(t *testing.T) {
	var few []op.Route // enough to have one of everything
	for _, id := range []op.RouteID{op.Withdrawal, op.Balance, op.VendorMerchants, op.SlabChange} {
		r, _ := op.Find(id)
		few = append(few, r)
	}
	small, err := New(newHandler(t, nil, nil, nil, nil, nil), few)
	if err != nil {
		t.Fatal(err)
	}
	good := small.JSON()
	for name, change := range map[string][2]string{
		"no responses' description": {`"description":"The caller's role`, `"descriptions":"The caller's role`},
		"reference to nothing":      {`"$ref":"#/components/responses/TooMany"`, `"$ref":"#/components/responses/TooFew"`},
		"unknown type":              {`"type":"integer"`, `"type":"whole"`},
		"parameter without place":   {`"in":"query"`, `"in":"nowhere"`},
		"example against schema":    {`"example":"AAECAwQFBgcICQoL"`, `"example":"short"`},
		"operation named twice":     {`"operationId":"post_aeps_balance"`, `"operationId":"post_aeps_withdrawal"`},
		"missing path parameter":    {`"name":"slabId"`, `"name":"slab"`},
	} {
		t.Run(name, func(t *testing.T) {
			bad := bytes.Replace(good, []byte(change[0]), []byte(change[1]), 1)
			if bytes.Equal(bad, good) {
				t.Fatal("nothing was changed")
			}
			doc, err := openapi3.NewLoader().LoadFromData(bad)
			if err == nil {
				err = doc.Validate(context.Background(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaPatternValidation())
			}
			if err == nil {
				t.Error("the validator found nothing")
			}
		})
	}
}

// TestBothModes: the document has every route at each of its entrances,
// and only there.
func TestBothModes(t *testing.T) {
	doc := load31(t, document(t).JSON())
	want := map[string]bool{"POST /oauth/token": true, "GET /.well-known/jwks.json": true}
	for _, r := range op.Table() {
		if r.Entrances&op.Direct != 0 {
			want[r.Method+" "+pathTemplate(r.Path)] = true
		}
		if r.Entrances&op.Gateway != 0 {
			want[r.Method+" /process"+pathTemplate(r.Path)] = true
		}
	}
	got := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			name := method + " " + path
			got[name] = true
			if !want[name] {
				t.Errorf("%s is no route", name)
			}
			gateway := strings.HasPrefix(path, "/process/")
			if headers := len(o.Parameters); gateway && (headers != 5+strings.Count(path, "{") || o.RequestBody == nil || (*o.Security)[0][schemeGateway] == nil) {
				t.Errorf("%s: %d headers, body %v", name, headers, o.RequestBody)
			}
			if o.Responses.Value("500") == nil && path != "/.well-known/jwks.json" {
				t.Errorf("%s does not say what a server error is", name)
			}
			if route, ok := op.Find(op.RouteID(method + " " + path)); ok && !gateway {
				if open := len(*o.Security) == 0; open != (len(route.Roles) == 0) {
					t.Errorf("%s: security %v", name, o.Security)
				}
			}
		}
	}
	for name := range want {
		if !got[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

// demo are UIDAI's public demo numbers, which are nobody's.
var demo = []string{"999941057058", "999971658847", "999933119405", "999955183433", "999990501894"}

// TestNoAadhaarInExamples: what could be one is one of UIDAI's demo numbers, and no
// capture is in the document.
func TestNoAadhaarInExamples(t *testing.T) {
	doc := document(t)
	for _, text := range [][]byte{doc.JSON(), doc.Page()} {
		for _, m := range regexp.MustCompile(`[0-9]+`).FindAll(text, -1) {
			if _, err := secret.ParseAadhaar(string(m)); err == nil && m[0] >= '2' && !slices.Contains(demo, string(m)) {
				t.Errorf("the document holds the Aadhaar number %s…", m[:4])
			}
		}
		if bytes.Contains(text, []byte("<Resp")) || bytes.Contains(text, []byte("&lt;Resp")) {
			t.Error("the document holds a capture")
		}
	}
}

// TestCheckAgreesWithTheLibrary: what Check takes, an independent reading of
// the same schemas takes, for every example and what comes of it when one field
// is taken out or changed.
func TestCheckAgreesWithTheLibrary(t *testing.T) {
	own := document(t)
	doc := load31(t, own.JSON())
	checked, taken := 0, 0
	for _, e := range own.entries {
		responses := doc.Paths.Find(pathTemplate(e.route.Path)).GetOperation(e.route.Method).Responses
		replies := append([]replyText{}, e.Replies...)
		for _, f := range e.faults {
			replies = append(replies, f.replyText)
		}
		for _, s := range replies {
			schema := responses.Status(s.HTTP).Value.Content["application/json"].Schema.Value
			for _, text := range mutants(t, s.Example) {
				checked++
				if own.CheckReply(e.ID, s.HTTP, text) != nil {
					continue
				}
				taken++
				var value any
				if err := json.Unmarshal(text, &value); err != nil {
					t.Fatal(err)
				}
				if err := schema.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
					t.Errorf("%s, HTTP %d: Check takes what the library refuses: %v\n%s", e.ID, s.HTTP, err, text)
				}
			}
		}
	}
	if taken < len(own.entries) || taken == checked {
		t.Errorf("Check took %d of %d replies", taken, checked)
	}
	t.Logf("%d replies were checked; what was taken, %d of them, the library takes", checked, taken)
}

// mutants gives an example, and copies with one field taken out or changed.
func mutants(t *testing.T, example []byte) [][]byte {
	t.Helper()
	list := [][]byte{example}
	var fields map[string]any
	if err := json.Unmarshal(example, &fields); err != nil {
		t.Fatal(err)
	}
	write := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	change := func(m map[string]any) {
		for name, v := range m {
			delete(m, name)
			write(fields)
			other := any("other")
			if _, text := v.(string); text {
				other = 5.5
			}
			m[name] = other
			write(fields)
			m[name] = v
		}
	}
	change(fields)
	if data, ok := fields["data"].(map[string]any); ok {
		change(data)
	}
	return list
}
