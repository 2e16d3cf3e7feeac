// Package trace tells of operations as OpenTelemetry spans, from the press of
// the button at the counter to the bank and back, and hands them to whoever
// collects them (OTLP over HTTP). It is off unless an endpoint is named.
//
// It promises that nothing has to travel for it: an operation's id is a UUIDv7,
// whose sixteen bytes are a trace's id, and the id of each span follows from
// the operation, the step and a key. So counter and central, and two centrals
// one after the other, tell of one trace without a field in a frame, a header,
// a column, or a word with each other; a caller can't forge a place in another
// one's trace; whoever holds an operation's id finds its trace by it, without
// the dashes. Whether an operation is told at all follows from its id, too, so
// that a trace is there wholly or not.
//
// It promises that telling holds nothing up: spans are made when what they tell
// of has ended, from the moments that were noted on the way, and wait in a
// bounded queue that drops what does not fit. It promises that no span holds
// what could name a person: Span has fields for what may be told, and no others.
//
// Spans enter through Exporter.Record and leave from Exporter.Run's goroutines.
//
// # The spans of an operation
//
//	press                    the counter: from the press to the last word
//	├─ capture               until the finger was taken
//	├─ queue                 until the line took it
//	├─ line                  until the central's word came back
//	│  └─ call               the central: a call and its reply
//	│     └─ received        its states there, as long as they lasted
//	│     │  └─ bank send    an agent's authentication on the way
//	│     └─ dispatched
//	│        └─ bank send
//	└─ pending
//	   └─ bank enquire
//
// What comes in by another door than the uplink begins with its call.
package trace
