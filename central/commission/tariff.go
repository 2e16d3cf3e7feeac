package commission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"galla/central"
	"galla/shared/money"
)

// DefaultProvider is the code of the upstream provider (interface.md, section 2.10)
// if Config has none.
const DefaultProvider = "NSDL"

// maxProvider bounds the provider's code, in characters, as for a slab.
const maxProvider = 64

// Slabs finds a vendor's slabs.
type Slabs interface {
	// SlabsFor lists the slabs of one combination that are not deleted.
	SlabsFor(ctx context.Context, vendor central.VendorID, c central.Combination) ([]central.Slab, error)
}

// Parties reads merchants and vendors.
type Parties interface {
	Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error)
	Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error)
}

// Config sets up a Tariff.
type Config struct {
	// Provider is the upstream provider's code; default NSDL.
	Provider string
}

// Tariff calculates earnings. It is safe for concurrent use.
type Tariff struct {
	slabs    Slabs
	parties  Parties
	rates    Rates
	provider string
}

var _ central.Tariff = (*Tariff)(nil)

// New makes a tariff. The rates are those of Embedded, Load or Read.
func New(slabs Slabs, parties Parties, rates Rates, cfg Config) (*Tariff, error) {
	if cfg.Provider == "" {
		cfg.Provider = DefaultProvider
	}
	switch {
	case slabs == nil || parties == nil:
		return nil, errors.New("a tariff needs slabs and parties")
	case rates.empty():
		return nil, errors.New("a tariff needs rates: take Embedded, Load or Read")
	case utf8.RuneCountInString(cfg.Provider) > maxProvider:
		return nil, fmt.Errorf("provider code has %d characters, more than %d", utf8.RuneCountInString(cfg.Provider), maxProvider)
	}
	return &Tariff{slabs: slabs, parties: parties, rates: rates, provider: cfg.Provider}, nil
}

// earners are payment method and transaction type of the kinds that earn something.
// Agent authentications, onboarding, beneficiaries and refunds earn nothing.
var earners = map[central.Kind][2]string{
	central.KindWithdrawal:          {"AEPS", "WITHDRAWAL"},
	central.KindBalance:             {"AEPS", "BALANCE"},
	central.KindMiniStatement:       {"AEPS", "MINISTATEMENT"},
	central.KindPurchase:            {"AEPS", "PURCHASE"},
	central.KindTransfer:            {"DMT", "TRANSFER"},
	central.KindAccountVerification: {"DMT", "VALIDATION"},
	central.KindRemitterRegister:    {"DMT", "REGISTRATION"},
	central.KindUPIPayment:          {"UPI", "PAYMENT"},
}

// CombinationOf gives the combination by which slabs are chosen for a kind of
// operation. ok is false for kinds that earn nothing.
func CombinationOf(kind central.Kind, provider string) (c central.Combination, ok bool) {
	names, ok := earners[kind]
	if !ok {
		return central.Combination{}, false
	}
	return central.Combination{PaymentMethod: names[0], Provider: provider, TxnType: names[1]}, true
}

// Earning implements central.Tariff. It is nil if the kind earns nothing, if the
// merchant has no vendor or the vendor no aggregator, or if no slab fits. The rates
// are those in force at the given time.
func (t *Tariff) Earning(ctx context.Context, o central.Operation, a central.BankAnswer, at time.Time) (*central.Earning, error) {
	combination, ok := CombinationOf(o.Kind, t.provider)
	if !ok || o.Merchant == "" {
		return nil, nil
	}
	vendor, err := t.vendor(ctx, o.Merchant)
	if err != nil {
		return nil, fmt.Errorf("earning of operation %s: %w", o.ID, err)
	}
	if vendor.Aggregator == "" {
		return nil, nil
	}
	slabs, err := t.slabs.SlabsFor(ctx, vendor.ID, combination)
	if err != nil {
		return nil, fmt.Errorf("earning of operation %s: list the slabs of vendor %s: %w", o.ID, vendor.ID, err)
	}
	slab, ok := chooseSlab(slabs, o.Amount)
	if !ok {
		return nil, nil
	}
	terms, err := t.rates.terms(combination, at)
	if err != nil {
		return nil, fmt.Errorf("earning of operation %s: %w", o.ID, err)
	}
	terms.Amount, terms.Charge, terms.Rate, terms.RateType = o.Amount, a.Charge, slab.Rate, slab.RateType
	b, err := Calculate(terms)
	if err != nil {
		return nil, fmt.Errorf("earning of operation %s by slab %s: %w", o.ID, slab.ID, err)
	}
	e := &central.Earning{
		Vendor: vendor.ID, Aggregator: vendor.Aggregator, Merchant: o.Merchant,
		Combination: combination, Slab: slab.ID,
		Amount: o.Amount, Charge: a.Charge,
		GST: b.GST, ProviderCost: b.ProviderCost, Commission: b.Commission, TDS: b.TDS,
	}
	e.Postings = postings(e)
	return e, nil
}

