package limits

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/money"
)

// periodScopes are the scopes that add up over a period, in the order in which
// their quotas are given.
var periodScopes = []struct {
	scope central.LimitScope
	// key identifies what is counted; empty: the subject lacks it.
	key    func(central.LimitSubject) string
	period func(time.Time) string
	what   string // of the quota's message: %s is the plural of the kind
}{
	{central.PerCustomerTerminalDay, func(s central.LimitSubject) string { return key("customer-terminal", s.Customer, s.TID) }, day, "this customer's %s at this terminal today"},
	{central.PerTerminalDay, func(s central.LimitSubject) string { return key("terminal", s.TID) }, day, "this terminal's %s today"},
	{central.PerRemitterDay, func(s central.LimitSubject) string { return key("remitter", s.Sender) }, day, "this remitter's %s today"},
	{central.PerRemitterMonth, func(s central.LimitSubject) string { return key("remitter", s.Sender) }, ist.MonthOf, "this remitter's %s this month"},
	{central.PerMerchantDay, func(s central.LimitSubject) string { return key("merchant", string(s.Merchant)) }, day, "this merchant's %s today"},
	{central.PerMerchantMonth, func(s central.LimitSubject) string { return key("merchant", string(s.Merchant)) }, ist.MonthOf, "this merchant's %s this month"},
}

func day(at time.Time) string { return string(ist.DayOf(at)) }

// key joins the parts of a quota's key; empty: one of them is.
func key(what string, parts ...string) string {
	if slices.Contains(parts, "") {
		return ""
	}
	return what + ":" + strings.Join(parts, ":")
}

// scopes names all scopes.
func scopes() []string {
	names := []string{string(central.PerTransaction)}
	for _, c := range periodScopes {
		names = append(names, string(c.scope))
	}
	return names
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
	central.KindUPIPayment:          "UPI payments",
}

// Check checks an operation against the rules in force at the given time and gives
// the quotas that it counts against. Each quota's key is of one kind and scope, so
// that a rule that follows another continues its count. The error is a
// *central.Error, FailedPrecondition, with a message for the caller: the amount is
// not allowed for one transaction.
func (b *RuleSet) Check(at time.Time, s central.LimitSubject) ([]central.Quota, error) {
	today := ist.DayOf(at)
	if l, ok := b.rule(s.Kind, central.PerTransaction, today); ok {
		if message := amountError(l, s.Amount); message != "" {
			return nil, central.NewError(central.FailedPrecondition, message)
		}
	}
	return b.Quotas(at, s), nil
}

// Quotas gives what Check gives, of an operation whose amount is beyond doubt: money that
// has arrived.
func (b *RuleSet) Quotas(at time.Time, s central.LimitSubject) []central.Quota {
	today := ist.DayOf(at)
	var quotas []central.Quota
	for _, c := range periodScopes {
		l, ok := b.rule(s.Kind, c.scope, today)
		counted := c.key(s)
		if !ok || counted == "" {
			continue
		}
		quotas = append(quotas, central.Quota{
			Key: counted + ":" + string(s.Kind), Period: c.period(at), Amount: s.Amount,
			MaxCount: l.Count, MaxSum: l.Sum, What: fmt.Sprintf(c.what, plurals[s.Kind]),
		})
	}
	return quotas
}

// amountError says how an amount breaks a rule for one transaction; empty: it
// doesn't.
func amountError(l central.Limit, amount money.Paise) string {
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

// InForce gives the limits in force at the given time, in the order of the file.
func (b *RuleSet) InForce(at time.Time) []central.Limit {
	today := ist.DayOf(at)
	var out []central.Limit
	for _, r := range b.rules {
		if r.Contains(today) {
			r.Kinds = slices.Clone(r.Kinds)
			out = append(out, r.Limit)
		}
	}
	return out
}
