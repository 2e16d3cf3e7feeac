package cashbook

import (
	"time"

	"galla/edge"
	"galla/shared/op"
)

// KnownAt is when the counter knew of an operation's entry: what was summed up
// before does not have it. It is never before cash could have moved.
func KnownAt(r edge.Record, e Entry) time.Time {
	switch {
	case e.Flow == Sent || e.Flow == Charged || e.Flow == Held || e.Flow == Owed: // from when it left, in one flow or another
		return later(r.SentAt, e.At)
	case e.Flow == Fee, e.Flow == Refunded && r.CashGiven.IsZero(): // the reply told it
		return later(r.EndedAt, e.At)
	}
	return e.At
}

// Passing is the cash of a transfer that was refused while its customer was
// there: in the drawer from when it was sent until the refusal, and given straight
// back. Of keeps silent on it; who sums up two sides of a moment in between
// separately needs both.
func Passing(r edge.Record) []Entry {
	if r.Route != op.Transfer || r.State != op.Failed && r.State != op.NotSent || r.Returns() || r.SentAt.IsZero() {
		return nil
	}
	cash := r.Amount + Charge(r)
	return some(Entry{Held, cash, r.CreatedAt}, Entry{Returned, cash, r.EndedAt})
}

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
