package commission

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/central"
	"galla/shared/money"
)

// Times around the change of TDS.
var (
	now     = time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)
	lastOf5 = time.Date(2024, 9, 30, 18, 29, 59, 0, time.UTC) // 23:59:59 in India
)

// TestThePublishedExample is the vector of domain.md, section 8.
func TestThePublishedExample(t *testing.T) {
	tests := []struct {
		at            time.Time
		tds, gst, com money.Paise
	}{
		{now, 26, 305, 1295},
		{lastOf5.Add(time.Second), 26, 305, 1295},
		{lastOf5, 65, 305, 1295},
	}
	for _, tt := range tests {
		terms, err := rates(t).terms(central.Combination{}, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		terms.Amount, terms.Charge, terms.ProviderCost = 340000, 2000, 400
		terms.Rate, terms.RateType = 12_950_000, central.RateFixed
		b, err := Calculate(terms)
		want := Breakdown{Commission: tt.com, GST: tt.gst, ProviderCost: 400, TDS: tt.tds}
		if err != nil || b != want {
			t.Errorf("%s: Calculate = %+v, %v; want %+v", tt.at, b, err, want)
		}
	}
}

func TestCalculate(t *testing.T) {
	tests := []struct {
		name string
		t    Terms
		com  money.Paise
		gst  money.Paise
		tds  money.Paise
	}{
		{"percentage", Terms{Amount: 340000, Rate: 450_000, RateType: central.RatePercentage}, 1530, 0, 0},
		{"half a paisa is one", Terms{Amount: 100, Rate: 500_000, RateType: central.RatePercentage}, 1, 0, 0},
		{"less than half is none", Terms{Amount: 100, Rate: 499_999, RateType: central.RatePercentage}, 0, 0, 0},
		{"fixed, half a paisa", Terms{Rate: 5_000, RateType: central.RateFixed}, 1, 0, 0},
		{"fixed, less", Terms{Rate: 4_999, RateType: central.RateFixed}, 0, 0, 0},
		{"fixed, no amount", Terms{Rate: 2_500_000, RateType: central.RateFixed, TDS: 2 * percent}, 250, 0, 5},
		{"no charge", Terms{Amount: 100, RateType: central.RateFixed, GST: 18 * percent}, 0, 0, 0},
		{"charge of 118", Terms{Charge: 11800, RateType: central.RateFixed, GST: 18 * percent}, 0, 1800, 0},
	}
	for _, tt := range tests {
		b, err := Calculate(tt.t)
		if err != nil || b.Commission != tt.com || b.GST != tt.gst || b.TDS != tt.tds {
			t.Errorf("%s: Calculate = %+v, %v", tt.name, b, err)
		}
	}
}

func TestCalculateRefuses(t *testing.T) {
	tests := []struct {
		t    Terms
		want error
	}{
		{Terms{Amount: -1, RateType: central.RateFixed}, ErrNegative},
		{Terms{Charge: -1, RateType: central.RateFixed}, ErrNegative},
		{Terms{ProviderCost: -1, RateType: central.RateFixed}, ErrNegative},
		{Terms{Rate: -1, RateType: central.RateFixed}, ErrNegative},
		{Terms{Amount: money.Max, Rate: 1 << 62, RateType: central.RatePercentage}, ErrRange},
		{Terms{Amount: 1 << 62, Rate: 100 * percent, RateType: central.RatePercentage}, ErrRange},
		{Terms{Charge: 1 << 62, RateType: central.RateFixed}, ErrRange},
		{Terms{ProviderCost: 1 << 62, RateType: central.RateFixed}, ErrRange},
	}
	for _, tt := range tests {
		if b, err := Calculate(tt.t); !errors.Is(err, tt.want) || b != (Breakdown{}) {
			t.Errorf("Calculate(%+v) = %+v, %v; want %v", tt.t, b, err, tt.want)
		}
	}
	if _, err := Calculate(Terms{RateType: "SHARE"}); err == nil {
		t.Error("an unknown rate type is accepted")
	}
}

// halfUp rounds to whole paise.
func halfUp(r *big.Rat) money.Paise {
	r = new(big.Rat).Add(r, big.NewRat(1, 2))
	return money.Paise(new(big.Int).Div(r.Num(), r.Denom()).Int64()) // Div rounds down
}

func drawTerms(t *rapid.T) Terms {
	paise := func(name string) money.Paise {
		return money.Paise(rapid.OneOf(rapid.Int64Range(0, 1000), rapid.Int64Range(0, 1_000_000), rapid.Int64Range(0, int64(money.Max))).Draw(t, name))
	}
	rate := func(name string) central.Rate {
		return central.Rate(rapid.OneOf(rapid.Int64Range(0, 100*percent), rapid.Map(rapid.Int64Range(0, 100), func(n int64) int64 { return n * percent })).Draw(t, name))
	}
	return Terms{
		Amount: paise("amount"), Charge: paise("charge"), ProviderCost: paise("cost"), Rate: rate("rate"), GST: rate("gst"), TDS: rate("tds"),
		RateType: rapid.SampledFrom([]central.RateType{central.RateFixed, central.RatePercentage}).Draw(t, "type"),
	}
}

func TestCalculateIsExact(t *testing.T) {
	rat := func(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		b, err := Calculate(terms)
		if err != nil {
			t.Fatal(err)
		}
		rate := new(big.Rat).Quo(rat(int64(terms.Rate)), rat(percent)) // rupees or percent
		com := new(big.Rat).Mul(rate, rat(100))
		if terms.RateType == central.RatePercentage {
			com = new(big.Rat).Quo(new(big.Rat).Mul(rat(int64(terms.Amount)), rate), rat(100))
		}
		charge := rat(int64(terms.Charge))
		divisor := new(big.Rat).Add(rat(1), big.NewRat(int64(terms.GST), whole))
		gst := new(big.Rat).Sub(charge, new(big.Rat).Quo(charge, divisor))
		tds := new(big.Rat).Mul(rat(int64(halfUp(com))), big.NewRat(int64(terms.TDS), whole))
		if b.Commission != halfUp(com) || b.GST != halfUp(gst) || b.TDS != halfUp(tds) {
			t.Fatalf("Calculate = %+v; want %s, %s, %s", b, halfUp(com), halfUp(gst), halfUp(tds))
		}
		if b.Commission < 0 || b.GST < 0 || b.TDS < 0 || b.GST > terms.Charge || b.TDS > b.Commission {
			t.Fatalf("Calculate = %+v", b)
		}
	})
}

