package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/op"
)

const (
	aggregator = central.AggregatorID("a0000000-0000-4000-8000-000000000001")
	senderID   = "5e0de000-0000-4000-8000-000000000001"
	enrolled   = "7ef00000-0000-4000-8000-000000000001"
	otpCanary  = "730517"
)

var aggregator1 = central.Principal{Role: op.Aggregator, Aggregator: aggregator}

// given is a field of a valid body.
type given struct {
	name  string
	value string // JSON
	must  bool
}

func must(name, value string) given { return given{name, value, true} }
func may(name, value string) given  { return given{name, value, false} }

// moneyRoute is a route of interface.md, sections 4.3 and 4.4: a valid body in the order of
// the document, what the bank is asked with it, and what it answers.
type moneyRoute struct {
	name   string
	id     op.RouteID
	kind   central.Kind
	fields []given
	asks   central.Particulars
	amount int64
	data   string // of the bank's approval
	// either: two of the fields, one of which must be there.
	either []string
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func moneyRoutes() []moneyRoute {
	sender, account, ifsc := must("senderId", quoted(senderID)), must("receiver_account_no", `"001234567890"`), must("receiverIfscCode", `"SBIN0001234"`)
	enrolment, otp, uid := must("referenceid", quoted(enrolled)), must("otp", quoted(otpCanary)), must("aadhaarno", quoted(aadhaar))
	person := []given{
		must("name", `"Meera Nair"`), must("mobile_no", `"9000000011"`), must("email_id", `"meera@example.in"`), must("pan", `"ABCPN1234F"`),
		must("address", `"12 Temple Road"`), must("city", `"Thrissur"`), must("state", `"Kerala"`), must("pincode", `"680001"`),
	}
	known := central.Particulars{Name: "Meera Nair", Mobile: "9000000011", Email: "meera@example.in", PAN: "ABCPN1234F", Address: "12 Temple Road", City: "Thrissur", State: "Kerala", Pincode: "680001"}
	agent := known
	agent.BC, agent.Shop = "BC0001", "Meera Stores"
	at := central.Particulars{Sender: senderID, Account: "001234567890", IFSC: "SBIN0001234"}
	record := `{"beneficiaryid":17,"beneficiaryname":"Ravi Kumar","beneficiarymobilenumber":9000000012,"beneficiaryemailid":"","bank":"State Bank of India","state":"","city":"","branch":"","address":"","ifscode":"SBIN0001234","accountnumber":1234567890,"beneficiarystatus":1,"impsstatus":1,"accountnumberText":"001234567890"}`
	return []moneyRoute{
		{name: "customer-GetDetail", id: op.CustomerDetail, kind: central.KindCustomerDetail, fields: []given{must("mobile_number", `"9000000001"`)},
			asks: central.Particulars{Mobile: "9000000001"},
			data: `{"referenceid":"` + enrolled + `","name":"Shivshankar Choudhury","mobile_no":"9000000001","email_id":"","city":"Pune","state":"Maharashtra","kyc_verified":true,"aadhaar_masked":"XXXXXXXX7058"}`},
		{name: "customer-onboarding", id: op.CustomerOnboarding, kind: central.KindCustomerOnboarding,
			fields: []given{must("name", `"Shivshankar Choudhury"`), must("mobile_no", `"9000000001"`), must("city", `"Pune"`), must("state", `"Maharashtra"`), may("email_id", `"s@example.in"`)},
			asks:   central.Particulars{Name: "Shivshankar Choudhury", Mobile: "9000000001", City: "Pune", State: "Maharashtra", Email: "s@example.in"}, data: `{"referenceid":"` + enrolled + `"}`},
		{name: "customer-request_otp", id: op.CustomerRequestOTP, kind: central.KindCustomerOTP, fields: []given{enrolment}, asks: central.Particulars{Enrolment: enrolled}, data: `{"otpreqid":"OTP-1"}`},
		{name: "customer-validate_otp", id: op.CustomerValidateOTP, kind: central.KindCustomerOTPCheck, fields: []given{otp, must("otpreqid", `"OTP-1"`), enrolment},
			asks: central.Particulars{Enrolment: enrolled, OTPRequest: "OTP-1"}, data: `{"status":"OTP_VERIFIED"}`},
		{name: "customer-verify_UID", id: op.CustomerVerifyUID, kind: central.KindCustomerUID, fields: []given{uid, enrolment}, asks: central.Particulars{Enrolment: enrolled}, data: `{"status":"UID_VERIFIED"}`},
		{name: "customer-updatebiodetail", id: op.CustomerUpdateBio, kind: central.KindCustomerBiometric, fields: []given{must("PidData", quoted(pid)), uid, enrolment}, asks: central.Particulars{Enrolment: enrolled}, data: `{"status":"BIO_UPDATED"}`},
		{name: "customer-submit", id: op.CustomerSubmit, kind: central.KindCustomerSubmit, fields: []given{enrolment}, asks: central.Particulars{Enrolment: enrolled}, data: `{"referenceid":"` + enrolled + `","status":"APPROVED"}`},
		{name: "customer-statusCheck", id: op.CustomerStatus, kind: central.KindCustomerStatus, fields: []given{enrolment}, asks: central.Particulars{Enrolment: enrolled}, data: `{"referenceid":"` + enrolled + `","status":"UID_VERIFIED"}`},

		{name: "remitter-register", id: op.RemitterRegister, kind: central.KindRemitterRegister, fields: []given{may("sender_mobilenumber", `"9000000001"`), may("senderId", `""`)},
			asks: central.Particulars{Mobile: "9000000001"}, data: `{"senderid":"` + senderID + `","registrationFeeCharged":10}`, either: []string{"senderId", "sender_mobilenumber"}},
		{name: "remitter-details", id: op.RemitterDetails, kind: central.KindRemitterDetails, fields: []given{must("sender_mobilenumber", `"9000000001"`)}, asks: central.Particulars{Mobile: "9000000001"},
			data: `{"senderId":"` + senderID + `","status":true,"remitter":true,"TransactionDone":500.5,"AviableLimit":24499.5,"AviabledayLimit":25000,"beneficiarydetail":[` + record + `],"monthLimit":25000,"AviableMonthLimit":24499.50}`},
		{name: "beneficiary-accountVerification", id: op.AccountVerification, kind: central.KindAccountVerification,
			fields: []given{account, ifsc, may("senderId", quoted(senderID)), may("sender_mobilenumber", `"9000000001"`), may("receivername", `"Ravi Kumar"`), may("receivermobilenumber", `"9000000012"`), may("receiveremailid", `"r@example.in"`)},
			asks:   central.Particulars{Account: "001234567890", IFSC: "SBIN0001234", Sender: senderID, Mobile: "9000000001", Receiver: "Ravi Kumar", ReceiverMobile: "9000000012", ReceiverEmail: "r@example.in"},
			data:   `{"status":1,"account_holder_name":"RAVI KUMAR"}`},
		{name: "beneficiary-add", id: op.BeneficiaryAdd, kind: central.KindBeneficiaryAdd,
			fields: []given{sender, must("receivername", `"Ravi Kumar"`), ifsc, account, may("receivermobilenumber", `"9000000012"`), may("receiveremailid", `"r@example.in"`), may("address", `"4 Mill Lane"`), may("city", `"Pune"`), may("state", `"Maharashtra"`), may("branch_contact", `"Camp"`)},
			asks:   central.Particulars{Sender: senderID, Receiver: "Ravi Kumar", IFSC: "SBIN0001234", Account: "001234567890", ReceiverMobile: "9000000012", ReceiverEmail: "r@example.in", Address: "4 Mill Lane", City: "Pune", State: "Maharashtra", Branch: "Camp"},
			data:   `{"beneficiaryid":17}`},
		{name: "beneficiary-get", id: op.BeneficiaryGet, kind: central.KindBeneficiaryGet, fields: []given{sender, account, ifsc}, asks: at, data: record},
		{name: "beneficiary-delete", id: op.BeneficiaryDelete, kind: central.KindBeneficiaryDelete, fields: []given{sender, account, ifsc}, asks: at, data: `{"status":"DELETED"}`},
		{name: "transaction-otp", id: op.TransferOTP, kind: central.KindTransferOTP, fields: []given{sender, must("amount", "1500.5"), account, ifsc}, asks: at, amount: 150050, data: `{"status":"OTP_SENT"}`},
		{name: "transaction-charges", id: op.TransferCharges, kind: central.KindTransferCharges, fields: []given{sender, must("amount", "1500.5")}, asks: central.Particulars{Sender: senderID}, amount: 150050,
			data: `{"charge":15.01,"totalAmount":1515.51,"gst":2.29,"commission":0}`},
		{name: "transaction-balance", id: op.FloatBalance, kind: central.KindFloatBalance, data: `{"balance":1000000}`},
		{name: "login", id: op.Login, kind: central.KindLogin, data: `{"sessionId":"5e551000-0000-4000-8000-000000000001","expiresAt":"2026-11-21T17:30:00.000Z"}`},
		{name: "transaction-instant", id: op.Transfer, kind: central.KindTransfer,
			fields: []given{sender, must("BeneficiaryId", "17"), must("amount", "1500.5"), must("refId", `"order-17"`), otp, account, ifsc, must("account_holder_name", `"RAVI KUMAR"`), may("receiverMobilenumber", `"9000000012"`), may("remarks", `"rent"`)},
			asks:   central.Particulars{Sender: senderID, Beneficiary: 17, CallerRef: "order-17", Account: "001234567890", IFSC: "SBIN0001234", Receiver: "RAVI KUMAR", ReceiverMobile: "9000000012", Remarks: "rent"},
			amount: 150050, data: `{"rrn":"632509000042","status":"SUCCESS"}`},

		{name: "bc-registor", id: op.BCRegister, kind: central.KindBCRegister, fields: person, asks: known, data: `{"bcId":"BC0001","status":"REGISTERED"}`},
		{name: "bc-agent-registor", id: op.BCAgentRegister, kind: central.KindBCAgentRegister,
			fields: append(append([]given{must("bcId", `"BC0001"`)}, person...), uid, must("shopName", `"Meera Stores"`)), asks: agent, data: `{"agentId":"AG0001","status":"REGISTERED"}`},
		{name: "bc-agent-initialize", id: op.BCAgentInitialize, kind: central.KindBCAgentInitialize, fields: []given{must("agentId", `"AG0001"`)}, asks: central.Particulars{Agent: "AG0001"}, data: `{"agentId":"AG0001","status":"ACTIVE"}`},
		{name: "bc-status", id: op.BCStatus, kind: central.KindBCStatus, fields: []given{may("bcId", `"BC0001"`), may("agentId", `""`)}, asks: central.Particulars{BC: "BC0001"}, data: `{"status":"REGISTERED"}`, either: []string{"agentId", "bcId"}},
	}
}

// answered makes the bank approve with the route's data.
func (m moneyRoute) answered(b *fixture) {
	b.executor.answer = central.BankAnswer{Status: central.BankApproved, Code: "00", Message: "SUCCESS", RRN: "632509000042", Data: []byte(m.data)}
}

// body writes the route's body with some fields changed; "" takes one out.
func (m moneyRoute) body(changes map[string]string) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	for _, f := range m.fields {
		fields[f.name] = raw(f.value)
	}
	for name, v := range changes {
		fields[name] = raw(v)
		if v == "" {
			delete(fields, name)
		}
	}
	return fields
}

