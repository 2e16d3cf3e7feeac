package openapitest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"galla/central/api/field"
	"galla/central/api/openapi"
	"galla/central/docs"
	"galla/shared/op"
)

// TestGolden: the document and the page are what a person read and agreed to.
// The route table, the code's fields and the words make them anew; write them
// with -update, and read the difference.
func TestGolden(t *testing.T) {
	doc := document(t)
	indented, err := pretty(doc.JSON())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"openapi.json": []byte(indented + "\n"), "docs.html": doc.Page()}
	for name, text := range map[string]func() ([]byte, error){"samples.json": doc.Samples, "postman.json": doc.Collection, "postman-environment.json": doc.Environment} {
		compact, err := text()
		if err != nil {
			t.Fatal(err)
		}
		shown, err := pretty(compact)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = []byte(shown + "\n")
	}
	for name, got := range files {
		path := filepath.Join("..", name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (write it with -update, and read it)", err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s changed: run the test with -update and read the difference", name)
		}
	}
	if served, err := openapi.JSON(); err != nil || !*update && !bytes.Equal(served, doc.JSON()) {
		t.Errorf("what is served is not the document without white space: %v", err)
	}
}

func TestTheSameBytesAgain(t *testing.T) {
	first, second := document(t), document(t)
	if !bytes.Equal(first.JSON(), second.JSON()) || !bytes.Equal(first.Page(), second.Page()) {
		t.Error("two documents of the same code differ")
	}
}

// TestWordsAndRoutesMatch: each route has words, and all words have a route.
func TestWordsAndRoutesMatch(t *testing.T) {
	doc := document(t)
	described := map[op.RouteID]bool{}
	for _, id := range doc.Routes() {
		described[id] = true
	}
	for _, r := range op.Table() {
		if public := r.Entrances&(op.Direct|op.Gateway) != 0; described[r.ID] != public {
			t.Errorf("%s: in the document is %v, want %v", r.ID, described[r.ID], public)
		}
	}
	fields := map[string]bool{}
	for _, e := range doc.entries {
		for _, f := range e.fields {
			fields[f.name] = true
		}
		for name := range e.Fields {
			if !hasField(e.fields, name) {
				t.Errorf("%s: words for the field %s, which the route does not read", e.ID, name)
			}
		}
	}
	for _, family := range doc.texts.groups {
		for _, w := range family.Routes {
			if !described[w.ID] {
				t.Errorf("%s has words and is not served", w.ID)
			}
		}
	}
	for _, f := range doc.texts.fields {
		if !fields[f.name] {
			t.Errorf("field %s has words, and no route reads it", f.name)
		}
	}
}

// fakeDescriber describes one route.
type fakeDescriber []field.Description

func (f fakeDescriber) Describe(op.RouteID) []field.Description { return f }

func TestWhatDoesNotMatchIsRefused(t *testing.T) {
	banks, _ := op.Find(op.Banks)
	unknown := op.Route{ID: "POST /aeps/deposit", Method: "POST", Path: "/aeps/deposit", Roles: []op.Role{op.Merchant}, Entrances: op.Direct}
	text := field.Schema{Type: "string"}
	for _, tt := range []struct {
		name   string
		routes []op.Route
		fields []field.Description
		want   string
	}{
		{"a route without text", []op.Route{unknown}, nil, "POST /aeps/deposit has no text"},
		{"a field without text", []op.Route{banks}, []field.Description{{Name: "colour", Schema: text}}, "field colour has no line"},
		{"an example that its schema refuses", []op.Route{banks}, []field.Description{{Name: "amount", Schema: text}}, "amount is 1200; want string"},
		{"a required field without example", []op.Route{banks}, []field.Description{{Name: "reference", Required: true, Schema: text}}, "reference is required and has no example"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(fakeDescriber(tt.fields), tt.routes)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v; want %q", err, tt.want)
			}
		})
	}
	limits, _ := op.Find(op.LimitsInForce)
	if _, err := New(fakeDescriber{}, []op.Route{limits}); err != nil {
		t.Errorf("a route that reads nothing: %v", err)
	}
	balance, _ := op.Find(op.Balance)
	if _, err := New(fakeDescriber{}, []op.Route{balance}); err == nil || !strings.Contains(err.Error(), "TxnAmount, which the route does not read") {
		t.Errorf("an example of a field that is not read: %v", err)
	}
}

// TestThePageStandsAlone: no script but the documentation's own, no resource from anywhere, every link
// within it leads somewhere, and nothing in it is named twice.
func TestThePageStandsAlone(t *testing.T) {
	doc := document(t)
	page := strings.Replace(string(doc.Page()), "<script>"+docs.Script()+"</script>", "", 1)
	for _, bad := range []string{"<script", "<link", "<img", "<iframe", "src=", "http-equiv", "@import", "url(", " style=", " onclick", "https://"} {
		if found := strings.Count(page, bad); bad == "https://" && found == strings.Count(page, "https://lakshmi.example.in") {
			continue // the example of a callback, which is text
		} else if found > 0 {
			t.Errorf("the page has %q %d times", bad, found)
		}
	}
	ids := map[string]int{}
	for _, part := range strings.Split(page, ` id="`)[1:] {
		ids[part[:strings.Index(part, `"`)]]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("the anchor %s stands %d times", id, n)
		}
	}
	for _, part := range strings.Split(page, `href="`)[1:] {
		target := part[:strings.Index(part, `"`)]
		elsewhere := []string{"/docs/upgrade", "/docs/glossary", "/docs/design/architecture", "/docs/design/security", "/openapi.json", "/docs/gateway", "/docs/install", "/docs/enrol", "/docs/operate", "/docs/recover", "/docs/integrate", "/docs/changes", "/docs/sandbox", "/docs/postman.json", "/docs/postman-environment.json", "/docs/try"}
		target, _ = strings.CutPrefix(target, "/docs/try#") // a route, as here
		if strings.HasPrefix(part, "/docs/try#") {
			target = "#" + target
		}
		if name, within := strings.CutPrefix(target, "#"); within && ids[name] == 0 || !within && !slices.Contains(elsewhere, target) {
			t.Errorf("the link %s leads nowhere", target)
		}
	}
	if !strings.Contains(page, "<style>"+openapi.Style()+"</style>") || strings.Count(page, "<style>") != 1 {
		t.Error("the page's one style element is not what Style gives")
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Error("the template refused a value")
	}
	for _, e := range doc.entries {
		if !strings.Contains(page, `id="`+operationID(e.route)+`"`) {
			t.Errorf("the page does not show %s", e.ID)
		}
	}
}
