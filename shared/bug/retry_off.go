//go:build !bug_retry

package bug

// RetryOnTimeout sends again what was not answered: the central to the bank
// under a new reference, the counter to the central after a lost line.
const RetryOnTimeout = false
