//go:build bug_dispatch

package bug

// DispatchBeforeCommit is built in.
const DispatchBeforeCommit = true
