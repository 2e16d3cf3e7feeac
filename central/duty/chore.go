package duty

import (
	"context"
	"time"
)

// Chore is regular work of the house: a purge, an archive, partitions made
// ahead. Whatever number of nodes share a database, a chore is done by one of
// them at a time, and its period is kept whichever node does it.
type Chore struct {
	// Name names it in the table of chores, in logs and metrics: lower case
	// letters, digits and hyphens, at most 64. It never changes meaning, since
	// a table of an older program holds it.
	Name string
	// Every is the period, from one start to the next; at least a second. A
	// chore that takes longer starts again as soon as it has ended.
	Every time.Duration
	// Do does the work that is there, a bounded piece of it, and says in note
	// what was done, for logs: counts, never anything personal. It may be
	// stopped at any point (ctx ends when the lease nears its end) and may be
	// run again at once by another node: what it does must bear that. An error
	// is logged and counted, and Do is called again after a pause.
	Do func(ctx context.Context) (note string, err error)
}

// ChoreRecord is a chore's row.
type ChoreRecord struct {
	Name  string
	DueAt time.Time // of the next run; the lease's end while a node does it
	// Node is who does it at this moment; empty: nobody.
	Node      string
	StartedAt time.Time // of the last run; zero: never
	EndedAt   time.Time // of the last run that ended; zero: never
	Failures  int       // in a row
	Note      string    // of the last run that ended, or its error
}

// ChoreEnd is how a run of a chore ended.
type ChoreEnd struct {
	Name      string
	StartedAt time.Time // as it was claimed: names the run
	At        time.Time
	Next      time.Time
	Failed    bool
	Note      string
}

// Chores is what the chores need of the database. Each method is one
// transaction.
type Chores interface {
	// EnrolChore records a chore that the table does not have, due at once. One
	// that it has falls due after its period at the latest, so that a period
	// that was made shorter holds.
	EnrolChore(ctx context.Context, name string, now time.Time, every time.Duration) error
	// Chores lists all chores, by their names.
	Chores(ctx context.Context) ([]ChoreRecord, error)
	// ClaimChore takes a chore that is due, for this node until the given moment.
	// central.ErrState: it is not due, or somebody else was first.
	ClaimChore(ctx context.Context, name string, now, until time.Time) (ChoreRecord, error)
	// EndChore records the end of a run. central.ErrState: the run's lease was
	// over, and somebody else has begun another.
	EndChore(ctx context.Context, e ChoreEnd) error
}
