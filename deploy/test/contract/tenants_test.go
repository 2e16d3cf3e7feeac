package contract

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"galla/central/api"
	"galla/central/limits"
	"galla/shared/op"
	"galla/shared/secret"
)

// noID are the fields that identify no record: names of people, amounts, secrets.
var noID = strings.Fields(`otp pan name dob aadhaarno PidData AadharNo TxnAmount Latitude Longitude CustomerName BankName amount
	mobile_number mobile_no city state email_id sender_mobilenumber receiver_account_no receiverIfscCode receivername receivermobilenumber
	receiveremailid address branch_contact account_holder_name receiverMobilenumber remarks pincode shopName page limit paymentMethod provider
	txnType minAmount maxAmount commissionRate rateType isDefault from to groupBy code publicKey order_id
	at formerEndsAt url status type format mobile language`)

// shared are the ids that any party may name, and why: with the route in front if the
// same field is owned elsewhere.
var anyID = map[string]string{
	"referenceid":   "the bank's customer, whose steps need the customer's OTP, number or finger",
	"senderId":      "the bank's customer: any party looks up and adds, and a transfer needs the customer's OTP",
	"BeneficiaryId": "the bank's customer's: a transfer to it needs the customer's OTP",
	"otpreqid":      "worth nothing without the OTP, which the bank binds to what it was asked for",

	"POST /aeps/withdrawal clientRefId": "chosen by the caller: each party has its own", "POST /aeps/balance clientRefId": "chosen by the caller: each party has its own",
	"POST /aeps/minstatement clientRefId": "chosen by the caller: each party has its own", "POST /aeps/reqAuth clientRefId": "chosen by the caller: each party has its own",
	"POST /aeps/purchase clientRefId": "chosen by the caller: each party has its own", "POST /dmt/txn/v1/transaction/instant refId": "chosen by the caller: each party has its own",
	"GET /vendor/callbacks merchant": "selects among the vendor's own", "GET /vendor/operations merchant": "selects among the vendor's own",
	"POST /upi/txn/v1/GenerateQR merchantId": "a merchant's own wins, and vendors are refused",
	"POST /upi/txn/v1/status merchantId":     "a merchant's own wins, and vendors are refused",
	"GET /upi/txn/v1/payments merchantId":    "a merchant's own wins, and vendors are refused",
}

var pathParam = regexp.MustCompile(`:[a-zA-Z]+`)

