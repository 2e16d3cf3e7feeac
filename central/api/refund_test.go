package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/op"
)

// sent is the transaction id of the transfer that transferred records.
const sent = central.Reference("GL261121TRANSFERED")

const (
	transferOp = op.ID("0190b000-0000-7000-8000-0000000000a1")
	refundOp   = op.ID("0190b000-0000-7000-8000-0000000000a2")
)

// transferred records merchant 1's transfer order-17.
func (b *fixture) transferred(state op.State) {
	o := central.Operation{
		ID: transferOp, Caller: merchant1.Caller(), Party: merchant1.Party(), Identity: string(transferOp), Route: op.Transfer, Merchant: m1,
		Kind: central.KindTransfer, Amount: 150050, Reference: sent, CallerRef: "order-17", Sender: senderID, State: state, CreatedAt: day,
	}
	if state == op.Succeeded || state == op.Reversed {
		o.RRN = "632509000042"
	}
	b.store.operations[transferOp] = o
}

// refunded records a refund of it.
func (b *fixture) refunded(state op.State) {
	b.store.operations[refundOp] = central.Operation{
		ID: refundOp, Caller: merchant1.Caller(), Party: merchant1.Party(), Identity: "refund-1", Route: op.Refund, Merchant: m1,
		Kind: central.KindRefund, Amount: 150050, Reference: "GL261121REFVNDREFV", Original: sent, State: state, CreatedAt: day,
	}
}

func transferRoute(t *testing.T) moneyRoute {
	t.Helper()
	for _, m := range moneyRoutes() {
		if m.id == op.Transfer {
			return m
		}
	}
	t.Fatal("no transfer")
	return moneyRoute{}
}

func refundBody(changes map[string]string) map[string]json.RawMessage {
	return refundRoutes()[2].body(changes)
}

// TestTransferOutcomes: the reply is a matter of the outcome, and its
// transaction id is the same in all of them.
func TestTransferOutcomes(t *testing.T) {
	m := transferRoute(t)
	for name, tt := range map[string]struct {
		state  op.State
		answer central.BankAnswer
		why    *central.Error
	}{
		"wrong-otp":     {state: op.Failed, answer: central.BankAnswer{Status: central.BankDeclined, Code: "55", Message: "INVALID OTP"}},
		"declined":      {state: op.Failed, answer: central.BankAnswer{Status: central.BankDeclined, Code: "91", Message: "ISSUER NOT AVAILABLE", RRN: "632509000042"}},
		"limit":         {state: op.Failed, answer: central.BankAnswer{Status: central.BankDeclined, Code: "61", Message: "1200.00 rupees are left of today's limit", Refusal: central.RefusedLimit}},
		"no-remitter":   {state: op.Failed, answer: central.BankAnswer{Status: central.BankDeclined, Code: "14", Message: "No such remitter", Refusal: central.RefusedNotFound}},
		"reversed":      {state: op.Reversed, answer: central.BankAnswer{Status: central.BankReversed, Code: "00", Message: "REVERSED", RRN: "632509000042"}},
		"reversed-code": {state: op.Reversed, answer: central.BankAnswer{Status: central.BankReversed, Code: "68"}},
		"unreachable":   {state: op.Failed, why: central.NewError(central.BankUnreachable, "Bank network unreachable; nothing was sent")},
		"too-late":      {state: op.Refused, why: central.NewError(central.FailedPrecondition, "The deadline passed before the operation arrived; nothing was sent")},
	} {
		b := newFixture(t)
		b.executor.state, b.executor.answer, b.executor.why = tt.state, tt.answer, tt.why
		first := b.send(merchant1, m.id, m.body(nil))
		golden(t, "dmt-transaction-instant-"+name, first)
		again := b.send(merchant1, m.id, m.body(nil))
		if !again.Replayed || !bytes.Equal(first.Body, again.Body) || first.HTTP != again.HTTP || b.executor.count != 1 {
			t.Errorf("%s: a repeat is replayed %v, %d executions: %s", name, again.Replayed, b.executor.count, again.Body)
		}
		if parse(t, first).StatusCode == "00" {
			t.Errorf("%s is called a success: %s", name, first.Body)
		}
	}
}