// by is a caller who may call the route.
func (m moneyRoute) by() central.Principal {
	route, _ := op.Find(m.id)
	if route.Allows(op.Merchant) {
		return merchant1
	}
	return aggregator1
}

// send makes the call: a merchant's fields of a GET stand in the query, and a
// vendor names its merchant, both in the body (interface.md, sections 4.3 and 4.7).
func (b *fixture) send(p central.Principal, id op.RouteID, fields map[string]json.RawMessage) central.Reply {
	route, _ := op.Find(id)
	c := central.Request{Principal: p, Route: route, RequestID: "req-1"}
	if route.Method == "GET" && p.Role == op.Merchant {
		c.Query = map[string]string{}
		for name, v := range fields {
			var s string
			if json.Unmarshal(v, &s) != nil {
				s = string(v)
			}
			c.Query[name] = s
		}
		return b.Handle(context.Background(), c)
	}
	if p.Role == op.Vendor && route.Allows(op.Merchant) && fields["merchantId"] == nil {
		fields["merchantId"] = raw(quoted(string(m1)))
	}
	c.Body, _ = json.Marshal(fields)
	return b.Handle(context.Background(), c)
}

// asked is what the bank was asked, as operation or consultation.
func (b *fixture) asked(t *testing.T, kind central.Kind) central.BankRequest {
	t.Helper()
	if kind.IsConsultation() {
		if len(b.executor.consulted) != 1 || b.executor.count != 0 {
			t.Fatalf("%d consultations and %d operations", len(b.executor.consulted), b.executor.count)
		}
		return b.executor.consulted[0]
	}
	if len(b.executor.consulted) != 0 || b.executor.count != 1 {
		t.Fatalf("%d consultations and %d operations", len(b.executor.consulted), b.executor.count)
	}
	return b.executor.last.Request
}