// fakeRegistry is Slabs and Parties in memory.
type fakeRegistry struct {
	merchants map[central.MerchantID]central.Merchant
	vendors   map[central.VendorID]central.Vendor
	slabs     []central.Slab
	broken    error
}

func (r *fakeRegistry) Merchant(_ context.Context, id central.MerchantID) (central.Merchant, error) {
	m, ok := r.merchants[id]
	if !ok {
		return central.Merchant{}, central.ErrNotFound
	}
	return m, nil
}

func (r *fakeRegistry) Vendor(_ context.Context, id central.VendorID) (central.Vendor, error) {
	v, ok := r.vendors[id]
	if !ok {
		return central.Vendor{}, central.ErrNotFound
	}
	return v, nil
}

func (r *fakeRegistry) SlabsFor(_ context.Context, vendor central.VendorID, c central.Combination) ([]central.Slab, error) {
	var out []central.Slab
	for _, s := range r.slabs {
		if s.Vendor == vendor && s.Same(c) {
			out = append(out, s)
		}
	}
	return out, r.broken
}

func paise(p money.Paise) *money.Paise { return &p }

func newRegistry() *fakeRegistry {
	dmt := central.Combination{PaymentMethod: "DMT", Provider: "NSDL", TxnType: "TRANSFER"}
	aeps := central.Combination{PaymentMethod: "AEPS", Provider: "NSDL", TxnType: "WITHDRAWAL"}
	return &fakeRegistry{
		merchants: map[central.MerchantID]central.Merchant{
			"m1": {ID: "m1", Vendor: "v1"}, "m2": {ID: "m2", Vendor: "v2"}, "m3": {ID: "m3"}, "m4": {ID: "m4", Vendor: "v4"},
		},
		vendors: map[central.VendorID]central.Vendor{"v1": {ID: "v1", Aggregator: "a1"}, "v2": {ID: "v2"}},
		slabs: []central.Slab{
			{ID: "default", Vendor: "v1", Combination: dmt, Min: paise(0), Max: paise(100000), Rate: 1_000_000, RateType: central.RateFixed, IsDefault: true},
			{ID: "band", Vendor: "v1", Combination: dmt, Min: paise(100000), Max: paise(400000), Rate: 12_950_000, RateType: central.RateFixed},
			{ID: "cash", Vendor: "v1", Combination: aeps, Min: paise(10000), Rate: 450_000, RateType: central.RatePercentage},
		},
	}
}

