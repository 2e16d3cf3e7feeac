//go:build race

package sim

// The race detector makes a story five times as dear; what it looks for shows
// in few of them, and sooner with two threads.
const (
	usualSeeds = 8
	threads    = "2"
)
