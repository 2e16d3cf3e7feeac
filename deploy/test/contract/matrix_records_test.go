package contract

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"galla/shared/op"
)

// verdict is how a foreign identifier is answered.
type verdict int

const (
	absentRecord verdict = iota // as a record that does not exist: 404
	wrongPage                   // as a page that does not exist: 400
	emptyList                   // as a list of none
	notAdded                    // with a refusal of its own: who may add a beneficiary sees it, and deletes only its own
)

// idRow is a parameter of a route that names a record of party one.
type idRow struct {
	route  op.RouteID
	name   string            // as the route's path or its fields have it
	value  string            // party one's
	params map[string]string // of the owner's complete request
	body   fields            // of it, without merchantId
	owns   func(caller) bool
	owner  caller
	is     verdict
}

// records are what party one has.
type records struct {
	rows      []idRow
	names     []nameRow
	remitter  remitter
	operation string // an operation's id, which one of its terminals chose
	late      string // the operation of a callback
	secret    string // of the callbacks of merchant one
	own       string // of vendor one's own endpoint
	key       string
	slab      string
	delivered *atomic.Int64 // callbacks that the receiver got
}

// nameRow is a parameter by which each caller names its own operations and orders, with a
// name that party one has used. The same request of another is one of its own.
type nameRow struct {
	route op.RouteID
	name  string
	body  fields
	reply []byte // party one's
}

// Owners.
func ownVendor(c caller) bool   { return c.role == op.Vendor && c.of.vendor == vendor1 }
func ownMerchant(c caller) bool { return c.role == op.Merchant && c.of.merchant == merchant1 }
func ownBC(c caller) bool       { return ownVendor(c) || c.client == agg }
func ownShop(c caller) bool {
	return c.of.merchant == merchant1 && (c.role == op.Merchant || c.role == op.Vendor)
}

var (
	callerM1  = caller{"merchant one", m1, op.Merchant, partyOne}
	callerV1  = caller{"vendor one", v1, op.Vendor, partyOne}
	callerV2  = caller{"another vendor", v2, op.Vendor, partyTwo}
	callerAgg = caller{"the aggregator", agg, op.Aggregator, partyOne}
)

// row adds a row.
func (x *records) row(route op.RouteID, name, value string, owner caller, owns func(caller) bool, body fields, params ...string) *idRow {
	r := idRow{route: route, name: name, value: value, owner: owner, owns: owns, body: body, params: map[string]string{}}
	for i := 0; i < len(params); i += 2 {
		r.params[params[i]] = params[i+1]
	}
	x.rows = append(x.rows, r)
	return &x.rows[len(x.rows)-1]
}

