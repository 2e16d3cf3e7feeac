// Package sim is the whole house in one testing/synctest bubble: two or three
// counters of two merchants, their lines, two centrals on one database, and the
// bank, each the real one with its real files, on a network in memory. Time is
// virtual, so that weeks of bad luck pass in seconds, and everything that a
// story draws comes from its seed.
//
// A merchant's own program calls the direct door of either central, and tries a
// transfer again under its refId after a mistyped OTP.
//
// A seeded adversary kills counters, centrals (one or both) and the bank at any
// moment and starts them again; he cuts, delays and silences connections,
// doubles, swaps and shortens frames, delivers late what its sender gave up, and
// plays old conversations to the other central; he sets clocks by hours; disks
// are full, fail to read, and fail to sync what they have written; a machine
// dies just before or after the commit that he chose; and a middleman in the
// bank's network is slow, lies and answers the wrong question. The terminals
// choose their central anew with every connection.
//
// After each story everything heals and is given time, and the invariants of
// the operations design are checked against the bank's own books: what the
// counters' queues hold, what their screens showed at any time, what the
// centrals recorded and told, step by step, and every debit, transfer and refund
// that the books have.
//
//   - TestStories plays seeds: 200 in 'make test', 8 of them under the race
//     detector as well, and any number by 'make sim SEEDS=n'.
//   - TestEveryCommit plays the standard operations with one fault each, at
//     every commit of the central and of the counter in turn.
//   - TestNamed plays the stories in which bugs were met, each with its sentence.
//   - TestDrawer walks a cashier through customers of every kind: the notes in
//     the drawer, what the till expects, and the bank's books are the same.
//   - TestAgain holds that a seed draws the same story twice.
//
// A failing seed is printed and played again, many times, by 'make sim SEED=n';
// it becomes a line of TestNamed. SIM_LOG=1 prints what the parts log.
//
// What is not here: TLS, which has nothing to say in a bubble; a power cut that
// tears pages, which the queue's and the store's own tests have; and PostgreSQL,
// which no bubble can hold (the tests of whole processes have it). Two centrals
// share a SQLite file, which takes one writer at a time whatever process it is in.
//
// It holds tests only.
package sim
