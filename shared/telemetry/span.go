package telemetry

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
	oteltrace "go.opentelemetry.io/otel/trace"

	"galla/shared/op"
)

// Step is a part of an operation's path.
type Step string

// Steps.
const (
	Root    Step = "press"   // at the counter
	Capture Step = "capture" // at the counter
	Queue   Step = "queue"   // at the counter
	Uplink  Step = "uplink"  // at the counter
	Call    Step = "call"    // at the central; keyed by the request for a repeat
	State   Step = "state"   // at the central; keyed by the state
	Bank    Step = "bank"    // at the central; keyed by the request to the bank
)

// Kind is the role of a span in a conversation.
type Kind int

// Kinds.
const (
	Internal Kind = iota
	Server        // answers a request
	Client        // makes a request
)

// Span describes one step of one operation that has ended.
type Span struct {
	Operation op.ID // the trace; a span without one is dropped
	Step      Step
	Key       string // distinguishes spans of one step
	Parent    Step   // empty: none
	ParentKey string
	Kind      Kind
	Name      string // for people, from a bounded set
	Start     time.Time
	End       time.Time
	Failed    bool

	// Other values that may be reported. Empty ones are left out.
	Route    op.RouteID
	Outcome  string // a state, or the result of a request
	Entrance string
	Node     string
	HTTP     int
	BankKind string
	Code     string // the bank's response code
}

// Recorder takes spans. Record returns at once.
type Recorder interface {
	Record(s Span)
}

// traceID is the operation's id; ok is false if it is none.
func traceID(id op.ID) (oteltrace.TraceID, bool) {
	u, err := uuid.Parse(string(id))
	return oteltrace.TraceID(u), err == nil && u != uuid.Nil
}

// spanID is computed from what it names.
func spanID(id op.ID, step Step, key string) oteltrace.SpanID {
	sum := sha256.Sum256([]byte("galla span\x00" + string(id) + "\x00" + string(step) + "\x00" + key))
	out := oteltrace.SpanID(sum[:8])
	if !out.IsValid() { // one in 2^64 is all zeros, which means none
		out[0] = 1
	}
	return out
}

// randomBits are the random bits in a UUIDv7's last eight bytes; the two above them are
// the same in all ids. The usual sampler by ratio reads those two as well, and so would
// sample nothing at a quarter.
const randomBits = 62

// sampled reports whether a share of all operations includes this one.
func sampled(id oteltrace.TraceID, share float64) bool {
	const all = 1 << randomBits
	drawn := binary.BigEndian.Uint64(id[8:]) & (all - 1)
	return float64(drawn) < share*all
}