// TestMoneyRoutes: each route, called by each role that may call it, asks the
// bank exactly what the body said, and passes its answer on.
func TestMoneyRoutes(t *testing.T) {
	vendorOfM1 := vendor1
	for _, m := range moneyRoutes() {
		route, ok := op.Find(m.id)
		if !ok {
			t.Fatalf("%s is not served", m.id)
		}
		for _, p := range []central.Principal{merchant1, terminal1, vendorOfM1, aggregator1} {
			b := newFixture(t)
			m.answered(b)
			r := b.send(p, m.id, m.body(nil))
			if !route.Allows(p.Role) {
				if expect(t, r, 403, "01"); len(b.executor.consulted)+b.executor.count != 0 {
					t.Errorf("%s: the bank was asked for the role %s", m.name, p.Role)
				}
				continue
			}
			golden(t, "dmt-"+m.name, r)
			q := b.asked(t, m.kind)
			if q.Kind != m.kind || q.Particulars != m.asks || int64(q.Amount) != m.amount {
				t.Errorf("%s asks %+v", m.name, q)
			}
			wantMID := "GAL0000001"
			switch {
			case p.Role == op.Aggregator:
				wantMID = string(aggregator)
			case p.Role == op.Vendor && !route.Allows(op.Merchant):
				wantMID = string(v1)
			}
			if q.MID != wantMID {
				t.Errorf("%s of %s: MID is %q", m.name, p.Role, q.MID)
			}
			fields := m.body(nil)
			if _, takes := fields["otp"]; takes != (q.OTP.Reveal() == otpCanary) {
				t.Errorf("%s: the OTP is %v", m.name, q.OTP.IsZero())
			}
			if _, takes := fields["aadhaarno"]; takes != (q.Aadhaar.Reveal() == aadhaar) {
				t.Errorf("%s: the Aadhaar number is %v", m.name, q.Aadhaar)
			}
			if _, takes := fields["PidData"]; takes != (q.PidData.Reveal() == pid) {
				t.Errorf("%s: PidData is %v", m.name, q.PidData.IsZero())
			}
			if s := b.executor.last; !m.kind.IsConsultation() && (s.Party != p.Party() || s.Route != m.id || s.Sender != m.asks.Sender || s.Fingerprint == [32]byte{} || s.NeedsSession) {
				t.Errorf("%s: submission is %+v", m.name, s)
			}
		}
	}
}