// TestTransferReferences: refId is the operation's identity (4.4, and
// interface.md, section 4.4).
func TestTransferReferences(t *testing.T) {
	m := transferRoute(t)
	b := newFixture(t)
	m.answered(b)
	first := b.send(merchant1, m.id, m.body(nil))
	expect(t, first, 200, "00")
	if s := b.executor.last; s.CallerRef != "order-17" || s.Identity != "" || s.Merchant != m1 || s.Reverses != "" {
		t.Errorf("submission is %+v", s)
	}
	if q := b.executor.last.Quotas; len(q) != 1 || q[0].Key != "remitter:"+senderID || q[0].Amount != 150050 {
		t.Errorf("quotas are %+v", q)
	}
	if s := b.limits.subjects[0]; s != (central.LimitSubject{Kind: central.KindTransfer, Amount: 150050, TID: "GAL00001", Sender: senderID, Merchant: m1}) {
		t.Errorf("subject is %+v", s)
	}
	for name, change := range map[string]string{"amount": "1500.51", "BeneficiaryId": "18", "remarks": `"other"`, "receiver_account_no": `"1234567890"`} {
		expect(t, b.send(merchant1, m.id, m.body(map[string]string{name: change})), 409, "09")
	}
	// The OTP is no part of what makes two bodies the same.
	if r := b.send(merchant1, m.id, m.body(map[string]string{"otp": `"000000"`})); !r.Replayed || !bytes.Equal(r.Body, first.Body) {
		t.Errorf("with another OTP: %s", r.Body)
	}
	// The terminal of the same merchant is the same party; a vendor is another.
	if r := b.send(terminal1, m.id, m.body(nil)); !r.Replayed || !bytes.Equal(r.Body, first.Body) {
		t.Errorf("the terminal's repeat: %s", r.Body)
	}
	if r := b.send(vendor1, m.id, m.body(nil)); r.Replayed || b.executor.count != 2 {
		t.Errorf("a vendor has the merchant's reference: %s", r.Body)
	}
	expect(t, b.send(merchant1, m.id, m.body(map[string]string{"refId": `"order-18"`})), 200, "00")
	if b.executor.count != 3 {
		t.Errorf("%d executions", b.executor.count)
	}
}

func TestLimitsOfTransfers(t *testing.T) {
	m := transferRoute(t)
	for amount, want := range map[string]int{"0.01": 200, "5000": 200, "5000.01": 422, "1000000000": 422} {
		b := newFixture(t)
		m.answered(b)
		r := b.send(merchant1, m.id, m.body(map[string]string{"amount": amount}))
		if r.HTTP != want {
			t.Errorf("a transfer of %s: HTTP %d %s", amount, r.HTTP, r.Body)
		}
		if want == 422 && (!strings.Contains(parse(t, r).Message, "5000.00") || b.executor.count != 0) {
			t.Errorf("a transfer of %s: %s", amount, r.Body)
		}
	}
	b := newFixture(t)
	over := &central.QuotaError{Quota: central.Quota{MaxSum: 2_500_000, What: "this remitter's transfers today"}, Used: central.Used{Count: 5, Sum: 2_400_000}}
	b.executor.err = &central.Error{Fault: central.FailedPrecondition, Message: over.Error(), Err: over}
	golden(t, "dmt-transaction-instant-quota", b.send(merchant1, m.id, m.body(nil)))

	// A repeat is answered, although the limits have changed since.
	b = newFixture(t)
	m.answered(b)
	big := m.body(map[string]string{"amount": "9000"})
	b.executor.state = op.Succeeded
	route, _ := op.Find(op.Transfer)
	text, _ := json.Marshal(big)
	print := fingerprint(t, b.cfg.FingerprintKey, route.ID, m1, string(text))
	old := central.Operation{ID: transferOp, Party: merchant1.Party(), Caller: merchant1.Caller(), CallerRef: "order-17", Fingerprint: print, Route: route.ID, State: op.Succeeded, HTTP: 200, Reply: []byte(`{"statusCode":"00","message":"as it was"}`)}
	b.store.operations[transferOp], b.executor.known[old.Party+"#order-17"] = old, old
	if r := b.send(merchant1, m.id, big); !r.Replayed || !bytes.Equal(r.Body, old.Reply) {
		t.Errorf("reply is HTTP %d %s", r.HTTP, r.Body)
	}
	// Another attempt is no repeat: today's limits are its own.
	old.State, old.Kind, old.OTPRefused = op.Failed, central.KindTransfer, true
	b.store.operations[transferOp], b.executor.known[old.Party+"#order-17"] = old, old
	if r := b.send(merchant1, m.id, big); b.executor.count != 0 || !strings.Contains(parse(t, r).Message, "5000.00") {
		t.Errorf("another attempt: HTTP %d %s, %d executions", r.HTTP, r.Body, b.executor.count)
	}
	b.store.brokenReads = errors.New("disk on fire")
	expect(t, b.send(merchant1, m.id, m.body(map[string]string{"amount": "9000", "refId": `"order-19"`})), 422, "05")
}

