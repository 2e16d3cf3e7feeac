package api

import (
	"context"
	"testing"
	"time"

	"galla/central"
	"galla/central/recovery"
	"galla/shared/op"
)

// restoredStore is the record of a restoration that staff have not released.
type restoredStore struct{ at time.Time }

func (s restoredStore) ListRestorations(context.Context) ([]recovery.Restoration, error) {
	return []recovery.Restoration{{At: s.at, Gap: true}}, nil
}

func (restoredStore) HoldIdentity(context.Context, recovery.HeldIdentity) error { return nil }

// noTombstones are the identities of the fake store.
type noTombstones struct{ *fakeStore }

func (noTombstones) HasTombstone(context.Context, string, string) (bool, error) { return false, nil }

// TestAfterARestoration: while a restoration holds new identities, the handler creates
// no operation, reports none as absent and declares none unseen.
func TestAfterARestoration(t *testing.T) {
	b := newFixture(t)
	cfg := config(b.log)
	gap, err := recovery.LoadGap(t.Context(), restoredStore{time.Now()}, noTombstones{b.store}, cfg.Logger)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Recovery = gap
	if b.Handler, err = New(b.executor, b.registry, b.store, b.store, nil, cfg); err != nil {
		t.Fatal(err)
	}
	known := central.Operation{ID: opID, Caller: merchant1.Caller(), Party: merchant1.Party(), Identity: "known", Route: op.Withdrawal, State: op.Succeeded, HTTP: 200, Reply: []byte(`{}`)}
	b.store.operations[opID] = known
	route, _ := op.Find(op.Withdrawal)
	handle := func(r central.Request) central.Reply {
		r.Principal, r.RequestID = merchant1, "req-1"
		return b.Handle(t.Context(), r)
	}
	expect(t, handle(central.Request{Route: route, Body: []byte(body(nil)), Identity: "new"}), 429, "07")
	if b.executor.count != 0 {
		t.Errorf("%d operations were submitted", b.executor.count)
	}
	state, _ := op.Find(op.OperationState)
	expect(t, handle(central.Request{Route: state, Params: map[string]string{"id": "absent"}}), 429, "07")
	expect(t, handle(central.Request{Route: state, Params: map[string]string{"id": string(opID)}}), 200, "00")
	requery, _ := op.Find(op.AEPSRequery)
	expect(t, handle(central.Request{Route: requery, Body: []byte(`{"clientRefId":"absent"}`)}), 429, "07")
	if _, seen, err := b.FindOrTombstone(t.Context(), terminal1, op.ID("0190b000-0000-7000-8000-0000000000ff")); seen || err == nil {
		t.Errorf("an operation was declared unseen: %v", err)
	}
}
