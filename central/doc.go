// Package central is the desk: it owns operations from the moment they are
// recorded until the bank's word on them is final, and the merchants,
// terminals and agent sessions around them.
//
// It promises that an operation reaches the bank at most once, whatever is
// killed, cut, delayed or repeated, and that each state is written before it
// is told. Operations enter through a Dispatcher (the doors: direct, gateway,
// uplink); facts leave as the dispatcher's replies and as events for the
// terminals. Storage and the bank network stand behind the small interfaces
// of store.go and bank.go.
//
// # The states of an operation
//
//	received ──► dispatched ──► succeeded
//	   │  │          ├────────► failed
//	   │  │          └────────► pending ──► succeeded | failed | reversed
//	   │  └──► failed (the bank could not be reached; nothing was sent)
//	   └─────► refused (deadline passed, restart: nothing was sent)
//
// received: identity, fingerprint and the upstream reference are committed;
// nothing has been sent. dispatched: committed before the first byte goes
// upstream; the bank may have executed it. pending: the bank has not given a
// final answer; only the reconciler's enquiries resolve it. A pending
// operation that no enquiry resolved for seven days is marked stuck and waits
// for a person; its state stays pending, since that is the truth.
//
// The table in state.go is what the code runs on; the database's CHECK
// constraints name the same states.
package central
