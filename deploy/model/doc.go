// Package model explores the protocol between counter, centrals and bank: every
// interleaving of a small house, one state after another, instead of some of
// them by chance.
//
// It promises two things of the explored house (operations.md, 'What must
// always hold'). In every state that can be reached, what was told is true: an
// operation is executed at most once, nobody shows money that did not move or
// hides money that did, and an identity that was declared never seen never
// begins. And from every such state a schedule without further faults leads to
// an end in which counter and central have a final state that agrees with the
// bank's books: nothing is lost, nothing waits for ever. Where either fails,
// the report has the shortest way there, in words.
//
// The house has one counter, a line, two centrals on one database, and a bank.
// Time is no number here: any process may be slow or stopped for as long as it
// likes, deadlines pass at any moment, and of the clocks only the order counts
// that the margin is there to keep (the bank may start a request; it may not; a
// central may believe that it did not). Messages of one connection overtake
// each other, those of a broken one may arrive much later or never, and a
// bounded number of faults strikes at any moment: crashes of the counter and of
// a central, cuts, commits whose answer is lost, refusals by a busy central,
// frames that arrive twice.
//
// The steps of states are those of the tables on which the code runs
// (edge.CanBecome, central.CanBecome): a step that the model wants and the
// table of the counter does not allow is reported, since there the line would
// be cut again and again; one that the table of the central does not allow
// changes nothing, as in the store. The report says which lines of the tables
// were walked, so that one that nobody needs is seen.
//
// One operation is looked at to the end, with any number of faults. Two share
// the line and the crashes and nothing else that the model has, so that each of
// them is always in a state that one alone reaches, which random walks confirm;
// side by side they are followed for some steps. The order of events and their
// cursor are not modelled: deploy/sim and the suites of the stores have them.
//
// Two operations may also be attempts at one transfer, under one refId
// (Config.OneName): the bank may refuse one for its OTP, which frees the name for
// the other, and of both at most one is ever executed. They are called at the
// direct door of both nodes, without a counter, and looked at to the end.
//
// A Config goes in, a Report comes out. Faulty rules can be switched on, to show
// that each rule of the design is needed and that the explorer would see it
// broken.
package model
