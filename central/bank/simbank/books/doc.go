// Package books is the sandbox bank's database: customers, double-entry accounts, the check
// of fingerprints, the scenarios, the result of each reference, and payments by UPI.
//
// A reference is executed at most once. Execute returns after its commit is on the disk
// (SQLite, WAL, synchronous=FULL, checked by Open), so that a kill -9 neither loses nor
// repeats an execution. Changes that come during a commit share the next one. A request
// never starts after its deadline. A deferred transaction has a due time and is resolved
// by Resolve, or earlier by a read after that time.
//
// Entries always balance: each moves one amount from one account to another and never
// changes. Customers' accounts and the float are never overdrawn. A reversal mirrors its
// debit. A refund returns the amount of its transfer or of its payment, once. The schema
// enforces all this.
//
// A payment by UPI is booked at most once under UPI's id, and is never declined: it is the
// payer's bank that decides. Payments and refunds have places in one order of records, which
// the network's queries and the settlement file follow. What the central is to be told of
// them is committed together with them.
//
//	Execute        ─► PID block opened ─► one commit: known? late? customer? PID used?
//	                  finger? scenario? ceiling? funds? entries, message ─► Answer
//	ExecuteService ─► one commit: known? late? the service's rules through Tx ─► Answer
//	ReceivePayment ─► one commit: known? entries, place, notifications ─► network.Payment
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
