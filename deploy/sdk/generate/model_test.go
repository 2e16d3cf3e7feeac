package generate

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"galla/central/api/openapi"
	"galla/shared/op"
)

// model reads the document of this version.
func model(t *testing.T) Model {
	t.Helper()
	text, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// find gives a route of the model.
func find(t *testing.T, m Model, name string) Route {
	t.Helper()
	for _, r := range m.Routes {
		if Camel(r.Words) == name {
			return r
		}
	}
	t.Fatalf("the model has no route %s", name)
	return Route{}
}

// TestModelHasEveryRoute holds the model against the route table that serves.
func TestModelHasEveryRoute(t *testing.T) {
	m := model(t)
	var want, got []string
	for _, r := range op.Table() {
		if r.Entrances&(op.Direct|op.Gateway) != 0 {
			path := regexp.MustCompile(`:(\w+)`).ReplaceAllString(r.Path, "{$1}")
			want = append(want, r.Method+" "+path)
			for _, have := range m.Routes {
				if have.Method+" "+have.Path == r.Method+" "+path {
					if have.Gateway != (r.Entrances&op.Gateway != 0) || string(have.Kind) != string(r.Class) || have.Open != (len(r.Roles) == 0) {
						t.Errorf("%s: gateway %t, kind %s, open %t", have.ID, have.Gateway, have.Kind, have.Open)
					}
				}
			}
		}
	}
	for _, r := range m.Routes {
		got = append(got, r.Method+" "+r.Path)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the model's routes\n%s\nare not the table's\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestModelOfMoney looks at the routes that move money, field by field.
func TestModelOfMoney(t *testing.T) {
	m := model(t)
	for _, r := range m.Routes {
		if r.Kind == Money && (!r.Identity || !r.Repeatable() || !r.Reply.Pending || !r.Acting) {
			t.Errorf("%s: %+v", r.ID, r)
		}
	}
	w := find(t, m, "aepsWithdrawal")
	if !w.Reply.AEPS || w.Reply.Transfer || w.Reply.Data.Object != "Withdrawal" || w.Fields[1].Name != "TxnAmount" || !w.Fields[1].Type.Money || !w.Fields[0].Sensitive {
		t.Errorf("withdrawal: %+v", w)
	}
	if tr := find(t, m, "dmtTransactionInstant"); tr.Reply.AEPS || !tr.Reply.Transfer || tr.Reply.Data.Object != "Transfer" {
		t.Errorf("transfer: %+v", tr)
	}
	refund := find(t, m, "dmtRefund")
	at := slices.IndexFunc(m.Objects, func(o Object) bool { return o.Name == refund.Reply.Data.Object })
	var required, optional []string
	for _, f := range m.Objects[at].Fields {
		if f.Required {
			required = append(required, f.Name)
		} else {
			optional = append(optional, f.Name)
		}
	}
	if !slices.Equal(required, []string{"amount"}) || !slices.Contains(optional, "refundId") || !slices.Contains(optional, "status") {
		t.Errorf("a refund's data needs %v and may have %v", required, optional)
	}
	if slab := find(t, m, "vendorCommissionCreate"); slab.Identity || slab.Repeatable() || slab.Fields[0].In != InPath {
		t.Errorf("slab: %+v", slab)
	}
	if len(m.Event.Fields) < 8 || len(m.Extras) == 0 || m.Version == "" {
		t.Errorf("event %+v, extras %+v, version %q", m.Event, m.Extras, m.Version)
	}
}

// TestReadRefuses: what no SDK can express is an error that says where it stands.
func TestReadRefuses(t *testing.T) {
	const hook = `"webhooks":{"operation.finished":{"post":{"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"data":{"type":"object"}}}}}}}}}`
	route := func(path, id, fields, reply string) string {
		return `"` + path + `":{"get":{"operationId":"` + id + `","x-class":"enquiry","parameters":[` + fields + `],"responses":{` + reply + `}}}`
	}
	const good = `"200":{"content":{"application/json":{"schema":{"type":"object","properties":{"statusCode":{"type":"string"}}}}}}`
	for name, c := range map[string]struct{ text, says string }{
		"no JSON":          {"x", "read the OpenAPI document"},
		"twice":            {`{"paths":{"/a":{},"/a":{}}}`, "/a stands twice"},
		"a header":         {`{"paths":{` + route("/a", "get_a", `{"name":"h","in":"header","schema":{"type":"string"}}`, good) + `},` + hook + `}`, "get_a: the parameter h is in the header"},
		"no reply":         {`{"paths":{` + route("/a", "get_a", "", "") + `},` + hook + `}`, "no success"},
		"an unknown type":  {`{"paths":{` + route("/a", "get_a", `{"name":"q","in":"query","schema":{"type":"null"}}`, good) + `},` + hook + `}`, `the type "null"`},
		"a missing schema": {`{"paths":{` + route("/a", "get_a", `{"name":"q","in":"query","schema":{"$ref":"#/components/schemas/No"}}`, good) + `},` + hook + `}`, "schemas/No"},
		"one name":         {`{"paths":{` + route("/a_b", "get_1", "", good) + "," + route("/a-b/v1", "get_2", "", good) + `},` + hook + `}`, "both be the method"},
		"rupees":           {`{"paths":{` + route("/a", "get_a", `{"name":"q","in":"query","schema":{"type":"number","description":"Rupees."}}`, good) + `},` + hook + `}`, "list of amounts"},
		"no callback":      {`{"paths":{}}`, "callbacks"},
	} {
		if _, err := Read([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
