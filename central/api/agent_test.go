package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// m5 has no merchantinfo.
const m5 = central.MerchantID("c0000000-0000-4000-8000-000000000005")

var (
	merchant2 = central.Principal{Role: op.Merchant, Merchant: m2}
	merchant5 = central.Principal{Role: op.Merchant, Merchant: m5}
)

// agentStore lets merchants transact once their onboarding is approved, as the
// database does.
type agentStore struct {
	*fakeStore
	broken     error // of KYC
	approvals  int
	approveErr error
}

func (s *agentStore) Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error) {
	known := id
	if id == m5 {
		known = m2
	}
	m, err := s.fakeStore.Merchant(ctx, known)
	m.ID, m.HasInfo, m.AppID, m.Mobile, m.TID = id, id != m5, "APP-0002", "9800000002", "GAL00002"
	if id == m2 {
		m.MID, m.LegalName, m.AEPSReady = "GAL0000002", "Ganesh Telecom", s.kyc[id].State == central.KYCApproved
	}
	return m, err
}

func (s *agentStore) KYC(ctx context.Context, m central.MerchantID, service central.Service) (central.ServiceKYC, error) {
	if s.broken != nil {
		return central.ServiceKYC{}, s.broken
	}
	if service != central.ServiceAEPS {
		return central.ServiceKYC{}, central.ErrNotFound
	}
	return s.fakeStore.KYC(ctx, m, service)
}

func (s *agentStore) ApproveKYC(ctx context.Context, m central.MerchantID, service central.Service, at time.Time) error {
	s.approvals++
	if s.approveErr != nil {
		return s.approveErr
	}
	return s.fakeStore.ApproveKYC(ctx, m, service, at)
}

// agentFixture is a fixture whose store and executor know of onboarding.
type agentFixture struct {
	*fixture
	agents *agentStore
}

func newAgentFixture(t testing.TB) *agentFixture {
	t.Helper()
	b := &agentFixture{fixture: newFixture(t)}
	b.agents = &agentStore{fakeStore: b.store}
	d, err := New(b.executor, b.registry, b.agents, b.agents, nil, config(b.log))
	if err != nil {
		t.Fatal(err)
	}
	b.Handler = d
	b.answers(`{"status":"DONE"}`)
	return b
}

func (b *agentFixture) answers(data string) {
	b.executor.answer = central.BankAnswer{Status: central.BankApproved, Code: "00", Message: "SUCCESS", Data: []byte(data)}
}

// at sets how far merchant 2 has come.
func (b *agentFixture) at(state central.KYCState) {
	delete(b.store.kyc, m2)
	if state != "" {
		b.store.kyc[m2] = central.ServiceKYC{Merchant: m2, Service: central.ServiceAEPS, State: state}
	}
}

// finish takes the KYC step of the last operation, as the store does.
func (b *agentFixture) finish() {
	if k := b.executor.last.KYC; k != nil && !b.store.kyc[b.executor.last.Merchant].State.Reached(k.To) {
		b.store.kyc[b.executor.last.Merchant] = central.ServiceKYC{Merchant: b.executor.last.Merchant, Service: k.Service, State: k.To}
	}
}

func text(v any) string {
	s, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(s)
}

// agentBodies are valid bodies of the onboarding's routes, in its order.
var agentBodies = []struct {
	route op.RouteID
	body  string
}{
	{op.AgentInitialize, `{}`},
	{op.AgentOnboarding, `{}`},
	{op.AgentRequestOTP, `{}`},
	{op.AgentValidateOTP, `{"otp":"482913","otpreqid":"OTP-17"}`},
	{op.AgentVerifyPAN, `{"pan":"ABCPE1234F","name":"Ganesh Rao","dob":"1980-02-29"}`},
	{op.AgentUpdateUID, text(map[string]string{"aadhaarno": aadhaar})},
	{op.AgentUpdateBio, text(map[string]string{"aadhaarno": aadhaar, "PidData": pid})},
	{op.AgentSubmit, `{}`},
	{op.AgentStatus, ``},
	{op.AgentDetail, `{}`},
}

