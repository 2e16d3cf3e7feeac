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
// A local operation (Kind.Local) runs through the same states in quick
// succession without the bank: what it changes is written by its settlement,
// so that one found in received is refused, one found in dispatched is failed,
// and in both cases nothing was changed. A consultation (Kind.Consults) is no
// operation: it has no state and no record, and may be made again at will.
//
// What the bank approved is settled together with what it earns (Tariff) and
// with its step of the service-KYC record. Where the earning can't be worked
// out, nothing of it is written: the operation is pending, and the next
// enquiry tries again.
//
// # Repeats
//
// An operation is named by (caller, identity), and where the body brings a
// reference of the caller's own, by (party, CallerRef) as well. A submission
// under a known name dispatches nothing and counts against no quota:
//
//	same route and body, final      the stored reply, byte for byte
//	same route and body, under way  waits for the first, up to its own time
//	same route and body, pending    the state as it then is
//	another route or body           Conflict
//	names of two operations         Conflict
//	the same, refused for its OTP   another attempt, under the same names
//	a name that Ask declared unseen Precluded, for ever
//	a new name                      one operation, dispatched once
//
// The OTP is no part of a transfer's or refund's body here. A refusal for it is
// the bank's final word that nothing moved: of all attempts under one name at most
// one can have been executed, and the schema holds that. A name leads to its newest
// attempt, a terminal's operation id to its own. A call that waited for an attempt
// that is refused goes on with its own OTP; the very OTP again is told the same by
// each node that tried it (package guess). A refund's name is its transfer, and free
// after a failure; its identity leads to what was last made under it.
//
// Where nothing may begin (Submission.Refusal), because of today's limits or after a
// restoration, repeats are answered, and the transaction that would have recorded an
// attempt refuses it: what was looked at before may have changed.
//
// What was refused before it was recorded (a body that is not valid, an
// exhausted quota, a busy central) used no name up.
//
// # The states of a service-KYC record
//
//	(none) ──initialize──► INITIALIZED ──onboarding──► ONBOARDING ──validate_otp──► OTP_VERIFIED
//	                                                                                   │ verify_pan
//	BIO_UPDATED ◄──updatebiodetail── UID_UPDATED ◄──update_UID── PAN_VERIFIED ◄────────┘
//	   │ submit
//	   └──► SUBMITTED ──the network's word──► APPROVED (the merchant may transact)
//
// Each step is one operation, and its success moves the record in the
// transaction that settles it (KYCStep), so that a step that failed or is
// pending moves nothing. Steps may be repeated: a record that is further stays
// where it is, and none ever goes back. A step whose predecessor is missing is
// refused before the bank is asked, and named. The list in kyc.go is the order.
//
// The table in state.go is what the code runs on; the database's CHECK
// constraints name the same states.
package central
