package cashbook

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

const (
	batchSize = 500 // operations in one read of the queue
	// maxOperationsPerDay bounds the operations of one day; a counter that works for 12 hours
	// without a pause makes some 1,500.
	maxOperationsPerDay = 20_000
	// unclosedWithin is how many days back unclosed days are searched.
	unclosedWithin     = 31
	openingCachePrefix = "cashbook.opening." // followed by the day, in the queue's cache
	closingCacheKey    = "cashbook.closing"  // in the queue's cache: the day whose closing began last
)

// Ledger is what is needed of the counter's queue. queue.Queue implements it.
type Ledger interface {
	// CreatedBetween returns up to limit operations after an id, oldest first, created from
	// from on and before to.
	CreatedBetween(from, to time.Time, after op.ID, limit int) ([]edge.Record, error)
	// ChangedLater returns the operations that changed from from on and before to, and were
	// created more than edge.LateAfter before or after.
	ChangedLater(from, to time.Time) ([]edge.Record, error)
	Unresolved() ([]edge.Record, error)
	// OpenCash returns the operations with open cash (edge.Record.Cash).
	OpenCash() ([]edge.Record, error)
	// CloseDay stores the closing of a day; an error where it has one.
	CloseDay(day string, value []byte, at time.Time) error
	Closing(day string) (value []byte, at time.Time, ok bool, err error)
	ClosedDays(first, last string) ([]string, error)
	GetCache(name string) (value []byte, at time.Time, ok bool, err error)
	PutCache(name string, value []byte, at time.Time) error
}

// Config sets up a Book. Now and Offset are required.
type Config struct {
	Now func() time.Time // the counter's clock
	// Offset is central's clock minus the counter's, as last measured.
	Offset func() time.Duration
	// Cash returns the operations whose cash the counter asks about (edge.Status.OpenCash);
	// nil: all with open cash.
	Cash func() []edge.Record
}

// Book holds the days of a counter. Its methods are safe for concurrent use.
type Book struct {
	ledger Ledger
	cfg    Config

	closing sync.Mutex // one closing at a time: what it stores must be what it summed up
}

// New makes a Book.
func New(ledger Ledger, cfg Config) (*Book, error) {
	if ledger == nil || cfg.Now == nil || cfg.Offset == nil {
		return nil, errors.New("a cashbook needs a ledger, a clock and the clock's offset")
	}
	return &Book{ledger: ledger, cfg: cfg}, nil
}

// DayOf returns the day in India of a time of the counter's clock, by central's clock.
func (t *Book) DayOf(at time.Time) ist.Day { return ist.DayOf(at.Add(t.cfg.Offset())) }

// Today returns the current day in India, by central's clock.
func (t *Book) Today() ist.Day { return t.DayOf(t.cfg.Now()) }

// DayOrToday returns the day that a form or address names, or today if the text is not a
// day from 2000 to today.
func (t *Book) DayOrToday(text string) ist.Day {
	today := t.Today()
	day, err := ist.ParseDay(text)
	if err != nil || day > today || day < "2000" {
		return today
	}
	return day
}

// Operations returns a day's operations, oldest first, up to 20,000. Results beside an
// error lack the operations that it names.
func (t *Book) Operations(day ist.Day) ([]edge.Record, error) {
	return t.OperationsBetween(span(day, t.cfg.Offset()))
}

// OperationsBetween is Operations for the operations created from a time on and before
// another.
func (t *Book) OperationsBetween(from, to time.Time) (records []edge.Record, err error) {
	err = t.eachOperation(from, to, func(r *edge.Record) { records = append(records, *r) })
	return records, err
}

// EachOperation is Operations without collecting them: records are large.
func (t *Book) EachOperation(day ist.Day, do func(*edge.Record)) error {
	from, to := span(day, t.cfg.Offset())
	return t.eachOperation(from, to, do)
}

// eachOperation calls do for the operations of a period, oldest first, up to
// maxOperationsPerDay a day on average. Receipts by SMS are none of a day's operations.
func (t *Book) eachOperation(from, to time.Time, do func(*edge.Record)) (err error) {
	limit := maxOperationsPerDay * max(1, int(to.Sub(from)/(24*time.Hour)))
	for after, n := op.ID(""), 0; n < limit; {
		batch, readErr := t.ledger.CreatedBetween(from, to, after, batchSize)
		err = errors.Join(err, readErr)
		for i := range batch {
			if !batch[i].IsMessage() {
				do(&batch[i])
			}
		}
		n += len(batch)
		if len(batch) < batchSize {
			break
		}
		after = batch[len(batch)-1].ID
	}
	return err
}

