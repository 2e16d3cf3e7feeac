// Package nodestest runs several centrals on one PostgreSQL, with the sandbox
// bank behind them and a balancer of its own in front, and holds what must be
// true across nodes: that an operation runs once wherever its repeats arrive,
// that events and revocations reach the node that holds the terminal, that
// replays and rates hold for all nodes together, that nodes are restarted one
// after the other without a call lost, and that a node which dies leaves
// nothing behind that the others do not take over.
//
// Centrals run in the test's process, through central/server; the one that is
// killed is a process of its own, which is this test binary again.
package nodestest
