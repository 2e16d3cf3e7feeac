// Package uplink is the counter's websocket to the central. Client implements
// edge.Link and calls edge.Receiver; package wire has the frames.
//
// It promises:
//   - Receiver is called one method at a time, in order: Hello, Welcome, Receive
//     for each frame, Disconnected. Disconnected follows every Welcome.
//   - A Send that returned nil returned before Disconnected is called.
//   - ErrOffline means that nothing of the frame was sent. No frame is sent twice.
//   - 'seen' is sent after Receive returned, when the event is on disk.
//   - Everything has a timeout: 45 s of silence, 30 s for a write, 20 s for a dial.
//
// Each attempt has a token of one minute, signed by the terminal's key, with the
// central's time as known from the last welcome or from the Date header of a
// 401. That time could be forged on an unencrypted connection, so ws:// to other
// machines needs a setting. Attempts use exponential backoff with full jitter,
// 0.5 s to 30 s, and obey Retry-After. A revoked terminal tries every ten minutes.
// Wake, or a change of the machine's addresses, tries at once.
package uplink
