package central

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
)

func TestASubmissionIsSentOnce(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		var accepted []op.ID
		s := submission(t, "k1")
		s.OnAccepted = func(id op.ID) {
			accepted = append(accepted, id)
			if len(accepted) == 1 {
				d.want(id, op.Sent) // committed before OnAccepted, sent after it
				if n := d.bank.count(KindWithdrawal); n != 0 {
					t.Errorf("%d requests reached the bank before OnAccepted", n)
				}
			}
		}
		o, replayed, err := d.submit(s)
		if err != nil || replayed || o.State != op.Succeeded {
			t.Fatalf("Submit = %s, %v, %v", o.State, replayed, err)
		}
		again, replayed, err := d.submit(s)
		if err != nil || !replayed || again.ID != o.ID || string(again.Reply) != string(o.Reply) {
			t.Errorf("the repeat = %s, %v, %v", again.State, replayed, err)
		}
		if n := d.bank.count(KindWithdrawal); n != 1 {
			t.Errorf("%d requests reached the bank, want 1", n)
		}
		if len(accepted) != 2 {
			t.Errorf("OnAccepted was called %d times, want once per submission", len(accepted))
		}
	})
}

// TestTheOutcomeIsHandedOver: neither a call that waited for its operation nor the
// repeat of a final one reads it again.
func TestTheOutcomeIsHandedOver(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		for _, identity := range []string{"k1", "k1"} {
			o, _, err := d.submit(submission(t, identity))
			if err != nil || o.State != op.Succeeded || len(o.Reply) == 0 || o.FinishedAt.IsZero() {
				t.Fatalf("Submit = %+v, %v", o, err)
			}
		}
		d.bank.send = func(context.Context, BankRequest) (BankAnswer, error) { return BankAnswer{Status: BankInProgress}, nil }
		if o, _, err := d.submit(submission(t, "k2")); err != nil || o.State != op.Pending || o.PendingReference == "" {
			t.Fatalf("Submit = %+v, %v", o, err)
		}
		if d.store.reads != 0 {
			t.Errorf("operations were read %d times", d.store.reads)
		}
	})
}

// TestALostOutcomeIsWaitedFor: an outcome that was committed although the store reported
// an error is found by the call that waits.
func TestALostOutcomeIsWaitedFor(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
			for id := range d.store.byID { // another node is faster
				if _, err := d.store.Finish(context.Background(), FinalOutcome{ID: id, To: op.Failed, At: time.Now(), Reply: []byte("{}")}); err != nil {
					t.Error(err)
				}
			}
			return d.bank.execute(r), nil
		}
		began := time.Now()
		o, _, err := d.submit(submission(t, "k1"))
		if err != nil || o.State != op.Failed || time.Since(began) != 0 {
			t.Errorf("Submit = %s, %v after %s", o.State, err, time.Since(began))
		}
	})
}

func TestTheReferenceIsCommittedBeforeTheBankSeesIt(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
			for _, o := range d.store.byID {
				if o.Reference == r.Reference && o.State == op.Sent && o.STAN == r.STAN && !o.BankNotAfter.IsZero() {
					return d.bank.execute(r), nil
				}
			}
			t.Error("the bank gets a request before the state sent is committed")
			return BankAnswer{}, errSilent
		}
		if _, _, err := d.submit(submission(t, "k1")); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAnotherBodyIsAConflict(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		if _, _, err := d.submit(submission(t, "k1")); err != nil {
			t.Fatal(err)
		}
		body, route := submission(t, "k1"), submission(t, "k1")
		body.Fingerprint, route.Route = [32]byte{2}, op.Purchase
		for _, s := range []Submission{body, route} {
			if _, _, err := d.submit(s); AsError(err).Fault != Conflict {
				t.Errorf("Submit = %v, want a conflict", err)
			}
		}
		other := submission(t, "k1")
		other.Caller = "merchant:m2"
		if o, replayed, err := d.submit(other); err != nil || replayed || o.State != op.Succeeded {
			t.Errorf("another caller's same identity: %v, %v", replayed, err)
		}
	})
}

func TestConcurrentRepeatsWaitForTheFirst(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
			time.Sleep(5 * time.Second)
			return d.bank.execute(r), nil
		}
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if o, _, err := d.submit(submission(t, "k1")); err != nil || o.State != op.Succeeded {
					t.Errorf("Submit = %s, %v", o.State, err)
				}
			})
		}
		wg.Wait()
		if n := d.bank.count(KindWithdrawal); n != 1 {
			t.Errorf("%d requests reached the bank, want 1", n)
		}
	})
}

