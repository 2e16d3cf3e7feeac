package store

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// gated is a store whose MarkPending waits for a gate.
type gated struct {
	central.EngineStore
	gate chan struct{}
}

func (s gated) MarkPending(ctx context.Context, x central.PendingUpdate) (central.Operation, error) {
	<-s.gate
	return s.EngineStore.MarkPending(ctx, x)
}

// approving is a bank that approves what it gets and has seen nothing before.
type approving struct{ sent atomic.Int64 }

func (b *approving) Send(context.Context, central.BankRequest) (central.BankAnswer, error) {
	b.sent.Add(1)
	return central.BankAnswer{Status: central.BankApproved, Code: "00"}, nil
}

func (b *approving) Enquire(context.Context, central.Reference) (central.BankAnswer, error) {
	return central.BankAnswer{Status: central.BankInProgress}, nil
}

func (b *approving) Consult(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return central.BankAnswer{Status: central.BankApproved, Code: "00"}, nil
}

// plain renders replies that tests don't read.
type plain struct{}

func (plain) FinalReply(central.Operation, op.State, central.BankAnswer) (int, []byte) {
	return 200, []byte("{}")
}

func (plain) NotExecutedReply(central.Operation, *central.Error) (int, []byte) {
	return 502, []byte("{}")
}

// TestRecoveryOfManyOperations starts a node whose earlier run left thousands of
// operations under way: it takes requests before one of them has ended, and ends them
// all, each under a pending reference of its own.
func TestRecoveryOfManyOperations(t *testing.T) { onBoth(t, recoveryOfMany) }

func recoveryOfMany(t *testing.T, on kind) {
	left := map[kind]int{onSQLite: 10_000, onPostgres: 2000}[on]
	unsent := left / 10 // the others may have been sent
	s := on.open(t, testConfig())
	last := leaveUnfinished(t, s, left, unsent)
	bank, gate := &approving{}, make(chan struct{})
	e, err := central.NewEngine(gated{s.Operations, gate}, bank, plain{}, central.NewNotifier(), central.EngineConfig{
		Node: testNode, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
		Enquiries: central.EnquiryConfig{First: time.Hour},
	})
	wantErr(t, "make an engine", err, nil)
	ctx, stop := context.WithCancel(background)
	ended := make(chan error, 1)
	started := time.Now()
	go func() { ended <- e.Run(ctx) }()
	defer func() {
		stop()
		wantErr(t, "run", <-ended, nil)
	}()
	until(t, "the node takes requests", e.Running)
	t.Logf("ready with %d operations under way after %s", left, time.Since(started).Round(time.Millisecond))

	o, _, err := e.Submit(background, central.Submission{
		Caller: last.Caller, Identity: "new", Route: op.Withdrawal, Merchant: merchant1,
		Request: central.BankRequest{Kind: central.KindWithdrawal, TID: "GAL00001", Amount: 50000},
	})
	if err != nil || o.State != op.Succeeded {
		t.Fatalf("a request during the recovery: %s, %v", o.State, err)
	}
	backlog, err := s.Backlog(background)
	if err != nil || backlog.Sent.Count != left-unsent {
		t.Fatalf("%d operations are in sent before the gate is open: %v", backlog.Sent.Count, err)
	}
	repeated := make(chan central.Operation, 1)
	go func() {
		o, _, err := e.Submit(background, central.Submission{Caller: last.Caller, Identity: last.Identity, Route: last.Route,
			Fingerprint: last.Fingerprint, Merchant: last.Merchant, Request: central.BankRequest{Kind: last.Kind}})
		if err != nil {
			t.Error(err)
		}
		repeated <- o
	}()
	begun := time.Now()
	close(gate)
	until(t, "all of them have ended", func() bool {
		backlog, err = s.Backlog(background)
		return err == nil && backlog.Sent.Count+backlog.Received.Count == 0
	})
	t.Logf("%d operations ended in %s", left, time.Since(begun).Round(time.Millisecond))
	if backlog.Pending.Count != left-unsent {
		t.Errorf("%d operations are pending, want %d", backlog.Pending.Count, left-unsent)
	}
	if o := <-repeated; o.ID != last.ID || o.State != op.Pending {
		t.Errorf("the repeat of one of them is %s %s", o.ID, o.State)
	}
	if n := bank.sent.Load(); n != 1 {
		t.Errorf("%d requests were sent, want the new one", n)
	}
}

// leaveUnfinished creates operations of this node, the first in received and the others
// in sent, and gives the last one.
func leaveUnfinished(t *testing.T, s *DB, n, received int) central.Operation {
	t.Helper()
	list := make([]central.Operation, n)
	var writers sync.WaitGroup
	for i := range list {
		list[i] = newOperation()
		list[i].Node = testNode
		if i >= received {
			list[i].State, list[i].SentAt, list[i].BankNotAfter = op.Sent, t0, t0.Add(15*time.Second)
		}
	}
	const parts = 100
	for part := range parts {
		writers.Go(func() {
			for i := part; i < n; i += parts {
				if _, isNew, err := s.Create(background, list[i], nil); err != nil || !isNew {
					t.Errorf("create: new %v, error %v", isNew, err)
				}
			}
		})
	}
	writers.Wait()
	return list[n-1]
}

// until waits for a condition.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not after two minutes", what)
		}
	}
}
