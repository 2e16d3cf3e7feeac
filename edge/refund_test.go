package edge_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/wire"
)

// Replies about a transfer and its refund.
const (
	isPending  = `{"statusCode":"00","data":{"transactionId":"T1","status":"PENDING"}}`
	isSent     = `{"statusCode":"00","data":{"transactionId":"T1","amount":500,"status":"SUCCESS"}}`
	isReversed = `{"statusCode":"22","data":{"transactionId":"T1","amount":500,"status":"REVERSED"}}`
	isRefused  = `{"statusCode":"91","message":"ISSUER NOT AVAILABLE"}`
	isRefunded = `{"statusCode":"00","data":{"refundId":"F1","amount":500}}`
)

// fatima stands at the counter.
var fatima = edge.User{ID: edge.AgentID, Name: "Fatima"}

const paid = 525_00 // amount and charge of each transfer here

// transfers begins a transfer whose customer pays amount and charge; from names
// the failed one whose kept cash pays for it.
func (s *testCounter) transfers(from op.ID) op.ID {
	s.t.Helper()
	q := s.request(op.Transfer)
	q.Charge, q.CashFrom = 25_00, from
	v, err := s.c.Start(q)
	if err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
	return v.ID
}

// late has the bank not answer, and then say what became of a transfer.
func (s *testCounter) late(id op.ID, state op.State, reply string) {
	s.t.Helper()
	s.receive(succeeded(id, op.Pending, 200, isPending))
	s.receive(succeeded(id, state, 200, reply))
}

// refunds begins the refund of a transfer.
func (s *testCounter) refunds(of op.ID) op.ID {
	s.t.Helper()
	q := s.request(op.Refund)
	q.Fields, q.Consent, q.Amount, q.Charge = fmt.Appendf(nil, `{"transactionId":"T1","refId":%q}`, of), edge.RefundCashAfter, 500_00, 25_00
	v, err := s.c.Start(q)
	if err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
	return v.ID
}

// wantOpen checks whose cash is open, and how.
func (s *testCounter) wantOpen(want map[op.ID]edge.CashState) {
	s.t.Helper()
	got := map[op.ID]edge.CashState{}
	for _, r := range s.c.Status().OpenCash {
		got[r.ID] = r.Cash()
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.t.Errorf("open cash is %v, want %v", got, want)
	}
}

// inDrawer is what the operations left in the drawer.
func (s *testCounter) inDrawer() (sum money.Paise) {
	s.t.Helper()
	views, err := s.c.Recent("", 1000)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, v := range views {
		in, out := cashbook.Sum(cashbook.EntriesOf(v.Record))
		sum += in - out
	}
	return sum
}

// TestCashOfWhatCameBack is open until the refund has succeeded, over restarts
// too, and whether or not the agent was asked to keep it.
func TestCashOfWhatCameBack(t *testing.T) {
	for _, late := range []bool{false, true} {
		withTestCounter(t, func(s *testCounter) {
			s.goOnline()
			id := s.transfers("")
			if late {
				s.receive(succeeded(id, op.Pending, 200, isPending))
			}
			s.receive(succeeded(id, op.Reversed, 200, isReversed))
			s.wantOpen(map[op.ID]edge.CashState{id: edge.CashRefund})
			if due := cashbook.OwedBack(s.view(id).Record); due != paid || s.inDrawer() != paid {
				t.Errorf("%s are due and %s are in the drawer, want %d", due, s.inDrawer(), paid)
			}
			s.restart()
			s.goOnline()
			s.wantOpen(map[op.ID]edge.CashState{id: edge.CashRefund})

			again := s.refunds(id)
			if err := s.c.ConfirmCash(id, fatima); !errors.Is(err, edge.ErrIllegal) {
				t.Errorf("cash that a refund under way may pay was given by hand: %v", err)
			}
			s.receive(succeeded(again, op.Failed, 200, isRefused))
			s.wantOpen(map[op.ID]edge.CashState{id: edge.CashRefund})
			refund := s.refunds(id)
			s.receive(succeeded(refund, op.Pending, 200, isPending))
			s.goOffline()
			s.restart()
			s.goOnline()
			if err := s.c.ConfirmCash(id, fatima); !errors.Is(err, edge.ErrIllegal) {
				t.Errorf("after a restart it was given by hand: %v", err)
			}
			s.receive(succeeded(refund, op.Succeeded, 200, isRefunded))
			s.wantOpen(map[op.ID]edge.CashState{refund: edge.CashDue})
			if err := s.c.ConfirmCash(id, fatima); !errors.Is(err, edge.ErrIllegal) {
				t.Errorf("it was given twice: %v", err)
			}
			if err := s.c.ConfirmCash(refund, fatima); err != nil {
				t.Error(err)
			}
			s.wantOpen(map[op.ID]edge.CashState{})
			if v := s.view(id); v.RefundedAt.IsZero() || s.inDrawer() != 0 {
				t.Errorf("refunded at %s, %s are left in the drawer", v.RefundedAt, s.inDrawer())
			}
		})
	}
}

