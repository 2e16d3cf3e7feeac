package edge

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
	"galla/shared/wire"
)

// cashOf gives how the open cash stands, oldest first.
func cashOf(h *house) (out []Cash) {
	for _, r := range h.c.Status().Cash {
		out = append(out, r.Cash())
	}
	return out
}

func (h *house) wantCash(want ...Cash) {
	h.t.Helper()
	got := cashOf(h)
	same := len(got) == len(want)
	for i := range got {
		same = same && got[i] == want[i]
	}
	if !same {
		h.t.Errorf("open cash is %q, want %q", got, want)
	}
}

// pendingWithdrawal brings a withdrawal to where the bank has not answered.
func (h *house) pendingWithdrawal() op.ID {
	h.t.Helper()
	id := h.begin(op.Withdrawal)
	synctest.Wait()
	h.receive(wire.Frame{T: wire.TAccepted, ID: id})
	h.receive(outcome(id, op.Pending, ""))
	return id
}

// TestOpenCashIsTold: cash that the bank pays late is open until somebody says
// what became of it, over a restart too; and what it takes back late until
// somebody says that they know.
func TestOpenCashIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := newShelf()
		h := open(t, disk)
		h.up()
		fatima := Operator{ID: AgentID, Name: "Fatima"}
		late, gone := h.pendingWithdrawal(), h.pendingWithdrawal()
		h.wantCash()
		if err := h.c.AnswerCash(late, fatima, CashNotGiven); !errors.Is(err, ErrIllegal) {
			t.Errorf("cash that is not paid is answered: %v", err)
		}
		rings, end := h.c.Watch()
		defer end()
		time.Sleep(18 * time.Second)
		select { // the capture rang
		case <-rings:
		default:
		}
		h.receive(outcome(late, op.Succeeded, "00"))
		synctest.Wait()
		select {
		case <-rings:
		default:
			t.Error("no page is told that the bank paid")
		}
		h.wantCash(CashDue)
		time.Sleep(time.Second)
		h.receive(outcome(gone, op.Reversed, "68"))
		h.wantCash(CashDue, CashReversed)
		if r := h.c.Status().Cash[0]; r.ID != late || r.Customer == "" || r.Body != nil || r.Reply != nil {
			t.Errorf("%+v", r)
		}
		h.stop()

		h = open(t, disk)
		h.wantCash(CashDue, CashReversed)
		for _, wrong := range []struct {
			id op.ID
			as Cash
		}{{late, CashNoted}, {gone, CashNotGiven}, {late, CashGiven}, {late, CashNone}, {gone, CashDue}} {
			if err := h.c.AnswerCash(wrong.id, fatima, wrong.as); !errors.Is(err, ErrIllegal) {
				t.Errorf("%s is answered %q: %v", wrong.id, wrong.as, err)
			}
		}
		if err := h.c.ConfirmCash(gone, fatima); !errors.Is(err, ErrIllegal) {
			t.Errorf("cash that the bank took back is confirmed: %v", err)
		}
		for range 2 {
			if err := h.c.AnswerCash(gone, fatima, CashNoted); err != nil {
				t.Error(err)
			}
			if err := h.c.AnswerCash(late, fatima, CashNotGiven); err != nil {
				t.Error(err)
			}
		}
		h.wantCash(CashNotGiven)
		// The customer comes back.
		if err := h.c.ConfirmCash(late, fatima); err != nil {
			t.Error(err)
		}
		h.wantCash()
		if err := h.c.AnswerCash(late, fatima, CashNotGiven); !errors.Is(err, ErrIllegal) {
			t.Errorf("cash that was given is said not to be: %v", err)
		}
		h.stop()
	})
}

// TestOldCashIsNotTold: what was open before the first start of a program that asks
// for it, nobody was asked about: the closing of that day counts it. What became
// open since is told, whatever the counter's clock says at that start, at a later
// one, or in between, and however long ago it was begun.
func TestOldCashIsNotTold(t *testing.T) {
	for name, clock := range map[string]struct{ first, later time.Duration }{
		"a right clock":                       {0, 0},
		"ahead at the first start":            {1000 * time.Hour, 0},
		"behind at the first start":           {-1000 * time.Hour, 0},
		"ahead at a later start":              {0, 40 * 24 * time.Hour},
		"a dead battery at a later start":     {0, -7 * 365 * 24 * time.Hour},
		"a dead battery at both":              {-7 * 365 * 24 * time.Hour, -7 * 365 * 24 * time.Hour},
		"ahead at first, behind from then on": {40 * 24 * time.Hour, -40 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				at := func(by time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(by) } }
				disk := newShelf()
				h := open(t, disk)
				h.up()
				old, back := h.pendingWithdrawal(), h.pendingWithdrawal()
				late, long := h.pendingWithdrawal(), h.pendingWithdrawal()
				h.receive(outcome(old, op.Succeeded, "00"))
				h.receive(outcome(back, op.Reversed, "68"))
				h.wantCash(CashDue, CashReversed)
				h.stop()
				delete(disk.cache, cacheCashSince) // as an older program left it
				delete(disk.cache, cacheCashUntold)
				time.Sleep(time.Hour)

				h = openAt(t, disk, at(clock.first))
				h.wantCash()
				if _, err := h.c.CountPrint(old); err != nil {
					t.Fatal(err)
				}
				h.wantCash()
				h.up()
				h.receive(outcome(late, op.Succeeded, "00"))
				h.wantCash(CashDue)
				h.stop()
				for range 2 {
					h = openAt(t, disk, at(clock.later))
					h.wantCash(CashDue)
					h.stop()
				}
				time.Sleep(100 * 24 * time.Hour)
				h = open(t, disk)
				h.wantCash(CashDue)
				h.up()
				h.receive(outcome(long, op.Succeeded, "00"))
				h.wantCash(CashDue, CashDue)
				disk.damaged = errors.New("one does not open")
				h.stop()
				h = open(t, disk)
				h.wantCash(CashDue, CashDue)
				h.stop()
			})
		})
	}
}