// TestEveryIDByAnotherParty sends every field and path parameter of every route that
// identifies a record, as a party that does not own the record. The answer is that of a
// missing record, and nothing is done; a new field without a line here fails.
func TestEveryIDByAnotherParty(t *testing.T) {
	h := running
	rules, err := limits.Sandbox()
	if err != nil {
		t.Fatal(err)
	}
	describer, err := api.New(nil, nil, nil, nil, nil, api.Config{
		FingerprintKey: secret.NewKey(make([]byte, 32)), UplinkURL: "ws://127.0.0.1/uplink", Audience: "walk",
		Limits: rules, UPIHandle: "galla", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	theirs := h.ownedProbes(t)
	asked, open := 0, 0
	for _, route := range op.Table() {
		var names []string
		for _, f := range describer.Describe(route.ID) {
			names = append(names, f.Name)
		}
		for _, name := range append(names, pathParam.FindAllString(route.Path, -1)...) {
			at := string(route.ID) + " " + name
			switch probe := theirs[at]; {
			case route.ID == op.MintTerminal && name == "name", slices.Contains(noID, name):
			case anyID[name] != "" && probe == nil, anyID[at] != "":
				open++
			case name == "merchantId":
				asked++
				h.foreignMerchant(t, route)
			case probe == nil:
				t.Errorf("%s is neither shared, nor owned, nor no id: say here whose it is", at)
			default:
				asked++
				probe(t)
			}
		}
	}
	t.Logf("%d ids were named by another party and refused, %d are any party's to name", asked, open)
	if asked < 50 {
		t.Errorf("only %d ids were walked", asked)
	}
}

// absent checks that a reply is that of a missing record, without data.
func absent(t *testing.T, a answer) {
	t.Helper()
	if a.http != 404 || a.body["statusCode"] != "01" && a.body["statusCode"] != "04" {
		t.Errorf("%s by another party: HTTP %d %s", a.asked, a.http, a.raw)
	}
	a.bare()
}

// foreignMerchant names another vendor's merchant; the reply is that of a missing one.
func (h *system) foreignMerchant(t *testing.T, route op.Route) {
	t.Helper()
	path, body := pathParam.ReplaceAllString(route.Path, vendor1), any(fields{"merchantId": merchant3})
	absentID := strings.Replace(merchant3, "3", "9", 1)
	none := any(fields{"merchantId": absentID})
	other := path
	if route.Method == "GET" {
		path, other, body, none = path+"?merchantId="+merchant3, path+"?merchantId="+absentID, nil, nil
	}
	foreign, missing := h.call(t, v1, route.Method, path, body), h.call(t, v1, route.Method, other, none)
	absent(t, foreign)
	if string(foreign.raw) != string(missing.raw) {
		t.Errorf("%s: another vendor's merchant is answered with %s, none with %s", route.ID, foreign.raw, missing.raw)
	}
}

// ownedProbes makes one record of each kind, and gives the requests by which another
// party names them, by route and field.
func (h *system) ownedProbes(t *testing.T) map[string]func(*testing.T) {
	t.Helper()
	r := newRemitter(t, h, "9444444401", choudhury, "700100200499")
	ref := h.ref("tenant")
	sent := h.call(t, m1, "POST", instant, r.transfer(ref, "100", r.transferOTP(t, h, "100"))).is(200, "00").data()
	transaction := text(t, sent, "transactionId")
	aeps := with(h.aeps(t, choudhury, "0"), fields{"clientRefId": h.ref("tenant")})
	done := h.call(t, m1, "POST", "/aeps/balance", aeps).is(200, "00").data()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	code := h.call(t, m1, "POST", "/terminals", fields{"name": "Counter 8"}).is(201, "00").data()
	terminal := h.send(t, "POST", "/terminals/enrol", jsonOf(t, fields{"code": code["code"], "publicKey": base64.StdEncoding.EncodeToString(public), "name": "Counter 8"})).is(201, "00").data()
	band := h.call(t, v1, "POST", slabs, slab(h, fields{"minAmount": json.Number("1"), "maxAmount": json.Number("2"), "commissionRate": json.Number("0.1"), "rateType": "PERCENTAGE"})).is(201, "00").data()
	who := fields{"name": "Tenant BC", "mobile_no": "9222222231", "email_id": "bc@example.in", "pan": "ABCPE1239F", "address": "1 MG Road", "city": "Pune", "state": "Maharashtra", "pincode": "411001"}
	bc := text(t, h.call(t, agg, "POST", "/onboarding/dmt/bc/registor", who).is(200, "00").data(), "bcId")
	asAgent := with(who, fields{"bcId": bc, "mobile_no": "9222222232", "aadhaarno": pandey, "shopName": "Pandey Stores"})
	agent := text(t, h.call(t, v1, "POST", "/onboarding/dmt/bc/agent/registor", asAgent).is(200, "00").data(), "agentId")
	h.call(t, v1, "POST", "/onboarding/dmt/bc/agent/initialize", fields{"agentId": agent}).is(200, "00")
	h.call(t, agg, "POST", "/onboarding/dmt/bc/status", fields{"agentId": agent}).is(200, "00")

	own2 := "/vendor-commission/" + vendor2 + "/commission/" + text(t, band, "id")
	calls := map[string]func(*testing.T) answer{}
	call := func(at, client, method, path string, body any) {
		calls[at] = func(t *testing.T) answer { return h.call(t, client, method, path, body) }
	}
	call("POST /aeps/GetAgentDetail agentId", m3, "POST", "/aeps/GetAgentDetail", fields{"agentId": "GAL0000001"})
	for _, name := range []string{"clientRefId", "reference", "RetailerReferenceNumber"} {
		value := any(aeps["clientRefId"])
		if name != "clientRefId" {
			value = done["RetailerReferenceNumber"]
		}
		call("POST /aeps/requery "+name, m3, "POST", "/aeps/requery", fields{name: value})
	}
	call("POST /dmt/txn/v1/transaction/requery refId", m3, "POST", requery, fields{"refId": ref})
	call("POST /dmt/txn/v1/transaction/refundOTP refereanceId", m3, "POST", "/dmt/txn/v1/transaction/refundOTP", fields{"refereanceId": transaction})
	for _, name := range []string{"transactionId", "refId"} {
		call("POST /dmt/txn/v1/refund "+name, m3, "POST", "/dmt/txn/v1/refund", fields{"transactionId": transaction, "refId": ref, "otp": "123456"})
	}
	call("POST /onboarding/dmt/bc/agent/registor bcId", v2, "POST", "/onboarding/dmt/bc/agent/registor", asAgent)
	call("POST /onboarding/dmt/bc/agent/initialize agentId", v2, "POST", "/onboarding/dmt/bc/agent/initialize", fields{"agentId": agent})
	// The sandbox has one aggregator: an unknown id is answered as another aggregator's
	// is.
	call("POST /onboarding/dmt/bc/status bcId", agg, "POST", "/onboarding/dmt/bc/status", fields{"bcId": "BC-UNKNOWN"})
	call("POST /onboarding/dmt/bc/status agentId", agg, "POST", "/onboarding/dmt/bc/status", fields{"agentId": "AG-UNKNOWN"})
	call("DELETE /terminals/:id :id", m3, "DELETE", "/terminals/"+text(t, terminal, "terminalId"), nil)
	call("GET /operations/:id :id", m3, "GET", "/operations/"+text(t, aeps, "clientRefId"), nil)
	for id, method := range map[op.RouteID]string{op.SlabList: "GET", op.SlabCreate: "POST", op.SlabChange: "PUT", op.SlabDelete: "DELETE", op.Earnings: "GET"} {
		path := slabs
		switch id {
		case op.SlabChange, op.SlabDelete:
			path += "/" + text(t, band, "id")
			call(string(id)+" :slabId", v2, method, own2, slab(h, fields{"commissionRate": json.Number("9")}))
		case op.Earnings:
			path = "/vendor-commission/" + vendor1 + "/earnings"
		}
		call(string(id)+" :vendorId", v2, method, path, slab(h, fields{"commissionRate": json.Number("9"), "rateType": "PERCENTAGE"}))
	}
	late := h.lateCallback(t)
	secret := text(t, h.call(t, v1, "POST", "/vendor/merchants/"+merchant1+"/callback/secrets", nil).is(201, "00").data(), "id")
	own := text(t, h.call(t, v1, "POST", "/vendor/callback/secrets", nil).is(201, "00").data(), "id")
	for id, ask := range ownOf(late, secret, own) {
		route, _ := op.Find(id)
		for _, name := range pathParam.FindAllString(route.Path, -1) {
			call(string(id)+" "+name, v2, route.Method, ask.path, ask.body)
		}
	}
	probes := map[string]func(*testing.T){}
	probes[string(op.ReceiptMessage)+" :id"] = h.foreignReceipt
	for at, ask := range calls {
		probes[at] = func(t *testing.T) { t.Helper(); absent(t, ask(t)) }
	}
	for _, list := range []string{"/vendor/callbacks", "/vendor/operations"} {
		probes["GET "+list+" after"] = func(t *testing.T) {
			foreign := h.call(t, v2, "GET", list+"?after="+late, nil).is(400, "02")
			missing := h.call(t, v2, "GET", list+"?after="+merchant3, nil).is(400, "02")
			if string(foreign.raw) != string(missing.raw) {
				t.Errorf("after another's: %s, after none: %s", foreign.raw, missing.raw)
			}
			h.call(t, v1, "GET", list+"?after="+late, nil).is(200, "00")
		}
	}
	const received = "/upi/txn/v1/payments"
	payment := h.pay(t, "pay", fields{"vpa": text(t, h.call(t, m1, "POST", "/upi/txn/v1/GenerateQR", fields{"order_id": "tenants"}).is(200, "00").data(), "vpa"), "amount": 3}).ID
	probes["GET "+received+" after"] = func(t *testing.T) {
		eventually(t, "the payment's own merchant goes on after it", func() bool {
			return h.call(t, m1, "GET", received+"?after="+payment, nil).http == 200
		})
		foreign, missing := h.call(t, m3, "GET", received+"?after="+payment, nil).is(400, "02"), h.call(t, m3, "GET", received+"?after=NONE", nil).is(400, "02")
		if string(foreign.raw) != string(missing.raw) {
			t.Errorf("after another's: %s, after none: %s", foreign.raw, missing.raw)
		}
	}

	probes["POST /dmt/txn/v1/beneficiary/delete senderId"] = func(t *testing.T) {
		f := fields{"senderId": r.sender, "receiver_account_no": r.account, "receiverIfscCode": r.ifsc}
		h.call(t, m3, "POST", "/dmt/txn/v1/beneficiary/get", f).is(200, "00")
		h.call(t, m3, "POST", "/dmt/txn/v1/beneficiary/delete", f).is(422, "05").bare()
		h.call(t, v2, "POST", "/dmt/txn/v1/beneficiary/delete", with(f, fields{"merchantId": merchant3})).is(422, "05")
		h.call(t, m1, "POST", "/dmt/txn/v1/beneficiary/get", f).is(200, "00") // it is still there
	}
	return probes
}

// vendorCall is a request about what vendor 1 manages by itself.
type vendorCall struct {
	path string
	body any
}

// ownOf are the requests of vendor 1 about what it has: the callback of an operation, and
// secrets of callbacks, a merchant's and its own.
func ownOf(operation, secret, own string) map[op.RouteID]vendorCall {
	callback := "/vendor/merchants/" + merchant1 + "/callback"
	const client = "/vendor/clients/vendor-sahyadri/secrets"
	return map[op.RouteID]vendorCall{
		op.VendorKeyEnd:         {"/vendor/keys/d0000000-0000-4000-8000-000000000001/end", nil},
		op.VendorSecretAdd:      {client, nil},
		op.VendorSecretEnd:      {client + "/1/end", nil},
		op.CallbackEndpoint:     {callback, nil},
		op.CallbackEndpointSet:  {callback, fields{"url": "http://127.0.0.1:9/stolen"}},
		op.CallbackEndpointEnd:  {callback, nil},
		op.CallbackSecretAdd:    {callback + "/secrets", nil},
		op.CallbackSecretEnd:    {callback + "/secrets/" + secret + "/end", nil},
		op.EndpointSecretEnd:    {"/vendor/callback/secrets/" + own + "/end", nil},
		op.VendorCallback:       {"/vendor/callbacks/" + operation, nil},
		op.VendorCallbackResend: {"/vendor/callbacks/" + operation + "/resend", nil},
	}
}

// lateCallback makes an operation of merchant 1 that is pending and then reversed, so that
// the merchant is owed a callback, and returns its id.
func (h *system) lateCallback(t *testing.T) string {
	t.Helper()
	h.call(t, v1, "PUT", "/vendor/merchants/"+merchant1+"/callback", fields{"url": "http://127.0.0.1:9/galla"}).is(200, "00")
	h.call(t, m1, "POST", "/aeps/withdrawal", h.aeps(t, choudhury, "500.93")).is(200, "00")
	var found struct {
		Data []struct{ OperationID string }
	}
	eventually(t, "the merchant is owed a callback", func() bool {
		if err := json.Unmarshal(h.call(t, v1, "GET", "/vendor/callbacks?merchant="+merchant1, nil).is(200, "00").raw, &found); err != nil {
			t.Fatal(err)
		}
		return len(found.Data) > 0
	})
	return found.Data[0].OperationID
}