func tariff(t testing.TB, reg *fakeRegistry, r Rates) *Tariff {
	t.Helper()
	f, err := New(reg, reg, r, Config{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rated is a tariff of the embedded rates.
func rated(reg *fakeRegistry) *Tariff {
	r, err := Embedded()
	if err != nil {
		panic(err)
	}
	f, err := New(reg, reg, r, Config{})
	if err != nil {
		panic(err)
	}
	return f
}

func TestEarn(t *testing.T) {
	tests := []struct {
		name     string
		merchant central.MerchantID
		kind     central.Kind
		amount   money.Paise
		slab     central.SlabID // empty: nothing is earned
	}{
		{"band", "m1", central.KindTransfer, 340000, "band"},
		{"lower bound", "m1", central.KindTransfer, 100000, "band"},
		{"its own band", "m1", central.KindTransfer, 99999, "default"},
		{"upper bound, default", "m1", central.KindTransfer, 400000, "default"},
		{"open band", "m1", central.KindWithdrawal, 1000000, "cash"},
		{"no band, no default", "m1", central.KindWithdrawal, 9999, ""},
		{"no slab", "m1", central.KindPurchase, 340000, ""},
		{"agent authentication", "m1", central.KindAgentAuth, 0, ""},
		{"refund", "m1", central.KindRefund, 340000, ""},
		{"onboarding", "m1", central.KindCustomerSubmit, 0, ""},
		{"no aggregator", "m2", central.KindTransfer, 340000, ""},
		{"no vendor", "m3", central.KindTransfer, 340000, ""},
		{"no merchant", "", central.KindTransfer, 340000, ""},
	}
	f := tariff(t, newRegistry(), rates(t))
	for _, tt := range tests {
		e, err := f.Earning(t.Context(), central.Operation{ID: "o1", Merchant: tt.merchant, Kind: tt.kind, Amount: tt.amount}, central.BankAnswer{Charge: 2000}, now)
		switch {
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.slab == "" && e != nil:
			t.Errorf("%s: earns %+v", tt.name, e)
		case tt.slab != "" && (e == nil || e.Slab != tt.slab || e.Amount != tt.amount || e.Vendor != "v1" || e.Aggregator != "a1" || e.Merchant != "m1"):
			t.Errorf("%s: earns %+v, want by slab %s", tt.name, e, tt.slab)
		}
	}
}

// TestThePostingsOfThePublishedExample checks the ledger of that example.
func TestThePostingsOfThePublishedExample(t *testing.T) {
	r, err := Read([]byte(strings.Replace(string(embedded), `"providerCosts": []`,
		`"providerCosts": [{"paymentMethod": "DMT", "provider": "NSDL", "txnType": "TRANSFER", "cost": "4", "note": "n"}]`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	e, err := tariff(t, newRegistry(), r).Earning(t.Context(), central.Operation{Merchant: "m1", Kind: central.KindTransfer, Amount: 340000}, central.BankAnswer{Charge: 2000}, now)
	if err != nil {
		t.Fatal(err)
	}
	want := []central.Posting{
		{Purpose: "COMMISSION", Debit: "aggregator:a1:commission", Credit: "vendor:v1", Amount: 1295},
		{Purpose: "TDS", Debit: "vendor:v1", Credit: "tds", Amount: 26},
		{Purpose: "CHARGE", Debit: "merchant:m1:charges", Credit: "aggregator:a1:charges", Amount: 2000},
		{Purpose: "GST", Debit: "aggregator:a1:charges", Credit: "gst", Amount: 305},
		{Purpose: "PROVIDER", Debit: "aggregator:a1:charges", Credit: "provider:NSDL", Amount: 400},
	}
	if fmt.Sprint(e.Postings) != fmt.Sprint(want) {
		t.Errorf("postings = %v", e.Postings)
	}
	b := balances(e.Postings)
	if b["vendor:v1"] != 1269 || b["aggregator:a1:charges"] != 1295 || b["merchant:m1:charges"] != -2000 {
		t.Errorf("balances = %v", b)
	}
	if e.ProviderCost != 400 || e.GST != 305 || e.TDS != 26 || e.Commission != 1295 || e.Charge != 2000 {
		t.Errorf("earning = %+v", e)
	}
}

// balances are the credits minus the debits of each account.
func balances(postings []central.Posting) map[string]money.Paise {
	out := map[string]money.Paise{}
	for _, p := range postings {
		out[p.Debit] -= p.Amount
		out[p.Credit] += p.Amount
	}
	return out
}

func TestPostingsAreInBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		w, err := Calculate(terms)
		if err != nil {
			t.Fatal(err)
		}
		e := &central.Earning{
			Vendor: "v1", Aggregator: "a1", Merchant: "m1", Combination: central.Combination{Provider: "P"}, Amount: terms.Amount,
			Charge: terms.Charge, GST: w.GST, ProviderCost: w.ProviderCost, Commission: w.Commission, TDS: w.TDS,
		}
		e.Postings = postings(e)
		for _, p := range e.Postings {
			if p.Amount <= 0 || p.Debit == p.Credit || p.Debit == "" || p.Credit == "" {
				t.Fatalf("posting = %+v", p)
			}
		}
		b, sum := balances(e.Postings), money.Paise(0)
		for _, x := range b {
			sum += x
		}
		if sum != 0 {
			t.Fatalf("the ledger's sum is %s", sum)
		}
		want := map[string]money.Paise{
			"vendor:v1": w.Commission - w.TDS, "aggregator:a1:commission": -w.Commission, "tds": w.TDS, "gst": w.GST,
			"provider:P": w.ProviderCost, "aggregator:a1:charges": terms.Charge - w.GST - w.ProviderCost, "merchant:m1:charges": -terms.Charge,
		}
		for account, balance := range want {
			if b[account] != balance {
				t.Fatalf("balance of %s is %s, want %s", account, b[account], balance)
			}
		}
		if b["vendor:v1"] < 0 {
			t.Fatal("the vendor owes money")
		}
	})
}

// TestOneSlabApplies: of two bands that are not equal exactly one applies, the
// narrower one, and of equally narrow ones the one with the higher lower bound.
func TestOneSlabApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.Ptr(rapid.Map(rapid.IntRange(0, 12), func(n int) money.Paise { return money.Paise(n) }), true)
		bands := rapid.Custom(func(t *rapid.T) central.Slab { return central.Slab{Min: side.Draw(t, "min"), Max: side.Draw(t, "max")} })
		a, b, c := bands.Draw(t, "a"), bands.Draw(t, "b"), bands.Draw(t, "c")
		x := money.Paise(rapid.IntRange(0, 13).Draw(t, "amount"))
		if !a.Contains(x) || !b.Contains(x) || !c.Contains(x) {
			t.Skip("an amount in all of them")
		}
		same := func(a, b *money.Paise) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
		equal := same(a.Min, b.Min) && same(a.Max, b.Max)
		if narrower(a, b) == narrower(b, a) != equal {
			t.Fatalf("narrower = %v and %v, equal bands: %v", narrower(a, b), narrower(b, a), equal)
		}
		if narrower(a, b) && narrower(b, c) && !narrower(a, c) {
			t.Fatal("narrower is not transitive")
		}
		inside := func(s central.Slab) (n int) {
			for y := money.Paise(0); y <= 100; y++ {
				if s.Contains(y) {
					n++
				}
			}
			return n
		}
		if inside(a) < inside(b) && !narrower(a, b) {
			t.Fatalf("a band of %d amounts is not narrower than one of %d", inside(a), inside(b))
		}
	})
}

