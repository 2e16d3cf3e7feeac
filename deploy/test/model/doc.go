// Package model explores the protocol between counter, centrals and bank. It visits
// every interleaving of a small system, state by state, instead of some of them at
// random.
//
// It promises two things about the explored system (operations.md, section 16). In
// every reachable state, everything reported so far is true: an operation is executed
// at most once, no counter shows money that did not move or hides money that did, and
// an identity that was declared never seen never starts. And from every such state, a
// schedule without further faults leads to an end in which counter and central agree
// with the bank's books. If either fails, the report has the shortest path to the
// state, in words.
//
// The system has one counter, one connection, two centrals on one database, and a bank.
// There is no clock: any process may be slow for as long as it likes, and deadlines
// pass at any moment. Only the order that the safety margin guarantees is modelled: the
// bank may start a request; it may not any more; a central may conclude that it did
// not. Messages of one connection may overtake each other; those of a broken one may
// arrive much later or never. A bounded number of faults happens at any moment: crashes
// of the counter and of a central, broken connections, commits whose result is lost,
// refusals by a busy central, frames that arrive twice.
//
// The states are those of the code's own tables (edge.CanBecome, central.CanBecome). A
// step that the counter's table forbids is reported. One that the central's table
// forbids changes nothing, as in the store. The report lists the table entries that
// were used.
//
// One operation is explored completely, with any number of faults. Two operations share
// only the connection and the crashes, so each is always in a state that one alone
// reaches; random walks confirm this. Two attempts at one transfer under one refId
// (Config.OneName) are also explored completely: the bank executes at most one. The
// order of events and their cursor are not modelled there; deploy/test/sim and the store's
// tests cover them.
//
// One payment by UPI with its return (Config.Payment) is a system of its own, with events
// and cursors: the bank reports both, each report in any number of copies, late, in any order
// or never; two nodes record what they hear, and tell each counter of the shop; the enquiry
// finds what no report told. Promised is: nothing is recorded twice, nothing is shown
// that is not recorded, and in the end each counter shows the payment and its return. One
// counter is explored completely, two without faults.
//
// A Config enters and a Report leaves. Faulty switches single rules off, to show that
// each rule is needed and that the explorer detects its absence.
package model
