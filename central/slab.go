package central

import (
	"context"
	"strings"
	"time"

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

// Same tells whether two combinations are one: upper and lower case are told apart
// in nothing.
func (c Combination) Same(o Combination) bool {
	return strings.EqualFold(c.PaymentMethod, o.PaymentMethod) && strings.EqualFold(c.Provider, o.Provider) && strings.EqualFold(c.TxnType, o.TxnType)
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
