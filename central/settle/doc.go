// Package settle reconciles a day with the bank's settlement file: what the
// terminals know, what the central has on record, and what the bank says that
// it executed.
//
// It moves no money. It changes only what is known of operations, and that
// through the engine's own states: a decision of this room is evidence, which
// Bank lays beside the bank's word when the engine's reconciler asks after a
// pending operation. What is final stays as it is, whatever the file says.
//
// # How data enters and leaves
//
//	file ─► Parse ─► lines ─┐
//	                        ├─► Compare ─► findings ─► Rule ─► cases ─► Report
//	database ─► operations ─┘                           │        │
//	                                                    │  propose, confirm (two people)
//	                                                    ▼        ▼
//	              engine ◄─ Bank.Enquire ◄───────────── decisions
//
// Parse reads the file line by line, names every bad line with its number and
// field, and takes a file with a bad line not at all. A file is known by the
// SHA-256 of its bytes, so that importing it again is the same import. Another
// file of the same day supersedes the earlier one, whose lines, sums, cases and
// their history stay.
//
// # What is compared
//
// Of a day are the lines of its file, the operations that they name, and the
// operations that moved money and whose outcome became certain on that Indian
// day (Belongs). Compare puts each of them into exactly one class:
//
//	agreed         all sides say the same
//	quiet          failed or refused here, and the bank has no line: nothing moved
//	elsewhere      its line stands in another day's file, or it is of another day
//	missing-here   the bank has a line, the central no such operation
//	missing-there  succeeded or reversed here, and the bank has no line
//	amount         the amounts differ
//	state          the outcomes differ; pending here and final at the bank, too
//	names          the STAN or the RRN differ: it may be another transaction
//	doubled        a further line of a reference that has one already
//	untold         agreed, but the terminal has not heard of it yet
//	awaited        pending here, and the bank has no line
//
// All but the first three are cases. Rule settles what needs no judgement: a
// pending operation that the file has an outcome for takes that outcome; the
// untold and the awaited resolve themselves, and are listed; a line that was
// missing and comes with another day's file closes the case that missed it.
// Everything else is for people.
//
// # Cases
//
//	open ──propose──► proposed ──confirm, by another person──► decided
//	 ▲                   │ reject                                 │ withdraw, while
//	 └───────────────────┴────────────────────────────────────────┘ it had no effect
//
// A case is decided as an outcome (succeeded, failed, reversed), where its
// operation is not final, or as noted: looked into, with the reason, and
// nothing changes. The proposal has the reason, and where there is a document,
// its name and SHA-256; the document itself may hold personal data and stays
// where the house keeps such papers. Every step is kept, with who took it.
//
// Of a pending operation that no file has an open case of, people open one by
// hand, a day after the bank may have started it: its class is by-hand, its file 0,
// and it is decided in the same way.
//
// Where the bank's own answer to an enquiry contradicts a decision, the
// operation stays pending and its history says so: withdraw the decision, and
// the bank's word stands.
package settle
