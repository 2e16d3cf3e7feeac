// Package send is the counter's room for sending money: finding or onboarding
// the sender, beneficiaries, the transfer and its refund (sections 4.3 and 4.4
// of the interface).
//
// It promises that a half-finished flow survives a reload, the back button, a
// second tab and a restart: each step is taken once, whatever is sent twice,
// and a call that may have been made is asked about and never made again. What
// the customer proves with (OTP, Aadhaar number, finger) is never kept. A
// refund is offered only of a transfer that the bank gives back, which it is asked
// first, and cash goes back after its word on the refund, if it did not before.
// Trying again says nothing of a failed transfer's cash: that stays with it until
// the next attempt is recorded, which is paid with it. The charge that the
// customer was told is kept with the transfer. Why a step went no further is told
// by its code, in the agent's language.
//
// Forms enter through the kit; calls leave through edge.Counter, each under an
// identity that is on disk before it is used; flows rest sealed in the queue's
// session cache for a day, bound to the operator who began them. The page of a
// transfer's operation leads back to its flow, also after that had ended (POST
// /send/of/{operation}).
package send
