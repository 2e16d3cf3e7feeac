package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/ist"
	"galla/shared/op"
)

func TestGoldenOnboarding(t *testing.T) {
	answers := map[op.RouteID]string{
		op.AgentInitialize: ``, op.AgentOnboarding: `{"otpreqid":"OTP-17","agentId":"GAL0000002","status":"OTP_SENT"}`,
		op.AgentRequestOTP: `{"otpreqid":"OTP-18"}`, op.AgentValidateOTP: `{"status":"OTP_VERIFIED"}`,
		op.AgentVerifyPAN: `{"status":"PAN_VERIFIED","pan":"ABCXXXXX4F","name":"Ganesh Rao"}`,
		op.AgentUpdateUID: `{"status":"UID_UPDATED","aadhaar_masked":"XXXXXXXX7058"}`, op.AgentUpdateBio: `{"status":"BIO_UPDATED"}`,
		op.AgentSubmit: `{"status":"APPROVED","agentId":"GAL0000002"}`, op.AgentStatus: `{"status":"BIO_UPDATED","agentId":"GAL0000002"}`,
		op.AgentDetail: `{"agentId":"GAL0000002","name":"Ganesh Telecom","mobile":"9800000002","shopName":"Ganesh Telecom","status":"APPROVED"}`,
	}
	for _, step := range agentBodies {
		b := newAgentFixture(t)
		b.at(central.KYCBioUpdated)
		name := "agent-" + string(step.route)[strings.LastIndex(string(step.route), "/")+1:]
		b.answers(answers[step.route])
		golden(t, name, b.call(merchant2, step.route, step.body))
		if step.route == op.AgentInitialize { // the bank never hears of it
			continue
		}
		b.executor.state = op.Failed
		b.executor.answer = central.BankAnswer{Status: central.BankDeclined, Code: "55", Message: "INVALID OTP"}
		golden(t, "agent-declined", b.call(merchant2, step.route, step.body))
		b.executor.answer = central.BankAnswer{Status: central.BankDeclined, Code: "12", Message: "verify_pan has to be done first", Refusal: central.RefusedOrder}
		golden(t, "agent-out-of-order", b.call(merchant2, step.route, step.body))
		b.executor.answer = central.BankAnswer{Status: central.BankDeclined, Code: "76", Message: "NO SUCH AGENT", Refusal: central.RefusedNotFound}
		golden(t, "agent-absent", b.call(merchant2, step.route, step.body))
		b.executor.why = central.NewError(central.BankUnreachable, "Bank network unreachable; nothing was sent")
		b.executor.consultErr = b.executor.why
		golden(t, "agent-unreachable", b.call(merchant2, step.route, step.body))
		isOperation := func(s onboardingStep) bool { return s.route == step.route && !s.kind.IsConsultation() && s.to != "" }
		if b.executor.why = nil; slices.ContainsFunc(onboardingSteps(), isOperation) {
			b.executor.state = op.Pending
			golden(t, "agent-pending", b.call(merchant2, step.route, step.body))
		}
	}
	b := newAgentFixture(t)
	golden(t, "agent-step-missing", b.call(merchant2, op.AgentSubmit, "{}"))
	golden(t, "agent-no-info", b.call(merchant5, op.AgentOnboarding, "{}"))
	golden(t, "agent-fields", b.call(merchant2, op.AgentVerifyPAN, `{"pan":"abc","dob":"1980-02-30"}`))
}

// TestInitializeHasNoEnvelope: on success two keys and nothing else; on every
// failure the envelope, 'Server error' for internal ones (interface.md, sections 2.1 and 7).
func TestInitializeHasNoEnvelope(t *testing.T) {
	b := newAgentFixture(t)
	first := b.call(merchant2, op.AgentInitialize, "")
	var fields map[string]any
	if err := json.Unmarshal(first.Body, &fields); err != nil || len(fields) != 2 || fields["merchantId"] != string(m2) || fields["service"] != "AEPS" || first.HTTP != 200 {
		t.Errorf("HTTP %d %s", first.HTTP, first.Body)
	}
	b.finish()
	if again := b.call(merchant2, op.AgentInitialize, ""); !bytes.Equal(first.Body, again.Body) {
		t.Errorf("a repeat: %s", again.Body)
	}
	b.executor.err = &central.Error{Fault: central.Internal, Message: "disk on fire"}
	if out := expect(t, b.call(merchant2, op.AgentInitialize, ""), 500, "500"); out.Message != "Server error" {
		t.Errorf("message is %q", out.Message)
	}
	b.executor.err, b.executor.state, b.executor.why = nil, op.Failed, &central.Error{Fault: central.Internal, Message: "disk on fire"}
	if out := expect(t, b.call(merchant2, op.AgentInitialize, ""), 500, "500"); out.Message != "Server error" || out.Data != nil {
		t.Errorf("reply is %+v", out)
	}
	expect(t, b.call(merchant2, op.AgentInitialize, "["), 400, "02")
	expect(t, b.call(vendor1, op.AgentInitialize, "{}"), 404, "01")
}

