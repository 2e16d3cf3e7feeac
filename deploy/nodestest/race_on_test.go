//go:build race

package nodestest

// pairs is how many operations are sent to two nodes at once.
const pairs = 200
