package till

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/shared/money"
	"galla/shared/op"
)

const (
	step = 500 // operations in one read of the ledger
	// maxDay bounds the operations of one day; a counter that works without a
	// pause for 12 hours makes some 1,500.
	maxDay = 20_000
	// openWithin is how many days back a day that was not closed is looked for.
	openWithin = 31
	openingKey = "till.opening." // and the day, in the ledger's cache
	closingKey = "till.closing"  // in the ledger's cache: the day that somebody began to close last
)

// Ledger is what is needed of the counter's queue. queue.Queue implements it.
type Ledger interface {
	// Between gives up to limit operations, oldest first, that were begun from
	// the one time on and before the other, and come after an id.
	Between(from, to time.Time, after op.ID, limit int) ([]edge.Record, error)
	// Late gives those to which something happened from the one time on and before
	// the other, and that were begun more than edge.LateAfter before or after.
	Late(from, to time.Time) ([]edge.Record, error)
	Unresolved() ([]edge.Record, error)
	// OpenCash gives those whose cash is open (edge.Record.Cash).
	OpenCash() ([]edge.Record, error)
	// KeepDay keeps the closing of a day; an error where it has one.
	KeepDay(day string, value []byte, at time.Time) error
	KeptDay(day string) (value []byte, at time.Time, ok bool, err error)
	KeptDays(first, last string) ([]string, error)
	Cached(name string) (value []byte, at time.Time, ok bool, err error)
	Cache(name string, value []byte, at time.Time) error
}

// Config sets up a Till. Now and Offset are required.
type Config struct {
	Now func() time.Time // the counter's clock
	// Offset is the central's clock minus the counter's, as measured last.
	Offset func() time.Duration
	// Cash gives the operations whose cash the counter asks about
	// (edge.Status.Cash); nil: all whose cash is open.
	Cash func() []edge.Record
}

// Till keeps the days of a counter. Its methods may be called from many
// goroutines.
type Till struct {
	ledger Ledger
	cfg    Config

	closing sync.Mutex // one closing at a time: the reckoning must be the one that is kept

	asking sync.Mutex // of the banks' rates, which are remembered for some seconds
	rates  map[string]Rate
	rated  time.Time
}

// New makes a Till.
func New(ledger Ledger, cfg Config) (*Till, error) {
	if ledger == nil || cfg.Now == nil || cfg.Offset == nil {
		return nil, errors.New("a till needs a ledger, a clock and the clock's offset")
	}
	return &Till{ledger: ledger, cfg: cfg}, nil
}

// Today is the day in India now, by the central's clock.
func (t *Till) Today() Day { return DayOf(t.cfg.Now(), t.cfg.Offset()) }

// Clock gives the clock of a pending debit to today, from when it was sent, as
// the customer's slip counts.
func (t *Till) Clock(r edge.Record) Clock {
	at := r.SentAt
	if at.IsZero() {
		at = r.CreatedAt
	}
	return ClockOf(DayOf(at, t.cfg.Offset()), t.Today())
}

// Operations gives a day's operations, oldest first, up to 20,000. Beside
// those that open, an error names those that do not.
func (t *Till) Operations(day Day) ([]edge.Record, error) {
	from, to := day.Span(t.cfg.Offset())
	return t.between(from, to)
}

func (t *Till) between(from, to time.Time) (records []edge.Record, err error) {
	err = t.each(from, to, func(r *edge.Record) { records = append(records, *r) })
	return records, err
}

// each walks over the operations of a span, oldest first, up to maxDay of a day
// on average; records are large, and few of those that are looked at are kept.
func (t *Till) each(from, to time.Time, do func(*edge.Record)) (err error) {
	limit := maxDay * max(1, int(to.Sub(from)/(24*time.Hour)))
	for after, n := op.ID(""), 0; n < limit; {
		batch, readErr := t.ledger.Between(from, to, after, step)
		err = errors.Join(err, readErr)
		for i := range batch {
			do(&batch[i])
		}
		n += len(batch)
		if len(batch) < step {
			break
		}
		after = batch[len(batch)-1].ID
	}
	return err
}

// touched walks over the operations to which anything happened in a span: begun,
// sent, ended, or cash handed over; and over some that were begun just beside it.
func (t *Till) touched(from, to time.Time, do func(*edge.Record)) error {
	err := t.each(from.Add(-edge.LateAfter), to.Add(edge.LateAfter), do)
	late, lateErr := t.ledger.Late(from, to)
	for i := range late {
		do(&late[i])
	}
	return errors.Join(err, lateErr)
}

// Reckon sums up a day's cash. An error beside a reckoning says that some
// operations can't be read, and the sums lack them.
func (t *Till) Reckon(day Day) (Reckoning, error) { return t.books().reckon(day) }

func (b *books) reckon(day Day) (Reckoning, error) {
	moved, err := b.moving(day)
	unsettled, unsettledErr := b.till.ledger.Unresolved()
	opening, _, openingErr := b.till.Opening(day)
	k := reckon(day, opening, moved, unsettled, b.offset)
	open, openErr := b.till.ledger.OpenCash()
	told := map[op.ID]bool{}
	if b.till.cfg.Cash != nil {
		for _, r := range b.till.cfg.Cash() {
			told[r.ID] = true
		}
	}
	for _, r := range open {
		if cashbook.Due(r) > 0 && DayOf(r.CreatedAt, b.offset) <= day {
			k.Due = append(k.Due, r)
		}
		if (b.till.cfg.Cash == nil || told[r.ID]) && b.asks(r, day) {
			k.Asking = append(k.Asking, r)
		}
	}
	return k, errors.Join(err, unsettledErr, openErr, openingErr)
}

