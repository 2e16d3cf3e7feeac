package central

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
)

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
