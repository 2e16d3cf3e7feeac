package message

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/money"
	"galla/shared/op"
)

// Limit is one rule on amounts, as the central tells it (GET /limits). Amounts
// are paise; 0 is no bound.
type Limit struct {
	Kinds          []string // transaction types, such as CASH_WITHDRAWAL
	Scope          string   // "transaction": Min, Max and Step bound each amount; the others count, at the central
	Min, Max, Step money.Paise
	Count          int
	Sum            money.Paise
	From, Until    string // Indian days, as 2026-11-21: the first in force, and the first that is not; empty: none
}

// perTransaction is the scope that can be judged without counting.
const perTransaction = "transaction"

// kindOf is the transaction type that limits know a route by; empty: none.
func kindOf(route op.RouteID) string {
	switch route {
	case op.Withdrawal:
		return "CASH_WITHDRAWAL"
	case op.Purchase:
		return "PURCHASE"
	case op.Transfer, op.TransferOTP:
		return "TRANSFER"
	}
	return ""
}

// Bounds are what an amount must keep, in paise; 0 is no bound.
type Bounds struct{ Min, Max, Step money.Paise }

// Bounds that stand in until the central has told its limits once.
const (
	minAmount = money.Rupee
	maxAmount = 10_000 * money.Rupee // of AEPS (domain.md); what a remitter may send is the central's to say
)

// FirstBounds are what an amount of the route must keep before the central has
// told its limits.
func FirstBounds(route op.RouteID) Bounds {
	if IsAEPS(route) {
		return Bounds{Min: minAmount, Max: maxAmount}
	}
	return Bounds{Min: minAmount}
}

// BoundsOn gives what an amount of the route must keep on an Indian day: the
// tightest of the limits in force.
func BoundsOn(limits []Limit, route op.RouteID, day string) Bounds {
	var b Bounds
	for _, l := range limits {
		if l.Scope != perTransaction || !slices.Contains(l.Kinds, kindOf(route)) || day < l.From || (l.Until != "" && day >= l.Until) {
			continue
		}
		b.Min, b.Step = max(b.Min, l.Min), max(b.Step, l.Step)
		if l.Max > 0 && (b.Max == 0 || l.Max < b.Max) {
			b.Max = l.Max
		}
	}
	return b
}

// InCash gives the bounds with whole rupees, for a route whose amount changes
// hands in cash.
func (b Bounds) InCash(route op.RouteID) Bounds {
	switch route {
	case op.Withdrawal, op.Transfer, op.TransferOTP:
		if b.Step%money.Rupee != 0 || b.Step == 0 {
			b.Step = money.Rupee
		}
	}
	return b
}

// Whole tells whether the bounds ask for whole rupees and nothing more.
func (b Bounds) Whole() bool { return b.Step == money.Rupee }

// Sandbox tells whether the reply of GET /limits is a sandbox's, where paise play
// scenarios.
func Sandbox(reply []byte) bool { return Value(reply, "sandbox") == "true" }

// Refuse names the bound that an amount breaks; empty: none.
func (b Bounds) Refuse(amount money.Paise) string {
	within := fmt.Sprintf("of at least ₹%s", max(b.Min, 1).Grouped())
	switch {
	case b.Min > 0 && b.Max > 0:
		within = fmt.Sprintf("from ₹%s to ₹%s", b.Min.Grouped(), b.Max.Grouped())
	case b.Max > 0:
		within = fmt.Sprintf("of at most ₹%s", b.Max.Grouped())
	}
	switch {
	case amount <= 0, amount < b.Min, b.Max > 0 && amount > b.Max:
		return "Enter an amount " + within
	case b.Whole() && amount%b.Step != 0:
		return "Enter whole rupees: cash has no paise"
	case b.Step > 0 && amount%b.Step != 0:
		return fmt.Sprintf("Enter an amount in steps of ₹%s", b.Step.Grouped())
	}
	return ""
}

// ReadLimits reads the reply of GET /limits.
func ReadLimits(reply []byte) ([]Limit, error) {
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
	if err := open("limits", reply, &items); err != nil {
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
