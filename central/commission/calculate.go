package commission

import (
	"errors"
	"fmt"
	"math/bits"

	"galla/central"
	"galla/shared/money"
)

// Terms are what Calculate needs of an operation.
type Terms struct {
	Amount money.Paise // of the operation
	Charge money.Paise // that the customer paid, GST included

	Rate     central.Rate // of the slab
	RateType central.RateType

	GST          central.Rate // percent
	TDS          central.Rate // percent of the commission
	ProviderCost money.Paise
}

// Breakdown is what an operation earns and costs, in paise.
type Breakdown struct {
	Commission   money.Paise // the vendor's, before TDS
	GST          money.Paise // within the charge
	ProviderCost money.Paise
	TDS          money.Paise // withheld of the commission
}

// Parts of a percentage: a Rate counts millionths of a percent.
const (
	percent = 1_000_000
	whole   = 100 * percent
	// A Rate of a FIXED slab counts millionths of a rupee.
	ratePerPaisa = 10_000
)

// Errors of Calculate. Both mean bad data: slabs, rates and amounts are checked
// before they are stored.
var (
	ErrNegative = errors.New("an amount or a rate is below zero")
	ErrRange    = errors.New("a result is out of range")
)

// Calculate calculates an earning. Each result is rounded half up to whole paise:
//
//	Commission  FIXED: the rate in rupees; PERCENTAGE: amount × rate / 100
//	GST         charge − charge / (1 + GST/100)
//	TDS         Commission × TDS / 100, of the rounded commission
func Calculate(t Terms) (Breakdown, error) {
	if t.Amount < 0 || t.Charge < 0 || t.ProviderCost < 0 || t.Rate < 0 || t.GST < 0 || t.TDS < 0 {
		return Breakdown{}, ErrNegative
	}
	b := Breakdown{ProviderCost: t.ProviderCost}
	var err error
	if b.Commission, err = commission(t); err != nil {
		return Breakdown{}, fmt.Errorf("commission: %w", err)
	}
	// charge − charge/(1+r) is charge × r/(1+r).
	if b.GST, err = share(t.Charge, uint64(t.GST), whole+uint64(t.GST)); err != nil {
		return Breakdown{}, fmt.Errorf("GST: %w", err)
	}
	if b.TDS, err = share(b.Commission, uint64(t.TDS), whole); err != nil {
		return Breakdown{}, fmt.Errorf("TDS: %w", err)
	}
	if b.Commission > money.Max || t.Charge > money.Max || t.ProviderCost > money.Max {
		return Breakdown{}, ErrRange // so that sums of them do not overflow
	}
	return b, nil
}

func commission(t Terms) (money.Paise, error) {
	switch t.RateType {
	case central.RateFixed:
		return share(1, uint64(t.Rate), ratePerPaisa)
	case central.RatePercentage:
		return share(t.Amount, uint64(t.Rate), whole)
	}
	return 0, fmt.Errorf("the rate type %.20q is unknown", t.RateType)
}

// share gives amount × part / of, rounded half up. The product has 128 bits, so it
// is exact. ErrRange: the result is above money.Max.
func share(amount money.Paise, part, of uint64) (money.Paise, error) {
	high, low := bits.Mul64(uint64(amount), part)
	if high >= of {
		return 0, ErrRange
	}
	quotient, rest := bits.Div64(high, low, of)
	if rest >= of-rest { // half or more
		quotient++
	}
	if quotient > uint64(money.Max) {
		return 0, ErrRange
	}
	return money.Paise(quotient), nil
}
