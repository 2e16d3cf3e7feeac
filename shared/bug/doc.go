// Package bug names the faults that can be built into the product on purpose,
// so that the machines that look for counterexamples (random walks, the
// simulation, killed processes, the explored model) can be shown to find them.
//
// It promises that a program built without tags has none of them: each is a
// constant that is false, and the compiler drops what stands behind it. With the
// build tag bug_chosen all are there, and the environment's DELIBERATE_FAULT
// (Variable) chooses one, so that one build serves for each:
//
//	dispatch    DispatchBeforeCommit
//	retry       RetryOnTimeout
//	tombstone   ForgetTombstone
//	attempt     AttemptWhilePending
//
// Nothing enters or leaves but the constants, and the words with which a
// program says at its start that it is not to be trusted (Confess).
// galla/deploy/bugs chooses each of them and demands that the machines fail.
package bug

import "log/slog"

// Tag is the build tag of programs that can be given a fault, and Variable what
// chooses it in their environment.
const (
	Tag      = "bug_chosen"
	Variable = "DELIBERATE_FAULT"
)

// The names by which the faults are chosen.
const (
	Dispatch  = "dispatch"
	Retry     = "retry"
	Tombstone = "tombstone"
	Attempt   = "attempt"
)

// Faults lists the names, in the order of the constants.
func Faults() []string { return []string{Dispatch, Retry, Tombstone, Attempt} }

// Early calls at once what should be called later, and gives a function that
// tells then what came of it.
func Early[T any](call func() (T, error)) func() (T, error) {
	v, err := call()
	return func() (T, error) { return v, err }
}

// Confess says in the log of a program that a fault was built into it; nothing
// where there is none.
func Confess(log *slog.Logger) {
	if DispatchBeforeCommit || RetryOnTimeout || ForgetTombstone || AttemptWhilePending {
		log.Error(confession, "dispatchBeforeCommit", DispatchBeforeCommit, "retryOnTimeout", RetryOnTimeout,
			"forgetTombstone", ForgetTombstone, "attemptWhilePending", AttemptWhilePending)
	}
}

const confession = "this program was built with a deliberate fault and loses money: it serves the tests of the tests only"