// eachAffected calls do for the operations that changed in a period, and for some created
// just outside it.
func (t *Book) eachAffected(from, to time.Time, do func(*edge.Record)) error {
	err := t.eachOperation(from.Add(-edge.LateAfter), to.Add(edge.LateAfter), do)
	late, lateErr := t.ledger.ChangedLater(from, to)
	for i := range late {
		if !late[i].IsMessage() {
			do(&late[i])
		}
	}
	return errors.Join(err, lateErr)
}

// Summarize sums up a day's cash. Sums beside an error lack the operations that can't be
// read.
func (t *Book) Summarize(day ist.Day) (Summary, error) { return t.newAllocation().summarize(day) }

func (b *allocation) summarize(day ist.Day) (Summary, error) {
	moved, err := b.dayOperations(day)
	unfinished, unfinishedErr := b.book.ledger.Unresolved()
	opening, _, openingErr := b.book.Opening(day)
	k := newSummary(day, opening, moved, unfinished, b.offset)
	open, openErr := b.book.ledger.OpenCash()
	asked := open
	if b.book.cfg.Cash != nil {
		asked = b.book.cfg.Cash()
	}
	for _, r := range open {
		if OwedBack(r) > 0 && ist.DayOf(r.CreatedAt.Add(b.offset)) <= day {
			k.CashToReturn = append(k.CashToReturn, r)
		}
		isAsked := func(a edge.Record) bool { return a.ID == r.ID }
		if slices.ContainsFunc(asked, isAsked) && b.mustBeAnswered(r, day) {
			k.UnansweredCash = append(k.UnansweredCash, r)
		}
	}
	return k, errors.Join(err, unfinishedErr, openErr, openingErr)
}

// opening is the counted cash at the beginning of a day, as cached.
type opening struct {
	Paise    money.Paise `json:"paise"`
	Operator string      `json:"operator"`
}

// Opening returns the cash at the beginning of a day: as counted, or else as the last
// closing counted it; counted is false for the latter.
func (t *Book) Opening(day ist.Day) (amount money.Paise, counted bool, err error) {
	value, _, ok, err := t.ledger.GetCache(openingCachePrefix + string(day))
	if err != nil {
		return 0, false, fmt.Errorf("read the opening count of %s: %w", day, err)
	}
	if ok {
		var o opening
		if err := json.Unmarshal(value, &o); err != nil {
			return 0, false, fmt.Errorf("read the opening count of %s: %w", day, err)
		}
		return o.Paise, true, nil
	}
	days, err := t.ClosedDays(day.Add(-unclosedWithin), day.Add(-1))
	if err != nil || len(days) == 0 {
		return 0, false, err
	}
	last, _, err := t.Closed(days[len(days)-1])
	return last.Counted, false, err
}

// SetOpening records the cash counted at the beginning of a day; ErrClosed once the day is
// closed.
func (t *Book) SetOpening(day ist.Day, count Count, operator string) error {
	t.closing.Lock()
	defer t.closing.Unlock()
	if _, ok, err := t.Closed(day); ok || err != nil {
		return errors.Join(err, ErrClosed)
	}
	value, err := json.Marshal(opening{Paise: count.Total(), Operator: operator})
	if err != nil {
		return fmt.Errorf("write the opening count of %s: %w", day, err)
	}
	return t.ledger.PutCache(openingCachePrefix+string(day), value, t.cfg.Now())
}

// Closed returns the closing of a day; ok is false where it has none.
func (t *Book) Closed(day ist.Day) (c Closing, ok bool, err error) {
	value, at, ok, err := t.ledger.Closing(string(day))
	if err != nil || !ok {
		return Closing{}, false, err
	}
	if err := json.Unmarshal(value, &c); err != nil {
		return Closing{}, false, fmt.Errorf("read the closing of %s: %w", day, err)
	}
	c.ClosedAt = at
	return c, true, nil
}

