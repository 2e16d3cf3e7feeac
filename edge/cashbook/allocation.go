package cashbook

import (
	"cmp"
	"slices"
	"time"

	"galla/edge"
	"galla/shared/ist"
)

// allocation decides in which day's sums each movement of cash is. Normally that is the
// day on which the cash moved. But a closed day's sums never change: what the counter
// learned after the closing is in the day on which it was known, or in the next. So each
// movement is in the sums of one day. An allocation is made for one answer and reads
// closings once.
type allocation struct {
	book     *Book
	offset   time.Duration
	closings map[ist.Day]Closing // one that can't be read counts as none
}

func (t *Book) newAllocation() *allocation {
	return &allocation{book: t, offset: t.cfg.Offset(), closings: map[ist.Day]Closing{}}
}

// closing returns the closing of a day; the zero one where it has none.
func (b *allocation) closing(day ist.Day) Closing {
	c, ok := b.closings[day]
	if !ok {
		c, _, _ = b.book.Closed(day) // the day's own page reports one that can't be read
		b.closings[day] = c
	}
	return c
}

// wasClosed reports whether a day was closed at a time, including the moment of the
// closing itself: what happens in that moment is later than what the closing read.
func (b *allocation) wasClosed(day ist.Day, at time.Time) bool {
	closed := b.closing(day).ClosedAt
	return !closed.IsZero() && !closed.After(at)
}

// dayFor returns the day in whose sums a movement is, by when it moved and when it was
// known.
func (b *allocation) dayFor(moved, known time.Time) ist.Day {
	day := ist.DayOf(moved.Add(b.offset))
	if !b.wasClosed(day, known) {
		return day
	}
	day = max(day, ist.DayOf(known.Add(b.offset)))
	for n := 0; n < unclosedWithin && b.wasClosed(day, known); n++ { // more than one only if the clock was set back
		day = day.Add(1)
	}
	return day
}

// entry is a movement of cash with the day in whose sums it is.
type entry struct {
	Entry
	Day ist.Day
}

func (b *allocation) entries(r edge.Record) (out []entry) {
	for _, e := range EntriesOf(r) {
		if at, ok := b.assumedGiven(r, e); ok {
			out = append(out, entry{Entry{Flow: Unconfirmed, Amount: e.Amount, At: at}, ist.DayOf(at.Add(b.offset))})
			continue
		}
		out = append(out, entry{e, b.dayFor(e.At, KnownAt(r, e))})
	}
	var passing []entry
	for _, e := range InTransit(r) {
		passing = append(passing, entry{e, b.dayFor(e.At, KnownAt(r, e))})
	}
	if len(passing) == 2 && passing[0].Day != passing[1].Day { // a day was closed while it was on its way
		out = append(out, passing...)
	}
	return out
}

// assumedGiven reports whether a day was closed with unconfirmed cash about which nobody
// was asked: it counted as handed over when the operation ended, or was created. It stays
// so: a later answer must not count it again.
func (b *allocation) assumedGiven(r edge.Record, e Entry) (at time.Time, ok bool) {
	if e.Flow != Withdrawn && e.Flow != Refunded && e.Flow != Unconfirmed {
		return time.Time{}, false
	}
	for _, at := range []time.Time{r.CreatedAt, r.EndedAt} {
		c := b.closing(ist.DayOf(at.Add(b.offset)))
		unconfirmed := slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Flow == Unconfirmed })
		if unconfirmed && r.EndedAt.Before(c.ClosedAt) && (e.Flow == Unconfirmed || !e.At.Before(c.ClosedAt)) {
			return at, true
		}
	}
	return time.Time{}, false
}

func (b *allocation) entriesOn(r edge.Record, day ist.Day) (out []Entry) {
	for _, e := range b.entries(r) {
		if e.Day == day {
			out = append(out, e.Entry)
		}
	}
	return out
}

// mustBeAnswered reports whether the open cash of an operation must be answered before a
// day is closed: the operation ended in the sums of that day or an earlier one.
func (b *allocation) mustBeAnswered(r edge.Record, day ist.Day) bool {
	assumed := func(e Entry) bool { _, ok := b.assumedGiven(r, e); return ok }
	return r.Cash() == edge.CashDue && b.dayFor(r.EndedAt, r.EndedAt) <= day && !slices.ContainsFunc(EntriesOf(r), assumed)
}

// DayOperation is an operation with its cash in the sums of a day.
type DayOperation struct {
	edge.Record
	Cash []Entry
}

// DayOperations returns the operations created on a day, and those of other days with cash
// in its sums, oldest first. Results beside an error lack the operations that it names.
func (t *Book) DayOperations(day ist.Day) ([]DayOperation, error) {
	return t.newAllocation().dayOperations(day)
}

func (b *allocation) dayOperations(day ist.Day) (moved []DayOperation, err error) {
	from, _ := span(day.Add(-1), b.offset) // known then, and in the sums of the day after
	_, to := span(day, b.offset)
	err = b.book.eachAffected(from, to, func(r *edge.Record) {
		if cash := b.entriesOn(*r, day); len(cash) > 0 || ist.DayOf(r.CreatedAt.Add(b.offset)) == day {
			moved = append(moved, DayOperation{*r, cash})
		}
	})
	slices.SortFunc(moved, func(a, c DayOperation) int { return cmp.Compare(a.ID, c.ID) })
	return moved, err
}
