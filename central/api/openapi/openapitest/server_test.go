package openapitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/accounts"
	"galla/central/api"
	"galla/shared/ist"
	"galla/shared/op"
	"galla/shared/secret"
)

// golden says which route's replies the golden files of central/api hold,
// by the beginnings of their names; the longest counts.
var golden = map[string]op.RouteID{
	"agent-": op.AgentVerifyPAN, "agent-initialize": op.AgentInitialize, "agent-onboarding": op.AgentOnboarding, "agent-no-info": op.AgentOnboarding,
	"agent-request_otp": op.AgentRequestOTP, "agent-validate_otp": op.AgentValidateOTP, "agent-update_UID": op.AgentUpdateUID,
	"agent-updatebiodetail": op.AgentUpdateBio, "agent-submit": op.AgentSubmit, "agent-statusCheck": op.AgentStatus, "agent-GetAgentDetail": op.AgentDetail,

	"withdrawal-": op.Withdrawal, "balance-": op.Balance, "minstatement-": op.MiniStatement, "reqAuth-": op.ReqAuth, "purchase-": op.Purchase,
	"authStatus-": op.AuthStatus, "banks": op.Banks, "requery-": op.AEPSRequery,

	"dmt-customer-GetDetail": op.CustomerDetail, "dmt-customer-onboarding": op.CustomerOnboarding, "dmt-customer-request_otp": op.CustomerRequestOTP,
	"dmt-customer-validate_otp": op.CustomerValidateOTP, "dmt-customer-verify_UID": op.CustomerVerifyUID, "dmt-customer-updatebiodetail": op.CustomerUpdateBio,
	"dmt-customer-submit": op.CustomerSubmit, "dmt-customer-statusCheck": op.CustomerStatus,
	"dmt-remitter-register": op.RemitterRegister, "dmt-remitter-details": op.RemitterDetails,
	"dmt-beneficiary-accountVerification": op.AccountVerification, "dmt-beneficiary-add": op.BeneficiaryAdd, "dmt-beneficiary-get": op.BeneficiaryGet, "dmt-beneficiary-delete": op.BeneficiaryDelete,
	"dmt-transaction-otp": op.TransferOTP, "dmt-transaction-instant": op.Transfer, "dmt-transaction-charges": op.TransferCharges,
	"dmt-transaction-requery": op.TransferRequery, "dmt-transaction-absent": op.TransferRequery, "dmt-transaction-refundOTP": op.RefundOTP, "dmt-refund": op.Refund,
	"dmt-transaction-balance": op.FloatBalance, "dmt-login": op.Login,
	"dmt-bc-registor": op.BCRegister, "dmt-bc-agent-registor": op.BCAgentRegister, "dmt-bc-agent-initialize": op.BCAgentInitialize, "dmt-bc-status": op.BCStatus,

	"upi-": op.GenerateQR, "upi-order": op.UPIStatus, "upi-payments": op.UPIPayments,

	"vendor-merchants": op.VendorMerchants, "vendor-me": op.VendorMe, "slab-list": op.SlabList, "slab-foreign": op.SlabList,
	"slab-create": op.SlabCreate, "slab-change": op.SlabChange, "slab-delete": op.SlabDelete, "earnings": op.Earnings,

	"vendor-keys": op.VendorKeys, "vendor-key-add": op.VendorKeyAdd, "vendor-key-end": op.VendorKeyEnd,
	"vendor-clients": op.VendorClients, "vendor-secret-add": op.VendorSecretAdd, "vendor-secret-end": op.VendorSecretEnd,
	"callback-endpoint": op.CallbackEndpoint, "callback-set": op.CallbackEndpointSet, "callback-remove": op.CallbackEndpointEnd,
	"callback-secret-add": op.CallbackSecretAdd, "callback-secret-end": op.CallbackSecretEnd,
	"vendor-endpoint": op.VendorEndpoint, "vendor-endpoint-set": op.VendorEndpointSet, "vendor-endpoint-remove": op.VendorEndpointEnd,
	"vendor-endpoint-secret-add": op.EndpointSecretAdd, "vendor-endpoint-secret-end": op.EndpointSecretEnd,
	"callbacks": op.VendorCallbacks, "callback-one": op.VendorCallback, "callback-resend": op.VendorCallbackResend, "vendor-operations": op.VendorOperations,

	"limits": op.LimitsInForce, "terminals-mint": op.MintTerminal, "terminals-list": op.ListTerminals, "terminals-revoke": op.RevokeTerminal,
	"terminals-enrol": op.EnrolTerminal, "operation-": op.OperationState,
}

