package central

import (
	"context"
	"strings"
	"time"

	"galla/shared/ist"
	"galla/shared/money"
)

// SlabID identifies a commission slab, a UUID.
type SlabID string

// Combination is what slabs are chosen by (interface.md, section 2.10).
type Combination struct {
	PaymentMethod string // such as DMT, AEPS
	Provider      string // upstream provider code, such as NSDL
	TxnType       string // such as TRANSFER, WITHDRAWAL
}

// Same tells whether two combinations are equal, in upper or lower case.
func (c Combination) Same(o Combination) bool {
	return strings.EqualFold(c.PaymentMethod, o.PaymentMethod) && strings.EqualFold(c.Provider, o.Provider) && strings.EqualFold(c.TxnType, o.TxnType)
}

// RateType is the unit of a slab's rate.
type RateType string

// The rate types.
const (
	RateFixed      RateType = "FIXED"      // rupees per operation
	RatePercentage RateType = "PERCENTAGE" // percent of the amount
)

// Rate is a decimal with six places, as an integer of millionths: 0.45 is
// 450,000. It is in rupees for a FIXED slab and in percent for a PERCENTAGE one.
type Rate int64

// Slab is a vendor's commission for one combination and one band of amounts:
// Min ≤ amount < Max, nil: open. Bands of one combination may overlap, but no two
// are equal, and at most one slab is the default.
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

// Contains tells whether the amount is in the slab's band.
func (s Slab) Contains(amount money.Paise) bool {
	return (s.Min == nil || *s.Min <= amount) && (s.Max == nil || amount < *s.Max)
}

// SlabChange is an update of a slab; nil fields keep their value.
type SlabChange struct {
	PaymentMethod, Provider, TxnType *string
	Min, Max                         *money.Paise
	Rate                             *Rate
	RateType                         *RateType
	IsDefault                        *bool
}

// Earning is what a succeeded operation earned, calculated when it was finished.
// All amounts are paise.
type Earning struct {
	Vendor     VendorID
	Aggregator AggregatorID
	Merchant   MerchantID
	Combination
	Slab SlabID // that applied

	Amount       money.Paise // of the operation
	Charge       money.Paise // that the customer paid, GST included
	GST          money.Paise // in Charge
	ProviderCost money.Paise
	Commission   money.Paise // the vendor's, before TDS
	TDS          money.Paise // withheld of Commission

	Postings []Posting // double entry: each moves one amount between two accounts
}

// Posting is one entry of the commission ledger: it debits one account and
// credits another, so that the ledger's sum is always zero. An account's balance is
// its credits minus its debits; a vendor's balance is what the vendor is owed.
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

// EarningSum is a line of the report. Count and the amounts are those of earnings
// minus reversals on the same days; Reversed counts the reversals.
type EarningSum struct {
	Day         ist.Day    // if grouped by day
	Merchant    MerchantID // if grouped by merchant
	Combination            // if grouped by type

	Count    int
	Reversed int

	Volume, Charge, GST, ProviderCost, Commission, TDS money.Paise
}

// Tariff calculates what operations earn. The engine calls it before Finish, which
// writes the earning in the same transaction as the success.
type Tariff interface {
	// Earning gives the earning of an operation that the bank approved; nil: it
	// earns nothing.
	Earning(ctx context.Context, o Operation, a BankAnswer, at time.Time) (*Earning, error)
}
