// Package reconcile compares a day with the bank's settlement file: the records of the
// terminals and of the central with what the bank executed. It moves no money, and never
// changes an operation that is final. A decision on a pending operation is an answer to the
// engine's next enquiry. operations.md, section 15, has the rules.
//
//	file ─► Parse ─► lines ─┐
//	                        ├─► Compare ─► findings ─► DecideByRule ─► cases ─► Report
//	database ─► operations ─┘                               │            │
//	                                                        │ propose, confirm (two people)
//	                                                        ▼            ▼
//	                  engine's enquiry ◄──────────────── decisions
//
// Parse rejects a file with a bad line as a whole. A file is identified by the SHA-256 of
// its bytes, so a second import of it does nothing; another file of the same day supersedes
// the earlier one. Compare puts every line of the file, every operation that it names and
// every operation of the day into exactly one Class.
//
// A line of a payment by UPI that the central has not recorded is a case, too. The running
// central asks the network for it, once, and package payments records what the network knows
// (PaymentJob).
//
//	open ──propose──► proposed ──confirm, by another person──► decided
//	 ▲                   │ reject                                 │ withdraw, while
//	 └───────────────────┴────────────────────────────────────────┘ it has no effect
package reconcile