// TestRequery: each state of a transfer, and of its refund.
func TestRequery(t *testing.T) {
	for name, tt := range map[string]struct{ transfer, refund op.State }{
		"received": {op.Received, ""}, "sent": {op.Sent, ""}, "pending": {op.Pending, ""}, "succeeded": {op.Succeeded, ""},
		"failed": {op.Failed, ""}, "refused": {op.Refused, ""}, "reversed": {op.Reversed, ""},
		"refunded": {op.Succeeded, op.Succeeded}, "reversed-refunded": {op.Reversed, op.Succeeded}, "refund-pending": {op.Succeeded, op.Pending},
		"refund-failed": {op.Succeeded, op.Failed}, "refund-reversed": {op.Succeeded, op.Reversed},
	} {
		b := newFixture(t)
		b.transferred(tt.transfer)
		if tt.refund != "" {
			b.refunded(tt.refund)
		}
		golden(t, "dmt-transaction-requery-"+name, b.call(merchant1, op.TransferRequery, `{"refId":"order-17"}`))
		if b.executor.count+len(b.executor.consulted) != 0 {
			t.Errorf("%s: the bank was asked", name)
		}
		if !bytes.Contains(b.log.Bytes(), []byte(transferOp)) {
			t.Errorf("%s: the log does not name the operation", name)
		}
	}
}

// TestForeignTransfers: another party's, another merchant's, another kind's and
// an absent transfer have one answer on all routes, byte for byte.
func TestForeignTransfers(t *testing.T) {
	other := central.Principal{Role: op.Merchant, Merchant: m2}
	routes := refundRoutes()
	absent := newFixture(t).send(merchant1, op.TransferRequery, routes[0].body(map[string]string{"refId": `"nobody"`}))
	golden(t, "dmt-transaction-absent", absent)
	same := func(name string, r central.Reply) {
		t.Helper()
		if r.HTTP != absent.HTTP || !bytes.Equal(r.Body, absent.Body) {
			t.Errorf("%s: HTTP %d %s", name, r.HTTP, r.Body)
		}
	}
	for _, m := range routes {
		b := newFixture(t)
		b.transferred(op.Succeeded)
		same(m.name+" of another merchant", b.send(other, m.id, m.body(nil)))
		same(m.name+" of the merchant's vendor", b.send(vendor1, m.id, m.body(nil)))

		// A vendor's own transfer for one merchant is not found for another.
		o := b.store.operations[transferOp]
		o.Party, o.Caller = vendor1.Party(), vendor1.Caller()
		b.store.operations[transferOp] = o
		m.answered(b)
		expect(t, b.send(vendor1, m.id, m.body(nil)), 200, "00")
		same(m.name+" for another of its merchants", b.send(vendor1, m.id, m.body(map[string]string{"merchantId": quoted(string(m2))})))

		b = newFixture(t)
		b.transferred(op.Succeeded)
		o = b.store.operations[transferOp]
		o.Kind, o.Route = central.KindWithdrawal, op.Withdrawal
		b.store.operations[transferOp] = o
		same(m.name+" of a withdrawal", b.send(merchant1, m.id, m.body(nil)))

		b = newFixture(t)
		b.transferred(op.Succeeded)
		b.store.brokenReads = errors.New("disk on fire")
		expect(t, b.send(merchant1, m.id, m.body(nil)), 500, "500")
		b.store.brokenReads, b.store.brokenRefunds = nil, errors.New("disk on fire")
		expect(t, b.send(merchant1, m.id, m.body(nil)), 500, "500")
		if b.executor.count+len(b.executor.consulted) != 0 {
			t.Errorf("%s: the bank was asked", m.name)
		}
	}
	b := newFixture(t)
	b.transferred(op.Succeeded)
	for _, change := range []map[string]string{{"refId": `"order-18"`}, {"transactionId": `"GL261121NOBODY"`}, {"refId": `"order-18"`, "transactionId": `"GL261121NOBODY"`}} {
		same(fmt.Sprint("refund with ", change), b.send(merchant1, op.Refund, refundBody(change)))
	}
}

