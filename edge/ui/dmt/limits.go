package dmt

import (
	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/money"
	"galla/shared/op"
)

// transferLimits are what a transfer may be: the counter's bounds of each, and what the
// bank last said that the sender may still send.
type transferLimits struct {
	bounds edge.Bounds
	left   money.Paise // of the tighter of day and month
	known  bool        // the bank said how much is left
	period string      // day or month
}

// limitsOf returns the limits of a flow's transfer.
func (s *Pages) limitsOf(f *flow) transferLimits {
	l := transferLimits{bounds: s.counter.Bounds(op.Transfer)}
	m, err := readRemitter(s.operation(f.DetailsID).Reply)
	if err != nil { // the bank checks the sender's limits in any case
		return l
	}
	for _, x := range []struct {
		left, whole money.Paise
		period      string
	}{{m.Left, m.Day, "day"}, {m.MonthLeft, m.Month, "month"}} {
		if x.whole > 0 && (!l.known || x.left <= l.left) { // what a month leaves bounds the day, too
			l.left, l.period, l.known = x.left, x.period, true
		}
	}
	if step := l.bounds.Step; step > 0 {
		l.left -= l.left % step
	}
	return l
}

// senders reports whether the sender's own limit is tighter than that of one transfer.
func (l transferLimits) senders() bool {
	return l.known && (l.bounds.Max == 0 || l.left < l.bounds.Max)
}

func (l transferLimits) allow(amount money.Paise) bool {
	return l.bounds.Allow(amount) && !(l.known && amount > l.left)
}

// text says why an amount is not allowed.
func (l transferLimits) text(w *i18n.Localizer, amount money.Paise) string {
	least := max(l.bounds.Min, 1)
	switch {
	case !l.senders() || amount <= l.left:
		return outcome.AmountText(w, l.bounds, amount)
	case l.left < least:
		return w.Text("dmt.limit.none." + l.period)
	}
	return w.Text("dmt.limit.over."+l.period, "least", i18n.ShortRupees(least), "left", i18n.ShortRupees(l.left))
}

// field tells the page the limits, to check the amount while it is typed.
func (l transferLimits) field(w *i18n.Localizer) ui.Limit {
	out := ui.AmountLimit(w, l.bounds)
	if l.senders() {
		out.Most, out.Text, out.Outside = l.left.Number(), w.Text("app.amount.limit", "most", i18n.ShortRupees(l.left)), l.text(w, l.left+1)
	}
	return out
}
