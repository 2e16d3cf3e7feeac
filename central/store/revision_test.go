package store

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"galla/central"
	"galla/central/cache"
	"galla/central/webhook"
	"galla/shared/money"
)

// cachedChange is a change of something that nodes keep in memory.
type cachedChange struct {
	name   string
	change func(ctx context.Context, s *DB) error
	read   func(ctx context.Context, s cache.Store) (any, error)
}

func readMerchant(id central.MerchantID) func(context.Context, cache.Store) (any, error) {
	return func(ctx context.Context, s cache.Store) (any, error) { return s.Merchant(ctx, id) }
}

func readVendor(ctx context.Context, s cache.Store) (any, error) { return s.Vendor(ctx, vendor1) }

func readClient(ctx context.Context, s cache.Store) (any, error) {
	return s.Client(ctx, "merchant-test")
}

// cachedChanges are all of them, in an order in which they succeed.
func cachedChanges(t *testing.T, s *DB) []cachedChange {
	t.Helper()
	wantErr(t, "seed", s.Seed(background, Seed{KYC: []central.ServiceKYC{{Merchant: merchant2, Service: central.ServiceAEPS, State: central.KYCSubmitted}}}), nil)
	terminal, slab := enrolled(t, s, 1), newSlab("MEMORY", 0, 100)
	party := testSeed().Clients[0].Principal
	readSlabs := func(ctx context.Context, s cache.Store) (any, error) {
		return s.SlabsFor(ctx, vendor1, slab.Combination)
	}
	merchant, err := s.Merchant(background, merchant1)
	wantErr(t, "merchant", err, nil)
	renamed := merchant
	renamed.LegalName = "Renamed Store"
	vendor, err := s.Vendor(background, vendor1)
	wantErr(t, "vendor", err, nil)
	renamedVendor := vendor
	renamedVendor.LegalName = "Renamed Vendor"
	other := money.Paise(200)
	return []cachedChange{
		{"a merchant's name", func(ctx context.Context, s *DB) error { return s.ChangeMerchant(ctx, merchant, renamed) }, readMerchant(merchant1)},
		{"a merchant's endpoint", func(ctx context.Context, s *DB) error {
			return s.SetEndpoint(ctx, webhook.OfMerchant(merchant1), "https://shop.example.in/galla", nil, t0)
		}, readMerchant(merchant1)},
		{"a merchant's suspension", func(ctx context.Context, s *DB) error {
			return s.SetMerchantStatus(ctx, merchant1, central.MerchantApproved, central.MerchantSuspended)
		}, readMerchant(merchant1)},
		{"a merchant's onboarding", func(ctx context.Context, s *DB) error {
			return s.ApproveKYC(ctx, merchant2, central.ServiceAEPS, t0)
		}, readMerchant(merchant2)},
		{"a vendor's name", func(ctx context.Context, s *DB) error { return s.ChangeVendor(ctx, vendor, renamedVendor) }, readVendor},
		{"a vendor's suspension", func(ctx context.Context, s *DB) error { return s.SetVendorActive(ctx, vendor1, false) }, readVendor},
		{"a client's secret", func(ctx context.Context, s *DB) error {
			_, err := s.SetClientSecret(ctx, party, "merchant-test", argon, t0)
			return err
		}, readClient},
		{"a client's suspension", func(ctx context.Context, s *DB) error {
			_, err := s.SetClientActive(ctx, party, "merchant-test", false, t0)
			return err
		}, readClient},
		{"a client's return", func(ctx context.Context, s *DB) error {
			_, err := s.SetClientActive(ctx, party, "merchant-test", true, t0)
			return err
		}, readClient},
		{"a terminal's revocation", func(ctx context.Context, s *DB) error { return s.RevokeTerminal(ctx, terminal.ID, t0) },
			func(ctx context.Context, s cache.Store) (any, error) { return s.Terminal(ctx, terminal.ID) }},
		{"a new slab", func(ctx context.Context, s *DB) error { _, err := s.AddSlab(ctx, slab); return err }, readSlabs},
		{"a slab's band", func(ctx context.Context, s *DB) error {
			_, err := s.ChangeSlab(ctx, vendor1, slab.ID, central.SlabChange{Max: &other}, t0)
			return err
		}, readSlabs},
		{"a slab's end", func(ctx context.Context, s *DB) error { return s.RemoveSlab(ctx, vendor1, slab.ID, t0) }, readSlabs},
	}
}

// TestChangesReachTheMemoryOfAllNodes: at the node that makes a change it counts at once,
// and at another one within a second.
func TestChangesReachTheMemoryOfAllNodes(t *testing.T) { onBoth(t, changesReachAllNodes) }

func changesReachAllNodes(t *testing.T, on kind) {
	place := on.seeded(t)
	here, there := openAt(t, place, testConfig()), openAt(t, place, testConfig())
	memoryHere, memoryThere := cache.NewParties(here, cache.NewWatch(here)), cache.NewParties(there, cache.NewWatch(there))
	for _, x := range cachedChanges(t, here) {
		read := func(s cache.Store) any {
			t.Helper()
			v, err := x.read(background, s)
			wantErr(t, x.name, err, nil)
			return v
		}
		before := read(memoryThere)
		wantSame(t, x.name+", before", read(memoryHere), before)
		wantErr(t, x.name, x.change(background, here), nil)
		changed := time.Now()
		want := read(here)
		if reflect.DeepEqual(want, before) {
			t.Fatalf("%s changes nothing", x.name)
		}
		wantSame(t, x.name+" at this node", read(memoryHere), want)
		for {
			asked := time.Now()
			got := read(memoryThere)
			if reflect.DeepEqual(got, want) {
				break
			}
			if asked.Sub(changed) >= time.Second {
				t.Fatalf("%s is not known at the other node after a second: %+v", x.name, got)
			}
		}
	}
}

// TestRevisions: a change that fails raises nothing, and the revisions of one topic don't
// change with another's.
func TestRevisions(t *testing.T) { onBoth(t, revisions) }

func revisions(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	read := func() cache.Revisions {
		t.Helper()
		r, err := s.Revisions(background)
		wantErr(t, "revisions", err, nil)
		return r
	}
	first, changes := read(), s.Changes()
	wantErr(t, "suspend nobody", s.SetMerchantStatus(background, "nobody", central.MerchantApproved, central.MerchantSuspended), central.ErrNotFound)
	if now := read(); now != first {
		t.Errorf("after a change that failed: %+v, want %+v", now, first)
	}
	wantErr(t, "suspend", s.SetVendorActive(background, vendor1, false), nil)
	wantErr(t, "add a key", s.AddVendorKey(background, newVendorKey(vendor1, 1)), nil)
	want := first
	want.Accounts++
	want.VendorKeys++
	if now := read(); now != want || s.Changes() < changes+2 {
		t.Errorf("%+v, want %+v; %d changes after %d", now, want, s.Changes(), changes)
	}
	wantErr(t, "lose a topic", s.write(background, func(c conn) error { _, err := c.exec(`DELETE FROM counters WHERE name = 'slabs'`); return err }), nil)
	if _, err := s.AddSlab(background, newSlab("X", 0, 1)); err == nil || fmt.Sprint(err) == "" {
		t.Error("a change that no node learns of was committed")
	}
}
