package reports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/central/jobs"
	"galla/central/reconcile"
	"galla/shared/ist"
	"galla/shared/op"
)

// Bounds of closing days.
const (
	// closeAfter is how long after its end a day is closed: outcomes are recorded at once,
	// clocks of nodes differ by seconds, and a database that is away for minutes records
	// late what came before.
	closeAfter = time.Hour
	// closeEvery is the period of the job.
	closeEvery = 5 * time.Minute
	// closeFor is how long one run goes on with further days and files.
	closeFor = 5 * time.Minute
	// linesOfFile is how many lines of a settlement file are read at one time.
	linesOfFile = 500
	// filesAtOnce is how many files one run sums up.
	filesAtOnce = 10
)

// Closer sums up days that have ended, and settlement files.
type Closer struct {
	days  DayStore
	files SettlementStore
	log   *slog.Logger
}

// NewCloser makes a Closer of all its parts.
func NewCloser(days DayStore, files SettlementStore, log *slog.Logger) (*Closer, error) {
	if days == nil || files == nil || log == nil {
		return nil, errors.New("the figures of days need their stores and a logger")
	}
	return &Closer{days, files, log}, nil
}

// Job is the scheduled job that closes days and sums up files.
func (c *Closer) Job() jobs.ScheduledJob {
	return jobs.ScheduledJob{Name: "report-days", Every: closeEvery, Run: func(ctx context.Context) (string, error) { return c.Run(ctx, time.Now()) }}
}

// Run closes all days that can be closed at a time, oldest first, and sums up files. It ends
// early after some minutes; the next run goes on.
func (c *Closer) Run(ctx context.Context, now time.Time) (note string, err error) {
	began := time.Now()
	days, err := c.closeDays(ctx, now, began)
	if err != nil {
		return "", err
	}
	files, err := c.sumFiles(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d days closed, %d settlement files summed up", days, files), nil
}

// LastToClose is the last day that can be closed at a time.
func LastToClose(now time.Time) ist.Day { return ist.DayOf(now.Add(-closeAfter)).Add(-1) }

func (c *Closer) closeDays(ctx context.Context, now, began time.Time) (n int, err error) {
	closed, err := c.days.ClosedDays(ctx)
	if err != nil {
		return 0, err
	}
	next := closed.Last
	if next == "" {
		if next, err = c.days.FirstOutcome(ctx); errors.Is(err, central.ErrNotFound) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
	} else {
		next = next.Add(1)
	}
	for last := LastToClose(now); next <= last && time.Since(began) < closeFor; next = next.Add(1) {
		if closed.Last != "" {
			if err := c.recount(ctx, next.Add(-1), now); err != nil {
				return n, err
			}
		}
		if err := c.closeDay(ctx, next, now); err != nil {
			return n, err
		}
		closed.Last = next
		n++
	}
	return n, nil
}

// recount closes a day again if outcomes were recorded after its closing.
func (c *Closer) recount(ctx context.Context, day ist.Day, now time.Time) error {
	if _, end, err := day.Bounds(); err != nil || now.Sub(end) > 20*24*time.Hour {
		return err // some may be archived, and the day was checked, or is of the first closing
	}
	count, known, err := c.days.OutcomesOfDay(ctx, day)
	if err != nil || count == known {
		return err
	}
	c.log.Warn("outcomes were recorded after their day was closed for reports; it is closed again, and files that were written of it lack them", "day", string(day), "late", count-known)
	return c.closeDay(ctx, day, now)
}

func (c *Closer) closeDay(ctx context.Context, day ist.Day, now time.Time) error {
	f := DayFigures{Day: day, Volumes: map[Dimension][]Volume{}, ClosedAt: now}
	for _, by := range []Dimension{ByBank, ByMerchant} {
		list, err := c.days.VolumesOfDay(ctx, day, by)
		if err != nil {
			return err
		}
		f.Volumes[by] = list
	}
	f.Volumes[ByAll] = byKind(f.Volumes[ByBank])
	var err error
	if f.Earnings, err = c.days.EarningsOfDay(ctx, day); err != nil {
		return err
	}
	return c.days.CloseDay(ctx, f)
}

// byKind adds up volumes of all names.
func byKind(list []Volume) (out []Volume) {
	sums := map[central.Kind]*Volume{}
	for _, v := range list {
		if sums[v.Kind] == nil {
			sums[v.Kind] = &Volume{Kind: v.Kind}
		}
		sums[v.Kind].Add(v)
	}
	for _, v := range sums {
		out = append(out, *v)
	}
	slices.SortFunc(out, func(a, b Volume) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	return out
}

func (c *Closer) sumFiles(ctx context.Context) (n int, err error) {
	list, err := c.files.FilesToSum(ctx, filesAtOnce)
	if err != nil {
		return 0, err
	}
	for _, f := range list {
		if err := c.sumFile(ctx, f.Day, f.File); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// sumFile sums up the lines and cases of a file, which no longer change once it is complete.
func (c *Closer) sumFile(ctx context.Context, day ist.Day, file int) error {
	sums := map[SettledKey]*Settled{}
	of := func(o *reconcile.Operation) *Settled {
		key := SettledKey{Day: day, File: file}
		if o != nil {
			key.Merchant, key.Kind = o.Merchant, o.Kind
		}
		if sums[key] == nil {
			sums[key] = &Settled{}
		}
		return sums[key]
	}
	differing := map[int]bool{} // lines with a case
	for after := 0; ; {
		cases, err := c.files.ListCases(ctx, day, file, after, linesOfFile)
		if err != nil {
			return err
		}
		for _, x := range cases {
			of(x.Operation).Cases++
			if x.Line != nil {
				differing[x.Line.Number] = true
			}
			after = x.Number
		}
		if len(cases) < linesOfFile {
			break
		}
	}
	for after := 0; ; {
		lines, err := c.files.SettlementLines(ctx, day, file, after, linesOfFile)
		if err != nil {
			return err
		}
		if err := c.addLines(ctx, lines, differing, of); err != nil {
			return err
		}
		if len(lines) < linesOfFile {
			break
		}
		after = lines[len(lines)-1].Number
	}
	rows := make([]SettledRow, 0, len(sums))
	for key, s := range sums {
		rows = append(rows, SettledRow{SettledKey: key, Settled: *s})
	}
	return c.files.SaveFileSums(ctx, day, file, rows)
}

// addLines adds lines to the sums of their operations.
func (c *Closer) addLines(ctx context.Context, lines []reconcile.Line, differing map[int]bool, of func(*reconcile.Operation) *Settled) error {
	references := make([]central.Reference, len(lines))
	for i, l := range lines {
		references[i] = l.Reference
	}
	found, err := c.files.OperationsByReference(ctx, references)
	if err != nil {
		return err
	}
	operations := make(map[central.Reference]*reconcile.Operation, len(found))
	for i := range found {
		operations[found[i].Reference] = &found[i]
	}
	for _, l := range lines {
		s := of(operations[l.Reference])
		s.Lines++
		moved := l.Amount
		if l.Outcome() != op.Succeeded {
			moved = 0
		}
		s.Amount += moved
		if !differing[l.Number] {
			s.Matched++
			s.MatchedAmount += moved
		}
	}
	return nil
}
