package api

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

const a1 = central.AggregatorID("a0000000-0000-4000-8000-000000000001")

// fakeVendors keeps slabs under the rules of central.Administration: scoped to
// the vendor, no two bands of a combination meet, one default.
type fakeVendors struct {
	mu        sync.Mutex
	merchants []central.Merchant
	newest    map[central.MerchantID][]central.Operation
	slabs     []central.Slab
	sums      []central.EarningSum
	broken    error

	asked struct { // of EarningsOf
		vendor   central.VendorID
		from, to ist.Day
		by       []central.EarningGroup
	}
	changed central.SlabChange
}

func (f *fakeVendors) MerchantsOf(_ context.Context, v central.VendorID, offset, limit int) ([]central.Merchant, int, error) {
	var own []central.Merchant
	for _, m := range f.merchants {
		if m.Vendor == v && m.Status != central.MerchantPending {
			own = append(own, m)
		}
	}
	from := min(offset, len(own))
	return own[from:min(from+limit, len(own))], len(own), f.broken
}

func (f *fakeVendors) LatestOperations(_ context.Context, m central.MerchantID, limit int) ([]central.Operation, error) {
	list := f.newest[m]
	return list[:min(limit, len(list))], f.broken
}

func (f *fakeVendors) Slabs(_ context.Context, v central.VendorID) ([]central.Slab, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.of(v), f.broken
}

func (f *fakeVendors) of(v central.VendorID) []central.Slab {
	var own []central.Slab
	for _, s := range f.slabs {
		if s.Vendor == v {
			own = append(own, s)
		}
	}
	return own
}

func (f *fakeVendors) SlabsFor(_ context.Context, v central.VendorID, c central.Combination) ([]central.Slab, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(f.of(v), func(s central.Slab) bool { return !s.Same(c) }), f.broken
}

func sameBand(a, b central.Slab) bool {
	same := func(a, b *money.Paise) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	return same(a.Min, b.Min) && same(a.Max, b.Max)
}

// checkSlab compares a slab with the others, and unsets an earlier default.
func (f *fakeVendors) checkSlab(s central.Slab) error {
	for _, o := range f.of(s.Vendor) {
		if o.ID != s.ID && o.Same(s.Combination) && sameBand(o, s) {
			return central.ErrSameBand
		}
	}
	if s.IsDefault {
		for i, o := range f.slabs {
			if o.Vendor == s.Vendor && o.ID != s.ID && o.Same(s.Combination) {
				f.slabs[i].IsDefault = false
			}
		}
	}
	return nil
}

func (f *fakeVendors) AddSlab(_ context.Context, s central.Slab) (central.Slab, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return central.Slab{}, f.broken
	}
	if err := f.checkSlab(s); err != nil {
		return central.Slab{}, err
	}
	f.slabs = append(f.slabs, s)
	return s, nil
}

func (f *fakeVendors) ChangeSlab(_ context.Context, v central.VendorID, id central.SlabID, change central.SlabChange, at time.Time) (central.Slab, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changed = change
	for i, s := range f.slabs {
		if s.Vendor != v || s.ID != id {
			continue
		}
		s = applyChange(s, change)
		s.UpdatedAt = at
		if s.Min != nil && s.Max != nil && *s.Min >= *s.Max {
			return central.Slab{}, central.ErrState
		}
		if err := f.checkSlab(s); err != nil {
			return central.Slab{}, err
		}
		f.slabs[i] = s
		return s, f.broken
	}
	return central.Slab{}, central.ErrNotFound
}

func (f *fakeVendors) RemoveSlab(_ context.Context, v central.VendorID, id central.SlabID, _ time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, s := range f.slabs {
		if s.Vendor == v && s.ID == id {
			f.slabs = slices.Delete(f.slabs, i, i+1)
			return f.broken
		}
	}
	return central.ErrNotFound
}

func (f *fakeVendors) EarningsOf(_ context.Context, v central.VendorID, from, to ist.Day, by []central.EarningGroup) ([]central.EarningSum, error) {
	f.asked.vendor, f.asked.from, f.asked.to, f.asked.by = v, from, to, by
	return f.sums, f.broken
}

// vendorStore has vendor 1 with its name and aggregator.
type vendorStore struct {
	*fakeStore
	aggregator central.AggregatorID
}

func (s *vendorStore) Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error) {
	v, err := s.fakeStore.Vendor(ctx, id)
	v.LegalName, v.Aggregator = "Sahyadri Fintech", s.aggregator
	return v, err
}

// vendorFixture is a bench with a vendor's merchants and slabs.
type vendorFixture struct {
	*fixture
	vendors *fakeVendors
	parties *vendorStore
}

func newVendorFixture(t testing.TB) *vendorFixture {
	t.Helper()
	o := &vendorFixture{fixture: newFixture(t), vendors: &fakeVendors{newest: map[central.MerchantID][]central.Operation{}}}
	o.parties = &vendorStore{fakeStore: o.fixture.store, aggregator: a1}
	o.Handler.store, o.Handler.vendors = o.parties, o.vendors
	return o
}

// ask handles a request of vendor 1 under its own path.
func (o *vendorFixture) ask(id op.RouteID, query map[string]string, body string) central.Reply {
	return o.askAs(vendor1, id, map[string]string{"vendorId": string(v1)}, query, body)
}

func (o *vendorFixture) askAs(p central.Principal, id op.RouteID, params, query map[string]string, body string) central.Reply {
	route, ok := op.Find(id)
	if !ok {
		panic("no route " + id)
	}
	return o.Handle(context.Background(), central.Request{Principal: p, Route: route, Params: params, Query: query, Body: []byte(body), RequestID: "req-1"})
}

// slab names one of vendor 1's slabs in a path.
func (o *vendorFixture) slab(id op.RouteID, slab, body string) central.Reply {
	return o.askAs(vendor1, id, map[string]string{"vendorId": string(v1), "slabId": slab}, nil, body)
}

func shops(n int) []central.Merchant {
	var list []central.Merchant
	for i := range n {
		list = append(list, central.Merchant{
			ID: central.MerchantID(fmt.Sprintf("c0000000-0000-4000-8000-%012d", i+1)), MID: fmt.Sprintf("GAL%07d", i+1), AppID: fmt.Sprintf("APP%07d", i+1),
			LegalName: fmt.Sprintf("Shop %d", i+1), Vendor: v1, Status: central.MerchantApproved, Active: true, CreatedAt: day,
		})
	}
	return list
}