// TestRefundable: when an OTP for a refund is sent, and a refund taken.
func TestRefundable(t *testing.T) {
	for _, tt := range []struct {
		transfer, refund op.State
		why              string // empty: it is taken
	}{
		{op.Succeeded, "", ""}, {op.Reversed, "", ""}, {op.Succeeded, op.Failed, ""}, {op.Succeeded, op.Refused, ""}, {op.Succeeded, op.Reversed, ""},
		{op.Received, "", "pending"}, {op.Sent, "", "pending"}, {op.Pending, "", "pending"},
		{op.Failed, "", "failed"}, {op.Refused, "", "failed"},
		{op.Succeeded, op.Succeeded, "refunded already"}, {op.Reversed, op.Succeeded, "refunded already"},
		{op.Succeeded, op.Pending, "under way"}, {op.Succeeded, op.Sent, "under way"}, {op.Succeeded, op.Received, "under way"},
	} {
		for _, m := range refundRoutes()[1:] {
			b := newFixture(t)
			m.answered(b)
			b.transferred(tt.transfer)
			if tt.refund != "" {
				b.refunded(tt.refund)
			}
			r := b.send(merchant1, m.id, m.body(nil))
			if tt.why == "" {
				expect(t, r, 200, "00")
				continue
			}
			if tt.refund != "" && m.id == op.Refund { // a repeat, for the executor to answer
				if s := b.executor.last; b.executor.count != 1 || s.Request.Amount != 150050 || len(s.Quotas) == 0 {
					t.Errorf("%s of %s/%s: %d submissions, %+v", m.name, tt.transfer, tt.refund, b.executor.count, s)
				}
				continue
			}
			out := expect(t, r, 422, "05")
			if !strings.Contains(out.Message, tt.why) || b.executor.count+len(b.executor.consulted) != 0 {
				t.Errorf("%s of %s/%s: %q", m.name, tt.transfer, tt.refund, out.Message)
			}
			if tt.refund != "" && !strings.Contains(out.Message, "GL261121REFVNDREFV") {
				t.Errorf("%s: the refund is not named: %q", m.name, out.Message)
			}
		}
	}
}

func TestRefundOTP(t *testing.T) {
	m := refundRoutes()[1]
	b := newFixture(t)
	b.transferred(op.Succeeded)
	m.answered(b)
	golden(t, "dmt-transaction-refundOTP", b.send(merchant1, m.id, m.body(nil)))
	if q := b.asked(t, m.kind); q.Kind != central.KindRefundOTP || q.Particulars != (central.Particulars{Original: string(sent)}) || q.MID != "GAL0000001" {
		t.Errorf("asks %+v", q)
	}
	b.executor.answer = central.BankAnswer{Status: central.BankDeclined, Code: "05", Message: "NOT NOW"}
	expect(t, b.send(merchant1, m.id, m.body(nil)), 200, "05")
	b.executor.consultErr = central.NewError(central.BankUnreachable, "")
	expect(t, b.send(merchant1, m.id, m.body(nil)), 502, "10")
	// The right spelling is not the field's name.
	r := b.call(merchant1, op.RefundOTP, fmt.Sprintf(`{"referenceId":%q}`, sent))
	if got := wrongFields(t, r); len(got) != 1 || got[0] != "refereanceId required" {
		t.Errorf("errors are %v", got)
	}
}

