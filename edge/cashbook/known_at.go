package cashbook

import (
	"time"

	"galla/edge"
	"galla/shared/op"
)

// KnownAt is when the counter knew of an operation's entry: sums before that time lack it.
// It is never before the cash could have moved.
func KnownAt(r edge.Record, e Entry) time.Time {
	switch {
	case e.Flow == Sent || e.Flow == Charged || e.Flow == Held || e.Flow == Owed: // from when it was sent, in one flow or another
		return later(r.SentAt, e.At)
	case e.Flow == Fee, e.Flow == Refunded && r.CashGivenAt.IsZero(): // known from the reply
		return later(r.EndedAt, e.At)
	}
	return e.At
}

// InTransit returns the cash of a transfer that was refused in the customer's presence: in
// the drawer from sending to refusal, then returned. EntriesOf leaves it out; it matters
// to sums that end in between.
func InTransit(r edge.Record) []Entry {
	if r.Route != op.Transfer || r.State != op.Failed && r.State != op.NotSent || r.OwesCashBack() || r.SentAt.IsZero() {
		return nil
	}
	cash := r.Amount + Charge(r)
	return nonZero(Entry{Held, cash, r.CreatedAt}, Entry{Returned, cash, r.EndedAt})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
