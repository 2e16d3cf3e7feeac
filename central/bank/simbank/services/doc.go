// Package services is the part of the sandbox bank beside AEPS: it onboards agents, DMT
// customers and business correspondents, registers remitters, verifies accounts, stores
// beneficiaries, transfers money from the aggregator's float and refunds it.
//
// Execute runs a reference at most once: the request's row, the data of its answer and all
// its changes are one commit of the books, so that an enquiry returns the same answer after
// any kill. Consult reads, or sends an OTP. It leaves no record and may be repeated.
// Package books checks references, deadlines and scenarios.
//
// OTPs have six digits, expire after three minutes, and allow three attempts and one use.
// Each has one purpose; a newer one for the same purpose replaces it. They are in memory
// only: after a restart a check fails as with an expired OTP. All failed checks have the
// same code and text. An OTP is used up in the commit that it permits.
//
// Mobile numbers, names and account numbers are stored in the books; of an Aadhaar number an
// HMAC and the last four digits, of a PAN an HMAC and its masked form.
package services

// A transfer debits its amount and charge from the float, and counts against the remitter's
// day and month until it is reversed or refunded. It can be refunded once:
//
//	TRANSFER ─┬─► DECLINED
//	          ├─► APPROVED ───────────────────────────► REFUND (amount)
//	          ├─► DEFERRED ─┬─► APPROVED (.94) ───────► REFUND (amount)
//	          │             └─► REVERSED (.93), due ──► REFUND (amount and charge)
//	          └─► LOST (.98): never executes
//
// Steps of an onboarding may be repeated, and a record never goes back, except that another
// Aadhaar number must be authenticated again:
//
//	customer  STARTED ─► OTP_VERIFIED ─► UID_VERIFIED ─► BIO_UPDATED ─► APPROVED
//	agent     OTP_SENT ─► OTP_VERIFIED ─► PAN_VERIFIED ─► UID_UPDATED ─► BIO_UPDATED ─► APPROVED
