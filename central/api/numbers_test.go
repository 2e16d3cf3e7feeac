package api

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/op"
)

// textByTheDocument are the mobile and account numbers that the document calls
// strings: a JSON number is of a wrong type there. Any other may be either.
var textByTheDocument = map[op.RouteID]string{
	op.CustomerDetail:      "mobile_number",
	op.CustomerOnboarding:  "mobile_no",
	op.AccountVerification: "receiver_account_no",
}

// numeralName is what fields with mobile and account numbers are called.
var numeralName = regexp.MustCompile(`(?i)mobile|account_?n`)

// callerOf is somebody who may call a route.
func callerOf(r op.Route) central.Principal {
	switch {
	case r.Allows(op.Merchant):
		return merchant1
	case r.Allows(op.Vendor):
		return vendor1
	default:
		return aggregator1
	}
}

// faultsOf sends one field alone and gives the rules that it breaks.
func faultsOf(t *testing.T, o *vendorFixture, r op.Route, name, value string) []string {
	t.Helper()
	c := central.Request{Principal: callerOf(r), Route: r, RequestID: "req-1", Params: map[string]string{"vendorId": string(v1)}}
	fields := map[string]json.RawMessage{name: json.RawMessage(value)}
	if r.Method == "GET" && c.Principal.Role == op.Merchant {
		c.Query = map[string]string{name: value}
	} else {
		body, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		c.Body = body
	}
	reply := o.Handle(t.Context(), c)
	var out struct {
		Data struct{ Errors []central.FieldError }
	}
	if reply.HTTP == 400 {
		if err := json.Unmarshal(reply.Body, &out); err != nil {
			t.Fatalf("%s: %s", r.ID, reply.Body)
		}
	}
	var broken []string
	for _, e := range out.Data.Errors {
		if e.Field == name && e.Rule != "alone" {
			broken = append(broken, e.Rule)
		}
	}
	return broken
}

// TestNumbersOfEveryField walks every field of every route of the table: what is a
// number is one however JSON writes it, mobile and account numbers may be strings
// or numbers unless the document says which, and a limit is never too high. A new
// field is walked because it is described, and a name that says mobile or account
// number must keep the rule.
func TestNumbersOfEveryField(t *testing.T) {
	walked, numerals := 0, 0
	for _, r := range op.Table() {
		o := newVendorFixture(t)
		for _, f := range o.Describe(r.ID) {
			var good, bad []string
			switch {
			case f.Name == "limit" && r.Method == "GET" && callerOf(r).Role == op.Merchant: // a query's text
				good, bad = []string{"1", "101"}, []string{"0", "-1", "1.5", "1e2", "x"}
			case f.Name == "limit":
				good, bad = []string{"1", "1.0", "1e2", "101", "1e9", `"500"`}, []string{"0", "-1", "1.5", `"x"`}
			case f.Schema.Type == "number" && slices.Equal(f.Schema.Enum, []string{"0"}):
				good, bad = []string{"0", "0.00", "0e5", "-0"}, []string{"1", "1e-2", `"0"`, "null"}
			case f.Schema.Type == "number":
				good, bad = []string{"1", "1e1", "1E1", "5.0E1", "10.0", "10.10", "1010e-2", "1.000"}, []string{"1e-9", "1e400", `"1"`, "null", "-1"}
			case f.Schema.Type == "integer":
				good, bad = []string{"1", "1e1", "1.0", "100e-2"}, []string{"1.5", "15e-1", "1e400", "null", "0"}
			case numeralName.MatchString(f.Name):
				numerals++
				good, bad = numeralsOf(t, r.ID, f)
			default:
				if f.Schema.Or != nil {
					t.Errorf("%s: %s may be a number, and its name does not say that it is a mobile or account number", r.ID, f.Name)
				}
				continue
			}
			walked++
			for _, value := range good {
				if broken := faultsOf(t, o, r, f.Name, value); broken != nil {
					t.Errorf("%s: %s %s breaks %v", r.ID, f.Name, value, broken)
				}
			}
			for _, value := range bad {
				if broken := faultsOf(t, o, r, f.Name, value); broken == nil {
					t.Errorf("%s: %s %s is taken", r.ID, f.Name, value)
				}
			}
		}
	}
	if walked < 30 || numerals < 15 {
		t.Errorf("%d fields were walked, %d of them mobile and account numbers", walked, numerals)
	}
	t.Logf("%d fields were walked, %d of them mobile and account numbers", walked, numerals)
}

// numeralsOf gives values of a mobile or account number that its route takes and
// those that it does not.
func numeralsOf(t *testing.T, route op.RouteID, f field.Description) (good, bad []string) {
	t.Helper()
	good, numbers := []string{`"000123456789"`}, []string{"123456", "123456789012345678", "1e6"}
	bad = []string{"12345", "123456.5", "-123456", "1234567890123456789", "true", "null", "1e400"}
	if strings.Contains(strings.ToLower(f.Name), "mobile") {
		good, numbers = []string{`"9000000001"`}, []string{"9000000001", "9.000000001e9"}
		bad = []string{"5000000001", "90000000010", "-9000000001", "true", "null", `"+919000000001"`}
	}
	text := textByTheDocument[route] == f.Name
	if text != (f.Schema.Or == nil) {
		t.Errorf("%s: %s is described with another form: %v; the document says that it is a string: %v", route, f.Name, f.Schema.Or, text)
	}
	if text {
		return good, append(bad, numbers...)
	}
	return append(good, numbers...), bad
}

// TestNumeralsReachTheBankAsTheirDigits: strings keep their leading zeros, numbers
// every digit, and two accounts that differ in one digit are two bodies.
func TestNumeralsReachTheBankAsTheirDigits(t *testing.T) {
	prints := map[[32]byte]string{}
	for value, want := range map[string]string{
		`"000123456789"`: "000123456789", "123456789012345678": "123456789012345678", "123456789012345679": "123456789012345679", "999999999999999999": "999999999999999999", "9007199254740993": "9007199254740993", "9007199254740992": "9007199254740992",
	} {
		b := newFixture(t)
		m := moneyRoutes()[slices.IndexFunc(moneyRoutes(), func(m moneyRoute) bool { return m.id == op.BeneficiaryAdd })]
		m.answered(b)
		r := b.send(merchant1, m.id, m.body(map[string]string{"receiver_account_no": value, "receivermobilenumber": "9.000000012e9"}))
		expect(t, r, 200, "00")
		s := b.executor.last
		if p := s.Request.Particulars; p.Account != want || p.ReceiverMobile != "9000000012" {
			t.Errorf("%s became %s, %s", value, p.Account, p.ReceiverMobile)
		}
		if other := prints[s.Fingerprint]; other != "" {
			t.Errorf("%s and %s are one body", value, other)
		}
		prints[s.Fingerprint] = value
	}
	// Spellings of one number are one body.
	one := fingerprint(t, config(nil).FingerprintKey, op.Transfer, m1, `{"amount":500,"receiver_account_no":123456789012345678}`)
	for _, text := range []string{`{"receiver_account_no":1.23456789012345678E17,"amount":5e2}`, ` {"amount":500.00, "receiver_account_no":123456789012345678.0}`} {
		if again := fingerprint(t, config(nil).FingerprintKey, op.Transfer, m1, text); again != one {
			t.Errorf("%s is another body", text)
		}
	}
}
