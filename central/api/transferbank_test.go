package api

import (
	"bytes"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/op"
)

// TestEmailOfAVerification: the document gives it a server default.
func TestEmailOfAVerification(t *testing.T) {
	b := newFixture(t)
	for _, text := range []string{`{"receiver_account_no":"001234567890","receiverIfscCode":"SBIN0001234"}`, `{"receiver_account_no":"001234567890","receiverIfscCode":"SBIN0001234","receiveremailid":""}`} {
		expect(t, b.call(merchant1, op.AccountVerification, text), 200, "00")
		if p := b.executor.last.Request.Particulars; p.ReceiverEmail != "receiver@galla.invalid" || p.Account != "001234567890" {
			t.Errorf("asks %+v", p)
		}
	}
	b = newFixture(t)
	m := moneyRoutes()[11]
	expect(t, b.send(merchant1, m.id, m.body(map[string]string{"receiveremailid": ""})), 200, "00")
	if b.executor.last.Request.Particulars.ReceiverEmail != "" {
		t.Error("a beneficiary was given an address that nobody sent")
	}
}

// TestVerificationStatuses: the network's number reaches the caller as it came
// (interface.md, section 3.3).
func TestVerificationStatuses(t *testing.T) {
	for _, status := range []string{"1", "0", "-1", "91"} {
		b := newFixture(t)
		b.executor.answer = central.BankAnswer{Status: central.BankApproved, Code: "00", Message: "SUCCESS", Data: []byte(`{"status":` + status + `}`)}
		r := b.call(merchant1, op.AccountVerification, `{"receiver_account_no":"001234567890","receiverIfscCode":"SBIN0001234"}`)
		expect(t, r, 200, "00")
		if !bytes.Contains(r.Body, []byte(`"data":{"status":`+status+`}`)) {
			t.Errorf("status %s: %s", status, r.Body)
		}
	}
}

// TestRefusalsOfTheBank: what each refusal of the bank becomes, on every route.
func TestRefusalsOfTheBank(t *testing.T) {
	refusals := []struct {
		name       string
		answer     central.BankAnswer
		http       int
		statusCode string
		message    string
	}{
		{"declined", central.BankAnswer{Code: "55", Message: "INVALID OTP"}, 200, "55", "INVALID OTP"},
		{"without a code", central.BankAnswer{Code: "00", Message: "SYSTEM ERROR"}, 200, "96", "SYSTEM ERROR"},
		{"order", central.BankAnswer{Code: "05", Message: "validate_otp has to be done first", Refusal: central.RefusedOrder}, 422, "05", "validate_otp has to be done first"},
		{"limit", central.BankAnswer{Code: "61", Message: "1200.00 rupees are left of today", Refusal: central.RefusedLimit}, 422, "05", "1200.00 rupees are left of today"},
		{"absent", central.BankAnswer{Code: "14", Message: "No such remitter", Refusal: central.RefusedNotFound}, 200, "01", "No such remitter"},
	}
	for _, m := range moneyRoutes() {
		for _, refusal := range refusals {
			b := newFixture(t)
			b.executor.state, b.executor.answer = op.Failed, refusal.answer
			b.executor.answer.Status = central.BankDeclined
			out := expect(t, b.send(m.by(), m.id, m.body(nil)), refusal.http, refusal.statusCode)
			if out.Message != refusal.message {
				t.Errorf("%s %s: message %q", m.name, refusal.name, out.Message)
			}
			if out.Data != nil && (m.id != op.Transfer || refusal.answer.Refusal != "") {
				t.Errorf("%s %s has data %v", m.name, refusal.name, out.Data)
			}
		}
		b := newFixture(t)
		b.executor.state, b.executor.answer = op.Failed, central.BankAnswer{Status: central.BankDeclined}
		if out := expect(t, b.send(m.by(), m.id, m.body(nil)), 200, "96"); out.Message == "" || strings.EqualFold(out.Message, "success") {
			t.Errorf("%s, declined without a word: %q", m.name, out.Message)
		}
	}
	for name, id := range map[string]op.RouteID{"customer-GetDetail": op.CustomerDetail, "remitter-details": op.RemitterDetails} {
		b := newFixture(t)
		b.executor.answer = central.BankAnswer{Status: central.BankDeclined, Code: "14", Message: "No such customer", Refusal: central.RefusedNotFound}
		golden(t, "dmt-"+name+"-absent", b.call(merchant1, id, `{"mobile_number":"9000000001","sender_mobilenumber":"9000000001"}`))
	}
}

// TestNoAnswerOfTheBank: steps may be repeated and say so; what moves money is
// pending; a question that was not sent is 10.
func TestNoAnswerOfTheBank(t *testing.T) {
	for _, m := range moneyRoutes() {
		b := newFixture(t)
		b.executor.state, b.executor.consultErr = op.Pending, central.NewError(central.BankUnreachable, "Bank network unreachable; nothing was sent")
		r := b.send(m.by(), m.id, m.body(nil))
		if m.id == op.Transfer {
			golden(t, "dmt-transaction-instant-pending", r)
			continue
		}
		if out := expect(t, r, 502, "10"); !m.kind.IsConsultation() && out.Reference != "DMT-NR-1795253400123" {
			t.Errorf("%s: %s", m.name, r.Body)
		}
		b.executor.panics = true
		if m.kind.IsConsultation() {
			continue
		}
		if r := b.send(m.by(), m.id, m.body(nil)); r.State != op.Pending || r.HTTP != 502 {
			t.Errorf("%s after a panic: %+v", m.name, r)
		}
	}
	b := newFixture(t)
	b.executor.panics = true
	m := transferRoute(t)
	golden(t, "dmt-transaction-instant-panic", b.send(merchant1, m.id, m.body(nil)))
}

// TestStatusOfTheMerchant: AEPS onboarding is no matter of money transfer;
// approval is.
func TestStatusOfTheMerchant(t *testing.T) {
	for _, m := range moneyRoutes() {
		route, _ := op.Find(m.id)
		if !route.Allows(op.Merchant) {
			continue
		}
		for id, want := range map[central.MerchantID]int{m2: 200, m4: 422, "c0000000-0000-4000-8000-0000000000ff": 404} {
			b := newFixture(t)
			m.answered(b)
			if r := b.send(central.Principal{Role: op.Merchant, Merchant: id}, m.id, m.body(nil)); r.HTTP != want {
				t.Errorf("%s of %s: HTTP %d %s", m.name, id, r.HTTP, r.Body)
			}
		}
		for _, id := range []string{string(m3), "", "x"} {
			b := newFixture(t)
			fields := m.body(nil)
			fields["merchantId"] = raw(quoted(id))
			expect(t, b.send(vendor1, m.id, fields), 404, "01")
		}
	}
}