// TestOnboardingNamesItsOTPRequest: otp_status says whether an OTP was sent.
func TestOnboardingNamesItsOTPRequest(t *testing.T) {
	for data, want := range map[string]string{
		`{"otpreqid":"OTP-17"}`: "OTP-17", `{"status":"OTP_SENT"}`: "", `{"otpreqid":17}`: "", `{"otpreqid":""}`: "", ``: "",
	} {
		b := newAgentFixture(t)
		b.at(central.KYCInitialized)
		b.answers(data)
		r := b.call(merchant2, op.AgentOnboarding, "{}")
		expect(t, r, 200, "00")
		var out struct {
			Status  *bool           `json:"otp_status"`
			Request *string         `json:"otp_reqid"`
			Data    json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(r.Body, &out); err != nil || out.Status == nil || out.Request == nil || *out.Request != want || *out.Status != (want != "") || string(out.Data) != data {
			t.Errorf("%s: %s", data, r.Body)
		}
	}
}

// TestMerchantInfoComesFirst: even before the order of the steps.
func TestMerchantInfoComesFirst(t *testing.T) {
	b := newAgentFixture(t)
	out := expect(t, b.call(merchant5, op.AgentOnboarding, "{}"), 422, "01")
	if out.Message != "Merchant info not created" || b.executor.count != 0 {
		t.Errorf("%q, %d operations", out.Message, b.executor.count)
	}
	if r := b.call(merchant5, op.AgentInitialize, "{}"); r.HTTP != 200 {
		t.Errorf("initialize: HTTP %d %s", r.HTTP, r.Body)
	}
	expect(t, b.call(merchant5, op.AgentStatus, ""), 200, "00")
}

// TestApproval: the network's word APPROVED is taken over once the record is
// submitted, from submit and from statusCheck, and no other word is.
func TestApproval(t *testing.T) {
	tests := []struct {
		name   string
		route  op.RouteID
		state  central.KYCState
		data   string
		become central.KYCState
	}{
		{"submit", op.AgentSubmit, central.KYCSubmitted, `{"status":"APPROVED"}`, central.KYCApproved},
		{"statusCheck", op.AgentStatus, central.KYCSubmitted, `{"status":"APPROVED","agentId":"GAL0000002"}`, central.KYCApproved},
		{"in review", op.AgentStatus, central.KYCSubmitted, `{"status":"IN_REVIEW"}`, central.KYCSubmitted},
		{"another case", op.AgentStatus, central.KYCSubmitted, `{"status":"approved"}`, central.KYCSubmitted},
		{"another type", op.AgentStatus, central.KYCSubmitted, `{"status":true}`, central.KYCSubmitted},
		{"another key", op.AgentStatus, central.KYCSubmitted, `{"Status":"APPROVED","data":{"status":"APPROVED"}}`, central.KYCSubmitted},
		{"no data", op.AgentStatus, central.KYCSubmitted, ``, central.KYCSubmitted},
		{"too early", op.AgentStatus, central.KYCBioUpdated, `{"status":"APPROVED"}`, central.KYCBioUpdated},
		{"no record", op.AgentStatus, "", `{"status":"APPROVED"}`, ""},
		{"approved before", op.AgentStatus, central.KYCApproved, `{"status":"APPROVED"}`, central.KYCApproved},
		{"of a detail", op.AgentDetail, central.KYCSubmitted, `{"status":"APPROVED"}`, central.KYCSubmitted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newAgentFixture(t)
			b.at(tt.state)
			b.answers(tt.data)
			expect(t, b.call(merchant2, tt.route, "{}"), 200, "00")
			if got := b.store.kyc[m2].State; got != tt.become {
				t.Errorf("the record became %q", got)
			}
			if want := tt.become != tt.state; (b.agents.approvals == 1) != want {
				t.Errorf("%d approvals", b.agents.approvals)
			}
		})
	}
	declined := newAgentFixture(t)
	declined.at(central.KYCSubmitted)
	declined.executor.state, declined.executor.answer = op.Failed, central.BankAnswer{Status: central.BankDeclined, Code: "05", Data: []byte(`{"status":"APPROVED"}`)}
	expect(t, declined.call(merchant2, op.AgentStatus, ""), 200, "05")
	expect(t, declined.call(merchant2, op.AgentSubmit, ""), 200, "05")
	if declined.agents.approvals != 0 {
		t.Error("a decline was taken for an approval")
	}
}

