package central

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
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
				d.want(id, op.Received) // committed before OnAccepted, sent after it
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

func TestSilenceIsResolvedByEnquiry(t *testing.T) {
	for _, executes := range []bool{true, false} {
		withEngine(t, func(t *testing.T, d *fixture) {
			d.bank.send = d.bank.silent(executes)
			began := time.Now()
			o, _, err := d.submit(submission(t, "k1"))
			if err != nil || o.State != op.Pending || time.Since(began) != 15*time.Second {
				t.Fatalf("Submit = %s, %v after %s; want pending after 15s", o.State, err, time.Since(began))
			}
			if !executes { // the first 'not found' is not believed
				time.Sleep(20 * time.Second)
				d.want(o.ID, op.Pending)
			}
			time.Sleep(2 * time.Minute)
			want := op.Failed
			if executes {
				want = op.Succeeded
			}
			d.want(o.ID, want)
			if n := d.bank.count(KindWithdrawal); n != 1 {
				t.Errorf("%d requests reached the bank, want 1", n)
			}
			again, replayed, err := d.submit(submission(t, "k1"))
			if err != nil || !replayed || again.State != want {
				t.Errorf("the repeat = %s, %v, %v", again.State, replayed, err)
			}
		})
	}
}

// TestAnOldNotFoundIsNotBelieved: a process may be stopped between the bank's 'not
// found' and its handling. The time of the question counts. The model found that
// with the time of the answer an executed withdrawal was reported as failed.
func TestAnOldNotFoundIsNotBelieved(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
			time.AfterFunc(10*time.Second, func() { d.bank.execute(r) }) // delayed in the network, within its deadline
			return BankAnswer{}, errSilent
		}
		first := true
		d.bank.enquire = func(_ context.Context, r Reference) (BankAnswer, error) {
			d.bank.mu.Lock()
			executed, stopped := d.bank.executed[r], first
			first = false
			d.bank.mu.Unlock()
			if stopped {
				time.Sleep(time.Minute) // SIGSTOP: longer than deadline and margin
			}
			if executed > 0 {
				return BankAnswer{Status: BankApproved, Code: "00"}, nil
			}
			return BankAnswer{Status: BankNotFound}, nil
		}
		o, _, err := d.submit(submission(t, "k1"))
		if err != nil || o.State != op.Pending {
			t.Fatalf("Submit = %s, %v; want pending", o.State, err)
		}
		time.Sleep(5 * time.Minute)
		d.want(o.ID, op.Succeeded)
	})
}

func TestEnquiriesBackOffAndThenAPersonIsNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := &fakeBank{executed: map[Reference]int{}}
		bank.send = bank.silent(true)
		bank.enquire = func(context.Context, Reference) (BankAnswer, error) { return BankAnswer{}, errSilent }
		d := start(t, newMemoryStore(), bank, EngineConfig{Enquiries: EnquiryConfig{Poll: 5 * time.Second, Sweep: time.Hour}})
		defer d.stop()
		o, _, err := d.submit(submission(t, "k1"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if n := bank.enquiries(); n < 15 || n > 60 {
			t.Errorf("%d enquiries in the first hour", n)
		}
		time.Sleep(8 * 24 * time.Hour)
		if got := d.want(o.ID, op.Pending); got.StuckAt.IsZero() {
			t.Error("after seven days it is not marked stuck")
		}
		asked := bank.enquiries()
		time.Sleep(24 * time.Hour)
		if bank.enquiries() != asked {
			t.Error("enquiries are still made for a stuck operation")
		}
	})
}

func TestReversalReachesTheTerminal(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.send = d.bank.silent(true)
		d.bank.enquire = func(context.Context, Reference) (BankAnswer, error) {
			return BankAnswer{Status: BankReversed, Code: "68"}, nil
		}
		s := submission(t, "k1")
		s.Terminal = "t1"
		o, _, err := d.submit(s)
		if err != nil {
			t.Fatal(err)
		}
		rung, stop := d.engine.notifier.Subscribe(TerminalTopic("t1"))
		defer stop()
		time.Sleep(time.Minute)
		d.want(o.ID, op.Reversed)
		if len(d.store.events) != 1 {
			t.Errorf("%d events, want 1", len(d.store.events))
		}
		select {
		case <-rung:
		default:
			t.Error("the terminal was not notified")
		}
	})
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

