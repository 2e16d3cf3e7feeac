package central

import "context"

// Evidence is what an operator looks operations up by, whoever's they are. It
// is for the command line of the central's own machine, and behind no door.
type Evidence interface {
	// Find gives operations by any name that somebody may read out: the id, our
	// Reference, the PendingReference, the bank's RRN, the caller's own
	// reference or identity. Newest first.
	Find(ctx context.Context, name string, limit int) ([]Operation, error)
	// Waiting lists the pending operations: those that are stuck first, then the
	// oldest first.
	Waiting(ctx context.Context, limit int) ([]Operation, error)
}
