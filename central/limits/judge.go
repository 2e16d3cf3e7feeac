package limits

import (
	"fmt"
	"time"

	"galla/central"
	"galla/shared/money"
)

// counting are the scopes that add up over a period, in the order in which
// their quotas are given.
var counting = []struct {
	scope central.LimitScope
	// key names what is counted; empty where the subject lacks it.
	key    func(central.Subject) string
	period func(time.Time) string
	what   string // of the quota's words: %s is the plural of the kind
}{
	{central.PerCustomerTerminalDay, customerAtTerminal, day, "this customer's %s at this terminal today"},
	{central.PerTerminalDay, terminal, day, "this terminal's %s today"},
	{central.PerRemitterDay, remitter, day, "this remitter's %s today"},
	{central.PerRemitterMonth, remitter, central.MonthOf, "this remitter's %s this month"},
}

func day(at time.Time) string { return string(central.DayOf(at)) }

func customerAtTerminal(s central.Subject) string {
	if s.Customer == "" || s.TID == "" {
		return ""
	}
	return "customer-terminal:" + s.Customer + ":" + s.TID
}

func terminal(s central.Subject) string {
	if s.TID == "" {
		return ""
	}
	return "terminal:" + s.TID
}

func remitter(s central.Subject) string {
	if s.Sender == "" {
		return ""
	}
	return "remitter:" + s.Sender
}

// plurals are the kinds that can be limited, as people call several of them.
// Consultations can't: they are no operations and are not counted.
var plurals = map[central.Kind]string{
	central.KindWithdrawal:          "withdrawals",
	central.KindPurchase:            "purchases",
	central.KindBalance:             "balance enquiries",
	central.KindMiniStatement:       "mini statements",
	central.KindAgentAuth:           "agent authentications",
	central.KindTransfer:            "transfers",
	central.KindRefund:              "refunds",
	central.KindAccountVerification: "account verifications",
	central.KindBeneficiaryAdd:      "new beneficiaries",
}

// Judge holds an operation against the rules that are in force at the given
// moment. It gives the quotas that the operation counts against; each has the
// key of one kind and scope, so that a rule that follows another goes on
// counting where that one stopped. The error is a *central.Error, Precluded,
// with words for the caller: the amount lies outside what one transaction may
// move. Amounts are paise.
func (b *Book) Judge(at time.Time, s central.Subject) ([]central.Quota, error) {
	today := central.DayOf(at)
	if l, ok := b.rule(s.Kind, central.PerTransaction, today); ok {
		if words := outside(l, s.Amount); words != "" {
			return nil, central.Refuse(central.Precluded, words)
		}
	}
	var quotas []central.Quota
	for _, c := range counting {
		l, ok := b.rule(s.Kind, c.scope, today)
		key := c.key(s)
		if !ok || key == "" {
			continue
		}
		quotas = append(quotas, central.Quota{
			Key: key + ":" + string(s.Kind), Period: c.period(at), Amount: s.Amount,
			MaxCount: l.Count, MaxSum: l.Sum, What: fmt.Sprintf(c.what, plurals[s.Kind]),
		})
	}
	return quotas, nil
}

// outside says how an amount breaks a rule for one transaction; empty: it does
// not.
func outside(l central.Limit, amount money.Paise) string {
	switch {
	case amount < l.Min:
		return fmt.Sprintf("The amount is under the limit: a transaction has at least %s rupees", l.Min.Grouped())
	case l.Max > 0 && amount > l.Max:
		return fmt.Sprintf("The amount is over the limit: a transaction has at most %s rupees", l.Max.Grouped())
	case l.Step > 0 && amount%l.Step != 0:
		return fmt.Sprintf("The amount is out of step: a transaction has a multiple of %s rupees", l.Step.Grouped())
	}
	return ""
}

// InForce gives the limits that are in force at the given moment, in the order
// of the book.
func (b *Book) InForce(at time.Time) []central.Limit {
	today := central.DayOf(at)
	var out []central.Limit
	for _, r := range b.Rules() {
		if inForce(r.Limit, today) {
			out = append(out, r.Limit)
		}
	}
	return out
}
