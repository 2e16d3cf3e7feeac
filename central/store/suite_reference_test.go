package store

import (
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

const party1 = "merchant:" + string(merchant1)

// withRef gives an operation a party and the reference that it chose.
func withRef(ref string) func(*central.Operation) {
	return func(o *central.Operation) { o.Party, o.CallerRef = party1, ref }
}

func suiteParticulars(t *testing.T, s *DB) {
	transfer := inState(t, s, op.Succeeded, func(o *central.Operation) { o.Kind = central.KindTransfer })
	o := newOperation()
	o.Party, o.CallerRef, o.Original, o.Sender = party1, "R-1", transfer.Reference, "sender-1"
	o.KYC, o.Reverses, o.Charge = &central.KYCStep{Service: central.ServiceAEPS, To: central.KYCOnboarding}, transfer.ID, 5_00
	got, isNew, err := s.Create(background, o, nil)
	if err != nil || !isNew {
		t.Fatalf("begin: new %v, error %v", isNew, err)
	}
	want := o
	want.CreatedAt, want.NotAfter, want.Charge = truncateToMillis(o.CreatedAt), truncateToMillis(o.NotAfter), 0 // the charge is the settlement's
	wantSame(t, "begun", got, want)
	o.KYC.To = central.KYCApproved // the caller's own, and no longer the store's
	want.KYC = &central.KYCStep{Service: central.ServiceAEPS, To: central.KYCOnboarding}
	read, err := s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "read", read, want)

	wantErr(t, "mark as sent", step(s, o.ID, op.Sent), nil)
	x := finalOutcome(o.ID, op.Succeeded)
	x.Answer.Charge = 23_60
	got, err = finish(s, x)
	wantErr(t, "finish", err, nil)
	read, err = s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "finished", read, got)
	if got.Charge != 23_60 {
		t.Fatalf("charge came back as %d paise", got.Charge)
	}

	for name, spoil := range map[string]func(*central.Operation){
		"a reference without a party":    func(o *central.Operation) { o.CallerRef = "R-2" },
		"onboarding of nobody":           func(o *central.Operation) { o.Merchant, o.KYC = "", &central.KYCStep{Service: "AEPS", To: "SUBMITTED"} },
		"onboarding to nowhere":          func(o *central.Operation) { o.KYC = &central.KYCStep{Service: "AEPS", To: "READY"} },
		"onboarding without a state":     func(o *central.Operation) { o.KYC = &central.KYCStep{Service: "AEPS"} },
		"onboarding for no service":      func(o *central.Operation) { o.KYC = &central.KYCStep{To: "SUBMITTED"} },
		"a reversal of nothing":          func(o *central.Operation) { o.Reverses = "none" },
		"a reversal of itself":           func(o *central.Operation) { o.Reverses = o.ID },
		"a settlement's negative charge": nil,
	} {
		if spoil == nil {
			x := finalOutcome(inState(t, s, op.Sent).ID, op.Succeeded)
			x.Answer.Charge = -1
			if _, err := finish(s, x); err == nil {
				t.Errorf("finished with %s", name)
			}
			continue
		}
		o := newOperation()
		spoil(&o)
		if _, _, err := s.Create(background, o, nil); err == nil {
			t.Errorf("began with %s", name)
		}
		_, err := s.ByIdentity(background, o.Caller, o.Identity)
		wantErr(t, "what began with "+name, err, central.ErrNotFound)
	}
}

