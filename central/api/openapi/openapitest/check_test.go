package openapitest

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/op"
)

func TestCheckReply(t *testing.T) {
	doc := document(t)
	const pending = `{"statusCode":"00","message":"Transaction pending","txnStatus":"PENDING","reference":"AEPS-NR-1795253400123"}`
	const done = `{"statusCode":"00","message":"Transaction successful","data":{"ResponseCode":"00","ResponseStatus":"SUCCESS","STAN":"000042","Balance":"24500.00","RetailerReferenceNumber":"GL1","ReferenceNo":"1","AuthCode":"A","AadharNo":"XXXXXXXX7058","txnStatus":"SUCCESS"}}`
	for _, tt := range []struct {
		name  string
		route op.RouteID
		http  int
		body  string
		want  string // in the error; empty: none
	}{
		{"a success", op.Withdrawal, 200, done, ""},
		{"pending", op.Withdrawal, 200, pending, ""},
		{"an error", op.Withdrawal, 404, `{"statusCode":"01","message":"Merchant not found"}`, ""},
		{"the bank's own fields", op.CustomerDetail, 200, `{"statusCode":"00","message":"Customer found","data":{"referenceid":"R1","name":"A","mobile_no":"9000000001","kyc_verified":true,"more":[1]}}`, ""},
		{"a decline", op.CustomerDetail, 200, `{"statusCode":"55","message":"INVALID OTP"}`, ""},
		{"no envelope", op.AgentInitialize, 200, `{"merchantId":"c0000000-0000-4000-8000-000000000001","service":"AEPS"}`, ""},
		{"another route", "POST /aeps/deposit", 200, done, "does not have the route POST /aeps/deposit"},
		{"another status", op.Withdrawal, 201, done, "HTTP 201, which the document does not have"},
		{"no JSON", op.Withdrawal, 200, `{`, "no JSON"},
		{"an array", op.Withdrawal, 200, `[]`, "want object"},
		{"a field that nobody named", op.Withdrawal, 200, strings.Replace(done, `"STAN"`, `"Extra":1,"STAN"`, 1), "body.data.Extra is not in the document"},
		{"a field too few", op.Withdrawal, 200, strings.Replace(done, `"STAN":"000042",`, "", 1), "body.data.STAN is missing"},
		{"another type", op.Withdrawal, 200, strings.Replace(done, `"24500.00"`, `24500.00`, 1), "body.data.Balance is 24500.00; want string"},
		{"an Aadhaar number in the clear", op.Withdrawal, 200, strings.Replace(done, `XXXXXXXX7058`, `000000007058`, 1), "body.data.AadharNo"},
		{"another word", op.Withdrawal, 200, strings.Replace(done, `"txnStatus":"SUCCESS"`, `"txnStatus":"DONE"`, 1), "want one of"},
		{"pending with data", op.Withdrawal, 200, strings.Replace(pending, `}`, `,"data":{}}`, 1), "body.data is not in the document"},
		{"another message than promised", op.Withdrawal, 200, strings.Replace(done, "Transaction successful", "OK", 1), "Transaction successful"},
		{"another statusCode", op.Withdrawal, 404, `{"statusCode":"04","message":"No such record"}`, `body.statusCode is "04"; want "01"`},
		{"a time that is none", op.AuthStatus, 200, `{"statusCode":"00","message":"x","data":{"authenticated":true,"tid":"T","expiresAt":"tomorrow"}}`, "want a date-time"},
		{"an id that is none", op.AgentInitialize, 200, `{"merchantId":"C0000000-0000-4000-8000-000000000001","service":"AEPS"}`, "want a uuid"},
		{"a number with a fraction", op.VendorMerchants, 200, `{"statusCode":"00","message":"Non-pending merchants","data":[],"pagination":{"page":1.5,"limit":10,"total":0,"totalPages":0}}`, "want integer"},
		{"an item of a list", op.Banks, 200, `{"statusCode":"00","message":"Bank list","data":[{"iin":"607094","bankName":"A"},{"iin":"1","bankName":"B"}]}`, "body.data[1].iin"},
		{"a field twice", op.Banks, 200, `{"statusCode":"00","statusCode":"00","message":"Bank list","data":[]}`, "no JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := doc.CheckReply(tt.route, tt.http, []byte(tt.body))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error is %v; want %q", err, tt.want)
			}
		})
	}
}

