// Package api is the interface's requests and replies as the counter
// writes and reads them. The interface's spellings stay in it.
//
// It promises that a body which a disk will hold has no OTP and no PidData in
// it (WithSecrets completes it, in memory), and that Clean leaves none of a
// request's secrets in a reply. What is not understood of a reply is left out:
// the state that the central tells beside a reply is what counts.
//
// Requests enter as a transaction's facts (AEPS) or as one JSON object (Read),
// replies as bytes of the central, which are foreign bytes.
package api
