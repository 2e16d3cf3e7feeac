// Package nodes tests several centrals on one PostgreSQL, with the sandbox bank behind
// them and a load balancer in front. It checks what must hold across nodes: an
// operation runs once wherever its repeats arrive, events and revocations reach the
// node that holds the terminal, replay checks and rates hold for all nodes together,
// rolling restarts lose no request, and the other nodes take over everything that a
// dead node left.
//
// The centrals run in the test's process through central/server. The one that is killed
// is a process of its own: the same test binary again.
package nodes
