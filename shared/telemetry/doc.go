// Package telemetry reports operations as OpenTelemetry spans, from the button press at
// the counter to the bank and back, and exports them by OTLP over HTTP. It is off unless
// an endpoint is configured.
//
// It promises that no field, header or column is needed for it: an operation's id is a
// UUIDv7, whose sixteen bytes are the trace's id, and a span's id is computed from the
// operation, the step and a key. So counter and central, and two centrals one after
// another, report one trace, and a caller can't forge a place in another's trace. The
// id also decides whether an operation is traced, so that a trace is complete or absent.
//
// It promises that it delays nothing: spans are made after the fact from recorded times,
// and wait in a bounded queue that drops what does not fit. No span holds what could
// name a person: Span has fields for what may be reported, and no others.
//
// Spans enter through Exporter.Record and leave from Exporter.Run's goroutines. An
// operation has these; at the other entrances it begins with 'call':
//
//	press                    the counter: from the press to the final outcome
//	├─ capture               until the fingerprint was captured
//	├─ queue                 until the uplink took it
//	├─ uplink                until the central's answer came back
//	│  └─ call               the central: a request and its reply
//	│     └─ received        its states there, as long as they lasted
//	│     │  └─ bank send    an inline authentication of the agent
//	│     └─ sent
//	│        └─ bank send
//	└─ pending
//	   └─ bank enquire
package telemetry
