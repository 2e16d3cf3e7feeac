package till

import (
	"slices"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/shared/money"
	"galla/shared/op"
)

// Flow is a kind of movement of cash. What an operation moved, package cashbook
// says, and nobody else.
type Flow = cashbook.Flow

// The flows of a reckoning.
const (
	Withdrawn   = cashbook.Withdrawn
	Unconfirmed = cashbook.Unconfirmed
	Sent        = cashbook.Sent
	Charged     = cashbook.Charged
	Fee         = cashbook.Fee
	Held        = cashbook.Held
	Owed        = cashbook.Owed
	Returned    = cashbook.Returned
	Refunded    = cashbook.Refunded
)

// Line is the sum of one flow on a day.
type Line struct {
	Flow   Flow        `json:"flow"`
	Count  int         `json:"count"`
	Amount money.Paise `json:"amount"`
}

// Reckoning is a day's cash as the records say it.
type Reckoning struct {
	Day     Day
	Opening money.Paise // counted in the morning, or carried over from the last closing
	Lines   []Line      // flows that were, in order
	In, Out money.Paise
	// Expected is what the drawer should hold: Opening, In, less Out. Negative
	// where the opening was not counted, or cash was brought from elsewhere.
	Expected money.Paise

	Done   int // operations of the day that succeeded
	Failed int // that failed or were reversed
	// Unsettled are those, of any day up to this one, whose outcome is not
	// known, oldest first: asked about, or not sent yet and still in time.
	Unsettled []edge.Record
	// Begun are those whose finger was not taken: nothing was sent, and no money
	// can have moved.
	Begun []edge.Record
	// Due are failed transfers, of this day or any before, whose cash was kept and
	// has not been given back to the customer.
	Due []edge.Record
	// Asking are those whose cash is the customer's and of which nobody has said
	// whether it was given, of this day or any before: what the drawer holds hangs on
	// it, so the day is not closed until each is answered. Those about which the
	// counter never asked (edge.Status.Cash) are not among them.
	Asking []edge.Record
}

// reckon sums up a day: its operations and those whose cash is in its sums, and of
// unsettled those without an outcome.
func reckon(day Day, opening money.Paise, moved []Moved, unsettled []edge.Record, offset time.Duration) Reckoning {
	k := Reckoning{Day: day, Opening: opening}
	sums := map[Flow]*Line{}
	for _, m := range moved {
		if DayOf(m.CreatedAt, offset) == day {
			switch m.State {
			case op.Succeeded:
				k.Done++
			case op.Failed, op.Reversed:
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
		in, out := cashbook.Sum(m.Cash)
		k.In, k.Out = k.In+in, k.Out+out
	}
	for _, f := range cashbook.Flows() {
		if line := sums[f]; line != nil {
			k.Lines = append(k.Lines, *line)
		}
	}
	k.Expected = k.Opening + k.In - k.Out
	for _, r := range unsettled {
		switch {
		case DayOf(r.CreatedAt, offset) > day || !moves(r):
		case r.State == op.Reserved:
			k.Begun = append(k.Begun, r)
		default:
			k.Unsettled = append(k.Unsettled, r)
		}
	}
	for _, open := range [][]edge.Record{k.Unsettled, k.Begun} {
		slices.SortFunc(open, func(a, b edge.Record) int { return compareIDs(a.ID, b.ID) })
	}
	return k
}

// moves tells whether an operation moves money, so that a day must not be
// closed over it silently.
func moves(r edge.Record) bool { return r.Class == op.Money && r.Amount > 0 || r.Route == op.Refund }

func compareIDs(a, b op.ID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