// TestGoldenRepliesAreInTheDocument: every reply that central/api holds
// its code to is one that the document promises, and no route is left out.
func TestGoldenRepliesAreInTheDocument(t *testing.T) {
	doc := document(t)
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden replies: %v", err)
	}
	seen := map[op.RouteID]int{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		if strings.HasPrefix(name, "fault-") {
			continue // the error table itself, of which no route has all
		}
		route, length := op.RouteID(""), 0
		for prefix, id := range golden {
			if strings.HasPrefix(name, prefix) && len(prefix) > length {
				route, length = id, len(prefix)
			}
		}
		if route == "" {
			t.Errorf("%s is of no route: add a line to golden", path)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var status int
		line, body, _ := bytes.Cut(text, []byte("\n"))
		if _, err := fmt.Sscanf(string(line), "HTTP %d", &status); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		body = bytes.Replace(bytes.TrimSpace(body), []byte(`"(picture)"`), []byte(`"data:image/png;base64,"`), 1)
		if err := doc.CheckReply(route, status, body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		seen[route]++
	}
	for _, r := range op.Table() {
		if seen[r.ID] == 0 && r.Entrances&(op.Direct|op.Gateway) != 0 {
			t.Errorf("no golden reply of %s was held against the document", r.ID)
		}
	}
}

// errReached stands for everything behind the reading of a request.
var errReached = errors.New("the request was read")

// behind is an executor, store and registry that say errReached wherever a call gets
// to; parties it knows.
type behind struct {
	api.Store
	accounts.CustomerStore
	central.VendorAdmin
}

func (behind) Merchant(_ context.Context, id central.MerchantID) (central.Merchant, error) {
	return central.Merchant{ID: id, MID: "GAL0000001", LegalName: "Lakshmi Kirana Store", Status: central.MerchantApproved, HasInfo: true, AEPSReady: true, TID: "GAL00001", Vendor: "b0000000-0000-4000-8000-000000000001"}, nil
}

func (behind) Vendor(_ context.Context, id central.VendorID) (central.Vendor, error) {
	return central.Vendor{ID: id, LegalName: "Sahyadri Fintech", Active: true, Aggregator: "a0000000-0000-4000-8000-000000000001"}, nil
}

func (behind) ByReference(context.Context, string, central.ReferenceQuery) (central.Operation, error) {
	return central.Operation{}, errReached
}

func (behind) ByIdentity(context.Context, string, string) (central.Operation, error) {
	return central.Operation{}, errReached
}

func (behind) Operation(context.Context, op.ID) (central.Operation, error) {
	return central.Operation{}, errReached
}

func (behind) Session(context.Context, string) (central.AgentSession, error) {
	return central.AgentSession{}, errReached
}

func (behind) Submit(context.Context, central.Submission) (central.Operation, bool, error) {
	return central.Operation{}, false, errReached
}

func (behind) FindOrTombstone(context.Context, string, string) (central.Operation, bool, error) {
	return central.Operation{}, false, errReached
}

func (behind) Consult(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return central.BankAnswer{}, errReached
}

func (behind) CreateEnrolmentCode(context.Context, central.MerchantID, central.Credential) (central.EnrolmentCode, error) {
	return central.EnrolmentCode{}, errReached
}

func (behind) Enrol(context.Context, secret.Token, []byte, string) (central.Terminal, error) {
	return central.Terminal{}, errReached
}

func (behind) List(context.Context, central.MerchantID) ([]central.Terminal, error) {
	return nil, errReached
}

func (behind) Revoke(context.Context, central.MerchantID, central.TerminalID) error {
	return errReached
}

// administration is the vendors' part of behind.
type administration struct{ central.VendorAdmin }

const exampleSlab = central.SlabID("6ae6783f-4fbd-491b-aeb8-8b73a48ed247")

func (administration) MerchantsOf(context.Context, central.VendorID, int, int) ([]central.Merchant, int, error) {
	return nil, 0, errReached
}

func (administration) Slabs(_ context.Context, v central.VendorID) ([]central.Slab, error) {
	return []central.Slab{{ID: exampleSlab, Vendor: v, Aggregator: "a0000000-0000-4000-8000-000000000001", RateType: central.RateFixed}}, nil
}

func (administration) AddSlab(context.Context, central.Slab) (central.Slab, error) {
	return central.Slab{}, errReached
}

func (administration) ChangeSlab(context.Context, central.VendorID, central.SlabID, central.SlabChange, time.Time) (central.Slab, error) {
	return central.Slab{}, errReached
}

func (administration) RemoveSlab(context.Context, central.VendorID, central.SlabID, time.Time) error {
	return errReached
}

func (administration) EarningsOf(context.Context, central.VendorID, ist.Day, ist.Day, []central.EarningGroup) ([]central.EarningSum, error) {
	return nil, errReached
}

// principal is a caller that a route allows.
func principal(r op.Route) central.Principal {
	switch {
	case r.Allows(op.Merchant):
		return central.Principal{Role: op.Merchant, Merchant: "c0000000-0000-4000-8000-000000000001"}
	case r.Allows(op.Vendor):
		return central.Principal{Role: op.Vendor, Vendor: "b0000000-0000-4000-8000-000000000001"}
	case r.Allows(op.Aggregator):
		return central.Principal{Role: op.Aggregator, Aggregator: "a0000000-0000-4000-8000-000000000001"}
	}
	return central.Principal{}
}

// TestExampleRequestsAreAccepted: the code that serves a route takes the
// document's example request as it stands, check digits included, with a capture
// in the place of the one that the document leaves out; and what it answers is in
// the document.
func TestExampleRequestsAreAccepted(t *testing.T) {
	doc := document(t)
	d := newHandler(t, behind{}, behind{}, behind{}, administration{}, behind{})
	const pid = `<PidData><Resp errCode="0"/><Skey ci="20221021">c2tleQ==</Skey><Hmac>aG1hYw==</Hmac><Data type="X">ZGF0YQ==</Data></PidData>`
	for _, e := range doc.entries {
		if !e.served {
			continue
		}
		call := central.Request{Principal: principal(e.route), Route: e.route, Params: map[string]string{}, Query: map[string]string{}, RequestID: "req-1"}
		for _, f := range e.fields {
			switch {
			case f.in == inPath:
				call.Params[f.name] = plainText(f.example)
			case f.in == inQuery && f.example != nil && f.name != "merchantId":
				call.Query[f.name] = plainText(f.example)
			}
		}
		if e.example != nil {
			var body ordered[jsontext.Value]
			if err := json.Unmarshal(e.example, &body); err != nil {
				t.Fatal(err)
			}
			for i, f := range body {
				if f.name == "PidData" {
					body[i].value = constant(pid)
				}
			}
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			call.Body = text
		}
		r := d.Handle(t.Context(), call)
		if reached := r.HTTP == 500 || r.HTTP == 200; !reached {
			t.Errorf("%s: the example was answered with HTTP %d %s", e.ID, r.HTTP, r.Body)
		}
		if err := doc.CheckReply(e.ID, r.HTTP, r.Body); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
	}
}

// TestRequiredFieldsAreRequired: a request without its required fields is
// answered with exactly their names.
func TestRequiredFieldsAreRequired(t *testing.T) {
	doc := document(t)
	d := newHandler(t, behind{}, behind{}, behind{}, administration{}, behind{})
	for _, e := range doc.entries {
		var want []string
		params := map[string]string{}
		for _, f := range e.fields {
			switch {
			case f.in == inPath:
				params[f.name] = plainText(f.example)
			case f.required:
				want = append(want, f.name)
			}
		}
		if !e.served || len(want) == 0 {
			continue
		}
		r := d.Handle(t.Context(), central.Request{Principal: principal(e.route), Route: e.route, Params: params, RequestID: "req-1"})
		var out struct {
			Data struct {
				Errors []central.FieldError `json:"errors"`
			} `json:"data"`
		}
		if err := json.Unmarshal(r.Body, &out); err != nil || r.HTTP != 400 {
			t.Errorf("%s: HTTP %d %s", e.ID, r.HTTP, r.Body)
			continue
		}
		var got []string
		for _, f := range out.Data.Errors {
			got = append(got, f.Field)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the code misses %v, the document %v", e.ID, got, want)
		}
	}
}
