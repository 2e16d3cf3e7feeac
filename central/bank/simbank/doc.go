// Package simbank is the sandbox bank: the other end of the protocol of package
// central/bank, with the behaviour of sandbox.md. It is a program of its own; only tests
// call it together with the central.
//
// Package books decides about accounts and AEPS, package services about everything else.
// Package upi reads payment links and tells the central of payments. This package serves
// them on two listeners, so that the network can be down while the public address still
// works:
//
//	network   POST /v1/transactions, /v1/consultations, /v1/enquiries: checksum, latency,
//	          then books (AEPS, unknown kinds, enquiries) or services (the others); the
//	          reply is sent as the scenario says: at once, late, never, half, or garbage.
//	          POST /v1/payments: what was paid by UPI
//	public    GET /books, /books/executions, /books/balance/…, /books/trial, /inbox/…,
//	          /books/payments; GET and POST /control: down, latency
//	          POST /control/upi/pay, /control/upi/refund, and the pages of /phone: somebody
//	          pays by UPI, and the bank returns it
//	out       notifications to Config.NotifyURL, while the network is up
//
// Everything is committed before its reply is sent, delayed or suppressed, and before the
// central is told. 'down' closes the listener and its connections, and holds notifications
// back. Run returns when everything that it started has ended.
// Waiting uses the package time and channels only, for tests with testing/synctest.
//
// The checksum of a request is checked first. All bodies, waits and connections are
// bounded. Logs and errors contain no Aadhaar number, PidData, OTP or key. Only the public
// inbox shows OTPs, while the services remember them. Payers are masked before they are
// stored.
package simbank