func TestRefund(t *testing.T) {
	m := refundRoutes()[2]
	for _, state := range []op.State{op.Succeeded, op.Reversed} {
		b := newFixture(t)
		b.transferred(state)
		m.answered(b)
		golden(t, "dmt-refund", b.send(merchant1, m.id, m.body(nil)))
		s, want := b.executor.last, central.Particulars{Original: string(sent), CallerRef: "order-17"}
		if s.Request.Kind != central.KindRefund || s.Request.Amount != 150050 || s.Request.Particulars != want || s.Request.OTP.Reveal() != otpCanary {
			t.Errorf("asks %+v", s.Request)
		}
		if s.CallerRef != "" || s.Sender != senderID || s.Merchant != m1 || (s.Reverses == transferOp) != (state == op.Succeeded) || (s.Reverses == "") != (state == op.Reversed) {
			t.Errorf("submission is %+v", s)
		}
		// Two refunds at one time find one place (the store's suite of quotas).
		if q := s.Quotas; len(q) == 0 || q[0].Key != "refund:"+string(sent) || q[0].MaxCount != 1 || q[0].MaxSum != 0 {
			t.Errorf("quotas are %+v", q)
		}
		if about := b.limits.subjects[0]; about.Kind != central.KindRefund || about.Amount != 150050 || about.Sender != senderID {
			t.Errorf("subject is %+v", about)
		}
	}
	for name, tt := range map[string]struct {
		state  op.State
		answer central.BankAnswer
		why    *central.Error
	}{
		"pending":     {state: op.Pending},
		"wrong-otp":   {state: op.Failed, answer: central.BankAnswer{Status: central.BankDeclined, Code: "55", Message: "INVALID OTP"}},
		"reversed":    {state: op.Reversed, answer: central.BankAnswer{Status: central.BankReversed}},
		"unreachable": {state: op.Failed, why: central.NewError(central.BankUnreachable, "Bank network unreachable; nothing was sent")},
	} {
		b := newFixture(t)
		b.transferred(op.Succeeded)
		b.executor.state, b.executor.answer, b.executor.why = tt.state, tt.answer, tt.why
		golden(t, "dmt-refund-"+name, b.send(merchant1, m.id, m.body(nil)))
	}
}

// TestRepeatedRefund: the executor is called with the same fingerprint, whatever the
// OTP is, and answers with the reply as it was.
func TestRepeatedRefund(t *testing.T) {
	m := refundRoutes()[2]
	b := newFixture(t)
	b.transferred(op.Succeeded)
	m.answered(b)
	route, _ := op.Find(op.Refund)
	send := func(identity string, changes map[string]string) central.Reply {
		text, _ := json.Marshal(m.body(changes))
		return b.Handle(context.Background(), central.Request{Principal: merchant1, Route: route, Identity: identity, Body: text})
	}
	first := send("refund-1", nil)
	expect(t, first, 200, "00")
	print := b.executor.last.Fingerprint
	b.refunded(op.Succeeded) // as the store has it by now
	for _, changes := range []map[string]string{nil, {"otp": `"000000"`}, {"note": `"unknown fields are ignored"`}} {
		again := send("refund-1", changes)
		if !again.Replayed || !bytes.Equal(first.Body, again.Body) || b.executor.count != 1 {
			t.Errorf("a repeat with %v: replayed %v, %d executions: %s", changes, again.Replayed, b.executor.count, again.Body)
		}
	}
	expect(t, send("refund-1", map[string]string{"refId": `"order-18"`}), 409, "09")
	expect(t, send("refund-1", map[string]string{"transactionId": `"GL261121OTHER"`}), 409, "09")
	expect(t, send("", map[string]string{"refId": `"order-18"`}), 404, "04")
	for _, identity := range []string{"", "refund-2"} {
		send(identity, map[string]string{"otp": `"000000"`})
		if s := b.executor.last; s.Fingerprint != print || s.Identity != identity || s.Request.Particulars.Original != string(sent) {
			t.Errorf("a repeat with the identity %q is submitted as %+v", identity, s)
		}
	}
}

