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
func cashOf(h *testCounter) (out []CashState) {
	for _, r := range h.c.Status().OpenCash {
		out = append(out, r.Cash())
	}
	return out
}

func (h *testCounter) wantCash(want ...CashState) {
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
func (h *testCounter) pendingWithdrawal() op.ID {
	h.t.Helper()
	id := h.mustCreate(op.Withdrawal)
	synctest.Wait()
	h.receive(wire.Frame{T: wire.TAccepted, ID: id})
	h.receive(outcome(id, op.Pending, ""))
	return id
}

// TestOpenCashIsReported: cash that the bank pays late is open until somebody says
// what became of it, over a restart too; and what it takes back late until
// somebody says that they know.
func TestOpenCashIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := newMemoryQueue()
		h := open(t, disk)
		h.goOnline()
		fatima := User{ID: AgentID, Name: "Fatima"}
		late, gone := h.pendingWithdrawal(), h.pendingWithdrawal()
		h.wantCash()
		if err := h.c.AnswerCash(late, fatima, CashNotGiven); !errors.Is(err, ErrIllegal) {
			t.Errorf("cash that is not paid is answered: %v", err)
		}
		rings, end := h.c.Subscribe()
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
			t.Error("no page is notified that the bank paid")
		}
		h.wantCash(CashDue)
		time.Sleep(time.Second)
		h.receive(outcome(gone, op.Reversed, "68"))
		h.wantCash(CashDue, CashReversed)
		if r := h.c.Status().OpenCash[0]; r.ID != late || r.Customer == "" || r.Body != nil || r.Reply != nil {
			t.Errorf("%+v", r)
		}
		h.stop()

		h = open(t, disk)
		h.wantCash(CashDue, CashReversed)
		for _, wrong := range []struct {
			id op.ID
			as CashState
		}{{late, CashAcknowledged}, {gone, CashNotGiven}, {late, CashGiven}, {late, CashNone}, {gone, CashDue}} {
			if err := h.c.AnswerCash(wrong.id, fatima, wrong.as); !errors.Is(err, ErrIllegal) {
				t.Errorf("%s is answered %q: %v", wrong.id, wrong.as, err)
			}
		}
		if err := h.c.ConfirmCash(gone, fatima); !errors.Is(err, ErrIllegal) {
			t.Errorf("cash that the bank took back is confirmed: %v", err)
		}
		for range 2 {
			if err := h.c.AnswerCash(gone, fatima, CashAcknowledged); err != nil {
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

// TestOldOpenCash: open cash is found however old it is, whatever the clock says,
// and beside a damaged record.
func TestOldOpenCash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := newMemoryQueue()
		h := open(t, disk)
		h.goOnline()
		id := h.pendingWithdrawal()
		h.receive(outcome(id, op.Succeeded, "00"))
		h.stop()
		time.Sleep(100 * 24 * time.Hour)
		disk.damaged = errors.New("one does not open")
		for _, by := range []time.Duration{0, 1000 * time.Hour, -7 * 365 * 24 * time.Hour} {
			h = openAt(t, disk, func() time.Time { return time.Now().Add(by) })
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
		want CashState
	}{
		{Record{Route: op.Withdrawal, State: op.Pending}, CashNone},
		{Record{Route: op.Withdrawal, State: op.Failed}, CashNone},
		{Record{Route: op.Withdrawal, State: op.Succeeded}, CashDue},
		{Record{Route: op.Withdrawal, State: op.Succeeded, CashGivenAt: given}, CashGiven},
		{Record{Route: op.Withdrawal, State: op.Succeeded, CashGivenAt: given, CashBy: "Fatima"}, CashGiven},
		{Record{Route: op.Withdrawal, State: op.Succeeded, CashBy: "Fatima"}, CashNotGiven},
		{Record{Route: op.Withdrawal, State: op.Reversed}, CashReversed},
		{Record{Route: op.Withdrawal, State: op.Reversed, CashBy: "Fatima"}, CashAcknowledged},
		{Record{Route: op.Purchase, State: op.Succeeded}, CashNone},
		{Record{Route: op.Transfer, State: op.Succeeded}, CashNone},
		{Record{Route: op.Refund, State: op.Succeeded}, CashNone},
		{Record{Route: op.Refund, State: op.Succeeded, Consent: RefundCashAfter}, CashDue},
		{Record{Route: op.Refund, State: op.Failed, Consent: RefundCashAfter}, CashNone},
		{Record{Route: op.Transfer, State: op.Pending, CashKept: true}, CashNone},
		{Record{Route: op.Transfer, State: op.Succeeded, CashKept: true}, CashNone},
		{Record{Route: op.Transfer, State: op.Reversed}, CashRefund},
		{Record{Route: op.Transfer, State: op.Reversed, CashKept: true}, CashRefund},
		{Record{Route: op.Transfer, State: op.Reversed, CashKept: true, CashBy: "Fatima", CashGivenAt: given}, CashGiven},
		{Record{Route: op.Transfer, State: op.Reversed, CashKept: true, RefundedAt: given}, CashNone},
		{Record{Route: op.Refund, State: op.Succeeded, Consent: RefundCashBefore}, CashNone},
		{Record{Route: op.Transfer, State: op.Expired, CashKept: true}, CashDue},
		{Record{Route: op.Transfer, State: op.Failed}, CashNone},
		{Record{Route: op.Transfer, State: op.Failed, CashKept: true}, CashDue},
		{Record{Route: op.Transfer, State: op.NotSent, CashKept: true}, CashDue},
		{Record{Route: op.Transfer, State: op.Failed, CashKept: true, CashBy: "Fatima"}, CashNotGiven},
		{Record{Route: op.Transfer, State: op.Failed, CashKept: true, CashBy: "Fatima", CashGivenAt: given}, CashGiven},
	} {
		if got := c.r.Cash(); got != c.want {
			t.Errorf("%s %s by %q: %q, want %q", c.r.Route, c.r.State, c.r.CashBy, got, c.want)
		}
		if due := c.want == CashDue || c.want == CashNotGiven || c.want == CashGiven; due != (c.r.Verdict() == VerdictGive || c.r.OwesCashBack() || c.r.isReversedTransfer() && !c.r.CashGivenAt.IsZero()) {
			t.Errorf("%s %s is %q and its verdict %s", c.r.Route, c.r.State, c.want, c.r.Verdict())
		}
	}
}
