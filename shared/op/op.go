// Package op holds the words that edge and central share about operations:
// ids, routes with their roles and classes, states, and the outcome that
// travels back.
//
// It is a leaf: it decides nothing. The two state machines stand in the
// packages edge and central, drawn in their package comments; the states'
// names are those of the operations design, everywhere: code, database, wire,
// documents and screen.
package op

import (
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
)

// ID names one operation for ever: a UUIDv7 in canonical lower-case text. The
// edge mints it when the agent presses the button; for other doors the central
// does.
type ID string

// ErrID says that a text is no operation id.
var ErrID = errors.New("must be a UUIDv7 in lower-case canonical form")

// NewID mints an id from the time now and from the given randomness.
func NewID(rand io.Reader) (ID, error) {
	id, err := uuid.NewV7FromReader(rand)
	if err != nil {
		return "", fmt.Errorf("mint an operation id: %w", err)
	}
	return ID(id.String()), nil
}

// ParseID accepts the canonical form only, so that one id has one spelling.
func ParseID(s string) (ID, error) {
	id, err := uuid.Parse(s)
	if err != nil || id.String() != s || id.Version() != 7 {
		return "", ErrID
	}
	return ID(s), nil
}

// State is where an operation stands.
type State string

// States of the central, of the edge, and of both.
const (
	Received   State = "received"   // central: recorded, nothing sent upstream
	Dispatched State = "dispatched" // central: may have reached the bank
	Refused    State = "refused"    // central: final, nothing was sent

	Reserved State = "reserved" // edge: identity on disk, the capture is going on
	Queued   State = "queued"   // edge: on disk, not yet sent
	Sent     State = "sent"     // edge: given to the line
	Accepted State = "accepted" // edge: the central owns it
	Unknown  State = "unknown"  // edge: the line broke after sending
	Expired  State = "expired"  // edge: final, deadline passed before it was sent
	NotSent  State = "not-sent" // edge: final, the central never saw it and never will

	Pending   State = "pending"   // both: the bank has not answered
	Succeeded State = "succeeded" // both: final
	Failed    State = "failed"    // both: final
	Reversed  State = "reversed"  // both: final, debited and given back
)

// Final tells whether the state never changes again.
func (s State) Final() bool {
	switch s {
	case Succeeded, Failed, Reversed, Refused, Expired, NotSent:
		return true
	}
	return false
}

// Outcome is what the central says of an operation: its state, and the reply
// that the same call would have had over HTTP.
type Outcome struct {
	State State
	HTTP  int    // HTTP status of the reply
	Reply []byte // JSON body of the reply
}