func TestACallerWhoLeavesDoesNotStopTheOperation(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
			time.Sleep(5 * time.Second)
			return d.bank.execute(r), nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		o, _, err := d.engine.Submit(ctx, submission(t, "k1"))
		if err != nil || o.State != op.Received && o.State != op.Sent {
			t.Fatalf("Submit = %s, %v; want it under way", o.State, err)
		}
		time.Sleep(10 * time.Second)
		d.want(o.ID, op.Succeeded)
	})
}

func TestWhatTheBankSays(t *testing.T) {
	tests := []struct {
		name string
		send func(context.Context, BankRequest) (BankAnswer, error)
		want op.State
	}{
		{"declined", func(context.Context, BankRequest) (BankAnswer, error) {
			return BankAnswer{Status: BankDeclined, Code: "51"}, nil
		}, op.Failed},
		{"unreachable", func(context.Context, BankRequest) (BankAnswer, error) {
			return BankAnswer{}, MarkNotSent(errors.New("connection refused"))
		}, op.Failed},
		{"broken off", func(context.Context, BankRequest) (BankAnswer, error) {
			return BankAnswer{}, errors.New("connection reset")
		}, op.Pending},
		{"in progress", func(context.Context, BankRequest) (BankAnswer, error) {
			return BankAnswer{Status: BankInProgress}, nil
		}, op.Pending},
		{"nonsense", func(context.Context, BankRequest) (BankAnswer, error) {
			return BankAnswer{Status: "MAYBE"}, nil
		}, op.Pending},
		{"not found, said to a request", func(context.Context, BankRequest) (BankAnswer, error) {
			return BankAnswer{Status: BankNotFound}, nil
		}, op.Pending},
		{"panic", func(context.Context, BankRequest) (BankAnswer, error) { panic("adapter") }, op.Pending},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withEngine(t, func(t *testing.T, d *fixture) {
				d.bank.send = tt.send
				o, _, err := d.submit(submission(t, "k1"))
				if err != nil || o.State != tt.want {
					t.Fatalf("Submit = %s, %v; want %s", o.State, err, tt.want)
				}
				if tt.want == op.Pending && !strings.HasPrefix(o.PendingReference, "AEPS-NR-") {
					t.Errorf("pending reference = %q", o.PendingReference)
				}
				if tt.name == "unreachable" && !strings.Contains(string(o.Reply), string(BankUnreachable)) {
					t.Errorf("reply = %s", o.Reply)
				}
			})
		})
	}
}

func TestDeadline(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		s := submission(t, "k1")
		s.NotAfter = time.Now().Add(-time.Second)
		o, _, err := d.submit(s)
		if err != nil || o.State != op.Refused || d.bank.count(KindWithdrawal) != 0 {
			t.Errorf("Submit = %s, %v; %d requests reached the bank", o.State, err, d.bank.count(KindWithdrawal))
		}
	})
}

// TestDeadlineDuringTheRecord: what can't be sent in time any more when it is recorded
// as sent is not sent.
func TestDeadlineDuringTheRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank, store := &fakeBank{executed: map[Reference]int{}}, newMemoryStore()
		store.createTakes = 2 * time.Second
		d := start(t, store, bank, EngineConfig{})
		defer d.stop()
		s := submission(t, "k1")
		s.NotAfter = time.Now().Add(time.Second)
		o, _, err := d.submit(s)
		if err != nil || o.State != op.Failed || !strings.Contains(string(o.Reply), string(FailedPrecondition)) || len(bank.requests) != 0 {
			t.Errorf("Submit = %s %s, %v; %d requests reached the bank", o.State, o.Reply, err, len(bank.requests))
		}
	})
}

