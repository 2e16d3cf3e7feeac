package till

import (
	"slices"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
)

// books say in which day's sums each movement of cash is. It is the day on which
// the cash moved; but a day that was closed before the counter knew of it is never
// summed up again, and what it lacks is in the day on which it was known, or in the
// next. So the sums of closed days stay what they were, and each movement is in the
// sums of one day. They are made for one answer: closings are read once.
type books struct {
	till     *Till
	offset   time.Duration
	closings map[Day]Closing // one that can't be read is taken for none
}

func (t *Till) books() *books {
	return &books{till: t, offset: t.cfg.Offset(), closings: map[Day]Closing{}}
}

// closing gives the closing of a day; the zero one where it has none.
func (b *books) closing(day Day) Closing {
	c, ok := b.closings[day]
	if !ok {
		c, _, _ = b.till.Closed(day) // the day's own page tells of one that can't be read
		b.closings[day] = c
	}
	return c
}

// shut tells whether a day was closed at a time. The moment of the closing itself
// is: what comes in it comes after the closing has read the ledger.
func (b *books) shut(day Day, at time.Time) bool {
	closed := b.closing(day).ClosedAt
	return !closed.IsZero() && !closed.After(at)
}

// day gives the day in whose sums is what moved at one time and was known at
// another.
func (b *books) day(moved, known time.Time) Day {
	day := DayOf(moved, b.offset)
	if !b.shut(day, known) {
		return day
	}
	day = max(day, DayOf(known, b.offset))
	for n := 0; n < openWithin && b.shut(day, known); n++ { // more than one only by a clock that went back
		day = day.Add(1)
	}
	return day
}

// entry is a movement of cash with the day in whose sums it is.
type entry struct {
	cashbook.Entry
	Day Day
}

// of gives an operation's movements of cash.
func (b *books) of(r edge.Record) (out []entry) {
	for _, e := range cashbook.Of(r) {
		if at, ok := b.assumed(r, e); ok {
			out = append(out, entry{cashbook.Entry{Flow: Unconfirmed, Amount: e.Amount, At: at}, DayOf(at, b.offset)})
			continue
		}
		out = append(out, entry{e, b.day(e.At, cashbook.KnownAt(r, e))})
	}
	var passing []entry
	for _, e := range cashbook.Passing(r) {
		passing = append(passing, entry{e, b.day(e.At, cashbook.KnownAt(r, e))})
	}
	if len(passing) == 2 && passing[0].Day != passing[1].Day { // a day was closed while it was on its way
		out = append(out, passing...)
	}
	return out
}

// assumed tells whether a day was closed over cash that nobody had confirmed, and
// about which nobody was asked: it was taken for handed over, when the operation
// ended, or (by older programs) was begun. It stays so: an answer that comes later
// must not count it again.
func (b *books) assumed(r edge.Record, e cashbook.Entry) (at time.Time, ok bool) {
	if e.Flow != Withdrawn && e.Flow != Refunded && e.Flow != Unconfirmed {
		return time.Time{}, false
	}
	for _, at := range []time.Time{r.CreatedAt, r.EndedAt} {
		c := b.closing(DayOf(at, b.offset))
		unconfirmed := slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Flow == Unconfirmed })
		if unconfirmed && r.EndedAt.Before(c.ClosedAt) && (e.Flow == Unconfirmed || !e.At.Before(c.ClosedAt)) {
			return at, true
		}
	}
	return time.Time{}, false
}

// on gives what an operation moved in the sums of a day.
func (b *books) on(r edge.Record, day Day) (out []cashbook.Entry) {
	for _, e := range b.of(r) {
		if e.Day == day {
			out = append(out, e.Entry)
		}
	}
	return out
}

// asks tells whether the cash of an operation about which the counter asks must be
// answered for before a day is closed: its end is in the books of that day, or of one
// before.
func (b *books) asks(r edge.Record, day Day) bool {
	assumed := func(e cashbook.Entry) bool { _, ok := b.assumed(r, e); return ok }
	return r.Cash() == edge.CashDue && b.day(r.EndedAt, r.EndedAt) <= day && !slices.ContainsFunc(cashbook.Of(r), assumed)
}

// Moved is an operation with what of its cash is in the sums of a day.
type Moved struct {
	edge.Record
	Cash []cashbook.Entry
}

// Moving gives the operations that were begun on a day, and those of other days
// with cash in its sums, oldest first. Beside those that open, an error names
// those that do not.
func (t *Till) Moving(day Day) ([]Moved, error) { return t.books().moving(day) }

func (b *books) moving(day Day) (moved []Moved, err error) {
	from, _ := day.Add(-1).Span(b.offset) // known then, and in the books of the day after
	_, to := day.Span(b.offset)
	err = b.till.touched(from, to, func(r *edge.Record) {
		if cash := b.on(*r, day); len(cash) > 0 || DayOf(r.CreatedAt, b.offset) == day {
			moved = append(moved, Moved{*r, cash})
		}
	})
	slices.SortFunc(moved, func(a, c Moved) int { return compareIDs(a.ID, c.ID) })
	return moved, err
}
