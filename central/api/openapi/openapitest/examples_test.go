package openapitest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"galla/shared/op"
	"galla/shared/secret"
)

// TestEveryExampleHasItsSchema walks the document, webhooks and headers included:
// wherever an example stands beside a schema it is one of that schema, and whatever
// is called an Aadhaar number has the check digit of one.
func TestEveryExampleHasItsSchema(t *testing.T) {
	text := document(t).JSON()
	loaded := load31(t, text)
	var whole any
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	numbers := 0
	var met []example
	walkJSON(whole, "", func(path string, o map[string]any) {
		for name, v := range o {
			if s, isText := v.(string); isText && (strings.EqualFold(name, "AadharNo") || strings.EqualFold(name, "aadhaarno")) && !strings.HasPrefix(s, "X") {
				numbers++
				if _, err := secret.ParseAadhaar(s); err != nil || !slices.Contains(demo, s) {
					t.Errorf("%s: %s %s is none of UIDAI's demo numbers: %v", path, name, s, err)
				}
			}
		}
		if described := asObject(o["schema"]); described != nil {
			if v, ok := o["example"]; ok {
				met = append(met, example{path, described, v})
			}
			for _, named := range asObject(o["examples"]) {
				if v, ok := asObject(named)["value"]; ok {
					met = append(met, example{path, described, v})
				}
			}
		}
	})
	for i, s := range schemasOf(t, loaded, met) {
		if err := s.VisitJSON(met[i].value, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s: %v", met[i].path, err)
		}
	}
	if len(met) < 150 || numbers < 5 {
		t.Errorf("%d examples were held against their schemas, %d Aadhaar numbers among them", len(met), numbers)
	}
	t.Logf("%d examples were held against their schemas, %d Aadhaar numbers among them", len(met), numbers)
}

// example is a value that stands beside a schema.
type example struct {
	path      string
	described map[string]any
	value     any
}

func asObject(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// walkJSON visits every object of a JSON value.
func walkJSON(v any, path string, visit func(string, map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(path, v)
		for name, inner := range v {
			walkJSON(inner, path+"/"+name, visit)
		}
	case []any:
		for _, inner := range v {
			walkJSON(inner, path+"/[]", visit)
		}
	}
}

// schemasOf reads the examples' schemas as the independent library does, their
// references solved.
func schemasOf(t *testing.T, doc *openapi3.T, met []example) []*openapi3.Schema {
	t.Helper()
	all := map[string]any{}
	for name, s := range doc.Components.Schemas {
		all[name] = s
	}
	for i, x := range met {
		all[fmt.Sprintf("Of%d", i)] = x.described
	}
	text, err := json.Marshal(map[string]any{
		"openapi": "3.1.0", "info": map[string]any{"title": "t", "version": "1"}, "paths": map[string]any{}, "components": map[string]any{"schemas": all},
	})
	if err != nil {
		t.Fatal(err)
	}
	read := load31(t, text)
	list := make([]*openapi3.Schema, len(met))
	for i := range met {
		list[i] = read.Components.Schemas[fmt.Sprintf("Of%d", i)].Value
	}
	return list
}

// TestSamplesFitTheirRoutes: no reply is shown where it can't come from: nothing
// about an OTP where none is sent or asked for, about a finger where none is taken,
// about a customer's money where none moves.
func TestSamplesFitTheirRoutes(t *testing.T) {
	needs := []struct {
		said   *regexp.Regexp
		fields []string
	}{
		{regexp.MustCompile(`"(?:55|INVALID OTP)"`), []string{"otp"}},
		{regexp.MustCompile(`"(?:U3|BIOMETRIC DID NOT MATCH)"`), []string{"PidData"}},
		{regexp.MustCompile(`"(?:51|INSUFFICIENT FUNDS)"`), []string{"TxnAmount", "amount"}},
	}
	doc, seen := document(t), map[string]int{}
	for _, e := range doc.entries {
		for _, reply := range e.Replies {
			for _, need := range needs {
				if !need.said.Match(reply.Example) {
					continue
				}
				seen[need.fields[0]]++
				if !slices.ContainsFunc(need.fields, func(name string) bool { return hasField(e.fields, name) }) {
					t.Errorf("%s shows %s and reads no %s", e.ID, reply.Example, need.fields[0])
				}
			}
		}
	}
	if len(seen) != len(needs) {
		t.Errorf("samples were seen of %v only", seen)
	}
}

// TestPaymentIDsAreReal: the ids of payments in the examples are as long as the sandbox
// network's: three letters of a bank, and 32 digits.
func TestPaymentIDsAreReal(t *testing.T) {
	text := string(document(t).JSON())
	ids := regexp.MustCompile(`GSB[0-9A-Za-z]*`).FindAllString(text, -1)
	if len(ids) < 4 {
		t.Errorf("only %d ids of payments", len(ids))
	}
	for _, id := range ids {
		if !regexp.MustCompile(`^GSB[0-9A-F]{32}$`).MatchString(id) {
			t.Errorf("%q is no id of the sandbox's network", id)
		}
	}
}

// TestTheAgentsOwnFinger: where the agent is authenticated, nothing is called the
// customer's.
func TestTheAgentsOwnFinger(t *testing.T) {
	for _, e := range document(t).entries {
		if e.ID != op.ReqAuth && e.ID != op.AgentUpdateUID && e.ID != op.AgentUpdateBio {
			continue
		}
		for _, f := range e.fields {
			if strings.Contains(strings.ReplaceAll(f.schema.Description, "no customer", ""), "ustomer") {
				t.Errorf("%s: %s is described as the customer's: %s", e.ID, f.name, f.schema.Description)
			}
		}
	}
}

// TestEveryCallSaysItsSecurity: also those of the central's own, which have none,
// and no component stands in the document without a use.
func TestEveryCallSaysItsSecurity(t *testing.T) {
	text := document(t).JSON()
	doc := load31(t, text)
	for name, item := range doc.Webhooks {
		for method, o := range item.Operations() {
			if o.Security == nil {
				t.Errorf("webhook %s %s does not say its security", method, name)
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			if o.Security == nil {
				t.Errorf("%s %s does not say its security", method, path)
			}
		}
	}
	var whole struct {
		Components map[string]map[string]any `json:"components"`
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	for kind, list := range whole.Components {
		for name := range list {
			if kind != "securitySchemes" && !strings.Contains(string(text), `"#/components/`+kind+`/`+name+`"`) {
				t.Errorf("nothing refers to the component %s/%s", kind, name)
			}
		}
	}
}
