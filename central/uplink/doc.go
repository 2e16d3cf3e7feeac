// Package uplink is the central's end of the terminals' websocket: one
// connection a terminal, at GET /uplink on a net/http listener of its own
// beside the door (frames and their meaning stand in galla/shared/wire).
//
// It authenticates terminals, turns their op frames into calls of the
// Dispatcher, sends back what it replied, answers what became of an operation,
// and tells the events that the store keeps for the terminal.
//
// # What it promises
//
//   - Frames of one terminal never appear on another's connection: each
//     connection has a session of its own that is made for it, never used
//     again, and that joins all its goroutines before it ends.
//   - An operation goes on when its connection breaks. Its outcome is then
//     dropped here, for it is on record: the terminal asks for it.
//   - Events are told in order and at least once, from the cursor of the
//     terminal's hello; 'seen' lets the store forget them. The database is the
//     truth, the Bell only wakes, and a slow poll covers a ring nobody heard.
//   - 'unseen' is said only after the Dispatcher has promised it durably.
//   - A question about an operation that is worked on for the same connection is
//     left to its outcome, so that it can't overtake it and have it refused.
//   - A revoked terminal is cut off at once; a second connection of a terminal
//     ends the first.
//   - Nothing grows without bound: upgrades, connections, frames, operations,
//     questions, events on the line and waiting frames each have a limit.
//
// # Getting in
//
// The upgrade carries 'Authorization: Bearer <JWT>', EdDSA by the terminal's
// key: kid the terminal's id, aud Config.Audience, iat and exp at most a
// minute apart, and a jti that is good for one upgrade. Times are judged by
// the central's clock. A counter whose clock is wrong learns the right time
// from the Date header of the 401 and signs its next token with it; that is
// why a 401 always carries one. What is refused for load is answered 503 with
// a Retry-After that spreads those who come back at the rate that is admitted.
//
// The signature comes first, against a keyring of all terminals' public keys that
// is read at the start and followed every few seconds, each time from where it was
// read to before, so that none is missing for good: a token that proves nothing takes
// no place and none of the upgrades that are let in. Such tokens are counted by
// network; beyond a bound they are neither looked up nor logged, and answered 503. A
// terminal that proves itself counts for nothing there, so strangers behind the same
// address do not keep it out.
//
// # A connection
//
//	reader   hello, then op, ask and seen; it ends when all others have
//	writer   the only one that writes: frames, pings, the close frame
//	feeder   events, revocation
//	askers   up to maxAskers, as long as there are questions
//	ops      one goroutine an operation; they outlive the connection
package uplink
