// Package bank is the central's adapter to the sandbox bank network: it
// implements central.Bank over the protocol below. A real network's adapter
// will stand beside it, with a protocol of its own and the same contract.
//
// # What it promises
//
// One call of Send is at most one delivery: one connection is dialled, one
// request written, one reply read, and the connection closed. Nothing in
// between retries, reuses a connection, follows a redirect or asks a proxy.
//
// An error of Send is marked central.MarkNotSent exactly when not one byte of
// the request was written: the input was unusable, the context or the deadline
// had ended before, no connection could be had, or the first write failed with
// nothing written. Every other error means pending, whatever its cause. No
// error quotes a body.
//
//	central ─► Client.Send ─► dial ─► write ─► read ─► check ─► BankAnswer
//	               │            │       │        │       │
//	               └ not sent ──┘       └─ 1 byte written: pending from here on
//
// # The protocol
//
// HTTP/1.1, POST, JSON in UTF-8 (Content-Type: application/json), on an
// address of its own beside the bank's public one (GALLA_BANK_NETWORK_ADDR,
// 127.0.0.1:7301 by default). The messages, their limits and the checksum are
// the package central/bank/network.
//
// Checksum. Every request and every reply carries X-Checksum, the lower-case
// hex of HMAC-SHA-256 under the shared key (32 bytes) over
//
//	request: "request\n" method "\n" path "\n" body
//	reply:   "reply\n" HTTP status "\n" the request's reference "\n" body
//
// A request with a wrong checksum is answered 401 and leaves no trace. A reply
// with a wrong one is rubbish: the operation is pending.
//
// POST /v1/transactions executes:
//
//	reference    our reference, unique for ever: 1 to 40 of A–Z, 0–9 and '-'
//	stan         system trace audit number, six digits
//	kind         CASH_WITHDRAWAL, BALANCE_ENQUIRY, MINI_STATEMENT, PURCHASE,
//	             AGENT_AUTHENTICATION; CASH_DEPOSIT is declared and answered 12
//	notAfter     Unix milliseconds: the bank may not start it after that
//	mid, tid     merchant and terminal at the network
//	iin          the customer's bank, six digits
//	amountPaise  integer; 0 for an agent authentication
//	aadhaar      twelve digits
//	pidData      the capture's XML, byte for byte
//	customer, latitude, longitude
//	inlineFor    of an agent authentication that shares its PID block with a
//	             transaction: that transaction's reference
//
// POST /v1/enquiries asks by {"reference"} what became of a transaction.
//
// Both are answered 200 with
//
//	reference      as it was asked
//	status         SUCCESS, FAILED or PENDING; to an enquiry also REVERSED
//	               (debited and given back) and NOT_FOUND
//	code, message  the response code (00 with SUCCESS and with nothing else)
//	               and a text for people
//	stan           the request's, echoed
//	rrn            retrieval reference number, 12 digits, unique
//	authCode       6 characters, of an approved debit
//	balancePaise   the customer's, after a debit or of a balance enquiry
//	miniStatement  to a mini statement only, not repeated to an enquiry
//
// and otherwise with {"error"} for people: 400 unreadable, 401 wrong checksum,
// 413 too large, 503 too busy. Unknown, repeated and mistyped members are
// refused in both directions.
//
// Exactly once. A reference that was used before is answered FAILED, 94, and
// nothing happens; the adapter makes an error of it, because the first request
// may have been executed and only an enquiry tells. A request that arrives
// after notAfter is answered FAILED, V0, and recorded: an enquiry says FAILED.
// An enquiry answers from what is committed. NOT_FOUND before notAfter means
// 'not so far'; after it, and a margin for the clocks, 'never'.
package bank
