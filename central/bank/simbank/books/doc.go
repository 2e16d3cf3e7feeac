// Package books is the sandbox bank's database: customers, double-entry accounts, the check
// of fingerprints, the scenarios, and the result of each reference.
//
// A reference is executed at most once. Execute returns after its commit is on the disk
// (SQLite, WAL, synchronous=FULL, checked by Open), so that a kill -9 neither loses nor
// repeats an execution. Changes that come during a commit share the next one. A request
// never starts after its deadline. A deferred transaction has a due time and is resolved
// by Resolve, or earlier by a read after that time.
//
// Entries always balance: each moves one amount from one account to another and never
// changes. Customers' accounts and the float are never overdrawn. A reversal mirrors its
// debit. A refund returns the amount of its transfer, once. The schema enforces all this.
//
//	Execute        ─► PID block opened ─► one commit: known? late? customer? PID used?
//	                  finger? scenario? ceiling? funds? entries, message ─► Answer
//	ExecuteService ─► one commit: known? late? the service's rules through Tx ─► Answer
//	reads          ─► due transactions are resolved ─► committed rows
package books

// States of a transaction, and the status that the network returns:
//
//	arrives ─┬─► APPROVED                 SUCCESS
//	         ├─► DECLINED                 FAILED
//	         ├─► DEFERRED ─► APPROVED     PENDING, then SUCCESS   (.94)
//	         │          └──► REVERSED     PENDING, then REVERSED  (.93)
//	         └─► LOST ─────► ABANDONED    NOT_FOUND, then FAILED  (.98)
//
// A deferred debit or transfer is booked when it arrives. With .93 the reversal follows: a
// debit returns to its customer, a transfer and its charge go to the refunds to pay. The
// scenarios that only change the reply (.95 to .97, .99) execute by the normal rules.
//
// Of an Aadhaar number the books have an HMAC under records.key, which is beside them, and
// the last four digits; of a PID block an HMAC; of a biometric nothing. Logs have references
// only.
