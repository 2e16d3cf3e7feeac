package contract

import (
	"encoding/json"
	"fmt"
	"testing"
)

func (a answer) is(http int, statusCode string) answer {
	a.t.Helper()
	if a.http != http || a.body["statusCode"] != statusCode {
		a.t.Fatalf("%s: HTTP %d, statusCode %v; want %d, %s\n%s", a.asked, a.http, a.body["statusCode"], http, statusCode, a.raw)
	}
	return a
}

func (a answer) says(message string) answer {
	a.t.Helper()
	if a.body["message"] != message {
		a.t.Errorf("%s: message %q, want %q", a.asked, a.body["message"], message)
	}
	return a
}

func (a answer) data() fields {
	a.t.Helper()
	d, ok := a.body["data"].(map[string]any)
	if !ok {
		a.t.Fatalf("%s: data is no object: %s", a.asked, a.raw)
	}
	return d
}

func (a answer) list() []fields {
	a.t.Helper()
	items, ok := a.body["data"].([]any)
	if !ok {
		a.t.Fatalf("%s: data is no array: %s", a.asked, a.raw)
	}
	var out []fields
	for _, item := range items {
		f, ok := item.(map[string]any)
		if !ok {
			a.t.Fatalf("%s: an item of data is no object: %s", a.asked, a.raw)
		}
		out = append(out, f)
	}
	return out
}

func (a answer) bare() answer {
	a.t.Helper()
	if d, ok := a.body["data"]; ok {
		a.t.Errorf("%s: data is %v; there must be none", a.asked, d)
	}
	return a
}

func (a answer) wrong(names ...string) answer {
	a.t.Helper()
	a.is(400, "02")
	errs, _ := a.data()["errors"].([]any)
	got := map[string]bool{}
	for _, e := range errs {
		f, _ := e.(map[string]any)
		if f["field"] == nil || f["rule"] == nil || f["message"] == nil {
			a.t.Errorf("%s: an error lacks field, rule or message: %v", a.asked, e)
		}
		got[fmt.Sprint(f["field"])] = true
	}
	for _, n := range names {
		if !got[n] {
			a.t.Errorf("%s: %s is not reported: %s", a.asked, n, a.raw)
		}
	}
	return a
}

func text(t *testing.T, f fields, name string) string {
	t.Helper()
	s, ok := f[name].(string)
	if !ok || s == "" {
		t.Fatalf("%s is %v (%T); want text", name, f[name], f[name])
	}
	return s
}

func number(t *testing.T, f fields, name string) float64 {
	t.Helper()
	n, ok := f[name].(json.Number)
	if !ok {
		t.Fatalf("%s is %v (%T); want a number", name, f[name], f[name])
	}
	x, err := n.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func boolField(t *testing.T, f fields, name string) bool {
	t.Helper()
	b, ok := f[name].(bool)
	if !ok {
		t.Fatalf("%s is %v (%T); want a boolean", name, f[name], f[name])
	}
	return b
}
