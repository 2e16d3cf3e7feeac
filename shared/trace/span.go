package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
	oteltrace "go.opentelemetry.io/otel/trace"

	"galla/shared/op"
)

// Step is a place in an operation's way.
type Step string

// The steps.
const (
	Root    Step = "press"   // at the counter
	Capture Step = "capture" // at the counter
	Queue   Step = "queue"   // at the counter
	Line    Step = "line"    // at the counter
	Call    Step = "call"    // at the central; keyed by the request where it is a repeat
	State   Step = "state"   // at the central; keyed by the state
	Bank    Step = "bank"    // at the central; keyed by the question
)

// Kind says which part a span plays in a conversation.
type Kind int

// The kinds.
const (
	Inside Kind = iota
	Server      // answers a call
	Client      // makes one
)

// Span tells of one step of one operation that has ended.
type Span struct {
	Operation op.ID // the trace; a span without one is not told
	Step      Step
	Key       string // tells spans of one step apart
	Parent    Step   // empty: none
	ParentKey string
	Kind      Kind
	Name      string // for people, of a bounded set
	Start     time.Time
	End       time.Time
	Failed    bool

	// What may be told besides. Empty ones are left out.
	Route    op.RouteID
	Outcome  string // a state, or what came of a call
	Door     string
	Node     string
	HTTP     int
	BankKind string
	Code     string // the bank's response code
}

// Recorder takes spans. Record returns at once.
type Recorder interface {
	Record(s Span)
}

// traceID is the operation's id. ok is false where it is none.
func traceID(id op.ID) (oteltrace.TraceID, bool) {
	u, err := uuid.Parse(string(id))
	return oteltrace.TraceID(u), err == nil && u != uuid.Nil
}

// spanID follows from what it names.
func spanID(id op.ID, step Step, key string) oteltrace.SpanID {
	sum := sha256.Sum256([]byte("galla span\x00" + string(id) + "\x00" + string(step) + "\x00" + key))
	out := oteltrace.SpanID(sum[:8])
	if !out.IsValid() { // one in 2^64 is all zeros, which means none
		out[0] = 1
	}
	return out
}

// randomBits are those of a UUIDv7's last eight bytes that are drawn; the two
// above them are the same in all ids. The usual sampler by ratio reads those
// two as well, and so would tell of nothing at a quarter.
const randomBits = 62

// sampled tells whether a share of all operations holds this one.
func sampled(id oteltrace.TraceID, share float64) bool {
	const all = 1 << randomBits
	drawn := binary.BigEndian.Uint64(id[8:]) & (all - 1)
	return float64(drawn) < share*all
}
