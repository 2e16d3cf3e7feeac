package jobs

import (
	"context"
	"time"
)

// ScheduledJob is work that is done regularly, by one node at a time.
type ScheduledJob struct {
	// Name identifies it in the database, in logs and metrics: lower case letters,
	// digits and hyphens, at most 64. Its meaning never changes, because nodes with an
	// older program may share the database.
	Name string
	// Every is the period from start to start; at least a second. A run that takes
	// longer is followed by the next one at once.
	Every time.Duration
	// Run does a bounded piece of the work and returns a note for logs: counts, without
	// personal data. It may be stopped at any point (ctx ends before the lease does) and
	// run again at once by another node, and must tolerate both. An error is logged and
	// counted, and Run is called again after a pause.
	Run func(ctx context.Context) (note string, err error)
}

// JobRecord is the row of a scheduled job.
type JobRecord struct {
	Name  string
	DueAt time.Time // of the next run; during a run, the end of the lease
	// Node runs it now; empty: none.
	Node      string
	StartedAt time.Time // of the last run; zero: never
	EndedAt   time.Time // of the last finished run; zero: never
	Failures  int       // consecutive
	Note      string    // of the last finished run, or its error
}

// RunResult is the result of a run.
type RunResult struct {
	Name      string
	StartedAt time.Time // of the claim: identifies the run
	At        time.Time
	Next      time.Time
	Failed    bool
	Note      string
}

// Store is the part of the database that the scheduler needs. Each method is one
// transaction.
type Store interface {
	// RegisterJob adds a job that is not recorded, due at once. A recorded one becomes
	// due after its period at the latest, so that a shorter period takes effect, and at
	// once if this node was running it. A node calls it when it starts.
	RegisterJob(ctx context.Context, name string, now time.Time, every time.Duration) error
	// ListJobs lists all jobs by name.
	ListJobs(ctx context.Context) ([]JobRecord, error)
	// ClaimJob claims a due job for this node until the given time. central.ErrState: it
	// is not due, or another node was first.
	ClaimJob(ctx context.Context, name string, now, until time.Time) (JobRecord, error)
	// FinishJob records the result of a run. central.ErrState: its lease is over, and
	// another node has begun a run.
	FinishJob(ctx context.Context, e RunResult) error
}
