//go:build bug_chosen

package bug

import "os"

// The faults, each of which is there where the environment chooses it.
var (
	DispatchBeforeCommit = os.Getenv(Variable) == Dispatch
	RetryOnTimeout       = os.Getenv(Variable) == Retry
	ForgetTombstone      = os.Getenv(Variable) == Tombstone
	AttemptWhilePending  = os.Getenv(Variable) == Attempt
)
