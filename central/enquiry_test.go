package central

import (
	"context"
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
