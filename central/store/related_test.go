package store

import (
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// TestRelated finds the operations that belong to one, and what it earned.
func TestRelated(t *testing.T) { onBoth(t, related) }

func related(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	transfer := inState(t, s, op.Succeeded)
	first := inState(t, s, op.Failed, func(o *central.Operation) { o.Original, o.CreatedAt = transfer.Reference, t0.Add(time.Hour) })
	second := inState(t, s, op.Succeeded, func(o *central.Operation) {
		o.Original, o.CreatedAt, o.Reverses = transfer.Reference, t0.Add(2*time.Hour), transfer.ID
	})
	alone := inState(t, s, op.Succeeded)
	for _, c := range []struct {
		name string
		of   central.Operation
		want []op.ID
	}{
		{"a transfer's refunds", transfer, []op.ID{second.ID, first.ID}},
		{"a failed refund's transfer", first, []op.ID{transfer.ID}},
		{"a refund's transfer, once", second, []op.ID{transfer.ID}},
		{"nothing", alone, nil},
	} {
		r, err := s.Related(background, c.of)
		wantErr(t, c.name, err, nil)
		var ids []op.ID
		for _, o := range r.Operations {
			ids = append(ids, o.ID)
		}
		if wantSame(t, c.name, ids, c.want); r.Earning != nil || r.Reversed {
			t.Errorf("%s: earned %+v", c.name, r.Earning)
		}
	}
	paid := earned(t, s, "TRANSFER", 1, t0)
	for _, reversed := range []bool{false, true} {
		r, err := s.Related(background, paid)
		wantErr(t, "what was earned", err, nil)
		if r.Earning == nil || r.Reversed != reversed || r.Earning.Commission != 12_95 || r.Earning.TDS != 26 || r.Earning.Charge != 20_00 || r.Earning.TxnType != "TRANSFER" {
			t.Errorf("earned %+v, reversed %v, want %v", r.Earning, r.Reversed, reversed)
		}
		_, err = finish(s, finalOutcome(refundOf(t, s, paid).ID, op.Succeeded))
		wantErr(t, "refund", err, map[bool]error{true: central.ErrState}[reversed])
	}
}

// ranAt brings a new operation of a terminal to a state. It is created some minutes after t0,
// sent ten seconds and finished twenty seconds later.
func ranAt(t *testing.T, s *DB, minute int, tid string, kind central.Kind, state op.State) central.Operation {
	t.Helper()
	at := t0.Add(time.Duration(minute) * time.Minute)
	o := created(t, s, func(o *central.Operation) { o.Kind, o.TID, o.CreatedAt = kind, tid, at })
	if state != op.Refused {
		sent := at.Add(10 * time.Second)
		wantErr(t, "send", s.MarkSent(background, central.SentUpdate{ID: o.ID, Before: &o, At: sent, BankNotAfter: sent.Add(15 * time.Second)}), nil)
	}
	end := finalOutcome(o.ID, state)
	end.At = at.Add(20 * time.Second)
	_, err := finish(s, end)
	wantErr(t, "finish", err, nil)
	o, err = s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	return o
}

// TestSessionOfAnOperation: an operation belongs to the agent's session under which it was
// sent, and a session to the operation that began it.
func TestSessionOfAnOperation(t *testing.T) { onBoth(t, sessionOfAnOperation) }

func sessionOfAnOperation(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	const tid, other = "GAL00077", "GAL00078"
	opens := func(tid string, at time.Time) {
		t.Helper()
		wantErr(t, "open", s.OpenSession(background, central.AgentSession{TID: tid, OpenedAt: at, ExpiresAt: at.Add(central.SessionLife)}), nil)
	}
	before := ranAt(t, s, 0, tid, central.KindWithdrawal, op.Succeeded)
	signIn := ranAt(t, s, 10, tid, central.KindAgentAuth, op.Succeeded)
	opens(tid, signIn.FinishedAt)
	elsewhere := ranAt(t, s, 20, other, central.KindBalance, op.Succeeded)
	// The first transaction of a day may sign in by the way, before it is sent.
	first := ranAt(t, s, 40, other, central.KindWithdrawal, op.Succeeded)
	opens(other, first.CreatedAt.Add(5*time.Second))
	const day = 24 * 60
	for _, c := range []struct {
		name   string
		of     central.Operation
		opened op.ID // by which operation; empty: it ran under no session
	}{
		{"a sign-in", signIn, signIn.ID},
		{"an enquiry after it", ranAt(t, s, 20, tid, central.KindBalance, op.Succeeded), signIn.ID},
		{"a failed withdrawal after it", ranAt(t, s, 21, tid, central.KindWithdrawal, op.Failed), signIn.ID},
		{"one just before its end", ranAt(t, s, day+9, tid, central.KindWithdrawal, op.Succeeded), signIn.ID},
		{"a day later", ranAt(t, s, day+11, tid, central.KindWithdrawal, op.Succeeded), ""},
		{"before the sign-in", before, ""},
		{"another terminal", elsewhere, ""},
		{"a sign-in that was declined", ranAt(t, s, 30, tid, central.KindAgentAuth, op.Failed), ""},
		{"a transfer", ranAt(t, s, 20, tid, central.KindTransfer, op.Succeeded), ""},
		{"a request that was not sent", ranAt(t, s, 25, tid, central.KindBalance, op.Refused), ""},
		{"the first transaction", first, first.ID},
		{"the second", ranAt(t, s, 50, other, central.KindWithdrawal, op.Succeeded), first.ID},
	} {
		r, err := s.Related(background, c.of)
		wantErr(t, c.name, err, nil)
		if c.opened == "" && r.Session != nil || c.opened != "" && (r.Session == nil || r.Session.OpenedBy != c.opened || r.Session.TID != c.of.TID || r.Session.ExpiresAt.Sub(r.Session.OpenedAt) != central.SessionLife) {
			t.Errorf("%s ran under %+v, want one that %q began", c.name, r.Session, c.opened)
		}
	}
	// A session whose beginning has no record.
	opens(tid, truncateToMillis(t0.Add(48*time.Hour)))
	r, err := s.Related(background, ranAt(t, s, 2*day+5, tid, central.KindBalance, op.Succeeded))
	if err != nil || r.Session == nil || r.Session.OpenedBy != "" {
		t.Errorf("a session of which only the terminal is known: %+v, %v", r.Session, err)
	}
}