// TestCashGivenBeforeItsRefund is not given again with it, and leaves the drawer
// once.
func TestCashGivenBeforeItsRefund(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		id := s.transfers("")
		s.late(id, op.Reversed, isReversed)
		for range 2 {
			if err := s.c.ConfirmCash(id, fatima); err != nil {
				t.Fatal(err)
			}
		}
		s.wantOpen(map[op.ID]edge.CashState{})
		if s.inDrawer() != 0 || cashbook.OwedBack(s.view(id).Record) != 0 {
			t.Errorf("%s are left in the drawer", s.inDrawer())
		}
		refund := s.refunds(id)
		s.receive(succeeded(refund, op.Succeeded, 200, isRefunded))
		if v := s.view(refund); v.Verdict() != edge.VerdictRefund || v.Cash() != edge.CashNone {
			t.Errorf("the refund says %s, its cash is %q", v.Verdict(), v.Cash())
		}
		if v := s.view(id); v.RefundedAt.IsZero() || s.inDrawer() != 0 {
			t.Errorf("refunded at %s, %s are in the drawer", v.RefundedAt, s.inDrawer())
		}
	})
}

// TestTheBankReportsTheRefund: another counter may have done it.
func TestTheBankReportsTheRefund(t *testing.T) {
	for status, want := range map[string]bool{"REFUNDED": true, "REVERSED": false, "SUCCESS": false, "PENDING": false, "": false} {
		withTestCounter(t, func(s *testCounter) {
			s.goOnline()
			id := s.transfers("")
			s.late(id, op.Reversed, isReversed)
			q := s.request(op.TransferRequery)
			q.Fields = fmt.Appendf(nil, `{"refId":%q}`, id)
			v, err := s.c.Start(q)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			s.receive(succeeded(v.ID, op.Succeeded, 200, `{"statusCode":"00","data":{"status":"`+status+`"}}`))
			if got := !s.view(id).RefundedAt.IsZero(); got != want || (len(s.c.Status().OpenCash) == 0) != want {
				t.Errorf("%q: refunded %v, want %v, and %d open", status, got, want, len(s.c.Status().OpenCash))
			}
		})
	}
}

