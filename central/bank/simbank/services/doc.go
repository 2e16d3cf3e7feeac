// Package services is the sandbox bank's other half: everything that the
// network offers beside AEPS. It onboards agents, DMT customers and business
// correspondents, registers remitters, verifies accounts, keeps beneficiaries,
// transfers money from the aggregator's float and refunds it.
//
// # What it promises
//
// Execute runs a reference at most once, for ever: the request's row, its
// answer's data and everything it changed are one commit of the books, so that
// an enquiry tells the same answer after any kill. Consult reads, or sends an
// OTP, leaves no record and may be repeated at will. The callers' references,
// deadlines and scenarios are the business of the package books.
//
// A transfer takes its amount and charge from the float, and counts against the
// remitter's day and month until it is reversed or refunded:
//
//	TRANSFER ─┬─► DECLINED
//	          ├─► APPROVED ───────────────────────────► REFUND (amount)
//	          ├─► DEFERRED ─┬─► APPROVED (.94) ───────► REFUND (amount)
//	          │             └─► REVERSED (.93), due ──► REFUND (amount and charge)
//	          └─► LOST (.98): never executes
//
// The schema lets each transfer be refunded once.
//
// Onboarding goes step by step. Steps may be repeated, and a record never goes
// back, except that another Aadhaar number must be authenticated anew:
//
//	customer  STARTED ─► OTP_VERIFIED ─► UID_VERIFIED ─► BIO_UPDATED ─► APPROVED
//	agent     OTP_SENT ─► OTP_VERIFIED ─► PAN_VERIFIED ─► UID_UPDATED ─► BIO_UPDATED ─► APPROVED
//
// # OTPs
//
// Six digits, three minutes, three tries, one use. Each is bound to what it is
// for, and a newer one for the same replaces it. They live in memory only, with
// the texts that carry them; after a restart they are gone, and a check fails
// as that of an expired one does. Every failed check has the same code and
// words. An OTP is used up inside the commit that it permits.
//
// # How data enters and leaves
//
//	network.Transaction ─► Execute ─► books.Serve ─► one commit ─► Answer, Delivery
//	                    └► Consult ─► books.Look, OTP in memory ──► Answer
//	Inbox ◄─ texts with OTPs (memory) and without (books), newest first
//
// What a request says is believed only after it was checked here. Mobile
// numbers, names and account numbers stand in the books; of an Aadhaar number
// an HMAC and the last four digits, of a PAN an HMAC and its masked form.
package services