// makeRecords makes one record of each kind for party one, and returns the rows that name
// them. When it returns, nothing of them is under way.
func (m *matrix) makeRecords(t *testing.T) *records {
	t.Helper()
	x := &records{delivered: &atomic.Int64{}}
	m.makeTransactions(t, x)
	m.makePayments(t, x)
	m.makeVendorsOwn(t, x)
	m.makeBC(t, x)
	for _, r := range op.Table() {
		if m.acting[r.ID] && r.Allows(op.Vendor) {
			var one, two []string
			if r.ID == op.RevokeTerminal {
				one, two = []string{":id", m.enrolTerminal(t, m1).id}, []string{":id", m.enrolTerminal(t, m3).id}
			}
			x.row(r.ID, "merchantId", merchant1, callerV1, func(c caller) bool { return ownVendor(c) || ownMerchant(c) }, fields{}, one...)
			x.row(r.ID, "merchantId", merchant3, callerV2, func(c caller) bool { return !ownVendor(c) }, fields{}, two...) // the other way round
		} else if m.acting[r.ID] {
			x.row(r.ID, "merchantId", merchant1, callerM1, ownShop, fields{})
		}
	}
	eventually(t, "nothing of party one is under way", func() bool {
		var open int
		err := m.file.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM callbacks WHERE state = 'waiting')
			+ (SELECT count(*) FROM operations WHERE merchant = ? AND state NOT IN ('succeeded', 'failed', 'reversed', 'refused'))
			+ (SELECT count(*) FROM terminals WHERE id = ? AND connected_at IS NULL)`, merchant1, m.doors[uplinkDoor].(uplinkEntrance).terminals[m1].id).Scan(&open)
		if err != nil {
			t.Fatal(err)
		}
		return open == 0
	})
	return x
}

// makeTransactions: a remitter with a beneficiary, a transfer, AEPS transactions, and an
// operation of a terminal.
func (m *matrix) makeTransactions(t *testing.T, x *records) {
	t.Helper()
	x.remitter = newRemitter(t, m.system, "9444444401", choudhury, "700100200499")
	r, ref := x.remitter, m.ref("matrix")
	sending := r.transfer(ref, "100", r.transferOTP(t, m.system, "100"))
	sent := m.call(t, m1, "POST", instant, sending).is(200, "00")
	transaction := text(t, sent.data(), "transactionId")
	x.names = append(x.names, nameRow{op.Transfer, "refId", sending, sent.raw})
	m.mark(transaction, ref, text(t, sent.data(), "rrn"))
	x.row(op.TransferRequery, "refId", ref, callerM1, ownMerchant, fields{"refId": ref})
	x.row(op.RefundOTP, "refereanceId", transaction, callerM1, ownMerchant, fields{"refereanceId": transaction})
	refund := fields{"transactionId": transaction, "refId": ref, "otp": "123456"}
	x.row(op.Refund, "transactionId", transaction, callerM1, ownMerchant, refund)
	x.row(op.Refund, "refId", ref, callerM1, ownMerchant, refund)
	to := fields{"senderId": r.sender, "receiver_account_no": r.account, "receiverIfscCode": r.ifsc}
	x.row(op.BeneficiaryDelete, "senderId", r.sender, callerM1, ownShop, to).is = notAdded

	for _, route := range []op.RouteID{op.Balance, op.MiniStatement, op.Withdrawal, op.Purchase, op.ReqAuth} {
		who, amount := choudhury, "0"
		switch route {
		case op.ReqAuth:
			who = fatima
		case op.Withdrawal, op.Purchase:
			amount = "100"
		}
		body := with(m.aeps(t, who, amount), fields{"clientRefId": m.ref("matrix")})
		found, _ := op.Find(route)
		done := m.call(t, m1, "POST", found.Path, body).is(200, "00")
		x.names = append(x.names, nameRow{route, "clientRefId", body, done.raw})
		for _, name := range []string{"RetailerReferenceNumber", "ReferenceNo"} { // not every reply has them
			if reference, _ := done.data()[name].(string); reference != "" {
				m.mark(reference)
			}
		}
		if route != op.Balance {
			continue
		}
		client, reference := text(t, body, "clientRefId"), text(t, done.data(), "RetailerReferenceNumber")
		x.row(op.AEPSRequery, "clientRefId", client, callerM1, ownMerchant, fields{"clientRefId": client})
		x.row(op.AEPSRequery, "reference", reference, callerM1, ownMerchant, fields{"reference": reference})
		x.row(op.AEPSRequery, "RetailerReferenceNumber", reference, callerM1, ownMerchant, fields{"RetailerReferenceNumber": reference})
	}
	x.row(op.AgentDetail, "agentId", "GAL0000001", callerM1, ownShop, fields{"agentId": "GAL0000001"})

	m.makeIdentities(t, x)
	x.row(op.ReceiptMessage, ":id", x.operation, callerM1, ownMerchant, fields{"mobile": "9555500009", "language": "en"}, ":id", x.operation)
	shop := m.enrolTerminal(t, m1).id
	m.mark(shop)
	x.row(op.RevokeTerminal, ":id", shop, callerM1, ownShop, fields{}, ":id", shop)
}

// makeIdentities: operations of a program and of a terminal, by the identities that these
// chose.
func (m *matrix) makeIdentities(t *testing.T, x *records) {
	t.Helper()
	balance, _ := op.Find(op.Balance)
	body := with(m.aeps(t, choudhury, "0"), fields{identity: newIdentity()})
	done := m.doors[directDoor].ask(t, callerM1, balance, nil, body).is(200, "00")
	name := text(t, body, identity)
	id := text(t, m.call(t, m1, "GET", "/operations/"+name, nil).is(200, "00").data(), "id")
	x.names = append(x.names, nameRow{op.Balance, identity, body, done.raw})
	m.mark(text(t, done.data(), "RetailerReferenceNumber"), id)
	for _, value := range []string{name, id} {
		x.row(op.OperationState, ":id", value, callerM1, ownMerchant, fields{}, ":id", value)
	}
	x.operation = newIdentity()
	m.doors[uplinkDoor].ask(t, callerM1, balance, nil, with(m.aeps(t, choudhury, "0"), fields{identity: x.operation})).is(200, "00")
	m.mark(x.operation)
}

// makePayments: an order with a payment by UPI.
func (m *matrix) makePayments(t *testing.T, x *records) {
	t.Helper()
	order := m.ref("order")
	body := fields{"order_id": order, "amount": json.Number("3")}
	code := m.call(t, m1, "POST", qrPath, body).is(200, "00")
	x.names = append(x.names, nameRow{op.GenerateQR, "order_id", body, code.raw})
	vpa := text(t, code.data(), "vpa")
	payment := m.pay(t, "pay", fields{"upiLink": text(t, code.data(), "upiLink"), "amount": 3})
	m.mark(vpa, payment.ID, payment.RRN)
	eventually(t, "the payment is known", func() bool {
		return m.call(t, m1, "GET", "/upi/txn/v1/payments?after="+payment.ID, nil).http == 200
	})
	x.row(op.UPIStatus, "order_id", order, callerM1, ownMerchant, fields{"order_id": order})
	x.row(op.UPIPayments, "after", payment.ID, callerM1, ownMerchant, fields{"after": payment.ID}).is = wrongPage
}

// makeVendorsOwn: a slab, a key, secrets, an endpoint, and a callback that arrived.
func (m *matrix) makeVendorsOwn(t *testing.T, x *records) {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		x.delivered.Add(1)
	}))
	t.Cleanup(receiver.Close)
	const callback, client = "/vendor/merchants/" + merchant1 + "/callback", "/vendor/clients/vendor-sahyadri/secrets"
	m.call(t, v1, "PUT", callback, fields{"url": receiver.URL}).is(200, "00")
	m.call(t, v1, "PUT", "/vendor/callback", fields{"url": receiver.URL}).is(200, "00")
	x.secret = text(t, m.call(t, v1, "POST", callback+"/secrets", nil).is(201, "00").data(), "id")
	x.own = text(t, m.call(t, v1, "POST", "/vendor/callback/secrets", nil).is(201, "00").data(), "id")
	x.key = "d0000000-0000-4000-8000-000000000001"
	m.call(t, m1, "POST", "/aeps/withdrawal", m.aeps(t, choudhury, "500.93")).is(200, "00")
	eventually(t, "the callback arrived", func() bool {
		err := m.file.QueryRowContext(t.Context(), "SELECT operation FROM callbacks WHERE merchant = ? AND event = 'operation.finished' AND state = 'delivered'", merchant1).Scan(&x.late)
		return err == nil
	})
	m.mark(x.late, x.secret, x.own, x.key, receiver.URL)
	ends := fields{"at": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)}
	shop, url := []string{":merchantId", merchant1}, fields{"url": "http://127.0.0.1:9/stolen"}
	x.row(op.VendorKeyEnd, ":keyId", x.key, callerV1, ownVendor, ends, ":keyId", x.key)
	x.row(op.VendorSecretAdd, ":clientId", v1, callerV1, ownVendor, fields{}, ":clientId", v1)
	x.row(op.VendorSecretEnd, ":clientId", v1, callerV1, ownVendor, ends, ":clientId", v1, ":secretId", "1")
	x.row(op.CallbackEndpoint, ":merchantId", merchant1, callerV1, ownVendor, fields{}, shop...)
	x.row(op.CallbackEndpointSet, ":merchantId", merchant1, callerV1, ownVendor, url, shop...)
	x.row(op.CallbackEndpointEnd, ":merchantId", merchant1, callerV1, ownVendor, fields{}, shop...)
	x.row(op.CallbackSecretAdd, ":merchantId", merchant1, callerV1, ownVendor, fields{}, shop...)
	x.row(op.CallbackSecretEnd, ":merchantId", merchant1, callerV1, ownVendor, ends, ":merchantId", merchant1, ":secretId", x.secret)
	x.row(op.CallbackSecretEnd, ":secretId", x.secret, callerV1, ownVendor, ends, ":merchantId", merchant1, ":secretId", x.secret)
	x.row(op.EndpointSecretEnd, ":secretId", x.own, callerV1, ownVendor, ends, ":secretId", x.own)
	x.row(op.VendorCallback, ":operationId", x.late, callerV1, ownVendor, fields{}, ":operationId", x.late)
	x.row(op.VendorCallbackResend, ":operationId", x.late, callerV1, ownVendor, fields{}, ":operationId", x.late)
	for _, list := range []op.RouteID{op.VendorCallbacks, op.VendorOperations} {
		x.row(list, "after", x.late, callerV1, ownVendor, fields{"after": x.late}).is = wrongPage
		x.row(list, "merchant", merchant1, callerV1, ownVendor, fields{"merchant": merchant1}).is = emptyList
	}
	m.makeSlab(t, x)
}

func (m *matrix) makeSlab(t *testing.T, x *records) {
	t.Helper()
	band := fields{"paymentMethod": "DMT", "provider": "NSDL", "txnType": "MATRIX", "commissionRate": json.Number("9"), "rateType": "PERCENTAGE"}
	made := text(t, m.call(t, v1, "POST", slabs, band).is(201, "00").data(), "id")
	x.slab = made
	m.mark(made)
	x.row(op.SlabList, ":vendorId", vendor1, callerV1, ownVendor, fields{}, ":vendorId", vendor1)
	x.row(op.SlabCreate, ":vendorId", vendor1, callerV1, ownVendor, with(band, fields{"txnType": "MORE"}), ":vendorId", vendor1)
	x.row(op.Earnings, ":vendorId", vendor1, callerV1, ownVendor, fields{}, ":vendorId", vendor1)
	for _, route := range []op.RouteID{op.SlabChange, op.SlabDelete} {
		x.row(route, ":vendorId", vendor1, callerV1, ownVendor, fields{}, ":vendorId", vendor1, ":slabId", made)
		x.row(route, ":slabId", made, callerV1, ownVendor, fields{}, ":vendorId", vendor1, ":slabId", made)
	}
}

// makeBC: a business correspondent, and an agent of it.
func (m *matrix) makeBC(t *testing.T, x *records) {
	t.Helper()
	who := fields{"name": "Matrix BC", "mobile_no": "9222222231", "email_id": "bc@example.in", "pan": "ABCPE1239F", "address": "1 MG Road", "city": "Pune", "state": "Maharashtra", "pincode": "411001"}
	bc := text(t, m.call(t, agg, "POST", "/onboarding/dmt/bc/registor", who).is(200, "00").data(), "bcId")
	asAgent := with(who, fields{"bcId": bc, "mobile_no": "9222222232", "aadhaarno": pandey, "shopName": "Pandey Stores"})
	agent := text(t, m.call(t, v1, "POST", "/onboarding/dmt/bc/agent/registor", asAgent).is(200, "00").data(), "agentId")
	m.mark(bc, agent)
	x.row(op.BCAgentRegister, "bcId", bc, callerV1, ownBC, asAgent)
	x.row(op.BCAgentInitialize, "agentId", agent, callerV1, ownBC, fields{"agentId": agent})
	x.row(op.BCStatus, "bcId", bc, callerAgg, ownBC, fields{"bcId": bc})
	x.row(op.BCStatus, "agentId", agent, callerAgg, ownBC, fields{"agentId": agent})
}

// mark adds texts that no reply to another party has.
func (m *matrix) mark(texts ...string) { m.marks = append(m.marks, texts...) }

// leaks reports what of party one a reply has; empty: nothing.
func (m *matrix) leaks(raw []byte) string {
	for _, mark := range append([]string{merchant1, "Lakshmi", "sahyadri-", v1, m1}, m.marks...) {
		if strings.Contains(string(raw), mark) {
			return mark
		}
	}
	return ""
}
