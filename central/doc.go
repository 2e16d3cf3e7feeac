// Package central runs operations, from their record to their final outcome, and
// owns the merchants, terminals and agent sessions around them.
//
// It promises that an operation reaches the bank at most once, whatever is
// killed, cut off, delayed or repeated, and that each state is committed before
// it is reported. Requests come in through a Handler, which package api
// implements for the three entrances (direct, gateway, uplink). Results go out
// as replies, and as events for the terminals. Storage and the bank network are
// the small interfaces of interfaces.go and bank.go.
//
//	received ──► sent ──► succeeded
//	   │  │       ├─────► failed
//	   │  │       └─────► pending ──► succeeded | failed | reversed
//	   │  └──► failed (the bank could not be reached; nothing was sent)
//	   └─────► refused (deadline passed, or restart; nothing was sent)
//
// The table in state.go is what the code runs on; the database's CHECK
// constraints name the same states. What each state means, what a repeat is
// answered with, when the bank is asked again, and what happens after a crash:
// operations.md, sections 2 to 7 and 13.
package central
