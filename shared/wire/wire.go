// Package wire defines the frames between a terminal and the central, and the
// protocol's version (uplink.md). Both ends use these types.
//
// A frame is one JSON object in one websocket text message of at most MaxFrame bytes,
// with its type in "t". Decode refuses duplicate keys, keys in the wrong case, wrong
// types, and frames without what their type needs. It ignores unknown keys, so that a
// newer peer can send more.
//
//	edge     hello {v, terminal, version, clock, cursor, unresolved}
//	central  welcome {clock, window, outcomes, shop}
//	edge     op {id, route, body, notAfter, capturedAt}
//	central  accepted {id}                      stored durably
//	central  outcome {id, state, http, reply}   the reply as over HTTP
//	edge     ask {id}
//	central  outcome … or unseen {id}           unseen is final
//	central  event {cursor, kind, …}
//	edge     seen {cursor}
//
// Times are Unix milliseconds. The state of an outcome is the operation's state at the
// central (op.State), so that the edge need not derive it from the reply.
package wire

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/op"
)

// Version is the protocol's version. There is only version 1 so far.
const Version = 1

// MaxFrame limits a frame: a face capture is 180 KB, a body at most 1 MiB.
const MaxFrame = 1 << 20

// RetryAfterHeader is set on a 503 of the central, beside Retry-After: in how many
// milliseconds the terminal's turn comes. The terminal comes back then, neither before nor
// much later, since each one has a turn of its own.
const RetryAfterHeader = "X-Galla-Retry-After-Ms"

// MaxUnresolved limits the operations in a hello; the edge asks for more of them one by
// one.
const MaxUnresolved = 1000

// MaxLog limits a signed checkpoint, in bytes.
const MaxLog = 4 << 10

// Type is the type of a frame.
type Type string

// Types of frames.
const (
	THello    Type = "hello"
	TWelcome  Type = "welcome"
	TOp       Type = "op"
	TAccepted Type = "accepted"
	TOutcome  Type = "outcome"
	TAsk      Type = "ask"
	TUnseen   Type = "unseen"
	TEvent    Type = "event"
	TSeen     Type = "seen"
)

// EventKind is the kind of an event.
type EventKind string

// Kinds of events.
const (
	EventOutcome  EventKind = "outcome"  // an operation has an outcome; id, state, http, reply are set
	EventPayment  EventKind = "payment"  // a payment was received or returned: id, and data (Payment)
	EventBanks    EventKind = "banks"    // the bank list changed: fetch it again
	EventSettings EventKind = "settings" // settings changed: data holds them
	EventRevoked  EventKind = "revoked"  // the terminal was revoked; the connection ends
)

// Close codes of the websocket that matter to the edge. The close frame's reason is
// shown to people.
const (
	CloseVersion  = 4001 // protocol version not supported
	CloseReplaced = 4002 // the terminal connected again elsewhere
	CloseRevoked  = 4003 // the terminal was revoked
	CloseProtocol = 4004 // a frame that the protocol does not allow
)

// Frame is a frame of any type; which fields are set depends on T.
type Frame struct {
	T Type `json:"t"`

	ID op.ID `json:"id,omitzero"` // op, accepted, outcome, ask, unseen, event

	// hello
	V          int     `json:"v,omitzero"`
	Terminal   string  `json:"terminal,omitzero"`
	Version    string  `json:"version,omitzero"` // of the program, for people
	Unresolved []op.ID `json:"unresolved,omitzero"`

	// hello, welcome
	Clock int64 `json:"clock,omitzero"`
	// Log is in a hello the signed checkpoint that the terminal keeps; empty: none yet, or a
	// fresh one. In a welcome it is the central's newest, if the hello's was not fresh, with
	// the hashes that show that it continues the terminal's (package checkpoint).
	Log      string   `json:"log,omitzero"`
	LogProof []string `json:"logProof,omitzero"`
	LogKey   string   `json:"logKey,omitzero"` // the public key that signed it

	// welcome
	Window   int     `json:"window,omitzero"`
	Outcomes []Frame `json:"outcomes,omitzero"`
	Shop     *Shop   `json:"shop,omitzero"` // nil: the central does not tell it

	// op
	Route      op.RouteID     `json:"route,omitzero"`
	Body       jsontext.Value `json:"body,omitzero"`
	NotAfter   int64          `json:"notAfter,omitzero"`   // the central's clock; 0: none
	CapturedAt int64          `json:"capturedAt,omitzero"` // the central's clock; 0: no capture

	// outcome, event of kind outcome
	State op.State       `json:"state,omitzero"`
	HTTP  int            `json:"http,omitzero"`
	Reply jsontext.Value `json:"reply,omitzero"`

	// event, seen; hello: the last event applied
	Cursor int64          `json:"cursor,omitzero"`
	Kind   EventKind      `json:"kind,omitzero"`
	Data   jsontext.Value `json:"data,omitzero"`
}

