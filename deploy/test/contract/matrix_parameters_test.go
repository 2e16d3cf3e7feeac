package contract

import (
	"crypto/rand"
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

// anyID are the ids that any party may name, and why: with the route in front if the same
// field is owned elsewhere.
var anyID = map[string]string{
	"referenceid":   "the bank's customer, whose steps need the customer's OTP, number or finger",
	"senderId":      "the bank's customer: any party looks up and adds, and a transfer needs the customer's OTP",
	"BeneficiaryId": "the bank's customer's: a transfer to it needs the customer's OTP",
	"otpreqid":      "worth nothing without the OTP, which the bank binds to what it was asked for",

	"POST /vendor/clients/:clientId/secrets/:secretId/end :secretId": "a number, counted by the client that the path names",

	"POST /aeps/withdrawal clientRefId": "chosen by the caller: each party has its own", "POST /aeps/balance clientRefId": "chosen by the caller: each party has its own",
	"POST /aeps/minstatement clientRefId": "chosen by the caller: each party has its own", "POST /aeps/reqAuth clientRefId": "chosen by the caller: each party has its own",
	"POST /aeps/purchase clientRefId": "chosen by the caller: each party has its own", "POST /dmt/txn/v1/transaction/instant refId": "chosen by the caller: each party has its own",
	"GET /vendor/callbacks merchant": "selects among the vendor's own", "GET /vendor/operations merchant": "selects among the vendor's own",
	"POST /upi/txn/v1/GenerateQR merchantId": "a merchant's own wins, and vendors are refused",
	"POST /upi/txn/v1/status merchantId":     "a merchant's own wins, and vendors are refused",
	"GET /upi/txn/v1/payments merchantId":    "a merchant's own wins, and vendors are refused",
}

var pathParam = regexp.MustCompile(`:[a-zA-Z]+`)

// parameters lists the fields that each route's code reads, and the routes that act for one
// merchant, whom a vendor names.
func parameters(t *testing.T) (names map[op.RouteID][]string, acting map[op.RouteID]bool) {
	t.Helper()
	rules, err := limits.Sandbox()
	if err != nil {
		t.Fatal(err)
	}
	describer, err := api.New(nil, nil, nil, nil, nil, api.Config{
		FingerprintKey: secret.NewKey(make([]byte, 32)), UplinkURL: "ws://127.0.0.1/uplink", Audience: "parameters",
		Limits: rules, UPIHandle: "galla", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	names, acting = map[op.RouteID][]string{}, map[op.RouteID]bool{}
	for _, r := range op.Table() {
		for _, f := range describer.Describe(r.ID) {
			names[r.ID] = append(names[r.ID], f.Name)
			acting[r.ID] = acting[r.ID] || f.Name == "merchantId"
		}
	}
	return names, acting
}

// everyParameter: each parameter of each route has a row, or is sorted in as one that names
// no record of a party.
func (m *matrix) everyParameter(t *testing.T) {
	t.Helper()
	known := map[string]bool{}
	for _, row := range m.rows {
		known[string(row.route)+" "+row.name] = true
	}
	for _, row := range m.names {
		known[string(row.route)+" "+row.name] = true
	}
	used := map[string]bool{}
	for _, r := range op.Table() {
		for _, name := range append(slices.Clone(m.fields[r.ID]), pathParam.FindAllString(r.Path, -1)...) {
			at := string(r.ID) + " " + name
			used[at], used[name] = true, true
			if !known[at] && !slices.Contains(noID, name) && anyID[name] == "" && anyID[at] == "" {
				t.Errorf("%s is neither in a row, nor any party's, nor no id: say whose it is", at)
			}
		}
	}
	for name := range anyID {
		if !used[name] {
			t.Errorf("%s is no parameter", name)
		}
	}
}
