// Package simbank is the sandbox bank: the far end of the network protocol that
// central/bank documents, with the behaviour of design/sandbox.md. It is a
// program of its own, reached over the network only; nothing but its tests
// touches the central.
//
// What the bank knows and decides about accounts and AEPS is the package books
// below it, and about onboarding, transfers and their OTPs the package services
// beside that. This package is how they are reached, by two listeners, so that
// the bank can be down for the central and still be read and controlled:
//
//	network (own address)                     desk (public address)
//	  POST /v1/transactions,                    GET /books, /books/executions,
//	       /v1/consultations, /v1/enquiries         /books/balance/…, /books/trial,
//	   ─► checksum ─► latency ─► by kind:            /inbox/…
//	      AEPS, unknown ─► books                GET, POST /control ─► down, latency
//	      all others ────► services
//	   ─► delivered as the scenario wants it:
//	      at once, late, never, half, rubbish
//
// A kind that consults is taken on the path of consultations only, and every
// other kind on that of transactions only (400). Enquiries are the books', who
// hold the records of both rooms.
//
// It promises that everything it tells, spoils or withholds is committed
// before; that 'down' means a closed listener and closed connections, and not a
// polite refusal; and that Run returns only when everything it started has
// ended. Time is the package time and blocking is on channels and connections,
// so that a whole house can run in one testing/synctest bubble.
//
// Nothing received is believed before its checksum is right, every body, wait
// and connection count is bounded, and no log line or error holds an Aadhaar
// number, PidData, an OTP or a key. OTPs are shown in the inbox of the desk, for
// as long as the services remember them, and nowhere else.
package simbank
