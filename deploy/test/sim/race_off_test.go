//go:build !race

package sim

// usualSeeds is how many stories a test run plays, and threads how many threads one
// process of them has: see TestStories.
const (
	usualSeeds = 200
	threads    = "1"
)
