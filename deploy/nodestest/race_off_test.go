//go:build !race

package nodestest

// pairs is how many operations are sent to two nodes at once.
const pairs = 2000

// rounds is how often every node is restarted.
const rounds = 2