// TestApprovalThatCannotBeNoted: submit is done and says so, statusCheck fails
// and may be repeated; the cause is in the log.
func TestApprovalThatCannotBeNoted(t *testing.T) {
	b := newAgentFixture(t)
	b.at(central.KYCSubmitted)
	b.answers(`{"status":"APPROVED"}`)
	b.agents.approveErr = errors.New("disk on fire")
	if r := b.call(merchant2, op.AgentSubmit, ""); r.HTTP != 200 || r.State != op.Succeeded || !strings.Contains(b.log.String(), "disk on fire") {
		t.Errorf("HTTP %d, log %s", r.HTTP, b.log)
	}
	expect(t, b.call(merchant2, op.AgentStatus, ""), 500, "500")
	b.agents.approveErr = nil
	expect(t, b.call(merchant2, op.AgentStatus, ""), 200, "00")
	if s := b.store.kyc[m2].State; s != central.KYCApproved {
		t.Errorf("the record is %s", s)
	}
	b.agents.broken = errors.New("disk on fire")
	expect(t, b.call(merchant5, op.AgentValidateOTP, agentBodies[3].body), 500, "500")
	expect(t, b.call(merchant5, op.AgentStatus, ""), 500, "500")
}

func TestOnboardingFields(t *testing.T) {
	future := string(ist.DayOf(time.Now().AddDate(0, 0, 2)))
	tests := []struct {
		route op.RouteID
		body  string
		want  []string
	}{
		{op.AgentValidateOTP, `{}`, []string{"otp required", "otpreqid required"}},
		{op.AgentValidateOTP, `{"otp":"","otpreqid":""}`, []string{"otp required", "otpreqid required"}},
		{op.AgentValidateOTP, `{"otp":482913,"otpreqid":null}`, []string{"otp type", "otpreqid type"}},
		{op.AgentValidateOTP, `{"otp":"48291a","otpreqid":"a b"}`, []string{"otp otp", "otpreqid id"}},
		{op.AgentValidateOTP, `{"otp":"123","otpreqid":"-x"}`, []string{"otp otp", "otpreqid id"}},
		{op.AgentVerifyPAN, `{}`, []string{"pan required", "name required", "dob required"}},
		{op.AgentVerifyPAN, `{"pan":"abcpe1234f","name":" ","dob":"29-02-1980"}`, []string{"pan pan", "name length", "dob date"}},
		{op.AgentVerifyPAN, `{"pan":"ABCPE1234FX","name":"a\nb","dob":"1981-02-29"}`, []string{"pan pan", "name printable", "dob date"}},
		{op.AgentVerifyPAN, `{"pan":1,"name":[],"dob":19800229}`, []string{"pan type", "name type", "dob type"}},
		{op.AgentVerifyPAN, `{"pan":"ABCPE1234F","name":"Ganesh","dob":"` + future + `"}`, []string{"dob date"}},
		{op.AgentUpdateUID, `{}`, []string{"aadhaarno required"}},
		{op.AgentUpdateUID, `{"aadhaarno":"99994105705"}`, []string{"aadhaarno aadhaar"}},
		{op.AgentUpdateUID, `{"aadhaarno":"999941057059"}`, []string{"aadhaarno aadhaar"}},
		{op.AgentUpdateUID, `{"aadhaarno":` + aadhaar + `}`, []string{"aadhaarno type"}},
		{op.AgentUpdateBio, `{}`, []string{"PidData required", "aadhaarno required"}},
		{op.AgentUpdateBio, `{"PidData":"<x/>","aadhaarno":""}`, []string{"PidData piddata", "aadhaarno required"}},
		{op.AgentUpdateBio, `{"PidData":"<PidData><Resp errCode='700'/></PidData>","aadhaarno":"` + aadhaar + `"}`, []string{"PidData capture"}},
		{op.AgentDetail, `{"agentId":7}`, []string{"agentId type"}},
		{op.AgentDetail, `{"agentId":"a/b"}`, []string{"agentId id"}},
		{op.AgentDetail, `{"agentId":"` + strings.Repeat("x", 65) + `"}`, []string{"agentId id"}},
		{op.AgentSubmit, `[]`, []string{"body object"}},
		{op.AgentOnboarding, `{"a":1,"a":2}`, []string{"body duplicate"}},
	}
	b := newAgentFixture(t) // the record is absent: field errors come before the order
	for _, tt := range tests {
		r := b.call(merchant2, tt.route, tt.body)
		if r.HTTP != 400 || !slices.Equal(wrongFields(t, r), tt.want) {
			t.Errorf("%s of %s: HTTP %d %s, want %v", tt.body, tt.route, r.HTTP, r.Body, tt.want)
		}
		if bytes.Contains(r.Body, []byte(aadhaar)) {
			t.Errorf("%s quotes the number: %s", tt.route, r.Body)
		}
	}
	if b.executor.count+len(b.executor.consulted) != 0 {
		t.Error("the executor was called")
	}
}

