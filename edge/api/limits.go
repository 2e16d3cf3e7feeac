package api

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/money"
	"galla/shared/op"
)

// Limit is one rule on amounts, as GET /limits reports it. Amounts are paise;
// 0 means no bound.
type Limit struct {
	Kinds          []string // transaction types, such as CASH_WITHDRAWAL
	Scope          string   // "transaction": Min, Max and Step bound each amount; the central checks the other scopes
	Min, Max, Step money.Paise
	Count          int
	Sum            money.Paise
	From, Until    string // Indian days, as 2026-11-21: the first in force, and the first that is not; empty: none
}

// perTransaction is the scope that the counter can check.
const perTransaction = "transaction"

// limitKind returns the transaction type of a route in limits; empty: none.
func limitKind(route op.RouteID) string {
	switch route {
	case op.Withdrawal:
		return "CASH_WITHDRAWAL"
	case op.Purchase:
		return "PURCHASE"
	case op.Transfer, op.TransferOTP:
		return "TRANSFER"
	case op.GenerateQR:
		return "UPI_PAYMENT"
	}
	return ""
}

// Bounds are the smallest and the largest amount and its steps, in paise; 0 means
// no bound.
type Bounds struct{ Min, Max, Step money.Paise }

// Bounds that apply until the limits were fetched once.
const (
	minAmount = money.Rupee
	maxAmount = 10_000 * money.Rupee // of AEPS (domain.md); the central checks transfers
)

// DefaultBounds returns the bounds of a route before the limits were fetched.
func DefaultBounds(route op.RouteID) Bounds {
	switch {
	case IsAEPS(route):
		return Bounds{Min: minAmount, Max: maxAmount}
	case route == op.GenerateQR:
		return Bounds{}
	}
	return Bounds{Min: minAmount}
}

// BoundsOn returns the bounds of a route on an Indian day: the tightest of the
// limits in force.
func BoundsOn(limits []Limit, route op.RouteID, day string) Bounds {
	var b Bounds
	for _, l := range limits {
		if l.Scope != perTransaction || !slices.Contains(l.Kinds, limitKind(route)) || day < l.From || (l.Until != "" && day >= l.Until) {
			continue
		}
		b.Min, b.Step = max(b.Min, l.Min), max(b.Step, l.Step)
		if l.Max > 0 && (b.Max == 0 || l.Max < b.Max) {
			b.Max = l.Max
		}
	}
	return b
}

// ForCash returns the bounds with whole rupees, for a route whose amount is paid
// in cash.
func (b Bounds) ForCash(route op.RouteID) Bounds {
	switch route {
	case op.Withdrawal, op.Transfer, op.TransferOTP:
		if b.Step%money.Rupee != 0 || b.Step == 0 {
			b.Step = money.Rupee
		}
	}
	return b
}

// WholeRupees reports whether the step is one rupee.
func (b Bounds) WholeRupees() bool { return b.Step == money.Rupee }

// IsSandbox reports whether the reply of GET /limits is from a sandbox, where the
// paise of an amount select a scenario.
func IsSandbox(reply []byte) bool { return ReplyValue(reply, "sandbox") == "true" }

// Allow reports whether an amount is above zero and within the bounds.
func (b Bounds) Allow(amount money.Paise) bool {
	return amount > 0 && amount >= b.Min && (b.Max == 0 || amount <= b.Max) && (b.Step == 0 || amount%b.Step == 0)
}

// ParseLimits parses the reply of GET /limits.
func ParseLimits(reply []byte) ([]Limit, error) {
	var items []struct {
		Kinds []string       `json:"kinds"`
		Scope string         `json:"scope"`
		Min   jsontext.Value `json:"min"`
		Max   jsontext.Value `json:"max"`
		Step  jsontext.Value `json:"step"`
		Count int            `json:"count"`
		Sum   jsontext.Value `json:"sum"`
		From  string         `json:"from"`
		Until string         `json:"until"`
	}
	if err := decodeData("limits", reply, &items); err != nil {
		return nil, err
	}
	limits := make([]Limit, len(items))
	for i, item := range items {
		l := Limit{Kinds: item.Kinds, Scope: item.Scope, Count: item.Count, From: item.From, Until: item.Until}
		for _, a := range []struct {
			to   *money.Paise
			text jsontext.Value
		}{{&l.Min, item.Min}, {&l.Max, item.Max}, {&l.Step, item.Step}, {&l.Sum, item.Sum}} {
			if len(a.text) == 0 || a.text.Kind() == 'n' {
				continue
			}
			p, err := money.Parse(string(a.text))
			if err != nil || p < 0 {
				return nil, fmt.Errorf("read the reply of limits: an amount of limit %d is no amount of rupees", i+1)
			}
			*a.to = p
		}
		limits[i] = l
	}
	return limits, nil
}