// vendor gives the vendor of a merchant; the zero Vendor: it has none.
func (t *Tariff) vendor(ctx context.Context, id central.MerchantID) (central.Vendor, error) {
	merchant, err := t.parties.Merchant(ctx, id)
	if err != nil {
		return central.Vendor{}, fmt.Errorf("read merchant %s: %w", id, err)
	}
	if merchant.Vendor == "" {
		return central.Vendor{}, nil
	}
	vendor, err := t.parties.Vendor(ctx, merchant.Vendor)
	if err != nil {
		return central.Vendor{}, fmt.Errorf("read vendor %s: %w", merchant.Vendor, err)
	}
	return vendor, nil
}

// chooseSlab gives the slab whose band contains the amount (of several, see
// narrower), or else the default one.
func chooseSlab(slabs []central.Slab, amount money.Paise) (slab central.Slab, ok bool) {
	found := false
	for _, s := range slabs {
		switch {
		case s.Contains(amount) && (!found || narrower(s, slab)):
			slab, found = s, true
		case s.IsDefault && !found:
			slab, ok = s, true
		}
	}
	return slab, ok || found
}

// narrower tells which of two slabs applies to an amount in both bands: the
// narrower one, and of equally narrow ones the one with the higher lower bound.
// There is always one, since no two bands of a combination are equal.
func narrower(a, b central.Slab) bool {
	return cmp.Or(cmp.Compare(width(a), width(b)), cmp.Compare(lowerBound(b), lowerBound(a))) < 0
}

// width is how many amounts are in a band; one without an upper bound is the
// widest. No amount is below zero.
func width(s central.Slab) money.Paise {
	if s.Max == nil {
		return math.MaxInt64
	}
	return *s.Max - max(lowerBound(s), 0)
}

// lowerBound is a band's lower bound; an open one is below all others.
func lowerBound(s central.Slab) money.Paise {
	if s.Min == nil {
		return -1
	}
	return *s.Min
}

// The purposes of postings.
const (
	forCommission = "COMMISSION"
	forTDS        = "TDS"
	forCharge     = "CHARGE"
	forGST        = "GST"
	forProvider   = "PROVIDER"
)

// postings gives the double entry of an earning:
//
//	purpose     debit                        credit                       amount
//	COMMISSION  aggregator:<id>:commission   vendor:<id>                  the slab's commission
//	TDS         vendor:<id>                  tds                          withheld from the commission
//	CHARGE      merchant:<id>:charges        aggregator:<id>:charges      what the customer paid the merchant
//	GST         aggregator:<id>:charges      gst                          the tax within the charge
//	PROVIDER    aggregator:<id>:charges      provider:<code>              what the provider asks
//
// An account's balance is its credits minus its debits. So vendor:<id> is what the
// vendor is owed; merchant:<id>:charges is negative by what the merchant took from
// customers and owes the aggregator; aggregator:<id>:charges is what remains of the
// charges. An amount of zero makes no posting.
func postings(e *central.Earning) []central.Posting {
	var (
		vendor     = "vendor:" + string(e.Vendor)
		aggregator = "aggregator:" + string(e.Aggregator)
		merchant   = "merchant:" + string(e.Merchant) + ":charges"
		charges    = aggregator + ":charges"
	)
	var out []central.Posting
	for _, p := range []central.Posting{
		{Purpose: forCommission, Debit: aggregator + ":commission", Credit: vendor, Amount: e.Commission},
		{Purpose: forTDS, Debit: vendor, Credit: "tds", Amount: e.TDS},
		{Purpose: forCharge, Debit: merchant, Credit: charges, Amount: e.Charge},
		{Purpose: forGST, Debit: charges, Credit: "gst", Amount: e.GST},
		{Purpose: forProvider, Debit: charges, Credit: "provider:" + e.Provider, Amount: e.ProviderCost},
	} {
		if p.Amount > 0 {
			out = append(out, p)
		}
	}
	return out
}