// TestOnboardingOrder tries every step at every state: it goes to the bank, or
// is refused and the reply names the missing step.
func TestOnboardingOrder(t *testing.T) {
	const (
		needInitialize = "initialize has to be done first"
		needOnboarding = "onboarding has to be done first"
		nextInitialize = "; the next step is initialize"
		nextOnboarding = "; the next step is onboarding"
		nextOTP        = "; the next step is validate_otp"
		nextPAN        = "; the next step is verify_pan"
		nextUID        = "; the next step is update_UID"
	)
	// The columns are the steps from onboarding to submit; an empty cell goes on.
	rows := []struct {
		state central.KYCState
		want  [7]string
	}{
		{"", [7]string{needInitialize, needOnboarding + nextInitialize, needOnboarding + nextInitialize,
			"validate_otp has to be done first" + nextInitialize, "verify_pan has to be done first" + nextInitialize,
			"update_UID has to be done first" + nextInitialize, "updatebiodetail has to be done first" + nextInitialize}},
		{central.KYCInitialized, [7]string{"", needOnboarding, needOnboarding,
			"validate_otp has to be done first" + nextOnboarding, "verify_pan has to be done first" + nextOnboarding,
			"update_UID has to be done first" + nextOnboarding, "updatebiodetail has to be done first" + nextOnboarding}},
		{central.KYCOnboarding, [7]string{"", "", "", "validate_otp has to be done first", "verify_pan has to be done first" + nextOTP,
			"update_UID has to be done first" + nextOTP, "updatebiodetail has to be done first" + nextOTP}},
		{central.KYCOTPVerified, [7]string{"", "", "", "", "verify_pan has to be done first",
			"update_UID has to be done first" + nextPAN, "updatebiodetail has to be done first" + nextPAN}},
		{central.KYCPANVerified, [7]string{"", "", "", "", "", "update_UID has to be done first", "updatebiodetail has to be done first" + nextUID}},
		{central.KYCUIDUpdated, [7]string{"", "", "", "", "", "", "updatebiodetail has to be done first"}},
		{central.KYCBioUpdated, [7]string{}},
		{central.KYCSubmitted, [7]string{}},
		{central.KYCApproved, [7]string{}},
	}
	for _, row := range rows {
		for i, want := range row.want {
			for _, p := range []central.Principal{merchant2, vendor1} {
				b, step := newAgentFixture(t), agentBodies[i+1]
				b.at(row.state)
				r := b.call(p, step.route, strings.Replace(step.body, "{", fmt.Sprintf(`{"merchantId":%q%s`, m2, comma(step.body)), 1))
				asked := b.executor.count + len(b.executor.consulted)
				if want == "" {
					if out := expect(t, r, 200, "00"); asked != 1 {
						t.Errorf("%s at %q: the executor was called %d times: %+v", step.route, row.state, asked, out)
					}
					continue
				}
				if out := expect(t, r, 422, "05"); out.Message != want || asked != 0 {
					t.Errorf("%s at %q: %q, want %q; the executor was called %d times", step.route, row.state, out.Message, want, asked)
				}
			}
		}
		// Initialize, statusCheck and GetAgentDetail may be called at any time.
		for _, route := range []op.RouteID{op.AgentInitialize, op.AgentStatus, op.AgentDetail} {
			b := newAgentFixture(t)
			b.at(row.state)
			if r := b.call(merchant2, route, "{}"); r.HTTP != 200 {
				t.Errorf("%s at %q: HTTP %d %s", route, row.state, r.HTTP, r.Body)
			}
		}
	}
}

func comma(body string) string {
	if body == "{}" {
		return ""
	}
	return ","
}

// TestOnboardingStory walks merchant 2 through all steps, each twice, to its
// first transaction.
func TestOnboardingStory(t *testing.T) {
	b := newAgentFixture(t)
	for i, step := range agentBodies[:8] {
		expect(t, b.call(merchant2, op.Withdrawal, body(nil)), 422, "05")
		if step.route == op.AgentSubmit {
			b.answers(`{"status":"APPROVED","agentId":"GAL0000002"}`)
		}
		for range 2 {
			r := b.call(merchant2, step.route, step.body)
			if r.HTTP != 200 {
				t.Fatalf("step %d, %s: HTTP %d %s", i, step.route, r.HTTP, r.Body)
			}
			b.finish()
		}
	}
	if s := b.store.kyc[m2].State; s != central.KYCSubmitted && s != central.KYCApproved {
		t.Fatalf("the record is %s", s)
	}
	expect(t, b.call(merchant2, op.AgentStatus, ""), 200, "00")
	if s := b.store.kyc[m2].State; s != central.KYCApproved {
		t.Fatalf("the record is %s", s)
	}
	b.executor.answer.Data = nil
	expect(t, b.call(merchant2, op.Withdrawal, body(nil)), 200, "00")
	// A merchant that may transact repeats any step, whatever its record says.
	delete(b.store.kyc, m2)
	for _, step := range agentBodies {
		if r := b.call(merchant1, step.route, step.body); r.HTTP != 200 {
			t.Errorf("%s of an onboarded merchant: HTTP %d %s", step.route, r.HTTP, r.Body)
		}
	}
}