// fieldValues are wrong values of fields with the rules that they break.
var fieldValues = map[string]map[string]string{
	"mobile":  {`"900000001"`: "mobile", `"5000000001"`: "mobile", `"+919000000001"`: "mobile", `"9000000001 "`: "mobile", "true": "type", "null": "type"},
	"uuid":    {`"x"`: "uuid", `"5E0DE000-0000-4000-8000-000000000001"`: "uuid", `"{` + senderID + `}"`: "uuid", "7": "type", "null": "type"},
	"id":      {`"a b"`: "id", `"-x"`: "id", `"' OR 1=1"`: "id", "[]": "type", `"` + strings.Repeat("x", 65) + `"`: "id"},
	"name":    {`"  "`: "length", `"a\nb"`: "printable", "5": "type", `"` + strings.Repeat("x", 300) + `"`: "length"},
	"account": {`"12345"`: "account", `"1234567890123456789"`: "account", `"12 345 678"`: "account", `"１２３４５６７"`: "account", "[1234567890]": "type", "null": "type"},
	"ifsc":    {`"sbin0001234"`: "ifsc", `"SBIN1001234"`: "ifsc", `"SBIN000123"`: "ifsc", `"SBIN00012345"`: "ifsc", "{}": "type"},
	"email":   {`"x"`: "email", `"a@b"`: "email", `"a b@c.in"`: "email", "5": "type"},
	"otp":     {`"12"`: "otp", `"abcdef"`: "otp", `"123456789"`: "otp", "730517": "type"},
	"amount":  {`"500"`: "type", "null": "type", "0": "positive", "-1": "positive", "1.001": "decimals", "1e-3": "decimals", "1e11": "range", "99999999999": "range"},
	"aadhaar": {`"999941057059"`: "aadhaar", `"99994105705"`: "aadhaar", "999941057058": "type"},
	"pid":     {`"x"`: "piddata", `"<PidData><Resp errCode='700'/></PidData>"`: "capture", "1": "type"},
	"integer": {`"17"`: "type", "0": "integer", "-1": "integer", "1.5": "integer", "1e16": "integer", "9007199254740992": "integer", "null": "type"},
	"ref":     {`"a\tb"`: "reference", `"` + strings.Repeat("x", 65) + `"`: "reference", "5": "type"},
	"pan":     {`"abcpn1234f"`: "pan", `"ABCPN1234"`: "pan", "1": "type"},
	"pincode": {`"012345"`: "pincode", `"1234567"`: "pincode", "680001": "type"},
}

