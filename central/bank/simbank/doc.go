// Package simbank is the sandbox bank: the far end of the network protocol that
// central/bank documents, with the behaviour of design/sandbox.md. It is a
// program of its own, reached over the network only; nothing but its tests
// touches the central.
//
// What the bank knows and decides is the package books below it. This package
// is how it is reached, by two listeners, so that the bank can be down for the
// central and still be read and controlled:
//
//	network (own address)                     desk (public address)
//	  POST /v1/transactions, /v1/enquiries      GET /books, /books/executions,
//	   ─► checksum ─► latency ─► books               /books/balance/…, /books/trial,
//	   ─► delivered as the scenario wants it:        /inbox/…
//	      at once, late, never, half, rubbish   GET, POST /control ─► down, latency
//
// It promises that everything it tells, spoils or withholds is committed
// before; that 'down' means a closed listener and closed connections, and not a
// polite refusal; and that Run returns only when everything it started has
// ended. Time is the package time and blocking is on channels and connections,
// so that a whole house can run in one testing/synctest bubble.
//
// Nothing received is believed before its checksum is right, every body, wait
// and connection count is bounded, and no log line or error holds an Aadhaar
// number, PidData or a key.
package simbank