// TestAStartRepeatsWhatAPowerCutLeftOut: of two records that change one after the
// other, the second may be missing.
func TestAStartRepeatsWhatAPowerCutLeftOut(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		back, failed := s.transfers(""), s.transfers("")
		s.late(back, op.Reversed, isReversed)
		s.late(failed, op.Failed, isRefused)
		refund := s.refunds(back)
		s.receive(succeeded(refund, op.Succeeded, 200, isRefunded))
		next := s.transfers(failed)
		for _, id := range []op.ID{back, failed} {
			if _, err := s.queue.Change(id, func(r *edge.Record) error {
				r.RefundedAt, r.CashGivenAt, r.CashBy, r.CashByID, r.CashUsedBy = time.Time{}, time.Time{}, "", "", ""
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		s.restart()
		if s.view(back).RefundedAt.IsZero() || s.view(failed).CashUsedBy != next || s.view(failed).Cash() != edge.CashGiven {
			t.Errorf("%+v\n%+v", s.view(back).Record, s.view(failed).Record)
		}
		s.wantOpen(map[op.ID]edge.CashState{refund: edge.CashDue})
	})
}

// TestKeptCashPaysForTheNextAttempt once that is recorded, and is that one's then,
// whatever becomes of it.
func TestKeptCashPaysForTheNextAttempt(t *testing.T) {
	failed := func(s *testCounter) op.ID {
		s.goOnline()
		id := s.transfers("")
		s.late(id, op.Failed, isRefused)
		s.wantOpen(map[op.ID]edge.CashState{id: edge.CashDue})
		return id
	}
	for _, c := range []struct {
		name string
		live func(s *testCounter, next op.ID)
		want edge.CashState // of the next attempt
		left money.Paise
	}{
		{"sent", func(s *testCounter, next op.ID) { s.receive(succeeded(next, op.Succeeded, 200, isSent)) }, edge.CashNone, paid},
		{"refused at once", func(s *testCounter, next op.ID) { s.receive(succeeded(next, op.Failed, 200, isRefused)) }, edge.CashDue, paid},
		{"given up", func(s *testCounter, _ op.ID) { s.restart(); s.goOnline() }, edge.CashNone, paid},
		{"came back", func(s *testCounter, next op.ID) { s.receive(succeeded(next, op.Reversed, 200, isReversed)) }, edge.CashRefund, paid},
	} {
		t.Run(c.name, func(t *testing.T) {
			withTestCounter(t, func(s *testCounter) {
				first := failed(s)
				next := s.transfers(first)
				if v := s.view(first); v.Cash() != edge.CashGiven || v.CashUsedBy != next || s.inDrawer() != paid {
					t.Errorf("the first's cash is %q and went into %q; %s are in the drawer", v.Cash(), v.CashUsedBy, s.inDrawer())
				}
				c.live(s, next)
				if v := s.view(next); v.Cash() != c.want || s.inDrawer() != c.left {
					t.Errorf("the next is %s, its cash %q, and %s are in the drawer", v.State, v.Cash(), s.inDrawer())
				}
			})
		})
	}
	t.Run("the terminal stays offline", func(t *testing.T) {
		withTestCounter(t, func(s *testCounter) {
			first := failed(s)
			s.goOffline()
			next := s.transfers(first)
			if s.inDrawer() != paid {
				t.Errorf("%s are in the drawer while it waits", s.inDrawer())
			}
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			s.wantState(next, op.Expired)
			s.wantOpen(map[op.ID]edge.CashState{next: edge.CashDue})
		})
	})
	t.Run("another sum, or gone", func(t *testing.T) {
		withTestCounter(t, func(s *testCounter) {
			first := failed(s)
			q := s.request(op.Transfer)
			q.Charge, q.CashFrom = 10_00, first
			v, err := s.c.Start(q)
			if err != nil || v.CashKept || v.LinkedTo != "" {
				t.Errorf("%+v, %v", v, err)
			}
			s.wantOpen(map[op.ID]edge.CashState{first: edge.CashDue})
			if err := s.c.ConfirmCash(first, fatima); err != nil {
				t.Fatal(err)
			}
			if next := s.view(s.transfers(first)); next.CashKept || next.LinkedTo != "" || s.view(first).CashUsedBy != "" {
				t.Errorf("cash that is in the customer's hand pays for %+v", next)
			}
		})
	})
	t.Run("it does not begin", func(t *testing.T) {
		withTestCounter(t, func(s *testCounter) {
			first := failed(s)
			q := s.request(op.Transfer)
			q.Fields, q.CashFrom = []byte(`{"amount":500}`), first
			if _, err := s.c.Start(q); err == nil {
				t.Error("it began")
			}
			s.wantOpen(map[op.ID]edge.CashState{first: edge.CashDue})
		})
	})
}

// cashModel is an agent who moves cash as the counter says, and counts it.
type cashModel struct {
	*testCounter
	drawer money.Paise
	live   []op.ID                  // transfers
	refund map[op.ID]op.ID          // under way
	gave   map[op.ID]bool           // the customer has it
	pays   map[op.ID]op.ID          // an attempt by the first one whose cash it is
	seen   map[op.ID]edge.CashState // so that each answer is given once
}

// finish moves the cash of a transfer that ended while its customer stood there.
func (a *cashModel) finish(id op.ID) {
	if v := a.view(id); (v.State == op.Failed || v.State == op.Expired || v.State == op.NotSent) && !v.CashKept {
		a.confirmCash(id)
	}
}

// confirmCash gives a transfer's cash to its customer.
func (a *cashModel) confirmCash(id op.ID) {
	first := a.pays[id]
	if a.gave[first] {
		a.t.Errorf("the cash of %s is given twice", first)
	}
	a.gave[first] = true
	a.drawer -= paid
}

// step does one thing.
func (a *cashModel) step(r *rand.Rand) string {
	pick := func() op.ID {
		if len(a.live) == 0 {
			return ""
		}
		return a.live[r.IntN(len(a.live))]
	}
	id := pick()
	what := r.IntN(8)
	if id == "" {
		what = 0
	}
	switch what {
	case 0: // another customer
		id = a.transfers("")
		a.live, a.pays[id] = append(a.live, id), id
		a.drawer += paid
		if r.IntN(3) > 0 {
			a.receive(succeeded(id, op.Pending, 200, isPending))
		}
	case 1, 2: // the bank answers
		if v := a.view(id); v.State == op.Pending || v.State == op.Sent {
			state, reply := op.Succeeded, isSent
			switch r.IntN(4) {
			case 0, 1:
				state, reply = op.Reversed, isReversed
			case 2:
				state, reply = op.Failed, isRefused
			}
			a.receive(succeeded(id, state, 200, reply))
			a.finish(id)
		}
	case 3: // the same customer tries again
		if v := a.view(id); v.OwesCashBack() && v.Cash().IsOpen() {
			next := a.transfers(id)
			a.live, a.pays[next] = append(a.live, next), a.pays[id]
		}
	case 4: // somebody says that the cash went back
		if err := a.c.ConfirmCash(id, fatima); err == nil && a.view(id).CashUsedBy == "" && a.seen[id] == "" {
			a.seen[id] = edge.CashGiven
			a.confirmCash(id)
		}
	case 5: // a refund is asked for
		if v := a.view(id); v.State == op.Reversed && v.RefundedAt.IsZero() && a.refund[id] == "" {
			a.refund[id] = a.refunds(id)
		}
	case 6: // the bank answers it
		if refund := a.refund[id]; refund != "" && !a.view(refund).State.Final() {
			state, reply := op.Succeeded, isRefunded
			if r.IntN(3) == 0 {
				state, reply = op.Failed, isRefused
				delete(a.refund, id)
			}
			a.receive(succeeded(refund, state, 200, reply))
			if a.view(refund).Verdict() == edge.VerdictGive {
				if err := a.c.ConfirmCash(refund, fatima); err != nil {
					a.t.Error(err)
				}
				a.confirmCash(id)
			}
		}
	case 7:
		a.restart()
		a.goOnline()
		for _, id := range a.live {
			if v := a.view(id); v.State == op.Unknown { // nobody had it
				a.receive(wire.Frame{T: wire.TUnseen, ID: id})
			}
		}
	}
	return fmt.Sprint(what)
}

// TestOneHeapOfNotes walks at random over transfers, answers, next attempts,
// refunds, cash given by hand, and restarts: the drawer holds what the records
// say, no cash goes back twice, and whatever is a customer's is reported as open.
func TestOneHeapOfNotes(t *testing.T) {
	for seed := range uint64(30) {
		withTestCounter(t, func(s *testCounter) {
			r := rand.New(rand.NewPCG(seed, 9))
			s.goOnline()
			a := &cashModel{testCounter: s, refund: map[op.ID]op.ID{}, gave: map[op.ID]bool{}, pays: map[op.ID]op.ID{}, seen: map[op.ID]edge.CashState{}}
			did := ""
			for range 60 {
				did += a.step(r) + " "
				if got := s.inDrawer(); got != a.drawer {
					t.Fatalf("seed %d: after %s the records say %s, the drawer holds %s", seed, did, got, a.drawer)
				}
				open := map[op.ID]bool{}
				for _, r := range s.c.Status().OpenCash {
					open[r.ID] = true
				}
				for _, id := range a.live {
					v := s.view(id)
					over := v.State.Final() && v.State != op.Succeeded
					if mine := over && !a.gave[a.pays[id]] && v.CashUsedBy == "" && v.RefundedAt.IsZero(); mine != open[id] {
						t.Fatalf("seed %d: after %s the cash of %s, which is %s, is reported as open: %v", seed, did, id, v.State, open[id])
					}
				}
			}
		})
	}
}
