package reports

import (
	"context"
	"time"

	"galla/shared/ist"
)

// Period is how often a report is written as a file.
type Period string

// The periods. A week is Monday to Sunday, a month one of the calendar.
const (
	Daily   Period = "daily"
	Weekly  Period = "weekly"
	Monthly Period = "monthly"
)

// Title is the period for people.
func (p Period) Title() string {
	return map[Period]string{Daily: "Each day", Weekly: "Each week, Monday to Sunday", Monthly: "Each month"}[p]
}

// Periods lists the periods.
func Periods() []Period { return []Period{Daily, Weekly, Monthly} }

// Around is the period's range that contains a day.
func (p Period) Around(d ist.Day) Range {
	switch p {
	case Weekly:
		monday := d.Add(-(int(d.Noon().Weekday()) + 6) % 7)
		return Range{monday, monday.Add(6)}
	case Monthly:
		days := d.Month()
		return Range{days[0], days[len(days)-1]}
	}
	return Range{d, d}
}

// LastBefore is the period's last range that has ended with a day, or before.
func (p Period) LastBefore(d ist.Day) Range {
	r := p.Around(d)
	if r.Last > d {
		r = p.Around(r.First.Add(-1))
	}
	return r
}

// RunKey names a report of a range that is written as a file.
type RunKey struct {
	Report Name
	Range
}

// Key is the name as an address has it, such as commission.2026-11-01.2026-11-30.
func (k RunKey) Key() string { return string(k.Report) + "." + string(k.First) + "." + string(k.Last) }

// State is the state of a run.
type State string

// The states.
const (
	Waiting State = "waiting"
	Done    State = "done"
)

// Run is a report that is written as a file.
type Run struct {
	RunKey
	Period  Period
	State   State
	DueAt   time.Time // of the next attempt; of a done run, of the last
	AskedBy string    // who asked for it again; empty: the schedule

	Failures int    // consecutive
	Error    string // of the last attempt, or what it waits for
	ErrorAt  time.Time

	// The last file that was written; zero: none yet.
	File     string // its path in each place
	Revision int    // 1, and more where a file with another content was there
	SHA256   [32]byte
	Lines    int
	Bytes    int64
	Places   string
	Node     string
	DoneAt   time.Time
}

// Backlog counts runs that wait.
type Backlog struct {
	Waiting       int
	Failing       int       // whose last attempt failed
	OldestFailure time.Time // of their last attempts; zero: none
}

// RunStore stores runs. Each method is one transaction. central.ErrNotFound: there is no such
// run.
type RunStore interface {
	// AddRun adds a run that waits, unless it is there.
	AddRun(ctx context.Context, k RunKey, period Period, due time.Time) error
	// LastRun returns the run of a report and period with the latest range.
	LastRun(ctx context.Context, report Name, period Period) (Run, error)
	// ReportRun returns a run.
	ReportRun(ctx context.Context, k RunKey) (Run, error)
	// DueRuns lists waiting runs that are due, the longest first.
	DueRuns(ctx context.Context, now time.Time, limit int) ([]Run, error)
	// ListRuns lists runs, latest range first, those before a key; zero: all.
	ListRuns(ctx context.Context, before RunKey, limit int) ([]Run, error)
	// FinishRun records a written file. central.ErrState: somebody asked for it again since it
	// was read, or another node was first.
	FinishRun(ctx context.Context, r Run) error
	// PostponeRun records a failure, or what a run waits for. central.ErrState is as of
	// FinishRun.
	PostponeRun(ctx context.Context, r Run, next time.Time) error
	// RunAgain makes a run wait again, due at a time.
	RunAgain(ctx context.Context, k RunKey, by string, at time.Time) error
	// RunBacklog counts the runs that wait.
	RunBacklog(ctx context.Context) (Backlog, error)
}