// TestOverlappingSlabs: of several slabs that contain an amount the narrowest
// applies, of equally narrow ones the one with the higher lower bound, the default
// where none does, in any order of creation.
func TestOverlappingSlabs(t *testing.T) {
	band := func(id central.SlabID, low, high money.Paise) central.Slab {
		s := central.Slab{ID: id, Vendor: "v1", Combination: central.Combination{PaymentMethod: "dmt", Provider: "Nsdl", TxnType: "transfer"}, Rate: 1_000_000, RateType: central.RateFixed}
		if low >= 0 {
			s.Min = paise(low)
		}
		if high >= 0 {
			s.Max = paise(high)
		}
		return s
	}
	bandless, wide, narrow, other, top := band("bandless", -1, -1), band("wide", 100_00, 1000_00), band("narrow", 200_00, 300_00), band("other", 250_00, 350_00), band("top", 900_00, -1)
	below, zero, standard := band("below", -1, 50_00), band("zero", 0, 50_00), band("standard", 1_00, 2_00)
	standard.IsDefault = true
	rapid.Check(t, func(t *rapid.T) {
		reg := newRegistry()
		reg.slabs = rapid.Permutation([]central.Slab{bandless, wide, narrow, other, top, below, zero, standard}).Draw(t, "slabs")
		for amount, want := range map[money.Paise]central.SlabID{
			1: "zero", 1_50: "standard", 49_99: "zero", 50_00: "bandless", 100_00: "wide", 199_99: "wide", 200_00: "narrow", 249_99: "narrow",
			250_00: "other", 299_99: "other", 300_00: "other", 350_00: "wide", 900_00: "wide", 999_99: "wide", 1000_00: "top", 100_000_00: "top",
		} {
			if s, ok := chooseSlab(reg.slabs, amount); !ok || s.ID != want {
				t.Fatalf("%s earns by %q, want %s", amount, s.ID, want)
			}
		}
		e, err := rated(reg).Earning(context.Background(), central.Operation{ID: "o1", Merchant: "m1", Kind: central.KindTransfer, Amount: 260_00}, central.BankAnswer{}, now)
		if err != nil || e == nil || e.Slab != "other" || e.Provider != "NSDL" {
			t.Fatalf("Earn = %+v, %v", e, err)
		}
		reg.slabs = []central.Slab{narrow, standard, other}
		if s, ok := chooseSlab(reg.slabs, 900_00); !ok || s.ID != "standard" {
			t.Fatalf("no band holds it, and %q applies, %v", s.ID, ok)
		}
		if s, ok := chooseSlab(reg.slabs[:1], 900_00); ok {
			t.Fatalf("nothing applies, and %q does", s.ID)
		}
	})
}

