package api

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/shared/op"
)

// lockedRand is randomness for many goroutines.
type lockedRand struct {
	mu  sync.Mutex
	src *rand.ChaCha8
}

func (r *lockedRand) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.src.Read(p)
}

func TestGoldenEarnings(t *testing.T) {
	o := newVendorFixture(t)
	transfer := central.Combination{PaymentMethod: "DMT", Provider: "NSDL", TxnType: "TRANSFER"}
	o.vendors.sums = []central.EarningSum{
		{Day: "2026-11-20", Merchant: m1, Combination: transfer, Count: 1, Volume: 340000, Charge: 2000, GST: 305, ProviderCost: 400, Commission: 1295, TDS: 26},
		{Day: "2026-11-21", Merchant: m1, Combination: transfer, Count: -1, Reversed: 1, Volume: -340000, Charge: -2000, GST: -305, ProviderCost: -400, Commission: -1295, TDS: -26},
		{Day: "2026-11-21", Merchant: m2, Combination: transfer, Count: 3, Volume: 5, Commission: 10},
	}
	query := map[string]string{"from": "2026-11-20", "to": "2026-11-21", "groupBy": "day,merchant,type"}
	golden(t, "earnings", o.ask(op.Earnings, query, ""))
	if a := o.vendors.asked; a.vendor != v1 || a.from != "2026-11-20" || a.to != "2026-11-21" || !slices.Equal(a.by, []central.EarningGroup{"day", "merchant", "type"}) {
		t.Errorf("asked for %+v", a)
	}
	o.vendors.sums = []central.EarningSum{{Merchant: m1, Count: 2, Volume: 100050}}
	query["groupBy"] = "merchant"
	golden(t, "earnings-by-merchant", o.ask(op.Earnings, query, ""))
	o.vendors.sums = nil
	golden(t, "earnings-none", o.ask(op.Earnings, query, ""))
	golden(t, "earnings-invalid", o.ask(op.Earnings, map[string]string{"from": "21.11.2026", "to": "2026-02-30", "groupBy": "week"}, ""))
	o.vendors.sums = make([]central.EarningSum, maxEarnings+1)
	expect(t, o.ask(op.Earnings, query, ""), 422, "05")
}

func TestDaysOfEarnings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The bubble begins at 2000-01-01 UTC; half past seven in the evening it
		// is already the next day in India.
		time.Sleep(19*time.Hour + 30*time.Minute)
		o := newVendorFixture(t)
		for _, tt := range []struct{ from, to, wantFrom, wantTo string }{
			{"", "", "1999-12-04", "2000-01-02"},
			{"", "2026-03-01", "2026-01-31", "2026-03-01"},
			{"1999-12-31", "", "1999-12-31", "2000-01-02"},
			{"2026-11-21", "2026-11-21", "2026-11-21", "2026-11-21"},
			{"2024-01-01", "2024-12-31", "2024-01-01", "2024-12-31"},
		} {
			query := map[string]string{}
			for name, v := range map[string]string{"from": tt.from, "to": tt.to} {
				if v != "" {
					query[name] = v
				}
			}
			expect(t, o.ask(op.Earnings, query, ""), 200, "00")
			if a := o.vendors.asked; string(a.from) != tt.wantFrom || string(a.to) != tt.wantTo || !slices.Equal(a.by, []central.EarningGroup{"day"}) {
				t.Errorf("from %q to %q: asked for %+v", tt.from, tt.to, a)
			}
		}
		for _, query := range []map[string]string{
			{"from": "2024-01-01", "to": "2025-01-01"}, // 367 days
			{"from": "0001-01-01", "to": "9999-12-31"},
			{"from": "2000-01-03"}, // after today in India
			{"from": "2026-11-22", "to": "2026-11-21"},
			{"from": "9999-12-31", "to": "0001-01-01"},
			{"from": "2026-11-31"}, {"to": "2026-1-1"}, {"to": "today"},
			{"groupBy": "day,day"}, {"groupBy": "day merchant"},
		} {
			expect(t, o.ask(op.Earnings, query, ""), 400, "02")
		}
	})
}
