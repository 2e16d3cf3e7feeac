// Package uplink is the terminals' entrance: one websocket for each terminal, at GET
// /uplink on a listener of its own (uplink.md; the frames are in shared/wire). It
// authenticates terminals, passes their operations to central.Handler and sends the
// replies, answers enquiries about operations, and sends the stored events.
//
// It promises:
//
//   - A terminal's frames never appear on another's connection: each connection has
//     its own session, which is never reused and joins all its goroutines.
//   - An operation goes on when its connection breaks. The terminal asks for its
//     outcome later.
//   - Events are sent in order and at least once, from the cursor of the hello. They
//     come from the database; Notifier only saves waiting, and a slow poll of all
//     terminals together covers a lost notification.
//   - 'unseen' is sent only after the tombstone is stored.
//   - An enquiry about an operation that runs on the same connection is left to its
//     outcome, so that it can't overtake the operation and have it refused.
//   - A revoked terminal is disconnected at once; a second connection of a terminal
//     ends the first.
//   - Upgrades, connections, frames, operations, enquiries and queues are limited.
//     Invalid tokens are limited by network and take nothing from valid terminals.
//
// An idle connection has one goroutine, its reader, and no timer of its own but the
// deadline of its socket; what is pinged or polled is so for all connections together.
// While there is something to do it also has a writer, a feeder of events, up to
// maxAskers for enquiries, and one goroutine for each operation, which may outlive the
// connection.
package uplink
