//go:build bug_tombstone

package bug

// ForgetTombstone is built in.
const ForgetTombstone = true