// TestOnboardingKeepsSecrets: OTP, Aadhaar number and capture are in the
// secret fields of the request and nowhere else.
func TestOnboardingKeepsSecrets(t *testing.T) {
	b := newAgentFixture(t)
	b.at(central.KYCBioUpdated)
	for _, step := range agentBodies {
		r := b.call(merchant2, step.route, step.body)
		shown := b.log.String() + string(r.Body) + fmt.Sprintf("%+v %+v %+v", b.executor.last, b.executor.consulted, b.executor.known)
		for _, hidden := range []string{aadhaar, "482913", "ZGF0YWNhbmFyeQ"} {
			if strings.Contains(shown, hidden) {
				t.Errorf("%s shows %q", step.route, hidden)
			}
		}
	}
}

// TestDescribe: the document's fields of every route of these families, as
// their own code reads them.
func TestDescribe(t *testing.T) {
	const must, may = "*", ""
	tests := map[op.RouteID][]string{
		op.AgentInitialize: nil, op.AgentOnboarding: nil, op.AgentRequestOTP: nil, op.AgentSubmit: nil, op.AgentStatus: nil,
		op.AgentValidateOTP: {"otp string" + must, "otpreqid string" + must},
		op.AgentVerifyPAN:   {"pan string" + must, "name string" + must, "dob string/date" + must},
		op.AgentUpdateUID:   {"aadhaarno string" + must},
		op.AgentUpdateBio:   {"PidData string" + must, "aadhaarno string" + must},
		op.AgentDetail:      {"agentId string" + may},
		op.AEPSRequery:      {"clientRefId string" + may, "reference string" + may, "RetailerReferenceNumber string" + may},
		op.GenerateQR:       {"amount number" + may, "order_id string" + must},
		op.Withdrawal: {"AadharNo string" + must, "TxnAmount number" + must, "Latitude string" + must, "Longitude string" + must,
			"CustomerName string" + must, "PidData string" + must, "BankName string" + may, "clientRefId string" + may},
	}
	d := newAgentFixture(t).Handler
	for route, want := range tests {
		var got []string
		for _, f := range d.Describe(route) {
			line := f.Name + " " + f.Schema.Type
			if f.Schema.Format != "" {
				line += "/" + f.Schema.Format
			}
			if f.Required {
				line += must
			}
			got = append(got, line)
		}
		if want = append(want, "merchantId string/uuid"); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", route, got, want)
		}
	}
	var amounts []field.Schema
	for _, route := range []op.RouteID{op.Withdrawal, op.Balance} {
		amounts = append(amounts, d.Describe(route)[1].Schema)
	}
	if amounts[0].Minimum != "0.01" || !slices.Equal(amounts[1].Enum, []string{"0"}) {
		t.Errorf("amounts are %+v", amounts)
	}
	if d.Describe(op.Banks) != nil || d.Describe("POST /aeps/process") != nil {
		t.Error("fields where there are none")
	}
}

func TestOnboardingIdentities(t *testing.T) {
	b := newAgentFixture(t)
	b.at(central.KYCOTPVerified)
	route, _ := op.Find(op.AgentVerifyPAN)
	send := func(body string) central.Reply {
		return b.Handle(context.Background(), central.Request{Principal: merchant2, Route: route, Identity: "key-1", Body: []byte(body)})
	}
	first := send(agentBodies[4].body)
	expect(t, first, 200, "00")
	if again := send(agentBodies[4].body); !again.Replayed || !bytes.Equal(first.Body, again.Body) || b.executor.count != 1 {
		t.Errorf("a repeat: %+v", again)
	}
	expect(t, send(strings.Replace(agentBodies[4].body, "Rao", "Rai", 1)), 409, "09")
}
