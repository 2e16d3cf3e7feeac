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
