package history

import (
	"net/url"
	"slices"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/shared/ist"
	"galla/shared/op"
)

// filter selects entries of a list; the zero value selects all. Its name is the value of
// the address's parameter show, and in the key of its text.
type filter string

const (
	showAll     filter = ""
	showCash    filter = "cash"
	showSent    filter = "sent"
	showQR      filter = "qr"
	showFailed  filter = "failed"
	showWaiting filter = "waiting"
)

func filters() []filter {
	return []filter{showAll, showCash, showSent, showQR, showFailed, showWaiting}
}

// parseFilter returns the filter of a name; an unknown name is showAll.
func parseFilter(name string) filter {
	if f := filter(name); slices.Contains(filters(), f) {
		return f
	}
	return showAll
}

// selects reports whether the filter selects an entry. An operation waits as long as it
// has no final outcome or its cash is open.
func (f filter) selects(e *entry, st edge.Status) bool {
	waits := func(r *edge.Record) bool { return isWaiting(r, st) }
	switch f {
	case showCash:
		return e.Route == op.Withdrawal
	case showSent:
		return e.Route == op.Transfer || e.Route == op.Refund
	case showQR:
		return e.Route == op.GenerateQR || e.IsPayment()
	case showFailed:
		return e.State.Final() && (e.Verdict() == edge.VerdictNoCash || e.Verdict() == edge.VerdictNoMoney)
	case showWaiting:
		return waits(e.Record) || slices.ContainsFunc(e.Refunds, waits)
	}
	return true
}

func isWaiting(r *edge.Record, st edge.Status) bool {
	return !r.State.Final() || outcome.IsCashOpen(st, r.ID)
}

// choose returns the entries that the filter selects.
func (f filter) choose(entries []*entry, st edge.Status) []*entry {
	if f == showAll {
		return entries
	}
	var out []*entry
	for _, e := range entries {
		if f.selects(e, st) {
			out = append(out, e)
		}
	}
	return out
}

// address is the list of a day with this filter; before is where a later page begins.
func (f filter) address(day ist.Day, before ...op.ID) string {
	q := url.Values{"day": {string(day)}}
	for _, id := range before {
		q.Set("before", string(id))
	}
	if f != showAll {
		q.Set("show", string(f))
	}
	return "/operations?" + q.Encode()
}

// filterLink is a filter as the page shows it.
type filterLink struct {
	Href, Text string
	Count      int
	Current    bool
}

// filterLinks returns the links to all filters of a day, with how many entries each has.
func filterLinks(w *i18n.Localizer, day ist.Day, current filter, entries []*entry, st edge.Status) []filterLink {
	var out []filterLink
	for _, f := range filters() {
		name := string(f)
		if f == showAll {
			name = "all"
		}
		link := filterLink{Href: f.address(day), Text: w.Text("history.show." + name), Current: f == current}
		for _, e := range entries {
			if f.selects(e, st) {
				link.Count++
			}
		}
		out = append(out, link)
	}
	return out
}

// totals returns the sums of entries in words: what succeeded, the cash, and what came by
// UPI.
func totals(w *i18n.Localizer, entries []*entry) (out []string) {
	total := cashbook.TotalOf(operations(entries))
	if total.Count > 0 {
		out = append(out, w.Plural("history.total.done", total.Count, "amount", i18n.Rupees(total.Sum)))
	}
	if total.In > 0 {
		out = append(out, w.Text("history.total.in", "amount", i18n.Rupees(total.In)))
	}
	if total.Out > 0 {
		out = append(out, w.Text("history.total.out", "amount", i18n.Rupees(total.Out)))
	}
	if upi := cashbook.ReceivedByUPI(operations(entries)); upi != (cashbook.BankMoney{}) {
		out = append(out, w.Text("history.total.upi", "amount", i18n.Rupees(upi.Amount)))
	}
	return out
}
