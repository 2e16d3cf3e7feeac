package central

import (
	"context"
	cryptorand "crypto/rand"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
)

// enquiryRecorder is a bank that never answers a transaction and records the times
// of enquiries.
type enquiryRecorder struct {
	*fakeBank
	mu    sync.Mutex
	asked map[Reference][]time.Time
	takes time.Duration // before it answers an enquiry
}

func (b *enquiryRecorder) Enquire(ctx context.Context, r Reference) (BankAnswer, error) {
	b.mu.Lock()
	b.asked[r] = append(b.asked[r], time.Now())
	b.mu.Unlock()
	select {
	case <-time.After(b.takes):
		return BankAnswer{Status: BankInProgress}, nil
	case <-ctx.Done():
		return BankAnswer{}, ctx.Err()
	}
}

// TestTheBanksAnswerIsFoundSoon: enquiries are made at 1, 2, 4 and 8 seconds, and for
// two minutes the bank's answer is found at most ten seconds after the bank has it;
// then the pauses grow. Two nodes ask no more often than one.
func TestTheBanksAnswerIsFoundSoon(t *testing.T) {
	for name, tt := range map[string]struct {
		nodes int
		takes time.Duration
		early bool // the first enquiries are on time
	}{
		"one node": {1, 0, true}, "two nodes": {2, 0, true}, "a slow bank": {1, 400 * time.Millisecond, true}, "a very slow bank": {1, 9 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				books := &fakeBank{executed: map[Reference]int{}}
				books.send = func(context.Context, BankRequest) (BankAnswer, error) { return BankAnswer{}, errSilent }
				bank, store := &enquiryRecorder{fakeBank: books, asked: map[Reference][]time.Time{}, takes: tt.takes}, newMemoryStore()
				d := startAt(t, store, bank, books, EngineConfig{})
				defer d.stop()
				if tt.nodes == 2 {
					defer secondNode(t, store, bank)()
				}
				began := time.Now()
				o, _, err := d.submit(submission(t, "k1"))
				if err != nil || o.State != op.Pending || time.Since(began) != 0 {
					t.Fatalf("%s, %v", o.State, err)
				}
				time.Sleep(3 * time.Hour)
				d.want(o.ID, op.Pending)
				asked := bank.asked[o.Reference]
				last := began
				for i, at := range asked {
					if at.Sub(began) > 2*time.Minute {
						break
					}
					if late := at.Sub(last) + tt.takes; late > 10*time.Second+tt.takes {
						t.Errorf("enquiry %d is %s after the one before", i+1, at.Sub(last))
					}
					last = at
				}
				for i, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
					if late := asked[i].Sub(began) - want; tt.early && (late > time.Second+2*tt.takes || late < -want/10) {
						t.Errorf("enquiry %d is at %s, want %s", i+1, asked[i].Sub(began), want)
					}
				}
				early := 0
				for _, at := range asked {
					if at.Sub(began) <= 2*time.Minute {
						early++
					}
				}
				if early > 19 || tt.early && early < 15 || len(asked) > early+25 {
					t.Errorf("%d enquiries in two minutes, %d in three hours", early, len(asked))
				}
			})
		})
	}
}

// secondNode runs another engine on the same store and bank.
func secondNode(t *testing.T, store *memoryStore, bank Bank) (stop func()) {
	t.Helper()
	e, err := NewEngine(store, bank, fakeRenderer{}, NewNotifier(), EngineConfig{Node: "node-2", Rand: &lockedRand{r: rand.NewChaCha8([32]byte{2})}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	synctest.Wait()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
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

// TestCustomersGoBeforeEnquiries: enquiries are made many at one time, and while customers
// take the places at the bank, they get what is left, and never none.
func TestCustomersGoBeforeEnquiries(t *testing.T) {
	const places, pending = 64, 200 // so 16 enquiries at one time
	for customers, want := range map[int]int{0: 16, 40: 16, 60: 4, 64: 1} {
		synctest.Test(t, func(t *testing.T) {
			bank := &fakeBank{executed: map[Reference]int{}}
			bank.send = func(context.Context, BankRequest) (BankAnswer, error) { return BankAnswer{}, errSilent }
			var mu sync.Mutex
			asking, most := 0, 0
			bank.enquire = func(ctx context.Context, _ Reference) (BankAnswer, error) {
				mu.Lock()
				asking++
				most = max(most, asking)
				mu.Unlock()
				<-ctx.Done()
				mu.Lock()
				asking--
				mu.Unlock()
				return BankAnswer{}, ctx.Err()
			}
			d := start(t, newMemoryStore(), bank, EngineConfig{MaxInFlight: places, Enquiries: EnquiryConfig{First: 20 * time.Second}})
			defer d.stop()
			for range pending {
				if _, _, err := d.submit(submission(t, cryptorand.Text())); err != nil {
					t.Fatal(err)
				}
			}
			for range customers {
				if _, err := d.engine.acquireSlot(); err != nil {
					t.Fatal(err)
				}
				defer d.engine.releaseSlot()
			}
			time.Sleep(25 * time.Second)
			mu.Lock()
			defer mu.Unlock()
			if most != want {
				t.Errorf("%d customers of %d places: %d enquiries at one time, want %d", customers, places, most, want)
			}
		})
	}
}