// TestCommitsOfAnOperation: one before the bank and one after it, and one more where
// something happens in between.
func TestCommitsOfAnOperation(t *testing.T) {
	straight := []op.State{op.Received, op.Sent, op.Succeeded}
	late := func(s Submission) Submission { s.NotAfter = time.Now().Add(-time.Second); return s }
	withSession := func(s Submission) Submission { s.NeedsSession = true; return s }
	withEngine(t, func(t *testing.T, d *fixture) {
		for _, tt := range []struct {
			name    string
			s       Submission
			commits int
			steps   []op.State
		}{
			{"straight to the bank", submission(t, "k1"), 2, straight},
			{"after the agent's authentication", withSession(submission(t, "k2")), 3, straight},
			{"in the session that it opened", withSession(submission(t, "k3")), 2, straight},
			{"local", initialize("k4"), 2, straight},
			{"too late", late(submission(t, "k5")), 2, []op.State{op.Received, op.Refused}},
		} {
			before := d.store.commits
			o, _, err := d.submit(tt.s)
			if err != nil {
				t.Fatal(err)
			}
			history, err := d.store.History(t.Context(), o.ID)
			if err != nil {
				t.Fatal(err)
			}
			var steps []op.State
			for _, step := range history {
				steps = append(steps, step.To)
			}
			if n := d.store.commits - before; n != tt.commits || !slices.Equal(steps, tt.steps) {
				t.Errorf("%s: %d commits with the steps %v, want %d with %v", tt.name, n, steps, tt.commits, tt.steps)
			}
		}
	})
}

func TestATombstoneIsForEver(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		if _, seen, err := d.engine.FindOrTombstone(t.Context(), "merchant:m1", "k1"); seen || err != nil {
			t.Fatalf("FindOrTombstone = %v, %v; want unseen", seen, err)
		}
		if _, _, err := d.submit(submission(t, "k1")); AsError(err).Fault != FailedPrecondition {
			t.Errorf("Submit after unseen = %v, want a refusal", err)
		}
		if _, seen, err := d.engine.FindOrTombstone(t.Context(), "merchant:m1", "k1"); seen || err != nil {
			t.Errorf("FindOrTombstone again = %v, %v; want unseen", seen, err)
		}
		if d.bank.count(KindWithdrawal) != 0 {
			t.Error("an operation with a tombstone was sent")
		}
	})
}

func TestLookupWaitsForWhatIsUnderWay(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
			time.Sleep(5 * time.Second)
			return d.bank.execute(r), nil
		}
		go func() { _, _, _ = d.submit(submission(t, "k1")) }()
		synctest.Wait()
		o, seen, err := d.engine.FindOrTombstone(t.Context(), "merchant:m1", "k1")
		if err != nil || !seen || o.State != op.Succeeded {
			t.Errorf("FindOrTombstone = %s, %v, %v", o.State, seen, err)
		}
	})
}

func TestStoreFaults(t *testing.T) {
	tests := []struct {
		method string
		fault  Fault
		sent   int
	}{
		{"Create", Internal, 0},
		{"MarkSent", "", 0}, // recorded, refused, not sent
		{"Finish", "", 1},   // executed: the sweep finds it again
	}
	for _, tt := range tests {
		t.Run(tt.method, func(t *testing.T) {
			withEngine(t, func(t *testing.T, d *fixture) {
				d.store.setBroken(tt.method, errors.New("disk full"))
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				s := submission(t, "k1")
				s.NeedsSession = tt.method == "MarkSent" // else it is created as sent
				o, _, err := d.engine.Submit(ctx, s)
				if tt.fault != "" && AsError(err).Fault != tt.fault {
					t.Errorf("Submit = %v, want %s", err, tt.fault)
				}
				if n := d.bank.count(KindWithdrawal); n != tt.sent {
					t.Errorf("%d requests sent, want %d", n, tt.sent)
				}
				if tt.method == "MarkSent" {
					d.want(o.ID, op.Refused)
				}
				if tt.method == "Finish" {
					if o.State.Final() {
						t.Errorf("a state was reported that is not committed: %s", o.State)
					}
					d.store.setBroken(tt.method, nil)
					time.Sleep(5 * time.Minute)
					d.want(o.ID, op.Succeeded)
				}
			})
		})
	}
}

func TestTooManyUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := &fakeBank{executed: map[Reference]int{}}
		bank.send = bank.silent(true)
		d := start(t, newMemoryStore(), bank, EngineConfig{MaxInFlight: 1})
		defer d.stop()
		go func() { _, _, _ = d.submit(submission(t, "k1")) }()
		synctest.Wait()
		_, _, err := d.submit(submission(t, "k2"))
		if e := AsError(err); e.Fault != TooMany || e.RetryAfter == 0 {
			t.Errorf("Submit = %v, want too many", err)
		}
		time.Sleep(20 * time.Second)
		if _, seen, _ := d.engine.FindOrTombstone(t.Context(), "merchant:m1", "k2"); seen {
			t.Error("a refused submission used its identity up")
		}
	})
}
