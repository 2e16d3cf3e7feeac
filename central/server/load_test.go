package server

import (
	"math"
	"testing"

	"galla/central"
	"galla/shared/secret"
)

// TestOperationsFindAPlaceAtTheBank: as many operations as may wait for the bank are sent
// at one time, and enquiries beside them.
func TestOperationsFindAPlaceAtTheBank(t *testing.T) {
	for set, want := range map[int]int{0: defaultBankConcurrency, 10: 10, 5000: 5000} {
		cfg := testConfig(t)
		cfg.Load.BankConcurrency = set
		if got := cfg.bank(secret.NewKey([]byte("k"))).MaxConnections; got != want+central.DefaultEnquiries(want) {
			t.Errorf("bank-concurrency %d: %d places", set, got)
		}
	}
}

// TestRatesAreNumbers: a command line also takes NaN and Inf for a number.
func TestRatesAreNumbers(t *testing.T) {
	for _, wrong := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, load := range map[string]Load{
			"direct": {DirectRate: wrong}, "gateway": {GatewayRate: wrong}, "unknown": {GatewayUnknownRate: wrong},
		} {
			cfg := testConfig(t)
			cfg.Load = load
			if cfg.Validate() == nil {
				t.Errorf("%s: a rate of %v is taken", name, wrong)
			}
		}
	}
}