// TestOpenCashOfOneRelease: one release noted since when it asks, by its clock.
// What ended before that stays untold; if the clock was ahead of this one, all is
// told rather than any left out, and nothing is noted of it.
func TestOpenCashOfOneRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := newShelf()
		h := open(t, disk)
		h.up()
		old, since := h.pendingWithdrawal(), h.pendingWithdrawal()
		h.receive(outcome(old, op.Succeeded, "00"))
		h.stop()
		time.Sleep(time.Hour)
		delete(disk.cache, cacheCashUntold)
		for _, ahead := range []time.Duration{1000 * time.Hour, 0} {
			text, err := time.Now().Add(ahead).MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			if err := disk.Cache(cacheCashSince, text, time.Now()); err != nil {
				t.Fatal(err)
			}
			h = open(t, disk)
			if ahead > 0 {
				h.wantCash(CashDue)
				h.stop()
				continue
			}
			h.wantCash()
			h.up()
			h.receive(outcome(since, op.Succeeded, "00"))
			h.wantCash(CashDue)
			h.stop()
			h = open(t, disk)
			h.wantCash(CashDue)
			h.stop()
		}
	})
}

// TestCash: how cash stands follows from an operation's facts.
func TestCash(t *testing.T) {
	given := time.Now()
	for _, c := range []struct {
		r    Record
		want Cash
	}{
		{Record{Route: op.Withdrawal, State: op.Pending}, CashNone},
		{Record{Route: op.Withdrawal, State: op.Failed}, CashNone},
		{Record{Route: op.Withdrawal, State: op.Succeeded}, CashDue},
		{Record{Route: op.Withdrawal, State: op.Succeeded, CashGiven: given}, CashGiven},
		{Record{Route: op.Withdrawal, State: op.Succeeded, CashGiven: given, CashBy: "Fatima"}, CashGiven},
		{Record{Route: op.Withdrawal, State: op.Succeeded, CashBy: "Fatima"}, CashNotGiven},
		{Record{Route: op.Withdrawal, State: op.Reversed}, CashReversed},
		{Record{Route: op.Withdrawal, State: op.Reversed, CashBy: "Fatima"}, CashNoted},
		{Record{Route: op.Purchase, State: op.Succeeded}, CashNone},
		{Record{Route: op.Transfer, State: op.Succeeded}, CashNone},
		{Record{Route: op.Refund, State: op.Succeeded}, CashNone},
		{Record{Route: op.Refund, State: op.Succeeded, Consent: RefundRule}, CashDue},
		{Record{Route: op.Refund, State: op.Failed, Consent: RefundRule}, CashNone},
		{Record{Route: op.Transfer, State: op.Pending, CashKept: true}, CashNone},
		{Record{Route: op.Transfer, State: op.Succeeded, CashKept: true}, CashNone},
		{Record{Route: op.Transfer, State: op.Reversed}, CashRefund},
		{Record{Route: op.Transfer, State: op.Reversed, CashKept: true}, CashRefund},
		{Record{Route: op.Transfer, State: op.Reversed, CashKept: true, CashBy: "Fatima", CashGiven: given}, CashGiven},
		{Record{Route: op.Transfer, State: op.Reversed, CashKept: true, Refunded: given}, CashNone},
		{Record{Route: op.Refund, State: op.Succeeded, Consent: RefundClosed}, CashNone},
		{Record{Route: op.Transfer, State: op.Expired, CashKept: true}, CashDue},
		{Record{Route: op.Transfer, State: op.Failed}, CashNone},
		{Record{Route: op.Transfer, State: op.Failed, CashKept: true}, CashDue},
		{Record{Route: op.Transfer, State: op.NotSent, CashKept: true}, CashDue},
		{Record{Route: op.Transfer, State: op.Failed, CashKept: true, CashBy: "Fatima"}, CashNotGiven},
		{Record{Route: op.Transfer, State: op.Failed, CashKept: true, CashBy: "Fatima", CashGiven: given}, CashGiven},
	} {
		if got := c.r.Cash(); got != c.want {
			t.Errorf("%s %s by %q: %q, want %q", c.r.Route, c.r.State, c.r.CashBy, got, c.want)
		}
		if due := c.want == CashDue || c.want == CashNotGiven || c.want == CashGiven; due != (c.r.Verdict() == VerdictGive || c.r.Returns() || c.r.cameBack() && !c.r.CashGiven.IsZero()) {
			t.Errorf("%s %s is %q and its verdict %s", c.r.Route, c.r.State, c.want, c.r.Verdict())
		}
	}
}
