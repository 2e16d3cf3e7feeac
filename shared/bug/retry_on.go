//go:build bug_retry

package bug

// RetryOnTimeout is built in.
const RetryOnTimeout = true