func TestFindRoute(t *testing.T) {
	doc := document(t)
	for request, want := range map[string]op.RouteID{
		"POST /aeps/withdrawal":                          op.Withdrawal,
		"GET /operations/0190b000":                       op.OperationState,
		"PUT /vendor-commission/v/commission/s":          op.SlabChange,
		"POST /terminals/enrol":                          op.EnrolTerminal,
		"DELETE /terminals/enrol":                        op.RevokeTerminal,
		"POST /oauth/token":                              "POST /oauth/token",
		"GET /aeps/withdrawal":                           "",
		"POST /aeps":                                     "",
		"GET /operations/":                               "",
		"POST /process/aeps/withdrawal":                  "",
		"PUT /vendor-commission/v/commission/s/too-many": "",
	} {
		method, path, _ := strings.Cut(request, " ")
		if got, ok := doc.FindRoute(method, path); got != want || ok != (want != "") {
			t.Errorf("%s is %q, %v; want %q", request, got, ok, want)
		}
	}
}

func TestSchemas(t *testing.T) {
	c := checker{named: map[string]*schema{}}
	read := func(text string) *schema {
		t.Helper()
		var s schema
		if err := json.Unmarshal([]byte(text), &s, json.RejectUnknownMembers(true)); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return &s
	}
	c.named["Loop"] = read(`{"$ref":"#/components/schemas/Loop"}`)
	for _, tt := range []struct {
		schema, value string
		ok            bool
	}{
		{`{"type":"number","minimum":0.01,"maximum":10}`, `0.01`, true},
		{`{"type":"number","minimum":0.01,"maximum":10}`, `0.001`, false},
		{`{"type":"number","maximum":10}`, `10.0`, true},
		{`{"type":"number","maximum":10}`, `1e2`, false},
		{`{"type":"integer"}`, `1e2`, true},
		{`{"type":"integer"}`, `0.5`, false},
		{`{"const":5}`, `5.0`, true},
		{`{"enum":[1,0,-1,91]}`, `2`, false},
		{`{"type":"string","minLength":2,"maxLength":3}`, `"₹₹"`, true},
		{`{"type":"string","minLength":2,"maxLength":3}`, `"₹"`, false},
		{`{"type":"string","maxLength":3}`, `"abcd"`, false},
		{`{"type":"string","format":"date"}`, `"2026-02-30"`, false},
		{`{"type":"boolean"}`, `null`, false},
		{`{"not":{"const":"00"}}`, `"00"`, false},
		{`{"not":{"const":"00"}}`, `"55"`, true},
		{`{"anyOf":[{"type":"string"},{"type":"boolean"}]}`, `5`, false},
		{`{"type":"object","additionalProperties":true}`, `{"a":1}`, true},
		{`{"type":"object"}`, `{"a":1}`, false},
		{`{"$ref":"#/components/schemas/Loop"}`, `1`, false},
		{`{"$ref":"#/components/schemas/Nothing"}`, `1`, false},
	} {
		if err := c.check(read(tt.schema), jsontext.Value(tt.value), "value", 0); (err == nil) != tt.ok {
			t.Errorf("%s against %s: %v", tt.value, tt.schema, err)
		}
	}
	var s schema
	if err := json.Unmarshal([]byte(`{"oneOf":[]}`), &s, json.RejectUnknownMembers(true)); err == nil {
		t.Error("a keyword that Check does not obey was read")
	}
}

// FuzzCheck: no reply, however broken, makes Check panic, and what it takes is
// JSON.
func FuzzCheck(f *testing.F) {
	doc := document(f)
	for _, e := range doc.entries {
		for _, s := range e.Replies {
			f.Add(string(e.ID), s.HTTP, []byte(s.Example))
		}
	}
	f.Fuzz(func(t *testing.T, route string, http int, body []byte) {
		if doc.CheckReply(op.RouteID(route), http, body) == nil && !jsontext.Value(body).IsValid() {
			t.Errorf("taken: %q", body)
		}
	})
}
