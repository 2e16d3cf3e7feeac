package central

import (
	"context"
	"errors"
	"fmt"
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

// gatedStore is a store whose MarkPending waits for a gate.
type gatedStore struct {
	*memoryStore
	gate chan struct{}
}

func (s gatedStore) MarkPending(ctx context.Context, x PendingUpdate) (Operation, error) {
	<-s.gate
	return s.memoryStore.MarkPending(ctx, x)
}

// leftBehind puts operations in sent into a store, as a node that was killed leaves them.
func leftBehind(store *memoryStore, node string, n int, createdAt time.Time) []op.ID {
	ids := make([]op.ID, n)
	for i := range ids {
		id := op.ID(fmt.Sprintf("%s-%05d", node, i))
		o := Operation{ID: id, Caller: "merchant:m1", Identity: string(id), Route: op.Withdrawal, Fingerprint: [32]byte{1}, Kind: KindWithdrawal,
			Reference: Reference("R" + id), State: op.Sent, Node: node, CreatedAt: createdAt, SentAt: createdAt, BankNotAfter: createdAt.Add(15 * time.Second)}
		store.byID[id], store.identity["merchant:m1|"+string(id)], ids[i] = &o, id, id
	}
	return ids
}

// TestServiceBesideRecovery: a node takes requests while it ends what its earlier run
// left behind. A repeat of one of those waits for its end. What this run has under way
// is not touched, although its row looks the same; nor does the clock of the earlier run
// matter.
func TestServiceBesideRecovery(t *testing.T) {
	for name, clock := range map[string]time.Duration{"an earlier clock": -time.Second, "a clock that was ahead": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, bank := newMemoryStore(), &fakeBank{executed: map[Reference]int{}}
				ids := leftBehind(store, "node-1", 3*abandonedPage/2, time.Now().Add(clock))
				gate := make(chan struct{})
				d := startOn(t, gatedStore{store, gate}, store, bank, bank, EngineConfig{})
				defer d.stop()

				if o, _, err := d.submit(submission(t, "new")); err != nil || o.State != op.Succeeded {
					t.Errorf("Submit during the recovery = %s, %v", o.State, err)
				}
				bank.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
					time.Sleep(5 * time.Second)
					return bank.execute(r), nil
				}
				results := make(chan Operation, 2)
				for _, identity := range []string{string(ids[len(ids)-1]), "under way"} {
					go func() {
						o, _, err := d.submit(submission(t, identity))
						if err != nil {
							t.Error(err)
						}
						results <- o
					}()
				}
				synctest.Wait()
				if n := len(results); n != 0 {
					t.Errorf("%d calls ended before their operations", n)
				}
				close(gate)
				synctest.Wait()
				if o := <-results; o.ID != ids[len(ids)-1] || o.State != op.Pending {
					t.Errorf("the repeat = %s %s", o.ID, o.State)
				}
				for _, id := range ids {
					d.want(id, op.Pending)
				}
				if o := <-results; o.State != op.Succeeded {
					t.Errorf("the operation of this run = %s", o.State)
				}
				if len(bank.requests) != 2 {
					t.Errorf("%d requests reached the bank", len(bank.requests))
				}
			})
		})
	}
}

// TestRecoveryOnABrokenDatabase: what can't be ended is found by a later sweep.
func TestRecoveryOnABrokenDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, bank := newMemoryStore(), &fakeBank{executed: map[Reference]int{}}
		ids := leftBehind(store, "node-1", 3, time.Now())
		store.setBroken("MarkPending", errors.New("disk full"))
		d := start(t, store, bank, EngineConfig{})
		defer d.stop()
		d.want(ids[0], op.Sent)
		if o, _, err := d.submit(submission(t, "new")); err != nil || o.State != op.Succeeded {
			t.Errorf("Submit = %s, %v", o.State, err)
		}
		store.setBroken("MarkPending", nil)
		time.Sleep(5 * time.Minute)
		for _, id := range ids {
			d.want(id, op.Failed) // the bank has not seen it
		}
	})
}

// TestAPanicInTheRecovery ends neither the node nor the recovery of the others.
func TestAPanicInTheRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, bank := newMemoryStore(), &fakeBank{executed: map[Reference]int{}}
		ids := leftBehind(store, "node-1", 3, time.Now())
		d := startOn(t, panicStore{store, ids[1]}, store, bank, bank, EngineConfig{})
		defer d.stop()
		d.want(ids[0], op.Pending)
		d.want(ids[1], op.Sent)
		d.want(ids[2], op.Pending)
	})
}

// panicStore is a store whose MarkPending panics for one operation.
type panicStore struct {
	*memoryStore
	id op.ID
}

func (s panicStore) MarkPending(ctx context.Context, x PendingUpdate) (Operation, error) {
	if x.ID == s.id {
		panic("adapter")
	}
	return s.memoryStore.MarkPending(ctx, x)
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
				if err := d.store.MarkSent(t.Context(), SentUpdate{ID: o.ID, At: time.Now(), BankNotAfter: time.Now()}); err != nil {
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

func (s unreachableStore) Unfinished(ctx context.Context, _ UnfinishedQuery) ([]Operation, error) {
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