// fieldKinds tells which of those a field has.
var fieldKinds = map[string]string{
	"mobile_number": "mobile", "mobile_no": "mobile", "sender_mobilenumber": "mobile", "receivermobilenumber": "mobile", "receiverMobilenumber": "mobile",
	"senderId": "uuid", "referenceid": "id", "otpreqid": "id", "bcId": "id", "agentId": "id", "transactionId": "id", "refereanceId": "id",
	"name": "name", "city": "name", "state": "name", "receivername": "name", "address": "name", "branch_contact": "name", "account_holder_name": "name", "remarks": "name", "shopName": "name",
	"receiver_account_no": "account", "receiverIfscCode": "ifsc", "email_id": "email", "receiveremailid": "email", "otp": "otp", "amount": "amount",
	"aadhaarno": "aadhaar", "PidData": "pid", "BeneficiaryId": "integer", "refId": "ref", "pan": "pan", "pincode": "pincode",
}

// refundRoutes have fields, and are no question to the bank alone.
func refundRoutes() []moneyRoute {
	return []moneyRoute{
		{name: "transaction-requery", id: op.TransferRequery, fields: []given{must("refId", `"order-17"`)}},
		{name: "transaction-refundOTP", id: op.RefundOTP, kind: central.KindRefundOTP, fields: []given{must("refereanceId", quoted(string(sent)))}, data: `{"status":"OTP_SENT"}`},
		{name: "refund", id: op.Refund, kind: central.KindRefund, fields: []given{must("transactionId", quoted(string(sent))), must("refId", `"order-17"`), must("otp", quoted(otpCanary))}, data: `{"amount":1500.5,"status":"REFUNDED"}`},
	}
}

