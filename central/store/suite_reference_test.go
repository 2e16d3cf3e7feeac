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

func suiteParticulars(t *testing.T, s central.Store) {
	transfer := inState(t, s, op.Succeeded, func(o *central.Operation) { o.Kind = central.KindTransfer })
	o := newOperation()
	o.Party, o.CallerRef, o.Original, o.Sender = party1, "R-1", transfer.Reference, "sender-1"
	o.KYC, o.Reverses, o.Charge = &central.KYCStep{Service: central.ServiceAEPS, To: central.KYCOnboarding}, transfer.ID, 5_00
	got, isNew, err := s.Begin(background, o, nil)
	if err != nil || !isNew {
		t.Fatalf("begin: new %v, error %v", isNew, err)
	}
	want := o
	want.CreatedAt, want.NotAfter, want.Charge = cut(o.CreatedAt), cut(o.NotAfter), 0 // the charge is the settlement's
	wantSame(t, "begun", got, want)
	o.KYC.To = central.KYCApproved // the caller's own, and no longer the store's
	want.KYC = &central.KYCStep{Service: central.ServiceAEPS, To: central.KYCOnboarding}
	read, err := s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "read", read, want)

	wantErr(t, "dispatch", step(s, o.ID, op.Dispatched), nil)
	x := settlement(o.ID, op.Succeeded)
	x.Answer.Charge = 23_60
	got, err = s.Settle(background, x)
	wantErr(t, "settle", err, nil)
	read, err = s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "settled", read, got)
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
			x := settlement(inState(t, s, op.Dispatched).ID, op.Succeeded)
			x.Answer.Charge = -1
			if _, err := s.Settle(background, x); err == nil {
				t.Errorf("settled with %s", name)
			}
			continue
		}
		o := newOperation()
		spoil(&o)
		if _, _, err := s.Begin(background, o, nil); err == nil {
			t.Errorf("began with %s", name)
		}
		_, err := s.ByIdentity(background, o.Caller, o.Identity)
		wantErr(t, "what began with "+name, err, central.ErrNotFound)
	}
}

func suiteCallerRef(t *testing.T, s central.Store) {
	terminal := enrolled(t, s, 1)
	first := begun(t, s, withRef("R-1"))
	second := begun(t, s, withRef("R-2"))

	// Another identity with the same reference, as a retry of the shop's
	// program or its counter makes it, is another name of the operation.
	alias := newOperation()
	withRef("R-1")(&alias)
	alias.Caller, alias.Terminal, alias.Amount = "terminal:"+string(terminal.ID), terminal.ID, 1
	used := []central.Quota{{Key: "caller-ref", Period: "2026-11-21", Amount: 1}}
	for range 2 {
		known, isNew, err := s.Begin(background, alias, used)
		if err != nil || isNew {
			t.Fatalf("a known reference: new %v, error %v", isNew, err)
		}
		wantSame(t, "the operation of the reference", known, first)
	}
	_, err := s.Operation(background, alias.ID)
	wantErr(t, "a second operation of one reference", err, central.ErrNotFound)
	if u, err := s.Used(background, used); err != nil || u[0] != (central.Used{}) {
		t.Fatalf("a known operation counted against a quota: %+v, %v", u, err)
	}
	known, err := s.ByIdentity(background, alias.Caller, alias.Identity)
	wantErr(t, "by the other name", err, nil)
	wantSame(t, "by the other name", known, first)
	known, seen, err := s.Ask(background, alias.Caller, alias.Identity, t0)
	if err != nil || !seen {
		t.Fatalf("ask by the other name: seen %v, error %v", seen, err)
	}
	wantSame(t, "asked by the other name", known, first)

	// Names of two different operations.
	mixed := newOperation()
	mixed.Identity = first.Identity
	withRef("R-2")(&mixed)
	_, _, err = s.Begin(background, mixed, nil)
	wantErr(t, "two names of two operations", err, central.ErrState)
	mixed.Identity = alias.Identity
	mixed.Caller = alias.Caller
	_, _, err = s.Begin(background, mixed, nil)
	wantErr(t, "another name and a reference of another", err, central.ErrState)
	withRef(second.CallerRef)(&mixed)
	mixed.Caller, mixed.Identity = second.Caller, second.Identity
	if known, isNew, err := s.Begin(background, mixed, nil); err != nil || isNew || known.ID != second.ID {
		t.Fatalf("two names of one operation: %s, new %v, error %v", known.ID, isNew, err)
	}
	// A known identity is known, whatever reference comes with it for the first
	// time; the fingerprint tells.
	withRef("R-new")(&mixed)
	if known, isNew, err := s.Begin(background, mixed, nil); err != nil || isNew || known.ID != second.ID {
		t.Fatalf("a known identity with a new reference: %s, new %v, error %v", known.ID, isNew, err)
	}

	// Another party's reference is another reference.
	other := newOperation()
	other.Caller, other.Party, other.CallerRef = "vendor:"+string(vendor1), "vendor:"+string(vendor1), "R-1"
	if _, isNew, err := s.Begin(background, other, nil); err != nil || !isNew {
		t.Fatalf("another party's: new %v, error %v", isNew, err)
	}

	// A tombstone refuses, and a reference does not open it.
	late := newOperation()
	withRef("R-1")(&late)
	if _, seen, err := s.Ask(background, late.Caller, late.Identity, t0); err != nil || seen {
		t.Fatalf("ask: seen %v, error %v", seen, err)
	}
	known, isNew, err := s.Begin(background, late, nil)
	if err != nil || isNew || !known.Forsworn {
		t.Fatalf("a tombstone with a known reference: %+v, new %v, error %v", known, isNew, err)
	}
	_, err = s.ByReference(background, party1, central.ReferenceQuery{CallerRef: "R-1"})
	wantErr(t, "the reference", err, nil)
}

