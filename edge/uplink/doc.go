// Package uplink is the counter's line to the central: one websocket, kept up
// for ever. It implements edge.Line for the counter and drives edge.Receiver
// (frames and their meaning stand in galla/shared/wire).
//
// # What it promises
//
//   - The receiver is called one method at a time, in the order in which things
//     happened: Greet, then Welcomed, then Receive for each frame, then Lost.
//     Lost ends every line that was welcomed, and only those.
//   - A Send that returned nil did so before Lost is called for its line: what
//     the counter noted as given is there when it is told of the loss.
//   - ErrDown means that nothing of the frame was given to the line.
//   - 'seen' is sent after Receive returned, that is after the event is on disk.
//   - Nothing is sent a second time: frames of a line that broke are dropped.
//   - Nothing waits for ever: a silent line is cut after 45 s, a line that takes
//     nothing after 30 s, a dial after 20 s.
//
// # Connecting
//
// Each attempt carries a token of a minute, signed by the terminal's key with
// the central's time as far as it is known: from the last welcome, or from the
// Date header of a 401, after which a counter with a wrong clock tries again at
// once. Whoever stands between an unencrypted line could forge that time, so
// ws:// is refused beyond this machine unless the configuration says that the
// line is protected otherwise.
//
// Attempts are spaced by exponential backoff with full jitter, from 0.5 s to
// 30 s; a line that held for a while starts anew. A Retry-After of the central
// is obeyed. A revoked terminal knocks every ten minutes, and a terminal whose
// place another connection took, or whose version is not supported, at the
// slowest pace. A change of the machine's network addresses, or Wake, tries at
// once, and probes a line that is up.
package uplink
