//go:build !bug_tombstone

package bug

// ForgetTombstone answers 'never seen' without remembering it, so that what
// still arrives is executed.
const ForgetTombstone = false
