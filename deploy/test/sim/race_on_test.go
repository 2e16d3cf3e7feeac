//go:build race

package sim

// The race detector makes a story five times as slow. Races show in few stories, and
// sooner with two threads.
const (
	usualSeeds = 8
	threads    = "2"
)
