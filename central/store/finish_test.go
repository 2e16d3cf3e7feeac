package store

import (
	"fmt"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// TestFinishOfAKnownOperation: an outcome of a caller that knows the operation as it is does the
// same as one that is read, with every effect that an operation can have, and one whose caller
// knows an older state has the result of the present one.
func TestFinishOfAKnownOperation(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		s.shared = nil // a transaction for each
		for name, change := range map[string]func(*central.Operation){
			"withdrawal": func(*central.Operation) {},
			"named":      withRef("known"),
			"transfer":   func(o *central.Operation) { o.Kind, o.Sender = central.KindTransfer, "sender-1" },
		} {
			for _, from := range []op.State{op.Received, op.Sent} {
				for _, to := range []op.State{op.Succeeded, op.Failed, op.Refused} {
					if central.CanTransition(from, to) {
						t.Run(fmt.Sprint(name, " ", from, " ", to), func(t *testing.T) { finishesAlike(t, s, from, to, change) })
					}
				}
			}
		}
		before := created(t, s, sentNow)
		if _, err := s.MarkPending(background, central.PendingUpdate{ID: before.ID, At: t0, Prefix: "AEPS-NR-", NextEnquiry: t0.Add(time.Minute)}); err != nil {
			t.Fatal(err)
		}
		x := finalOutcome(before.ID, op.Succeeded)
		x.Before = &before
		got, err := s.Finish(background, x)
		wantErr(t, "finish what is pending by now", err, nil)
		wantStored(t, s, got)
		if got.PendingReference == "" {
			t.Error("the result is not the pending operation's")
		}
		_, err = s.Finish(background, x)
		wantErr(t, "finish what is final by now", err, central.ErrState)
	})
}

func sentNow(o *central.Operation) {
	o.State, o.SentAt, o.BankNotAfter = op.Sent, t0.Add(time.Millisecond), t0.Add(time.Second)
}

// finishesAlike finishes two operations, of which the caller knows the second.
func finishesAlike(t *testing.T, s *DB, from, to op.State, change func(*central.Operation)) {
	t.Helper()
	var results [2]central.Operation
	var steps [2][]central.Step
	var used [2]string
	for i := range results {
		o := newOperation()
		change(&o)
		if o.CallerRef != "" {
			o.CallerRef += string(o.ID)
		}
		if from == op.Sent {
			sentNow(&o)
		}
		key := fmt.Sprint("known ", o.ID)
		before, _, err := s.Create(background, o, []central.Quota{daily(key, 5, 0, 0), daily(key+"b", 7, 9, 0)})
		wantErr(t, "create", err, nil)
		x := finalOutcome(o.ID, to)
		x.Answer.Charge = 3
		if to == op.Failed && from == op.Sent {
			x.Answer.Refusal = central.RefusedOTP
		}
		if to == op.Succeeded {
			x.Earning = earningOf(o, "WITHDRAWAL", 1)
		}
		if i == 1 {
			x.Before = &before
		}
		results[i], err = s.Finish(background, x)
		wantErr(t, "finish", err, nil)
		wantStored(t, s, results[i])
		steps[i], err = s.History(background, o.ID)
		wantErr(t, "read its history", err, nil)
		used[i] = effectsOf(t, s, o.ID)
		results[i].ID, results[i].Identity, results[i].Reference, results[i].CallerRef, results[i].Fingerprint = "", "", "", "", [32]byte{}
	}
	wantSame(t, "result", results[1], results[0])
	wantSame(t, "history", steps[1], steps[0])
	wantSame(t, "effects", used[1], used[0])
}

// effectsOf counts the rows of an operation in other tables.
func effectsOf(t *testing.T, s *DB, id op.ID) string {
	t.Helper()
	var text string
	for _, table := range []string{"reservations", "commissions", "ledger_entries", "events"} {
		wantErr(t, "count "+table, s.read(background, func(c conn) error {
			var n int64
			err := c.one(`SELECT count(*) FROM `+table+` WHERE operation = $1`, []any{id}, &n)
			text += fmt.Sprint(table, " ", n, " ")
			return err
		}), nil)
	}
	return text
}