func TestInlineAuthentication(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		s := submission(t, "k1")
		s.NeedsSession = true
		o, _, err := d.submit(s)
		if err != nil || o.State != op.Succeeded {
			t.Fatalf("Submit = %s, %v", o.State, err)
		}
		auth, tx := d.bank.requests[0], d.bank.requests[1]
		if auth.Kind != KindAgentAuth || auth.InlineFor != o.Reference || auth.Reference == tx.Reference || auth.Amount != 0 || tx.InlineFor != "" {
			t.Errorf("inline authentication: %v for %s", auth.Kind, auth.InlineFor)
		}
		second := submission(t, "k2")
		second.NeedsSession = true
		if _, _, err := d.submit(second); err != nil || d.bank.count(KindAgentAuth) != 1 {
			t.Errorf("the session is not used: %d authentications, %v", d.bank.count(KindAgentAuth), err)
		}
		time.Sleep(SessionLife)
		third := submission(t, "k3")
		third.NeedsSession = true
		if _, _, err := d.submit(third); err != nil || d.bank.count(KindAgentAuth) != 2 {
			t.Errorf("after 24 hours: %d authentications, %v", d.bank.count(KindAgentAuth), err)
		}
	})
}

func TestInlineAuthenticationThatFailsSendsNothing(t *testing.T) {
	tests := []struct {
		name   string
		answer BankAnswer
		err    error
	}{
		{"declined", BankAnswer{Status: BankDeclined, Code: "U3"}, nil},
		{"silent", BankAnswer{}, errSilent},
		{"unreachable", BankAnswer{}, MarkNotSent(errSilent)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				bank := &fakeAuthBank{fakeBank: fakeBank{executed: map[Reference]int{}}, answer: tt.answer, err: tt.err}
				d := startAt(t, newMemoryStore(), bank, &bank.fakeBank, EngineConfig{})
				defer d.stop()
				s := submission(t, "k1")
				s.NeedsSession = true
				o, _, err := d.submit(s)
				if err != nil || o.State != op.Failed || bank.count(KindWithdrawal) != 0 {
					t.Errorf("Submit = %s, %v; %d transactions sent", o.State, err, bank.count(KindWithdrawal))
				}
			})
		})
	}
}

// fakeAuthBank has a scripted answer to agent authentications.
type fakeAuthBank struct {
	fakeBank
	answer BankAnswer
	err    error
}

func (b *fakeAuthBank) Send(ctx context.Context, r BankRequest) (BankAnswer, error) {
	if r.Kind == KindAgentAuth {
		return b.answer, b.err
	}
	return b.fakeBank.Send(ctx, r)
}