func TestEarnSaysWhatFailed(t *testing.T) {
	reg := newRegistry()
	f := tariff(t, reg, rates(t))
	transfer := central.Operation{ID: "o1", Merchant: "m1", Kind: central.KindTransfer, Amount: 340000}
	earn := func(o central.Operation) error {
		e, err := f.Earning(t.Context(), o, central.BankAnswer{}, now)
		if err == nil || e != nil {
			t.Errorf("Earn = %+v, %v", e, err)
		}
		return err
	}
	unknown, orphan := transfer, transfer
	unknown.Merchant, orphan.Merchant = "m9", "m4"
	for _, o := range []central.Operation{unknown, orphan} {
		if err := earn(o); !errors.Is(err, central.ErrNotFound) {
			t.Errorf("merchant %s: %v", o.Merchant, err)
		}
	}
	reg.slabs[1].Rate = -1
	if err := earn(transfer); !errors.Is(err, ErrNegative) || !strings.Contains(err.Error(), "slab band") {
		t.Errorf("a damaged slab: %v", err)
	}
	reg.broken = errors.New("disk full")
	if err := earn(transfer); !errors.Is(err, reg.broken) {
		t.Errorf("a broken store: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	reg := newRegistry()
	if _, err := New(nil, reg, rates(t), Config{}); err == nil {
		t.Error("no slabs")
	}
	if _, err := New(reg, nil, rates(t), Config{}); err == nil {
		t.Error("no parties")
	}
	if _, err := New(reg, reg, Rates{}, Config{}); err == nil {
		t.Error("no rates")
	}
	if _, err := New(reg, reg, rates(t), Config{Provider: strings.Repeat("x", 65)}); err == nil {
		t.Error("a long provider")
	}
}

func TestCombinations(t *testing.T) {
	want := map[central.Kind]string{
		central.KindWithdrawal: "AEPS WITHDRAWAL", central.KindBalance: "AEPS BALANCE", central.KindMiniStatement: "AEPS MINISTATEMENT",
		central.KindPurchase: "AEPS PURCHASE", central.KindTransfer: "DMT TRANSFER", central.KindAccountVerification: "DMT VALIDATION",
		central.KindRemitterRegister: "DMT REGISTRATION", central.KindRefund: "", central.KindAgentAuth: "", central.KindBeneficiaryAdd: "",
		central.KindInitialize: "", central.KindAgentSubmit: "", central.KindTransferOTP: "", central.KindReceiptMessage: "",
	}
	for kind, text := range want {
		c, ok := CombinationOf(kind, "P")
		if ok != (text != "") || ok && (c.PaymentMethod+" "+c.TxnType != text || c.Provider != "P") {
			t.Errorf("%s: %+v, %v", kind, c, ok)
		}
	}
}
