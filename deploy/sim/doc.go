// Package sim is the whole house in one testing/synctest bubble: a counter, its
// line, the central and the bank, each the real one with its real files, on a
// network in memory that a seeded adversary cuts, delays and silences, while
// the parts are crashed at any moment and started again. Time is virtual, so
// that weeks of bad luck pass in seconds, and a seed plays the same story
// again.
//
// After each story the network heals, everybody is given time, and the
// invariants of the operations design are checked against the bank's own
// books. A failing seed is printed; it becomes a named test.
//
// It holds tests only: 'make test' plays 200 seeds, 'make sim SEEDS=n' more.
package sim
