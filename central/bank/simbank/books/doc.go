// Package books is what the sandbox bank knows and decides: its customers, its
// double-entry accounts, the matching of fingerprints, the scenarios, and what
// became of every reference. How it is reached is the business of the package
// simbank around it.
//
// # What it promises
//
// A reference is executed at most once, for ever. Execute returns after its
// commit is on disk (SQLite, WAL, synchronous=FULL, checked at Open), so that a
// kill -9 at any moment neither loses nor repeats an execution. A request is
// never started after its deadline. Whatever is deferred is due at a stored
// moment and is ended by Resolve, or by whoever looks before Resolve got to it.
//
// The books balance by construction: an entry moves one amount from one
// account to another, entries are never changed, a customer's account and the
// float are never overdrawn, a reversal mirrors its debit, a refund gives back
// what its transfer took, once. The schema enforces all of it.
//
// # How data enters and leaves
//
//	Execute ─► PID block opened ─► one commit: known? late? customer? PID used?
//	           finger? scenario? ceiling? funds? entries, message ─► Answer
//	Serve ─► one commit: known? late? the room's own rules through Tx, message ─► Answer
//	Enquire, Executions, Entries, Balance, Inbox, Look ─► what is due ─► committed rows
//
// AEPS is decided on here. What the bank does beside it (onboarding, remitters,
// transfers) is decided on by the package services, whose rules run inside the
// commit of Serve and see the books through Tx; the rows, the money and what is
// due stay here.
//
// A transaction's states, and what the network is told:
//
//	arrives ─┬─► APPROVED                 SUCCESS
//	         ├─► DECLINED                 FAILED
//	         ├─► DEFERRED ─► APPROVED     PENDING, then SUCCESS   (.94)
//	         │          └──► REVERSED     PENDING, then REVERSED  (.93)
//	         └─► LOST ─────► ABANDONED    NOT_FOUND, then FAILED  (.98)
//
// A deferred debit or transfer is booked when it arrives; for .93 the reversal
// follows: a debit goes back to its customer, a transfer and its charge to what
// is due to be refunded. The scenarios that only spoil the answer (.95 to .97,
// .99) execute by the normal rules.
//
// Secrets: of an Aadhaar number the books hold an HMAC under records.key, which
// lies beside them, and the last four digits; of a PID block an HMAC; of a
// biometric nothing. Logs name references.
package books
