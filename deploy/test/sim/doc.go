// Package sim runs the whole system in one testing/synctest bubble: two or three
// counters of two merchants, their connections, two centrals on one database, and the
// bank. All parts are the real ones with real files, on an in-memory network. Time is
// virtual, so weeks of faults pass in seconds. Everything random in a story comes from
// its seed.
//
// A merchant's own program calls the direct entrance of either central, and tries a
// transfer again under its refId after a wrong OTP.
//
// A seeded adversary kills and restarts counters, centrals (one or both) and the bank
// at any moment. It cuts, delays and silences connections; doubles, swaps and truncates
// frames; delivers late what its sender gave up; and replays old conversations to the
// other central. It sets clocks hours wrong. Disks are full, fail to read, and fail to
// sync; a machine dies just before or after a chosen commit. A proxy in the bank's
// network is slow, lies and answers the wrong question. Terminals choose their central
// anew with every connection.
//
// After each story all faults stop, the system gets time to finish, and the invariants
// (operations.md, section 16) are checked against the bank's books: what the counters'
// queues hold, what their screens showed at any time, what the centrals recorded and
// reported, and every debit, transfer and refund in the books.
//
//   - TestStories plays seeds: 200 in `make test-all`, 8 of them also under the race
//     detector, and any number with `make sim SEEDS=n`.
//   - TestEveryCommit plays the standard operations with one fault each, at every
//     commit of the central and of the counter in turn.
//   - TestNamed plays the stories in which bugs were found, each with its sentence.
//   - TestCashDrawer serves customers of every kind: the notes in the drawer, the
//     cashbook and the bank's books must agree.
//   - TestSeedsRepeat checks that a seed draws the same story twice.
//
// `make sim SEED=n` plays a failing seed again, many times; it then becomes a line of
// TestNamed. GALLA_SIM_LOG=1 prints the logs of all parts.
//
// Not covered here: TLS; torn pages after a power cut (the tests of queue and store
// have them); and PostgreSQL, which cannot run in a bubble (deploy/test/e2e has it).
//
// It holds only tests.
package sim
