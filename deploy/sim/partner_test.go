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

// try is one call of a partner's program for a transfer.
type try struct {
	office int
	wrong  bool // with a mistyped OTP
	fresh  bool // with an OTP that was asked for again
	after  time.Duration
}

// wish is one transfer of a partner's, with everything that he does for it.
type wish struct {
	ref    string
	amount money.Paise
	tries  []try
}

// drawWish draws the nth. The rupees are nobody else's in a story, so that the
// books show a debit that was made twice.
func drawWish(luck *chance, offices, nth int) wish {
	w := wish{ref: fmt.Sprint(refPrefix, nth), amount: money.Paise(3000+nth)*money.Rupee + paise[luck.below(len(paise))]}
	for i := range 2 + luck.below(4) {
		t := try{office: luck.below(offices), wrong: i == 0 && luck.below(3) > 0 || i == 1 && luck.below(4) == 0, fresh: i == 0 || luck.below(2) == 0}
		if luck.below(3) > 0 { // else at the same moment as the one before
			t.after = luck.between(time.Millisecond, 25*time.Second)
		}
		w.tries = append(w.tries, t)
	}
	return w
}

// partners sends transfers, one after another and sometimes several at once.
func (s *story) partners(ctx context.Context, cast *sync.WaitGroup) {
	luck := newChance(s.seed, "partner")
	for nth := 0; ; nth++ {
		select {
		case <-time.After(luck.between(2*time.Second, 20*time.Second)):
		case <-ctx.Done():
			return
		}
		w := drawWish(luck, len(s.offices), nth)
		s.tape.plan("%s: %s, %+v", w.ref, w.amount, w.tries)
		cast.Go(func() { s.send(ctx, w) })
	}
}

// call asks one central's direct door, as the merchant of the first counter.
func (s *story) call(ctx context.Context, office int, route op.RouteID, fields map[string]any) (code, status string) {
	s.mu.Lock()
	door := s.offices[office].door
	s.mu.Unlock()
	found, _ := op.Find(route)
	body, err := json.Marshal(fields)
	if err != nil {
		s.complain("write %s: %v", route, err)
		return "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r := door.Dispatch(ctx, central.Call{Principal: central.Principal{Role: op.Merchant, Merchant: s.base.shops[0].merchant}, Route: found, Body: body})
	var reply struct {
		StatusCode string
		Data       struct{ Status string }
	}
	_ = json.Unmarshal(r.Body, &reply) // a list is nothing to us
	return reply.StatusCode, reply.Data.Status
}

// send makes the calls of a wish.
func (s *story) send(ctx context.Context, w wish) {
	var otp secret.OTP
	var calls sync.WaitGroup
	defer calls.Wait()
	for _, t := range w.tries {
		select {
		case <-time.After(t.after):
		case <-ctx.Done():
			return
		}
		if t.fresh || otp.IsZero() {
			s.call(ctx, t.office, op.TransferOTP, s.base.payee.fields("amount", json.Number(w.amount.String())))
			if otp = (agent{house: s.house}).otp(payer); otp.IsZero() {
				continue
			}
		}
		given := otp.Reveal()
		if t.wrong {
			given = mistyped(otp)
		}
		calls.Go(func() { s.try(ctx, w, t, given) })
	}
}

// try makes one call for a transfer, and notes what it is told.
func (s *story) try(ctx context.Context, w wish, t try, otp string) {
	p := s.base.payee
	code, status := s.call(ctx, t.office, op.Transfer, p.fields("amount", json.Number(w.amount.String()), "BeneficiaryId", p.Beneficiary,
		"account_holder_name", "Ravi Kapoor", "refId", w.ref, "otp", otp))
	s.tape.note("%s: %s %s", w.ref, code, status)
	s.tape.count("tries of a partner", true)
	if code == "00" && status == "SUCCESS" {
		s.mu.Lock()
		s.paid[w.ref] = true
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

// verifyPartners holds the attempts under each reference against the books: at
// most one moved money, each is told as it is, and a success that was told is
// there.
func (a *audit) verifyPartners() {
	moved := map[string]central.Reference{}
	for ref, o := range a.owned {
		if !strings.HasPrefix(o.CallerRef, refPrefix) {
			continue
		}
		a.tape.count(countPartner, true)
		a.tape.count(countAgain, o.Try > 1)
		status := a.books[ref].Status
		if status == simbankExecuted || status == simbankReversed {
			if before, twice := moved[o.CallerRef]; twice {
				a.double("two attempts under the name %s moved money: %s and %s", o.CallerRef, before, ref)
			}
			moved[o.CallerRef] = ref
		}
		if (status == simbankExecuted) != (o.State == op.Succeeded) {
			a.lose("attempt %d under the name %s is %s at the central, and %q in the books", o.Try, o.CallerRef, o.State, status)
		}
	}
	for name := range a.paid {
		if moved[name] == "" {
			a.lose("the partner was told that %s succeeded, and no attempt of it moved money", name)
		}
	}
}