func suiteCallerRef(t *testing.T, s *DB) {
	terminal := enrolled(t, s, 1)
	first := created(t, s, withRef("R-1"))
	second := created(t, s, withRef("R-2"))

	// Another identity with the same reference, as a retry of the shop's
	// program or its counter makes it, is another name of the operation.
	alias := newOperation()
	withRef("R-1")(&alias)
	alias.Caller, alias.Terminal, alias.Amount = "terminal:"+string(terminal.ID), terminal.ID, 1
	used := []central.Quota{{Key: "caller-ref", Period: "2026-11-21", Amount: 1}}
	for range 2 {
		known, isNew, err := s.Create(background, alias, used)
		if err != nil || isNew {
			t.Fatalf("a known reference: new %v, error %v", isNew, err)
		}
		wantSame(t, "the operation of the reference", known, first)
	}
	_, err := s.Operation(background, alias.ID)
	wantErr(t, "a second operation of one reference", err, central.ErrNotFound)
	if u, err := usage(s, used); err != nil || u[0] != (central.Used{}) {
		t.Fatalf("a known operation counted against a quota: %+v, %v", u, err)
	}
	known, err := s.ByIdentity(background, alias.Caller, alias.Identity)
	wantErr(t, "by the other name", err, nil)
	wantSame(t, "by the other name", known, first)
	known, seen, err := s.FindOrTombstone(background, alias.Caller, alias.Identity, t0)
	if err != nil || !seen {
		t.Fatalf("ask by the other name: seen %v, error %v", seen, err)
	}
	wantSame(t, "asked by the other name", known, first)

	// Names of two different operations.
	mixed := newOperation()
	mixed.Identity = first.Identity
	withRef("R-2")(&mixed)
	_, _, err = s.Create(background, mixed, nil)
	wantErr(t, "two names of two operations", err, central.ErrState)
	mixed.Identity = alias.Identity
	mixed.Caller = alias.Caller
	_, _, err = s.Create(background, mixed, nil)
	wantErr(t, "another name and a reference of another", err, central.ErrState)
	withRef(second.CallerRef)(&mixed)
	mixed.Caller, mixed.Identity = second.Caller, second.Identity
	if known, isNew, err := s.Create(background, mixed, nil); err != nil || isNew || known.ID != second.ID {
		t.Fatalf("two names of one operation: %s, new %v, error %v", known.ID, isNew, err)
	}
	// A known identity is known, whatever reference comes with it for the first
	// time; the fingerprint tells.
	withRef("R-new")(&mixed)
	if known, isNew, err := s.Create(background, mixed, nil); err != nil || isNew || known.ID != second.ID {
		t.Fatalf("a known identity with a new reference: %s, new %v, error %v", known.ID, isNew, err)
	}

	// Another party's reference is another reference.
	other := newOperation()
	other.Caller, other.Party, other.CallerRef = "vendor:"+string(vendor1), "vendor:"+string(vendor1), "R-1"
	if _, isNew, err := s.Create(background, other, nil); err != nil || !isNew {
		t.Fatalf("another party's: new %v, error %v", isNew, err)
	}

	// A tombstone refuses, and a reference does not open it.
	late := newOperation()
	withRef("R-1")(&late)
	if _, seen, err := s.FindOrTombstone(background, late.Caller, late.Identity, t0); err != nil || seen {
		t.Fatalf("ask: seen %v, error %v", seen, err)
	}
	known, isNew, err := s.Create(background, late, nil)
	if err != nil || isNew || !known.Tombstone {
		t.Fatalf("a tombstone with a known reference: %+v, new %v, error %v", known, isNew, err)
	}
	_, err = s.ByReference(background, party1, central.ReferenceQuery{CallerRef: "R-1"})
	wantErr(t, "the reference", err, nil)
}

func suiteCallerRefAtOnce(t *testing.T, s *DB) {
	const callers = 24
	var ids [callers]op.ID
	var fresh [callers]bool
	var wg sync.WaitGroup
	for i := range callers {
		o := newOperation()
		withRef("R-once")(&o)
		wg.Go(func() {
			known, isNew, err := s.Create(background, o, nil)
			if err != nil {
				t.Errorf("begin: %v", err)
			}
			ids[i], fresh[i] = known.ID, isNew
		})
	}
	wg.Wait()
	n := 0
	for i := range callers {
		if fresh[i] {
			n++
		}
		if ids[i] != ids[0] {
			t.Errorf("caller %d was given operation %s, caller 0 %s", i, ids[i], ids[0])
		}
	}
	if n != 1 {
		t.Fatalf("one reference began %d operations", n)
	}
}