// opening is the cash counted when a day began, as it is cached.
type opening struct {
	Paise    money.Paise `json:"paise"`
	Operator string      `json:"operator"`
}

// Opening gives the cash with which a day began: as it was counted, or else
// what the last closing before it counted; counted is false for the latter.
func (t *Till) Opening(day Day) (amount money.Paise, counted bool, err error) {
	value, _, ok, err := t.ledger.Cached(openingKey + string(day))
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
	days, err := t.ledger.KeptDays(string(day.Add(-openWithin)), string(day.Add(-1)))
	if err != nil || len(days) == 0 {
		return 0, false, err
	}
	last, _, err := t.Closed(Day(days[len(days)-1]))
	return last.Counted, false, err
}

// SetOpening records the cash counted when a day begins; ErrClosed once the day
// is closed.
func (t *Till) SetOpening(day Day, count Count, operator string) error {
	t.closing.Lock()
	defer t.closing.Unlock()
	if _, ok, err := t.Closed(day); ok || err != nil {
		return errors.Join(err, ErrClosed)
	}
	value, err := json.Marshal(opening{Paise: count.Total(), Operator: operator})
	if err != nil {
		return fmt.Errorf("write the opening count of %s: %w", day, err)
	}
	return t.ledger.Cache(openingKey+string(day), value, t.cfg.Now())
}

// Closed gives the closing of a day; ok is false where it has none.
func (t *Till) Closed(day Day) (c Closing, ok bool, err error) {
	value, at, ok, err := t.ledger.KeptDay(string(day))
	if err != nil || !ok {
		return Closing{}, false, err
	}
	c, err = decodeClosing(value, at)
	return c, err == nil, err
}

// Close closes a day with the counted cash, and gives what was kept. The reason
// is for a difference; acknowledged are the unsettled operations that the
// operator was shown. Errors are ErrClosed, ErrFuture, ErrReason, *AskingError,
// *UnsettledError, and those of the disk; nothing is kept then.
func (t *Till) Close(day Day, operator string, counted Count, reason string, acknowledged []op.ID) (Closing, error) {
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
	b, at := t.books(), t.cfg.Now()
	b.closings[day] = Closing{ClosedAt: at} // what is known from this moment on is the next day's
	// What was known before it may be on its way to the disk: the ledger writes in
	// order, so that it is there when this is.
	if err := t.ledger.Cache(closingKey, []byte(day), at); err != nil {
		return Closing{}, fmt.Errorf("close %s: %w", day, err)
	}
	k, err := b.reckon(day)
	if err != nil {
		return Closing{}, fmt.Errorf("close %s: %w", day, err)
	}
	c, err := closing(k, operator, counted, reason, acknowledged)
	if err != nil {
		return Closing{}, err
	}
	value, err := c.encode()
	if err != nil {
		return Closing{}, err
	}
	c.ClosedAt = at
	if err := t.ledger.KeepDay(string(day), value, c.ClosedAt); err != nil {
		return Closing{}, fmt.Errorf("keep the closing of %s: %w", day, err)
	}
	return c, nil
}

// LeftOpen gives the days of the last month, before today, on which something
// was done and that nobody closed, oldest first. Days before the first closing
// are not among them: a shop that never closes its days is not told daily.
func (t *Till) LeftOpen() ([]Day, error) {
	today := t.Today()
	closed, err := t.ledger.KeptDays(string(today.Add(-openWithin)), string(today))
	if err != nil || len(closed) == 0 {
		return nil, err
	}
	var open []Day
	for day := Day(closed[0]); day < today; day = day.Add(1) {
		if slices.Contains(closed, string(day)) {
			continue
		}
		from, to := day.Span(t.cfg.Offset())
		found, err := t.ledger.Between(from, to, "", 1)
		if err != nil && len(found) == 0 {
			return open, err
		}
		if len(found) > 0 {
			open = append(open, day)
		}
	}
	return open, nil
}

// Open gives the ids of the operations without an outcome, oldest first. An
// error beside them says that some can't be read.
func (t *Till) Open() ([]op.ID, error) {
	records, err := t.ledger.Unresolved()
	ids := make([]op.ID, len(records))
	for i, r := range records {
		ids[i] = r.ID
	}
	slices.Sort(ids)
	return ids, err
}

// IDs gives the least ids that operations of a day and of the next day can
// have: the day's are from the one on and before the other.
func (t *Till) IDs(day Day) (first, end op.ID) {
	from, to := day.Span(t.cfg.Offset())
	return leastID(from), leastID(to)
}

// leastID is the least UUIDv7 of a millisecond.
func leastID(at time.Time) op.ID {
	h := fmt.Sprintf("%012x", min(max(at.UnixMilli(), 0), 1<<48-1))
	return op.ID(h[:8] + "-" + h[8:] + "-0000-0000-000000000000")
}

// WriteDay writes a day's operations as WriteCSV does, with those of other days
// whose cash is in its sums: the cash of the file is the day's. Where one of them
// can't be read, nothing is written.
func (t *Till) WriteDay(w io.Writer, day Day) error {
	moved, err := t.Moving(day)
	if err != nil {
		return fmt.Errorf("the file of %s: %w", day, err)
	}
	return WriteCSV(w, day, moved, t.cfg.Offset())
}
