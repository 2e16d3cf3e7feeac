// Package uplinktest runs both ends of the uplink together: the central's
// server and the counters' clients, over connections in memory that break where
// the tests want, in virtual time. There is no code here, only tests.
//
// They show what neither end can show alone: that each operation ends the same
// on both sides and runs at most once wherever the line is cut, that events
// come in order and at least once over any number of reconnects, that a counter
// whose clock is hours off gets in, and that a central that comes back is not
// run over. Around the two ends stand a small desk and a small ledger, which do
// what the central's engine and the counter do with what they are told.
package uplinktest
