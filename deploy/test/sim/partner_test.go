package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// refPrefix begins the references of the partner's transfers.
const refPrefix = "partner-"

// attempt is one call of a partner's program for a transfer.
type attempt struct {
	node  int
	wrong bool // with a mistyped OTP
	fresh bool // with an OTP that was requested again
	after time.Duration
}

// transferPlan is one transfer of a partner, with everything that the partner does for
// it.
type transferPlan struct {
	ref      string
	amount   money.Paise
	attempts []attempt
}

// drawTransfer draws the nth. No other transfer of a story has its rupees, so the books
// show a debit that was made twice.
func drawTransfer(luck *rng, offices, nth int) transferPlan {
	w := transferPlan{ref: fmt.Sprint(refPrefix, nth), amount: money.Paise(3000+nth)*money.Rupee + paise[luck.below(len(paise))]}
	for i := range 2 + luck.below(4) {
		t := attempt{node: luck.below(offices), wrong: i == 0 && luck.below(3) > 0 || i == 1 && luck.below(4) == 0, fresh: i == 0 || luck.below(2) == 0}
		if luck.below(3) > 0 { // else at the same moment as the one before
			t.after = luck.between(time.Millisecond, 25*time.Second)
		}
		w.attempts = append(w.attempts, t)
	}
	return w
}

// partners sends transfers, one after another and sometimes several at once.
func (s *story) partners(ctx context.Context, cast *sync.WaitGroup) {
	luck := newRNG(s.seed, "partner")
	for nth := 0; ; nth++ {
		select {
		case <-time.After(luck.between(2*time.Second, 20*time.Second)):
		case <-ctx.Done():
			return
		}
		w := drawTransfer(luck, len(s.nodes), nth)
		s.trace.notePlanned("%s: %s, %+v", w.ref, w.amount, w.attempts)
		cast.Go(func() { s.send(ctx, w) })
	}
}

// call sends a request to one central's direct entrance, as the merchant of the first
// counter.
func (s *story) call(ctx context.Context, node int, route op.RouteID, fields map[string]any) (code, status string) {
	s.mu.Lock()
	server := s.nodes[node].httpServer
	s.mu.Unlock()
	found, _ := op.Find(route)
	body, err := json.Marshal(fields)
	if err != nil {
		s.violation("write %s: %v", route, err)
		return "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, finalTimeout)
	defer cancel()
	r := server.Handle(ctx, central.Request{Principal: central.Principal{Role: op.Merchant, Merchant: s.snapshot.shops[0].merchant}, Route: found, Body: body})
	var reply struct {
		StatusCode string
		Data       struct{ Status string }
	}
	_ = json.Unmarshal(r.Body, &reply) // lists have no status
	return reply.StatusCode, reply.Data.Status
}

// send makes the calls of a plan.
func (s *story) send(ctx context.Context, w transferPlan) {
	var otp secret.OTP
	var calls sync.WaitGroup
	defer calls.Wait()
	for _, t := range w.attempts {
		select {
		case <-time.After(t.after):
		case <-ctx.Done():
			return
		}
		if t.fresh || otp.IsZero() {
			s.call(ctx, t.node, op.TransferOTP, s.snapshot.payee.fields("amount", json.Number(w.amount.String())))
			if otp = (agent{system: s.system}).otp(payer); otp.IsZero() {
				continue
			}
		}
		given := otp.Reveal()
		if t.wrong {
			given = mistyped(otp)
		}
		calls.Go(func() { s.attempt(ctx, w, t, given) })
	}
}

// attempt makes one call for a transfer, and records the reply.
func (s *story) attempt(ctx context.Context, w transferPlan, t attempt, otp string) {
	p := s.snapshot.payee
	code, status := s.call(ctx, t.node, op.Transfer, p.fields("amount", json.Number(w.amount.String()), "BeneficiaryId", p.Beneficiary,
		"account_holder_name", "Ravi Kapoor", "refId", w.ref, "otp", otp))
	s.trace.event("%s: %s %s", w.ref, code, status)
	s.trace.countEvent("tries of a partner", true)
	if code == "00" && status == "SUCCESS" {
		s.mu.Lock()
		s.paidTransfers[w.ref] = true
		s.mu.Unlock()
	}
}

// mistyped gives six digits that are not the OTP.
func mistyped(otp secret.OTP) string {
	first := byte('0')
	if otp.Reveal()[0] == first {
		first = '1'
	}
	return string(first) + otp.Reveal()[1:]
}

// verifyPartners compares the attempts under each reference with the books: at most one
// moved money, each reply is true, and a reported success is there.
func (a *audit) verifyPartners() {
	moved := map[string]central.Reference{}
	for ref, o := range a.owned {
		if !strings.HasPrefix(o.CallerRef, refPrefix) {
			continue
		}
		a.trace.countEvent(countPartner, true)
		a.trace.countEvent(countAgain, o.Attempt > 1)
		status := a.books[ref].Status
		if status == simbankExecuted || status == simbankReversed {
			if before, twice := moved[o.CallerRef]; twice {
				a.addDoubled("two attempts under the name %s moved money: %s and %s", o.CallerRef, before, ref)
			}
			moved[o.CallerRef] = ref
		}
		if (status == simbankExecuted) != (o.State == op.Succeeded) {
			a.addLost("attempt %d under the name %s is %s at the central, and %q in the books", o.Attempt, o.CallerRef, o.State, status)
		}
	}
	for name := range a.paidTransfers {
		if moved[name] == "" {
			a.addLost("the partner got the reply that %s succeeded, and no attempt of it moved money", name)
		}
	}
}
