package central

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"
	"unicode"

	"galla/shared/money"
)

// SlabID names a commission slab, a UUID.
type SlabID string

// Combination is what slabs are chosen by (section 2.10).
type Combination struct {
	PaymentMethod string // such as DMT, AEPS
	Provider      string // upstream provider code, such as NSDL
	TxnType       string // such as TRANSFER, WITHDRAWAL
}

// Key is the combination as it is compared: upper and lower case are told apart
// in nothing. Equal combinations have equal keys, and a text of capital letters is
// its own.
func (c Combination) Key() Combination {
	return Combination{PaymentMethod: folded(c.PaymentMethod), Provider: folded(c.Provider), TxnType: folded(c.TxnType)}
}

// Same tells whether two combinations are one, however they are written.
func (c Combination) Same(o Combination) bool { return c.Key() == o.Key() }

// folded gives every letter in the form that comes first of those which Unicode
// calls one letter (simple folding): k, K and the Kelvin sign are K.
func folded(text string) string {
	return strings.Map(func(letter rune) rune {
		first := letter
		for r := unicode.SimpleFold(letter); r != letter; r = unicode.SimpleFold(r) {
			first = min(first, r)
		}
		return first
	}, text)
}

// RateType says what a slab's rate is.
type RateType string

// The rate types.
const (
	RateFixed      RateType = "FIXED"      // rupees an operation
	RatePercentage RateType = "PERCENTAGE" // percent of the amount
)

// Rate is a decimal with six places, as an integer of millionths: 0.45 is
// 450,000. It is rupees of a FIXED slab and percent of a PERCENTAGE one.
type Rate int64

// Slab is a vendor's commission for one combination and one band of amounts:
// Min ≤ amount < Max, nil is open. Bands of one combination may overlap, but no
// two are equal, and at most one of them is the default.
type Slab struct {
	ID         SlabID
	Vendor     VendorID
	Aggregator AggregatorID
	Combination
	Min, Max  *money.Paise
	Rate      Rate
	RateType  RateType
	IsDefault bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Holds tells whether the amount is in the slab's band.
func (s Slab) Holds(amount money.Paise) bool {
	return (s.Min == nil || *s.Min <= amount) && (s.Max == nil || amount < *s.Max)
}

// Meets tells whether the bands of two slabs have an amount in common.
func (s Slab) Meets(o Slab) bool {
	return (s.Min == nil || o.Max == nil || *s.Min < *o.Max) && (o.Min == nil || s.Max == nil || *o.Min < *s.Max)
}

// SameBand tells whether the bands of two slabs are equal: an open side is equal
// to an open one only.
func (s Slab) SameBand(o Slab) bool {
	same := func(a, b *money.Paise) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	return same(s.Min, o.Min) && same(s.Max, o.Max)
}

// Before tells whether a slab goes before another one that holds the same
// amount: the narrower one does, and of equally narrow ones the one with the
// higher lower bound. Where both are in one combination, one goes before the
// other, since no two bands are equal.
func (s Slab) Before(o Slab) bool {
	return cmp.Or(cmp.Compare(s.width(), o.width()), cmp.Compare(o.low(), s.low())) < 0
}

// width is how many amounts are in the band; one that is open above is as wide as
// any can be. No amount is below zero.
func (s Slab) width() money.Paise {
	if s.Max == nil {
		return math.MaxInt64
	}
	return *s.Max - max(s.low(), 0)
}

// low is the lower bound; an open one is below every other.
func (s Slab) low() money.Paise {
	if s.Min == nil {
		return -1
	}
	return *s.Min
}

// SlabChange is what an update says; nil fields keep their value.
type SlabChange struct {
	PaymentMethod, Provider, TxnType *string
	Min, Max                         *money.Paise
	Rate                             *Rate
	RateType                         *RateType
	IsDefault                        *bool
}

// Earning is what a succeeded operation earned, worked out when it was settled.
// All amounts are paise.
type Earning struct {
	Vendor     VendorID
	Aggregator AggregatorID
	Merchant   MerchantID
	Combination
	Slab SlabID // that it was worked out by

	Amount       money.Paise // of the operation
	Charge       money.Paise // what the customer paid for it, GST included
	GST          money.Paise // in Charge
	ProviderCost money.Paise
	Commission   money.Paise // the vendor's, before TDS
	TDS          money.Paise // withheld of Commission

	Postings []Posting // double entry: each moves one amount between two accounts
}

// Posting is one entry of the commission ledger: it debits one account and
// credits another, so that the ledger's sum is zero whatever is written. An
// account's balance is its credits less its debits, so that a vendor's balance
// is what it is owed.
type Posting struct {
	Purpose string // COMMISSION, TDS, CHARGE, GST, PROVIDER
	Debit   string // account, such as "aggregator:…"
	Credit  string // account, such as "vendor:…"
	Amount  money.Paise
}

// EarningGroup is what earnings are summed by.
type EarningGroup string

// The groups.
const (
	ByDay      EarningGroup = "day"
	ByMerchant EarningGroup = "merchant"
	ByType     EarningGroup = "type"
)

// EarningSum is a line of the report. Count and the amounts are those of
// earnings, less what was reversed within the same days; Reversed counts the
// reversals.
type EarningSum struct {
	Day         Day        // if grouped by day
	Merchant    MerchantID // if grouped by merchant
	Combination            // if grouped by type

	Count    int
	Reversed int

	Volume, Charge, GST, ProviderCost, Commission, TDS money.Paise
}

// Tariff works out what operations earn. The engine asks it before it settles
// a success, and the store writes its word in the same transaction.
type Tariff interface {
	// Earn gives the earning of an operation that the bank approved, or nil
	// where it earns nothing.
	Earn(ctx context.Context, o Operation, a BankAnswer, at time.Time) (*Earning, error)
}
