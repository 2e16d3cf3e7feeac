// Package dmt is the counter's section for money transfers: finding or onboarding the
// sender, beneficiaries, the transfer and its refund (interface.md, sections 4.3 and 4.4).
//
// A half-finished flow survives reload, back button, second tab and restart: each step is
// taken once, and an operation that may have been sent is enquired about and never sent
// again. What the customer proves identity with (OTP, Aadhaar number, finger) is never
// stored. A refund is offered only for a transfer that the bank returns, after asking it,
// and cash is given after the bank's answer to the refund. The cash of a failed transfer
// belongs to it until the next attempt, which is paid with it, is recorded. The charge
// that the customer was shown is stored with the transfer.
//
// Forms enter through the kit; operations start through edge.Counter, each under an id
// that is on disk first. Flows are stored, sealed, in the queue's session cache for a day,
// bound to their user. The page of a transfer's operation leads to its flow, also after
// the flow has ended (POST /dmt/of/{operation}).
package dmt