// Shop is what a receipt says of the terminal's shop beside its name. An empty text is
// one that the central does not have.
type Shop struct {
	Address string `json:"address,omitzero"`
	Phone   string `json:"phone,omitzero"` // ten digits
}

// OutcomeFrame makes the frame of an operation's outcome.
func OutcomeFrame(id op.ID, o op.Outcome) Frame {
	return Frame{T: TOutcome, ID: id, State: o.State, HTTP: o.HTTP, Reply: o.Reply}
}

// Outcome returns the outcome in an outcome frame or event.
func (f Frame) Outcome() op.Outcome {
	return op.Outcome{State: f.State, HTTP: f.HTTP, Reply: bytes.Clone(f.Reply)}
}

// Format prints only the type and id of a frame: bodies hold PidData.
func (f Frame) Format(s fmt.State, _ rune) { fmt.Fprintf(s, "frame %s %s", f.T, f.ID) }

// Encode writes a frame. It refuses one over MaxFrame.
func Encode(f Frame) ([]byte, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("encode %v: %w", f, errEncode)
	}
	if len(data) > MaxFrame {
		return nil, fmt.Errorf("encode %v: %d bytes, at most %d fit a frame", f, len(data), MaxFrame)
	}
	return data, nil
}

// errEncode replaces the JSON library's error, which could quote a body.
var errEncode = errors.New("body or reply is not JSON")

// Errors of Decode; none quotes the frame.
var (
	ErrSyntax = errors.New("uplink frame is not the JSON object that the protocol has")
	ErrType   = errors.New("uplink frame of unknown type")
	ErrField  = errors.New("uplink frame lacks what its type needs")
)

// Decode reads a frame and checks that it has what its type needs.
func Decode(data []byte) (Frame, error) {
	if len(data) > MaxFrame {
		return Frame{}, fmt.Errorf("%w: %d bytes", ErrSyntax, len(data))
	}
	var f Frame
	if err := json.Unmarshal(data, &f); err != nil {
		return Frame{}, ErrSyntax
	}
	return f, f.validate()
}

func (f Frame) validate() error {
	need := func(ok bool, field string) error {
		if ok {
			return nil
		}
		return fmt.Errorf("%w: %s needs %s", ErrField, f.T, field)
	}
	id := func() error {
		_, err := op.ParseID(string(f.ID))
		return need(err == nil, "an id")
	}
	outcome := func() error {
		return errors.Join(id(), need(f.State != "", "state"), need(f.HTTP >= 100 && f.HTTP <= 599, "http"), need(f.Reply != nil, "reply"))
	}
	switch f.T {
	case THello:
		return errors.Join(need(len(f.Log) <= MaxLog, "a shorter log"), need(f.V > 0, "v"), need(f.Terminal != "", "terminal"), need(f.Cursor >= 0, "a cursor"), need(len(f.Unresolved) <= MaxUnresolved, "fewer unresolved ids"))
	case TWelcome:
		errs := []error{need(len(f.Log) <= MaxLog, "a shorter log"), need(f.Clock > 0, "clock"), need(f.Window > 0, "window")}
		for _, o := range f.Outcomes {
			errs = append(errs, need(o.T == TOutcome, "outcome frames in outcomes"), o.validate())
		}
		return errors.Join(errs...)
	case TOp:
		return errors.Join(id(), need(f.Route != "", "route"), need(f.Body != nil, "body"), need(f.NotAfter >= 0, "notAfter"))
	case TAccepted, TAsk, TUnseen:
		return id()
	case TOutcome:
		return outcome()
	case TEvent:
		if err := errors.Join(need(f.Cursor > 0, "cursor"), need(f.Kind != "", "kind")); err != nil {
			return err
		}
		switch f.Kind {
		case EventOutcome:
			return outcome()
		case EventPayment:
			return errors.Join(id(), need(f.Data != nil, "data"))
		}
		return nil
	case TSeen:
		return need(f.Cursor > 0, "cursor")
	}
	return ErrType
}