// TestOnboardingRequests: what each step asks of the bank.
func TestOnboardingRequests(t *testing.T) {
	wants := map[op.RouteID]struct {
		kind        central.Kind
		to          central.KYCState
		particulars central.Particulars
	}{
		op.AgentInitialize:  {central.KindInitialize, central.KYCInitialized, central.Particulars{}},
		op.AgentOnboarding:  {central.KindAgentOnboarding, central.KYCOnboarding, central.Particulars{Name: "Ganesh Telecom", Mobile: "9800000002", Shop: "Ganesh Telecom"}},
		op.AgentRequestOTP:  {central.KindAgentOTP, "", central.Particulars{Mobile: "9800000002"}},
		op.AgentValidateOTP: {central.KindAgentOTPCheck, central.KYCOTPVerified, central.Particulars{OTPRequest: "OTP-17"}},
		op.AgentVerifyPAN:   {central.KindAgentPAN, central.KYCPANVerified, central.Particulars{PAN: "ABCPE1234F", Name: "Ganesh Rao", BirthDate: "1980-02-29"}},
		op.AgentUpdateUID:   {central.KindAgentUID, central.KYCUIDUpdated, central.Particulars{}},
		op.AgentUpdateBio:   {central.KindAgentBiometric, central.KYCBioUpdated, central.Particulars{}},
		op.AgentSubmit:      {central.KindAgentSubmit, central.KYCSubmitted, central.Particulars{Agent: "APP-0002"}},
		op.AgentStatus:      {central.KindAgentStatus, "", central.Particulars{}},
		op.AgentDetail:      {central.KindAgentDetail, "", central.Particulars{Agent: "GAL0000002"}},
	}
	for _, step := range agentBodies {
		b, want := newAgentFixture(t), wants[step.route]
		b.at(central.KYCBioUpdated)
		b.call(merchant2, step.route, step.body)
		s := b.executor.last
		if want.kind.IsConsultation() {
			if len(b.executor.consulted) != 1 || b.executor.count != 0 {
				t.Fatalf("%s: %d consultations, %d operations", step.route, len(b.executor.consulted), b.executor.count)
			}
			s.Request = b.executor.consulted[0]
		} else if b.executor.count != 1 || s.KYC == nil || *s.KYC != (central.KYCStep{Service: central.ServiceAEPS, To: want.to}) ||
			s.Merchant != m2 || s.NeedsSession || s.Fingerprint == [32]byte{} || s.Route != step.route {
			t.Errorf("%s: submission is %+v", step.route, s)
		}
		q := s.Request
		if q.Kind != want.kind || q.MID != "GAL0000002" || q.TID != "GAL00002" || q.Particulars != want.particulars || q.Amount != 0 {
			t.Errorf("%s: request is %+v", step.route, q)
		}
		secrets := map[string]bool{"otp": q.OTP.Reveal() == "482913", "aadhaarno": q.Aadhaar.Reveal() == aadhaar, "PidData": q.PidData.Reveal() == pid}
		for name, there := range secrets {
			if there != strings.Contains(step.body, `"`+name+`"`) {
				t.Errorf("%s: %s is there: %v", step.route, name, there)
			}
		}
	}
}

func TestAgentDetailNamesAnAgent(t *testing.T) {
	for body, want := range map[string]string{`{}`: "GAL0000002", `{"agentId":""}`: "GAL0000002", ``: "GAL0000002", `{"agentId":"GAL0000002"}`: "GAL0000002"} {
		b := newAgentFixture(t)
		expect(t, b.call(merchant2, op.AgentDetail, body), 200, "00")
		if got := b.executor.consulted[0].Particulars.Agent; got != want {
			t.Errorf("%s asks for %q", body, got)
		}
	}
	// Another party's agent is not asked for, and looks like none.
	b := newAgentFixture(t)
	for _, foreign := range []string{"GAL0000003", "GAL9999999", "x"} {
		expect(t, b.call(merchant2, op.AgentDetail, `{"agentId":"`+foreign+`"}`), 404, "04")
	}
	if len(b.executor.consulted) != 0 {
		t.Errorf("the bank was asked for somebody else's agent: %+v", b.executor.consulted)
	}
}

// TestVendorsOnboardTheirMerchants: by merchantId in the body, in the query of
// statusCheck too; another vendor's merchant is absent.
func TestVendorsOnboardTheirMerchants(t *testing.T) {
	for _, step := range agentBodies {
		b := newAgentFixture(t)
		b.at(central.KYCBioUpdated)
		for id, http := range map[central.MerchantID]int{m2: 200, m3: 404, m4: 422, "": 404} {
			fields := map[string]any{}
			_ = json.Unmarshal([]byte(step.body), &fields)
			if id != "" {
				fields["merchantId"] = id
			}
			if r := b.call(vendor1, step.route, text(fields)); r.HTTP != http {
				t.Errorf("%s for %q: HTTP %d %s", step.route, id, r.HTTP, r.Body)
			}
		}
		if r := b.call(central.Principal{Role: op.Aggregator}, step.route, step.body); r.HTTP != 403 {
			t.Errorf("%s of an aggregator: HTTP %d", step.route, r.HTTP)
		}
	}
	b := newAgentFixture(t)
	route, _ := op.Find(op.AgentStatus)
	expect(t, b.Handle(context.Background(), central.Request{Principal: vendor1, Route: route, Query: map[string]string{"merchantId": string(m2)}}), 200, "00")
}
