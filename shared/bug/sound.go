//go:build !bug_chosen

package bug

// The faults, none of which is built in.
const (
	// DispatchBeforeCommit sends an operation to the bank before the state
	// dispatched is committed: after a crash in between, it counts as never sent.
	DispatchBeforeCommit = false
	// RetryOnTimeout sends again what was not answered: the central to the bank
	// under a new reference, the counter to the central after a lost line.
	RetryOnTimeout = false
	// ForgetTombstone answers 'never seen' without remembering it, so that what
	// still arrives is executed.
	ForgetTombstone = false
	// AttemptWhilePending takes a transfer that may have been executed for one
	// that the bank refused: a repeat of the call sends it under another name.
	AttemptWhilePending = false
)
