// Package edge is the counter: it owns an operation from the moment the agent
// presses the button until its outcome is known and shown.
//
// It promises that nothing is executed twice from here: the edge never sends
// an operation again, it asks what became of it. Every step is written to the
// queue, and fsynced, before it is acted on or shown; the screen shows what it
// reads back. PidData and OTPs live in memory only, until they are sent or
// their deadline passes; what an OTP was is remembered, in memory, until the
// operation ends, to keep it out of the reply.
//
// Calls enter through Counter's methods (the screen), facts through its
// Receive (the uplink). The queue, the line, the reader and the screen stand
// behind the interfaces of ports.go.
//
// # The states of an operation at the counter
//
//	reserved ──► queued ──► sent ──► accepted ──► succeeded | failed | pending
//	   │           │         │                                          │
//	   │           │         └─(link lost)─► unknown ──(ask)──► any of the above, or not-sent
//	   │           │                                                    │
//	   └───────────┴──► expired                 pending ──(event)──► succeeded | failed | reversed,
//	                                                      or not-sent
//
// reserved: the identity is on disk and the capture is going on. queued: the
// capture or the OTP is in memory, the rest on disk, nothing was sent; what
// takes no finger begins here. expired: its deadline passed, or the capture was
// given up, before it was sent; no money moved. unknown: the line broke after
// it was given to the line; the edge asks. not-sent: the central refused it
// before anything was sent to the bank, or has never seen it and promised to
// refuse it for ever; no money moved. What a slow central told pending when it
// had only received it may end so, too.
//
// # What the classes make of it
//
//	money      on disk before finger or OTP is used; sent within 90 s of it or
//	           not at all, and a restart ends what was not sent
//	record     on disk, and needs no secret that a disk may not hold, so it
//	           waits up to 24 h and over restarts; one is sent at a time, in the
//	           order of the presses, when the one before has its outcome
//	enquiry    moves nothing: the same states in memory, without the disk, and
//	           only while the line is up; a remitter's last known details are
//	           given, with their age, while it is down
//	reference  as an enquiry; the last known reply is given while it is down
//
// AEPS transactions begin with Begin, all else with Perform; a finger is taken
// by Capture, and once more where the print was faint. A pending change of a record holds up the next one only as long
// as the bank may still begin it.
//
// # Whose a transfer's cash is
//
// A transfer's customer pays in cash. Where it fails after the agent was told to
// keep that, or comes back, the cash is open (Cash) until a record says where it
// went: to the customer's hand (ConfirmCash), to the refund, or to the next attempt
// (Request.CashFrom). Those exclude each other: no cash is given by hand while a
// refund of it is under way, a refund that begins after it was given pays none
// (RefundClosed), and the attempt that it pays for holds it from then on. Of two
// records that change for that, a start makes the second good.
package edge
