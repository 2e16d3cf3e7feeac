// Package bug names the faults that can be built into the product on purpose,
// so that the machines that look for counterexamples (random walks, the
// simulation, killed processes, the explored model) can be shown to find them.
//
// It promises that a program built without tags has none of them: each is a
// constant that is false, and the compiler drops what stands behind it. A build
// tag makes one of them true:
//
//	bug_dispatch    DispatchBeforeCommit
//	bug_retry       RetryOnTimeout
//	bug_tombstone   ForgetTombstone
//
// Nothing enters or leaves but the constants, and the words with which a
// program says at its start that it is not to be trusted (Confess).
// galla/deploy/bugs builds each of them and demands that the machines fail.
package bug

import "log/slog"

// Faults lists the tags, in the order of the constants.
func Faults() []string { return []string{"bug_dispatch", "bug_retry", "bug_tombstone"} }

// Early calls at once what should be called later, and gives a function that
// tells then what came of it.
func Early[T any](call func() (T, error)) func() (T, error) {
	v, err := call()
	return func() (T, error) { return v, err }
}

// Confess says in the log of a program that a fault was built into it; nothing
// where there is none.
func Confess(log *slog.Logger) {
	if DispatchBeforeCommit || RetryOnTimeout || ForgetTombstone {
		log.Error(confession, "dispatchBeforeCommit", DispatchBeforeCommit, "retryOnTimeout", RetryOnTimeout, "forgetTombstone", ForgetTombstone)
	}
}

const confession = "this program was built with a deliberate fault and loses money: it serves the tests of the tests only"