func suiteByReference(t *testing.T, s *DB) {
	shops := inState(t, s, op.Pending, withRef("R-1"))
	vendors := inState(t, s, op.Pending, func(o *central.Operation) {
		o.Caller, o.Party, o.CallerRef = "vendor:"+string(vendor1), "vendor:"+string(vendor1), "R-1"
	})
	type query = central.ReferenceQuery
	vendorParty := "vendor:" + string(vendor1)
	for _, look := range []struct {
		name, party string
		by          query
		want        *central.Operation
	}{
		{"caller's reference", party1, query{CallerRef: "R-1"}, &shops},
		{"our reference", party1, query{Reference: shops.Reference}, &shops},
		{"pending reference", party1, query{Pending: shops.PendingReference}, &shops},
		{"another party's own", vendorParty, query{CallerRef: "R-1"}, &vendors},
		{"another party's reference", vendorParty, query{Reference: shops.Reference}, nil},
		{"another party's pending reference", vendorParty, query{Pending: shops.PendingReference}, nil},
		{"a vendor's reference", party1, query{Reference: vendors.Reference}, nil},
		{"an identity", party1, query{CallerRef: shops.Identity}, nil},
		{"nothing", party1, query{CallerRef: "R-9"}, nil},
		{"no party", "", query{Reference: shops.Reference}, nil},
	} {
		got, err := s.ByReference(background, look.party, look.by)
		if look.want == nil {
			wantErr(t, look.name, err, central.ErrNotFound)
			continue
		}
		wantErr(t, look.name, err, nil)
		wantSame(t, look.name, got, *look.want)
	}
	for _, by := range []query{{}, {CallerRef: "R-1", Pending: shops.PendingReference}} {
		if _, err := s.ByReference(background, party1, by); err == nil {
			t.Errorf("a query for %+v was answered", by)
		}
	}
}

func suiteRefundOf(t *testing.T, s *DB) {
	transfer := inState(t, s, op.Succeeded, withRef("T-1"))
	refund := func(state op.State, seconds int) central.Operation {
		return inState(t, s, state, func(o *central.Operation) {
			o.Original, o.CreatedAt = transfer.Reference, t0.Add(time.Duration(seconds)*time.Second)
		})
	}
	none := func(when string) {
		t.Helper()
		_, err := s.RefundOf(background, transfer.Reference)
		wantErr(t, when, err, central.ErrNotFound)
	}
	none("before any")
	refund(op.Failed, 1)
	refund(op.Refused, 2)
	none("after two that came to nothing")
	newest := refund(op.Pending, 9)
	refund(op.Succeeded, 5)
	refund(op.Failed, 10)
	got, err := s.RefundOf(background, transfer.Reference)
	wantErr(t, "refund", err, nil)
	wantSame(t, "the newest", got, newest)
}

func suiteLatestOperations(t *testing.T, s *DB) {
	var want []central.Operation
	for i := range 4 {
		o := created(t, s, func(o *central.Operation) { o.CreatedAt = t0.Add(time.Duration(i/2) * time.Hour) })
		want = append([]central.Operation{o}, want...)
	}
	created(t, s, func(o *central.Operation) { o.Merchant = merchant2 })
	for _, limit := range []int{0, 1, 3, 10} {
		got, err := s.LatestOperations(background, merchant1, limit)
		wantErr(t, "newest", err, nil)
		wantSame(t, "newest", len(got), min(limit, len(want)))
		for i, o := range got {
			wantSame(t, "newest", o, want[i])
		}
	}
	if got, err := s.LatestOperations(background, "nobody", 10); err != nil || len(got) != 0 {
		t.Fatalf("the newest of nobody: %d, %v", len(got), err)
	}
}