// Close closes a day with the counted cash, and returns what was stored. The reason
// explains a difference; acknowledged are the unfinished operations that the user was
// shown. Errors are ErrClosed, ErrFuture, ErrReason, *UnansweredCashError,
// *UnfinishedError, and those of the disk; nothing is stored then.
func (t *Book) Close(day ist.Day, operator string, counted Count, reason string, acknowledged []op.ID) (Closing, error) {
	t.closing.Lock()
	defer t.closing.Unlock()
	if day > t.Today() {
		return Closing{}, ErrFuture
	}
	if _, ok, err := t.Closed(day); ok || err != nil {
		if ok {
			err = ErrClosed
		}
		return Closing{}, err
	}
	b, at := t.newAllocation(), t.cfg.Now()
	b.closings[day] = Closing{ClosedAt: at} // what becomes known from now on belongs to the next day
	// What was known before may still be on its way to the disk. The queue writes in order, so
	// all of it is there once this is.
	if err := t.ledger.PutCache(closingCacheKey, []byte(day), at); err != nil {
		return Closing{}, fmt.Errorf("close %s: %w", day, err)
	}
	k, err := b.summarize(day)
	if err != nil {
		return Closing{}, fmt.Errorf("close %s: %w", day, err)
	}
	c, err := newClosing(k, operator, counted, reason, acknowledged)
	if err != nil {
		return Closing{}, err
	}
	value, err := json.Marshal(c)
	if err != nil {
		return Closing{}, fmt.Errorf("write the closing of %s: %w", day, err)
	}
	c.ClosedAt = at
	if err := t.ledger.CloseDay(string(day), value, c.ClosedAt); err != nil {
		return Closing{}, fmt.Errorf("store the closing of %s: %w", day, err)
	}
	return c, nil
}

// ClosedDays returns the closed days from first to last, oldest first.
func (t *Book) ClosedDays(first, last ist.Day) ([]ist.Day, error) {
	names, err := t.ledger.ClosedDays(string(first), string(last))
	days := make([]ist.Day, len(names))
	for i, name := range names {
		days[i] = ist.Day(name)
	}
	return days, err
}

// UnclosedDays returns the days of the last month, before today, with operations and
// without a closing, oldest first. Days before the first closing do not count: a shop that
// never closes its days gets no daily reminder.
func (t *Book) UnclosedDays() ([]ist.Day, error) {
	today := t.Today()
	closed, err := t.ClosedDays(today.Add(-unclosedWithin), today)
	if err != nil || len(closed) == 0 {
		return nil, err
	}
	var open []ist.Day
	for day := closed[0]; day < today; day = day.Add(1) {
		if slices.Contains(closed, day) {
			continue
		}
		has, err := t.hasOperations(day)
		if err != nil {
			return open, err
		}
		if has {
			open = append(open, day)
		}
	}
	return open, nil
}

// hasOperations reports whether a day has an operation beside messages.
func (t *Book) hasOperations(day ist.Day) (bool, error) {
	from, to := span(day, t.cfg.Offset())
	for after := op.ID(""); ; {
		found, err := t.ledger.CreatedBetween(from, to, after, 1)
		if len(found) == 0 {
			return false, err
		}
		if !found[0].IsMessage() {
			return true, nil
		}
		after = found[0].ID
	}
}

// UnfinishedIDs returns the operations without a final outcome, oldest first. Results
// beside an error are incomplete.
func (t *Book) UnfinishedIDs() ([]op.ID, error) {
	records, err := t.ledger.Unresolved()
	ids := IDs(records)
	slices.Sort(ids)
	return ids, err
}

// IDRange returns the least ids that operations of a day and of the next day can have.
func (t *Book) IDRange(day ist.Day) (first, end op.ID) {
	from, to := span(day, t.cfg.Offset())
	return op.FirstID(from), op.FirstID(to)
}

// span returns the beginning of the day and of the next, by the counter's clock. Both are
// the zero time for what is not a day.
func span(day ist.Day, offset time.Duration) (from, to time.Time) {
	from, to, err := day.Bounds()
	if err != nil {
		return time.Time{}, time.Time{}
	}
	return from.Add(-offset), to.Add(-offset)
}

// WriteDay writes a day's operations as WriteCSV does, with those of other days whose cash
// is in its sums. If one can't be read, nothing is written.
func (t *Book) WriteDay(w io.Writer, day ist.Day, texts CSVTexts) error {
	moved, err := t.DayOperations(day)
	if err != nil {
		return fmt.Errorf("the file of %s: %w", day, err)
	}
	return WriteCSV(w, day, moved, t.cfg.Offset(), texts)
}
