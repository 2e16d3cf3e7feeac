package cashbook

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"galla/edge"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// Line is the sum of one flow on a day.
type Line struct {
	Flow   Flow        `json:"flow"`
	Count  int         `json:"count"`
	Amount money.Paise `json:"amount"`
}

// Summary is a day's cash according to the records.
type Summary struct {
	Day     ist.Day
	Opening money.Paise // counted in the morning, or taken from the last closing
	Lines   []Line      // flows with entries, in order
	In, Out money.Paise
	// Expected is what the drawer should hold: Opening plus In minus Out. It is negative where
	// the opening was not counted, or cash was brought from elsewhere.
	Expected money.Paise

	// UPI is what customers' banks paid to the shop's account by UPI, minus what they took
	// back. It is bank money: it is in no flow, and never in the drawer.
	UPI BankMoney

	Done   int // successful operations of the day, payments by UPI not counted
	Failed int // failed or reversed ones
	// Unfinished are operations up to this day without a final outcome, oldest first: being
	// enquired about, or not sent and still in time.
	Unfinished []edge.Record
	// AwaitingFinger are operations without a captured finger: nothing was sent, and no money
	// can have moved.
	AwaitingFinger []edge.Record
	// CashToReturn are failed transfers up to this day whose kept cash was not yet returned to
	// the customer.
	CashToReturn []edge.Record
	// UnansweredCash are operations up to this day that gave the customer cash, and of which
	// nobody has said whether it was handed over. The drawer's content depends on it, so each
	// must be answered before the day is closed. Operations that the counter never asked about
	// (edge.Status.OpenCash) are not included.
	UnansweredCash []edge.Record
}

// BankMoney is money that moved from account to account.
type BankMoney struct {
	Count  int // payments that were not returned on the same day
	Amount money.Paise
}

// add counts a payment by UPI, or its return.
func (m *BankMoney) add(r *edge.Record) {
	n, amount := 1, r.Amount
	if r.Route == op.PaymentReturned {
		n, amount = -1, -r.Amount
	}
	m.Count, m.Amount = m.Count+n, m.Amount+amount
}

// ReceivedByUPI sums the payments by UPI among operations, minus the returned ones.
func ReceivedByUPI(records iter.Seq[*edge.Record]) (m BankMoney) {
	for r := range records {
		if r.IsPayment() {
			m.add(r)
		}
	}
	return m
}

// newSummary sums up a day from its operations, those of other days with cash in its sums,
// and the unfinished ones.
func newSummary(day ist.Day, opening money.Paise, moved []DayOperation, unfinished []edge.Record, offset time.Duration) Summary {
	k := Summary{Day: day, Opening: opening}
	sums := map[Flow]*Line{}
	for _, m := range moved {
		if ist.DayOf(m.CreatedAt.Add(offset)) == day {
			switch {
			case m.IsPayment():
				k.UPI.add(&m.Record)
			case m.State == op.Succeeded:
				k.Done++
			case m.State == op.Failed, m.State == op.Reversed:
				k.Failed++
			}
		}
		for _, e := range m.Cash {
			if sums[e.Flow] == nil {
				sums[e.Flow] = &Line{Flow: e.Flow}
			}
			sums[e.Flow].Count++
			sums[e.Flow].Amount += e.Amount
		}
		in, out := Sum(m.Cash)
		k.In, k.Out = k.In+in, k.Out+out
	}
	for _, f := range Flows() {
		if line := sums[f]; line != nil {
			k.Lines = append(k.Lines, *line)
		}
	}
	k.Expected = k.Opening + k.In - k.Out
	for _, r := range unfinished {
		switch {
		case ist.DayOf(r.CreatedAt.Add(offset)) > day || !movesMoney(r):
		case r.State == op.Reserved:
			k.AwaitingFinger = append(k.AwaitingFinger, r)
		default:
			k.Unfinished = append(k.Unfinished, r)
		}
	}
	for _, open := range [][]edge.Record{k.Unfinished, k.AwaitingFinger} {
		slices.SortFunc(open, func(a, b edge.Record) int { return cmp.Compare(a.ID, b.ID) })
	}
	return k
}

// movesMoney reports whether an operation can move money, so that closing a day over it
// needs an acknowledgement.
func movesMoney(r edge.Record) bool {
	return r.Class == op.Money && r.Amount > 0 || r.Route == op.Refund
}
