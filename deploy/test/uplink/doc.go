// Package uplink tests both ends of the uplink together: the central's server and the
// counters' clients, over in-memory connections that break on demand, in virtual time.
// It holds only tests.
//
// They check what neither end can show alone: each operation ends the same on both
// sides and runs at most once wherever the connection breaks, events arrive in order
// and at least once over any number of reconnects, a counter with a clock that is hours
// off is admitted, and a returning central is not overrun. A small fake central and a
// small fake counter stand behind the two ends.
package uplink