func TestReqAuthOpensTheSession(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		s := submission(t, "k1")
		s.Route, s.Request.Kind, s.Request.Amount = op.ReqAuth, KindAgentAuth, 0
		if _, _, err := d.submit(s); err != nil {
			t.Fatal(err)
		}
		session, err := d.store.Session(t.Context(), "GAL00001")
		if err != nil || session.ExpiresAt.Sub(session.OpenedAt) != SessionLife {
			t.Errorf("session = %+v, %v", session, err)
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

func TestRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemoryStore()
		at := time.Now()
		for id, o := range map[op.ID]Operation{
			"a": {State: op.Received, Node: "node-1"},
			"b": {State: op.Sent, Node: "node-1", SentAt: at, BankNotAfter: at.Add(15 * time.Second)},
			"c": {State: op.Received, Node: "node-2"},
			"d": {State: op.Sent, Node: "node-2", SentAt: at, BankNotAfter: at.Add(15 * time.Second)},
		} {
			o.ID, o.Caller, o.Identity, o.Reference, o.CreatedAt = id, "merchant:m1", string(id), Reference("R"+id), at
			store.byID[id] = &o
			store.identity["merchant:m1|"+string(id)] = id
		}
		time.Sleep(time.Second)
		bank := &fakeBank{executed: map[Reference]int{"Rb": 1}}
		d := start(t, store, bank, EngineConfig{})
		defer d.stop()
		if o := d.want("a", op.Refused); !strings.Contains(string(o.Reply), string(BankUnreachable)) {
			t.Errorf("reply = %s, want 'nothing was sent'", o.Reply)
		}
		d.want("b", op.Pending)
		d.want("c", op.Received) // another node's: it may be alive
		d.want("d", op.Sent)
		time.Sleep(5 * time.Minute)
		d.want("b", op.Succeeded)
		d.want("c", op.Refused)
		d.want("d", op.Failed)
		if len(bank.requests) != 0 {
			t.Errorf("%d requests were sent again", len(bank.requests))
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
				o, _, err := d.engine.Submit(ctx, submission(t, "k1"))
				if tt.fault != "" && AsError(err).Fault != tt.fault {
					t.Errorf("Submit = %v, want %s", err, tt.fault)
				}
				if n := d.bank.count(KindWithdrawal); n != tt.sent {
					t.Errorf("%d requests sent, want %d", n, tt.sent)
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

func TestShutdownWaitsForTheBank(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := &fakeBank{executed: map[Reference]int{}}
		bank.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
			time.Sleep(5 * time.Second)
			return bank.execute(r), nil
		}
		d := start(t, newMemoryStore(), bank, EngineConfig{})
		var o Operation
		done := make(chan struct{})
		go func() {
			defer close(done)
			o, _, _ = d.submit(submission(t, "k1"))
		}()
		synctest.Wait()
		d.stop()
		<-done
		if o.State != op.Succeeded {
			t.Errorf("operation is %s after the shutdown, want succeeded", o.State)
		}
		if _, _, err := d.submit(submission(t, "k2")); AsError(err).Fault != TooMany {
			t.Errorf("a stopped engine accepts submissions: %v", err)
		}
	})
}

// TestAnotherNodesOperationIsWaitedFor: its outcome is found soon without a
// notification.
func TestAnotherNodesOperationIsWaitedFor(t *testing.T) {
	for _, takes := range []time.Duration{10 * time.Millisecond, 300 * time.Millisecond, 4 * time.Second} {
		withEngine(t, func(t *testing.T, d *fixture) {
			s := submission(t, "k1")
			o, err := d.engine.newOperation(s)
			if err != nil {
				t.Fatal(err)
			}
			o.Node, o.Reference = "node-2", "R1"
			if _, _, err := d.store.Create(t.Context(), o, nil); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			time.AfterFunc(takes, func() {
				if err := d.store.MarkSent(t.Context(), o.ID, time.Now(), time.Now()); err != nil {
					t.Error(err)
				}
				if _, err := d.store.Finish(t.Context(), FinalOutcome{ID: o.ID, To: op.Succeeded, At: time.Now()}); err != nil {
					t.Error(err)
				}
			})
			again, replayed, err := d.submit(s)
			if late := time.Since(began) - takes; err != nil || !replayed || again.State != op.Succeeded || late > waitPoll/4 {
				t.Errorf("%s, replayed %t, %v; %v after its end", again.State, replayed, err, late)
			}
			if n := len(d.bank.requests); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}

// TestAStoppingNodeReleasesItsEnquiries: they are due at once, for another node.
func TestAStoppingNodeReleasesItsEnquiries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := &fakeBank{executed: map[Reference]int{}}
		d := start(t, newMemoryStore(), bank, EngineConfig{})
		bank.send = bank.silent(true)
		bank.enquire = func(ctx context.Context, _ Reference) (BankAnswer, error) {
			<-ctx.Done()
			return BankAnswer{}, ctx.Err()
		}
		o, _, err := d.submit(submission(t, "k1"))
		if err != nil || o.State != op.Pending {
			t.Fatalf("%s, %v", o.State, err)
		}
		time.Sleep(6 * time.Second) // the first enquiry is under way
		if o := d.want(o.ID, op.Pending); !o.NextEnquiry.After(time.Now()) {
			t.Fatal("no enquiry was made")
		}
		d.stop()
		if o := d.want(o.ID, op.Pending); o.NextEnquiry.After(time.Now()) {
			t.Errorf("the next enquiry is %v away", time.Until(o.NextEnquiry))
		}
	})
}

// unreachableStore is a store whose Unfinished blocks until ctx ends.
type unreachableStore struct{ *memoryStore }

func (s unreachableStore) Unfinished(ctx context.Context, _ string, _ op.State, _ time.Time, _ int) ([]Operation, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestAStopWhileRecovering: an engine that is stopped during its recovery ends
// without an error. The next start continues.
func TestAStopWhileRecovering(t *testing.T) {
	engine, err := NewEngine(unreachableStore{newMemoryStore()}, &fakeBank{}, fakeRenderer{}, NewNotifier(), EngineConfig{
		Node: "node-1", Rand: &lockedRand{r: rand.NewChaCha8([32]byte{})}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Run = %v", err)
	}
}
