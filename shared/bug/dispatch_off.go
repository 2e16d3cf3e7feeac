//go:build !bug_dispatch

package bug

// DispatchBeforeCommit sends an operation to the bank before the state
// dispatched is committed: after a crash in between, it counts as never sent.
const DispatchBeforeCommit = false
