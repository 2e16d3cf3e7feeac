package till

import (
	"slices"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// Flow is a kind of movement of cash.
type Flow string

// The flows, in the order in which they are told.
const (
	Withdrawn   Flow = "withdrawn"   // out: handed over, and confirmed
	Unconfirmed Flow = "unconfirmed" // out: the bank paid; nobody confirmed that the cash was handed over
	Sent        Flow = "sent"        // in: a transfer's amount, from the customer
	Charged     Flow = "charged"     // in: a transfer's charge, as the bank told it
	Held        Flow = "held"        // in: of a transfer that is not settled, or that failed and waits for its refund
	Refunded    Flow = "refunded"    // out
)

func flows() []Flow { return []Flow{Withdrawn, Unconfirmed, Sent, Charged, Held, Refunded} }

// Out tells whether the flow takes cash out of the drawer.
func (f Flow) Out() bool { return f == Withdrawn || f == Unconfirmed || f == Refunded }

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
	// Unconfirmed are the day's withdrawals that the bank paid and nobody
	// confirmed.
	Unconfirmed []edge.Record
}

// reckon sums up a day. records are those of the day and of the days before on
// which something may have begun whose cash moved on the day; unsettled those
// without an outcome.
func reckon(day Day, opening money.Paise, records, unsettled []edge.Record, dayOf func(edge.Record) (begun, given Day)) Reckoning {
	k := Reckoning{Day: day, Opening: opening}
	sums := map[Flow]*Line{}
	add := func(f Flow, p money.Paise) {
		if sums[f] == nil {
			sums[f] = &Line{Flow: f}
		}
		sums[f].Count++
		sums[f].Amount += p
	}
	for _, r := range records {
		begun, given := dayOf(r)
		if begun == day {
			switch r.State {
			case op.Succeeded:
				k.Done++
			case op.Failed, op.Reversed:
				k.Failed++
			}
		}
		switch r.Route {
		case op.Withdrawal:
			switch {
			case r.State == op.Succeeded && given == day:
				add(Withdrawn, r.Amount)
			case r.State == op.Succeeded && given == "" && begun == day:
				add(Unconfirmed, r.Amount)
				k.Unconfirmed = append(k.Unconfirmed, r)
			}
		case op.Transfer:
			if begun == day {
				transfer(r, add)
			}
		case op.Refund:
			if begun == day && r.State == op.Succeeded {
				add(Refunded, amountTold(r, "amount", r.Amount))
			}
		}
	}
	for _, f := range flows() {
		if line := sums[f]; line != nil {
			k.Lines = append(k.Lines, *line)
			if f.Out() {
				k.Out += line.Amount
			} else {
				k.In += line.Amount
			}
		}
	}
	k.Expected = k.Opening + k.In - k.Out
	for _, r := range unsettled {
		switch begun, _ := dayOf(r); {
		case begun > day || !moves(r):
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

// transfer says what cash a transfer brought.
func transfer(r edge.Record, add func(Flow, money.Paise)) {
	charge := amountTold(r, "charge", 0)
	switch r.State {
	case op.Succeeded:
		add(Sent, r.Amount)
		if charge > 0 {
			add(Charged, charge)
		}
	case op.Sent, op.Accepted, op.Unknown, op.Pending, op.Reversed:
		add(Held, r.Amount+charge)
	case op.Failed:
		if r.Value("transactionId") != "" { // what has none was refused at once
			add(Held, r.Amount+charge)
		}
	}
}

// amountTold is an amount that the reply tells, or another where it tells none.
func amountTold(r edge.Record, name string, otherwise money.Paise) money.Paise {
	p, err := money.Parse(r.Value(name))
	if err != nil || p < 0 {
		return otherwise
	}
	return p
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