// TestRefundsOfCounters: an id is answered as it was, and another id for the same
// transfer is refused, since its agent would count the cash a second time.
func TestRefundsOfCounters(t *testing.T) {
	m := refundRoutes()[2]
	b := newFixture(t)
	b.transferred(op.Succeeded)
	m.answered(b)
	route, _ := op.Find(op.Refund)
	send := func(id op.ID) central.Reply {
		text, _ := json.Marshal(m.body(nil))
		return b.Handle(context.Background(), central.Request{Principal: terminal1, Route: route, ID: id, Identity: string(id), Body: text})
	}
	first := send(refundOp)
	expect(t, first, 200, "00")
	o := b.executor.known[terminal1.Caller()+"/"+string(refundOp)]
	b.store.operations[refundOp] = o
	if again := send(refundOp); !again.Replayed || !bytes.Equal(again.Body, first.Body) {
		t.Errorf("the id again: %s", again.Body)
	}
	expect(t, send("0190b000-0000-7000-8000-0000000000a3"), 422, "05")
	if b.executor.count != 1 {
		t.Errorf("%d executions", b.executor.count)
	}
}

// TestFingerprintsWithoutOTP: the OTP is no part of what makes two transfers or
// refunds the same. In a step of onboarding it is.
func TestFingerprintsWithoutOTP(t *testing.T) {
	key := newFixture(t).cfg.FingerprintKey
	prints := func(route op.RouteID, body string) [32]byte {
		t.Helper()
		return fingerprint(t, key, route, m1, body)
	}
	for _, route := range []op.RouteID{op.Transfer, op.Refund} {
		one := prints(route, `{"transactionId":"T","refId":"r","amount":5,"otp":"111111"}`)
		two := prints(route, `{"otp":"222222", "refId":"r","amount":5.0,"transactionId":"T"}`)
		other := prints(route, `{"transactionId":"T","refId":"s","amount":5,"otp":"111111"}`)
		if one != two || one == other {
			t.Errorf("%s: %x and %x, another body %x", route, one[:4], two[:4], other[:4])
		}
	}
	if prints(op.AgentValidateOTP, `{"otp":"111111"}`) == prints(op.AgentValidateOTP, `{"otp":"222222"}`) {
		t.Error("the OTP of an onboarding step makes no difference")
	}
}

// TestNoSecretsOfTransfers: OTPs, Aadhaar numbers and PidData stand in no log
// line and in no reply, whatever becomes of the calls.
func TestNoSecretsOfTransfers(t *testing.T) {
	hidden := []string{otpCanary, aadhaar, "ZGF0YWNhbmFyeQ", "001234567890", "Meera", "Ravi", "meera@example.in"}
	for _, state := range []op.State{op.Succeeded, op.Failed, op.Pending} {
		for _, m := range append(moneyRoutes(), refundRoutes()...) {
			b := newFixture(t)
			b.transferred(op.Succeeded)
			b.executor.state, b.executor.answer = state, central.BankAnswer{Status: central.BankDeclined, Code: "55", Message: "INVALID OTP"}
			replies := []central.Reply{
				b.send(m.by(), m.id, m.body(nil)),
				b.send(m.by(), m.id, m.body(map[string]string{"otp": quoted(otpCanary + otpCanary), "aadhaarno": quoted(aadhaar + "0"), "PidData": quoted(pid + pid), "receiver_account_no": `"001234567890x"`})),
				b.send(m.by(), m.id, m.body(map[string]string{"otp": otpCanary, "aadhaarno": aadhaar, otpCanary: "1"})),
			}
			b.executor.panics = true
			replies = append(replies, b.send(m.by(), m.id, m.body(nil)))
			for _, h := range hidden {
				if strings.Contains(b.log.String(), h) {
					t.Errorf("%s: the log holds %q: %s", m.name, h, b.log)
				}
				for _, r := range replies {
					if bytes.Contains(r.Body, []byte(h)) {
						t.Errorf("%s: a reply holds %q: %s", m.name, h, r.Body)
					}
				}
			}
		}
	}
}