// TestMoneyFields: every field alone wrong in every way, absent, and all wrong
// at once.
func TestMoneyFields(t *testing.T) {
	for _, m := range append(moneyRoutes(), refundRoutes()...) {
		route, _ := op.Find(m.id)
		b := newFixture(t)
		b.transferred(op.Succeeded)
		m.answered(b)
		wrong := func(changes map[string]string) []string {
			t.Helper()
			r := b.send(m.by(), m.id, m.body(changes))
			if r.HTTP != 400 {
				t.Errorf("%s with %v: HTTP %d %s", m.name, changes, r.HTTP, r.Body)
				return nil
			}
			return wrongFields(t, r)
		}
		all, want := map[string]string{}, []string{}
		for _, f := range m.fields {
			kind := fieldKinds[f.name]
			if kind == "" {
				t.Fatalf("%s: no wrong values of %s", m.name, f.name)
			}
			for value, rule := range fieldValues[kind] {
				if route.Method == "GET" && rule == "type" {
					continue // a query has nothing but texts
				}
				if got := wrong(map[string]string{f.name: value}); !slices.Equal(got, []string{f.name + " " + rule}) {
					t.Errorf("%s: %s %.40s: %v, want %s", m.name, f.name, value, got, rule)
				}
			}
			switch {
			case f.must:
				if got := wrong(map[string]string{f.name: ""}); !slices.Equal(got, []string{f.name + " required"}) {
					t.Errorf("%s without %s: %v", m.name, f.name, got)
				}
				all[f.name] = ""
				want = append(want, f.name+" required")
			case m.either == nil:
				if r := newFixtureWith(t, m).send(m.by(), m.id, m.body(map[string]string{f.name: ""})); r.HTTP != 200 {
					t.Errorf("%s without %s: HTTP %d %s", m.name, f.name, r.HTTP, r.Body)
				}
			}
		}
		if len(want) > 0 {
			if got := wrong(all); !slices.Equal(got, want) {
				t.Errorf("%s, empty: %v, want %v", m.name, got, want)
			}
		}
		if b.executor.count+len(b.executor.consulted) != 0 {
			t.Errorf("%s: the bank was asked", m.name)
		}
	}
}

func newFixtureWith(t *testing.T, m moneyRoute) *fixture {
	b := newFixture(t)
	b.transferred(op.Succeeded)
	m.answered(b)
	return b
}

// TestOneOfTwo: two fields that name the same thing.
func TestOneOfTwo(t *testing.T) {
	for _, m := range moneyRoutes() {
		if m.either == nil {
			continue
		}
		both := []string{m.either[0] + " required", m.either[1] + " required"}
		for _, none := range []map[string]json.RawMessage{{}, {m.either[0]: raw(`""`)}, {m.either[1]: raw(`""`)}, {m.either[0]: raw(`""`), m.either[1]: raw(`""`)}, {"mobilenumber": raw(`"9000000001"`)}} {
			r := newFixtureWith(t, m).send(m.by(), m.id, none)
			if got := wrongFields(t, r); r.HTTP != 400 || !slices.Equal(got, both) {
				t.Errorf("%s with %s: HTTP %d %v", m.name, none, r.HTTP, got)
			}
			for _, name := range m.either {
				if !bytes.Contains(r.Body, []byte("or "+name+" in its place")) {
					t.Errorf("%s: the two fields are not named: %s", m.name, r.Body)
				}
			}
		}
	}
	b := newFixture(t)
	expect(t, b.call(merchant1, op.RemitterRegister, fmt.Sprintf(`{"sender_mobilenumber":"9000000001","senderId":%q}`, senderID)), 200, "00")
	if p := b.executor.last.Request.Particulars; p.Sender != senderID || p.Mobile != "" {
		t.Errorf("asks %+v", p)
	}
	expect(t, b.call(aggregator1, op.BCStatus, `{"bcId":"BC0001","agentId":"AG0001"}`), 200, "00")
	if p := b.executor.consulted[0].Particulars; p.Agent != "AG0001" || p.BC != "" {
		t.Errorf("asks %+v", p)
	}
}

// TestDescribedMoneyFields: what the document says of the fields is what the
// code reads.
func TestDescribedMoneyFields(t *testing.T) {
	b := newFixture(t)
	for _, m := range append(moneyRoutes(), refundRoutes()...) {
		route, _ := op.Find(m.id)
		want := []given{}
		for _, f := range m.fields {
			want = append(want, given{name: f.name, must: f.must})
		}
		if route.Allows(op.Merchant) {
			want = append(want, given{name: "merchantId"})
		}
		got := []given{}
		for _, f := range b.Describe(m.id) {
			got = append(got, given{name: f.Name, must: f.Required})
			if f.Schema.Type == "" {
				t.Errorf("%s: %s has no type", m.name, f.Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", m.name, got, want)
		}
	}
	if schema := describedField(b.Describe(op.Transfer), "BeneficiaryId").Schema; schema.Type != "integer" || schema.Minimum != "1" {
		t.Errorf("BeneficiaryId is %+v", schema)
	}
}

func describedField(list []field.Description, name string) field.Description {
	for _, f := range list {
		if f.Name == name {
			return f
		}
	}
	return field.Description{}
}
