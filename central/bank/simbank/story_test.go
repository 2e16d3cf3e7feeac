package simbank_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/bank"
	"galla/central/bank/network"
	. "galla/central/bank/simbank"
	"galla/rdservice/rdcrypto"
	"galla/shared/money"
	"galla/shared/secret"
)

// walkthrough is a bank with its real services, reached over real HTTP by the real
// adapter.
type walkthrough struct {
	*sandbox
	public *httptest.Server
}

func newWalkthrough(t *testing.T) *walkthrough {
	t.Helper()
	cfg, _, _ := NewTestConfig(t)
	b := Open(t, cfg)
	wire, public := httptest.NewServer(b.NetworkHandler()), httptest.NewServer(b.PublicHandler())
	t.Cleanup(wire.Close)
	t.Cleanup(public.Close)
	c, err := bank.New(bank.Config{BaseURL: wire.URL, Key: cfg.NetworkKey, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &walkthrough{&sandbox{t: t, bank: b, net: c}, public}
}

// do asks for a kind; what is recorded must be enquired for with the same
// answer, and serve once.
func (s *walkthrough) do(kind central.Kind, says network.Transaction) (central.BankAnswer, map[string]any) {
	s.t.Helper()
	r := s.asked(network.Kind(kind), says)
	r.MID = "GAL0000002"
	a, err := s.ask(s.t.Context(), r)
	if err != nil {
		s.t.Fatal(err)
	}
	found := s.enquire(r.Reference)
	switch {
	case kind.IsConsultation() && found.Status != central.BankNotFound:
		s.t.Errorf("%s left a record: %+v", kind, found)
	case !kind.IsConsultation() && (found.Status != a.Status || found.Code != a.Code || found.Message != a.Message || string(found.Data) != string(a.Data) ||
		found.Refusal != a.Refusal || found.Charge != a.Charge || found.RRN != a.RRN):
		s.t.Errorf("%s: the answer was\n%+v, the enquiry says\n%+v", kind, a, found)
	}
	if !kind.IsConsultation() {
		if _, err := s.net.Send(s.t.Context(), r); err == nil || central.NotSent(err) {
			s.t.Errorf("%s: the reference served twice: %v", kind, err)
		}
	}
	var data map[string]any
	if a.Data != nil {
		if err := json.Unmarshal(a.Data, &data); err != nil {
			s.t.Fatalf("%s: data %s, %v", kind, a.Data, err)
		}
	}
	return a, data
}

// ok is do, where it must succeed.
func (s *walkthrough) ok(kind central.Kind, says network.Transaction) map[string]any {
	s.t.Helper()
	a, data := s.do(kind, says)
	if a.Status != central.BankApproved || data == nil {
		s.t.Fatalf("%s: %+v", kind, a)
	}
	return data
}

// otp reads the newest OTP of an inbox, as a program outside does.
func (s *walkthrough) otp(mobile string) secret.OTP {
	s.t.Helper()
	for _, m := range read[[]messageJSON](s.t, s.public.Config.Handler, "/inbox/"+mobile) {
		if m.OTP != "" {
			return secret.NewOTP(m.OTP)
		}
	}
	s.t.Fatal("no OTP came to " + mobile)
	return secret.OTP{}
}

// TestFromAnUnknownCustomerToARefund is the story of a walk-in remitter, told by
// the adapter.
func TestFromAnUnknownCustomerToARefund(t *testing.T) {
	s := newWalkthrough(t)
	const mobile = "9812345678"
	who := network.Transaction{Particulars: network.Particulars{Mobile: mobile}}
	if a, _ := s.do(central.KindCustomerDetail, who); a.Refusal != central.RefusedNotFound {
		t.Errorf("an unknown customer: %+v", a)
	}
	ref := s.ok(central.KindCustomerOnboarding, network.Transaction{Particulars: network.Particulars{
		Name: "Shivshankar Choudhury", Mobile: mobile, City: "Pune", State: "Maharashtra", Email: "s@example.in"}})["referenceid"].(string)
	at := network.Particulars{Enrolment: ref}
	resident := Aadhaar(t, shivshankar)
	if a, _ := s.do(central.KindCustomerUID, network.Transaction{Particulars: at, Aadhaar: resident}); a.Refusal != central.RefusedOrder || !strings.Contains(a.Message, "validate_otp") {
		t.Errorf("a step out of order: %+v", a)
	}
	at.OTPRequest = s.ok(central.KindCustomerOTP, network.Transaction{Particulars: at})["otpreqid"].(string)
	s.ok(central.KindCustomerOTPCheck, network.Transaction{Particulars: at, OTP: s.otp(mobile)})
	s.ok(central.KindCustomerUID, network.Transaction{Particulars: at, Aadhaar: resident})
	finger := TheKit().Capture(t, time.Now(), shivshankar, rdcrypto.RightIndex)
	s.ok(central.KindCustomerBiometric, network.Transaction{Particulars: at, Aadhaar: resident, PidData: finger})
	s.ok(central.KindCustomerSubmit, network.Transaction{Particulars: at})
	if d := s.ok(central.KindCustomerDetail, who); d["referenceid"] != ref || d["aadhaar_masked"] != "XXXXXXXX7058" {
		t.Errorf("the customer's record: %v", d)
	}

	to := network.Particulars{Sender: s.ok(central.KindRemitterRegister, who)["senderid"].(string), Account: "001234567891234", IFSC: "SBIN0001234", Receiver: "Ramesh Kumar"}
	if d := s.ok(central.KindAccountVerification, network.Transaction{Particulars: to}); d["status"] != 1.0 {
		t.Errorf("account verification: %v", d)
	}
	to.Beneficiary = int64(s.ok(central.KindBeneficiaryAdd, network.Transaction{Particulars: to})["beneficiaryid"].(float64))
	to.CallerRef = "T-1"
	pay := network.Transaction{Particulars: to, Amount: 2000 * money.Rupee}
	s.ok(central.KindTransferCharges, pay)
	s.ok(central.KindTransferOTP, pay)
	pay.OTP = secret.NewOTP("000000")
	if otp := s.otp(mobile); otp.Reveal() != "000000" {
		if a, _ := s.do(central.KindTransfer, pay); a.Status != central.BankDeclined || a.Code != "55" {
			t.Errorf("a wrong OTP: %+v", a)
		}
	}
	pay.OTP = s.otp(mobile)
	sent, _ := s.do(central.KindTransfer, pay)
	reference := fmt.Sprintf("GL%06d", s.n) // as request names it
	if sent.Status != central.BankApproved || sent.Charge != 20*money.Rupee || len(sent.RRN) != 12 {
		t.Fatalf("the transfer: %+v", sent)
	}

	back := network.Transaction{Particulars: network.Particulars{Original: reference, CallerRef: "T-1"}}
	s.ok(central.KindRefundOTP, back)
	back.OTP, back.Amount = s.otp(mobile), pay.Amount
	s.ok(central.KindRefund, back)
	if a, _ := s.do(central.KindRefundOTP, network.Transaction{Particulars: back.Particulars}); a.Status != central.BankDeclined {
		t.Errorf("a second refund: %+v", a)
	}

	list := read[[]executionJSON](t, s.public.Config.Handler, "/books/executions?reference="+reference)
	if len(list) != 1 || list[0].Kind != "TRANSFER" || list[0].AmountPaise != 2000_00 || list[0].Status != "EXECUTED" {
		t.Errorf("executions %+v", list)
	}
	all := read[[]executionJSON](t, s.public.Config.Handler, "/books/executions")
	if !slices.ContainsFunc(all, func(e executionJSON) bool { return e.Kind == "REFUND" && e.Status == "EXECUTED" }) {
		t.Errorf("no refund among %+v", all)
	}
	if tr := read[map[string]int64](t, s.public.Config.Handler, "/books/trial"); tr["debitsPaise"] != tr["creditsPaise"] {
		t.Errorf("trial %v", tr)
	}
	w := ask(t, s.public.Config.Handler, "GET", "/books?reference="+reference, "", "Accept", "text/html")
	if page := w.Body.String(); w.Code != 200 || !strings.Contains(page, "TRANSFER of ₹2,000.00") || strings.Contains(page, "terminal ") || strings.Contains(page, "Bank .") {
		t.Errorf("the page of the transfer: HTTP %d\n%s", w.Code, page)
	}
}