func suiteCallerRefAtOnce(t *testing.T, s central.Store) {
	const callers = 24
	var ids [callers]op.ID
	var fresh [callers]bool
	var wg sync.WaitGroup
	for i := range callers {
		o := newOperation()
		withRef("R-once")(&o)
		wg.Go(func() {
			known, isNew, err := s.Begin(background, o, nil)
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

func suiteByReference(t *testing.T, s central.Store) {
	terminal := enrolled(t, s, 1)
	shops := inState(t, s, op.Pending, withRef("R-1"))
	vendors := inState(t, s, op.Pending, func(o *central.Operation) {
		o.Caller, o.Party, o.CallerRef = "vendor:"+string(vendor1), "vendor:"+string(vendor1), "R-1"
	})
	// Rows of the time before parties were recorded.
	old := inState(t, s, op.Pending)
	oldCounter := inState(t, s, op.Pending, func(o *central.Operation) { o.Caller, o.Terminal = "terminal:"+string(terminal.ID), terminal.ID })
	oldVendor := inState(t, s, op.Pending, func(o *central.Operation) { o.Caller = "vendor:" + string(vendor1) })
	oldOther := inState(t, s, op.Pending, func(o *central.Operation) { o.Caller = "merchant:" + string(merchant2) })
	stranger := inState(t, s, op.Pending, func(o *central.Operation) { o.Caller = "terminal:nowhere" })

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
		{"an old one", party1, query{Reference: old.Reference}, &old},
		{"an old one's pending reference", party1, query{Pending: old.PendingReference}, &old},
		{"an old one's identity", party1, query{CallerRef: old.Identity}, &old},
		{"a new one's identity", party1, query{CallerRef: shops.Identity}, nil},
		{"an old one of a counter", party1, query{Reference: oldCounter.Reference}, &oldCounter},
		{"an old one of a counter, by its identity", party1, query{CallerRef: oldCounter.Identity}, nil},
		{"an old one of another's counter", "merchant:" + string(merchant2), query{Reference: oldCounter.Reference}, nil},
		{"an old one of a vendor", vendorParty, query{Reference: oldVendor.Reference}, &oldVendor},
		{"an old one of a vendor, for the merchant", party1, query{Reference: oldVendor.Reference}, nil},
		{"an old one of another merchant", party1, query{Pending: oldOther.PendingReference}, nil},
		{"an old one of no known counter", party1, query{Reference: stranger.Reference}, nil},
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

func suiteRefundOf(t *testing.T, s central.Store) {
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

func suiteNewest(t *testing.T, s central.Store) {
	var want []central.Operation
	for i := range 4 {
		o := begun(t, s, func(o *central.Operation) { o.CreatedAt = t0.Add(time.Duration(i/2) * time.Hour) })
		want = append([]central.Operation{o}, want...)
	}
	begun(t, s, func(o *central.Operation) { o.Merchant = merchant2 })
	for _, limit := range []int{0, 1, 3, 10} {
		got, err := s.Newest(background, merchant1, limit)
		wantErr(t, "newest", err, nil)
		wantSame(t, "newest", len(got), min(limit, len(want)))
		for i, o := range got {
			wantSame(t, "newest", o, want[i])
		}
	}
	if got, err := s.Newest(background, "nobody", 10); err != nil || len(got) != 0 {
		t.Fatalf("the newest of nobody: %d, %v", len(got), err)
	}
}
