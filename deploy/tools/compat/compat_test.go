package compat

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func file(t *testing.T, parts ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", "..", ".."}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func present(t *testing.T) []byte { return file(t, "central", "api", "openapi", "openapi.json") }

// TestNothingBreaks compares the interface with the last release's, which
// `make release-interface` has put beside it.
func TestNothingBreaks(t *testing.T) {
	r, err := Compare(file(t, "central", "api", "openapi", "released.json"), present(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range r.Breaking {
		t.Errorf("this breaks programs of partners: %s", words)
	}
	if r.Changed && r.Older == r.Newer {
		t.Errorf("the interface is not that of release %s any more: raise Version in central/api/openapi/openapitest/document.go, and say in deploy/docs/changes.md what changed", r.Older)
	}
}

// dig walks to a value of the document.
func dig(t *testing.T, v any, names ...string) map[string]any {
	t.Helper()
	for _, name := range names {
		o, ok := v.(map[string]any)
		if !ok || o[name] == nil {
			t.Fatalf("the document has no %v", names)
		}
		v = o[name]
	}
	return v.(map[string]any)
}

// TestChanges judges one change of the present document at a time.
func TestChanges(t *testing.T) {
	const request, reply = "post_aeps_withdrawal.request", "Withdrawal"
	schema := func(t *testing.T, doc map[string]any, names ...string) map[string]any {
		return dig(t, doc, append([]string{"components", "schemas"}, names...)...)
	}
	for _, tt := range []struct {
		name   string
		change func(*testing.T, map[string]any)
		says   string // in the one sentence that is wanted; empty: it breaks nothing
	}{
		{"a route is gone", func(t *testing.T, d map[string]any) { delete(dig(t, d, "paths"), "/aeps/balance") }, "/aeps/balance"},
		{"a method is gone", func(t *testing.T, d map[string]any) { delete(dig(t, d, "paths", "/terminals"), "get") }, "GET /terminals"},
		{"a request's field is gone", func(t *testing.T, d map[string]any) { delete(schema(t, d, request, "properties"), "BankName") }, "BankName"},
		{"a new field is required", func(t *testing.T, d map[string]any) {
			schema(t, d, request, "properties")["Altitude"] = map[string]any{"type": "string"}
			s := schema(t, d, request)
			s["required"] = append(s["required"].([]any), "Altitude")
		}, "Altitude"},
		{"an optional field becomes required", func(t *testing.T, d map[string]any) {
			s := schema(t, d, request)
			s["required"] = append(s["required"].([]any), "BankName")
		}, "BankName"},
		{"fewer values are taken", func(t *testing.T, d map[string]any) {
			schema(t, d, "post_vendor_commission_vendorId_commission.request", "properties", "rateType")["enum"] = []any{"FIXED"}
		}, "PERCENTAGE"},
		{"a request's field has another type", func(t *testing.T, d map[string]any) {
			schema(t, d, request, "properties", "Latitude")["type"] = "number"
		}, "Latitude"},
		{"a reply's field is gone", func(t *testing.T, d map[string]any) {
			delete(schema(t, d, reply, "properties"), "STAN")
			s := schema(t, d, reply)
			s["required"] = slices.DeleteFunc(s["required"].([]any), func(v any) bool { return v == "STAN" })
		}, "STAN"},
		{"a reply's field may be absent", func(t *testing.T, d map[string]any) {
			s := schema(t, d, reply)
			s["required"] = slices.DeleteFunc(s["required"].([]any), func(v any) bool { return v == "STAN" })
		}, "STAN"},
		{"a reply's field has another type", func(t *testing.T, d map[string]any) { schema(t, d, reply, "properties", "STAN")["type"] = "number" }, "STAN"},
		{"a reply has another value", func(t *testing.T, d map[string]any) {
			s := schema(t, d, reply, "properties", "txnStatus")
			s["enum"] = append(s["enum"].([]any), "LATER")
		}, "LATER"},
		{"a parameter becomes required", func(t *testing.T, d map[string]any) {
			dig(t, d, "paths", "/vendor/merchants", "get")["parameters"].([]any)[0].(map[string]any)["required"] = true
		}, "page"},
		{"nothing", func(*testing.T, map[string]any) {}, ""},
		{"a new route", func(t *testing.T, d map[string]any) {
			paths := dig(t, d, "paths")
			added := map[string]any{"get": map[string]any{"responses": map[string]any{"200": map[string]any{"description": "x"}}}}
			paths["/a/route/of/tomorrow"] = added
		}, ""},
		{"a new optional field", func(t *testing.T, d map[string]any) {
			schema(t, d, request, "properties")["Altitude"] = map[string]any{"type": "string"}
		}, ""},
		{"a new field of a reply", func(t *testing.T, d map[string]any) {
			schema(t, d, reply, "properties")["bankCode"] = map[string]any{"type": "string"}
		}, ""},
		{"other words", func(t *testing.T, d map[string]any) {
			dig(t, d, "paths", "/aeps/balance", "post")["description"] = "Other words."
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var doc map[string]any
			if err := json.Unmarshal(present(t), &doc); err != nil {
				t.Fatal(err)
			}
			tt.change(t, doc)
			changed, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Compare(present(t), changed)
			if err != nil {
				t.Fatal(err)
			}
			if tt.says == "" && len(r.Breaking) > 0 || tt.says != "" && !strings.Contains(strings.Join(r.Breaking, "\n"), tt.says) {
				t.Errorf("it says %q; want %q", r.Breaking, tt.says)
			}
			if same := tt.name == "nothing" || tt.name == "other words"; r.Changed == same {
				t.Errorf("changed is %t", r.Changed)
			}
		})
	}
}

func TestNoDocument(t *testing.T) {
	for _, text := range []string{"", "[", `{"openapi":5}`} {
		if _, err := Compare([]byte(text), present(t)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
