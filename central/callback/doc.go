// Package callback tells merchants' programs of what has become of their
// operations. Its messages are Standard Webhooks: webhook-id, webhook-timestamp
// and webhook-signature over a JSON body.
//
// What is told is one thing: an operation that was pending has reached its end
// (operation.settled). Whoever got a final reply to the call itself needs no
// other word. The message has references, the amount and the outcome; nothing of
// the customer, not even masked.
//
// # What it promises
//
// A callback is a row that is written in the transaction which settles the
// operation, so that nothing is told before it is true, and nothing is lost
// afterwards. It is delivered at least once: where a node ends between a delivery
// and the note of it, the next one delivers it again. The same callback has the
// same webhook-id, by which the receiver knows it. The order in which one
// merchant's callbacks arrive is not promised; the body has settledAt.
//
// A receiver says with a status of 2xx that it has the callback. After anything
// else it is tried again: after 5 seconds, then after pauses that double up to 2
// hours, each of them shortened at random by up to a half, for 24 hours, which are
// 23 to 35 attempts; the last one is made when the 24 hours end. Then it is given
// up, which is counted and shown to the operator, who may replay it. With 429 or
// 503 a Retry-After of up to 2 hours makes the pause longer. With 410 (Gone) the
// merchant's endpoint is disabled, and all that it is owed is given up.
//
// # Where it goes
//
// Outside a sandbox to https only, and never to an address that is not on the
// public internet: the address is looked at when it is dialled, after the name
// was resolved, so that a name that changes its mind is of no use. Redirects are
// not followed, no proxy is used, and nothing of a reply is kept but its status.
// In a sandbox this machine's own addresses are allowed, and http.
//
// A merchant has at most four attempts under way on one node, so that a slow
// receiver holds up nobody else's.
//
// Data enters as rows of galla/central/duty and leaves as requests; secrets are
// sealed under the central's master keys and live in the clear only while a
// message is signed.
package callback
