// Package op has what edge and central share about operations: ids, the route
// table with roles and classes, states, and the outcome that goes back to a
// terminal.
//
// It decides nothing. The two state machines are in the packages edge and central
// (operations.md, sections 3 and 8). The names of the states are the same in code,
// database, protocol, documents and on screens.
package op

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
)

// ID identifies one operation for ever: a UUIDv7 in canonical lower-case text. On
// the uplink the terminal generates it before the finger is captured; for the other
// entrances the central does.
type ID string

// ErrID says that a text is not an operation id.
var ErrID = errors.New("must be a UUIDv7 in lower-case canonical form")

// NewID generates an id from the current time and rand.
func NewID(rand io.Reader) (ID, error) {
	id, err := uuid.NewV7FromReader(rand)
	if err != nil {
		return "", fmt.Errorf("generate an operation id: %w", err)
	}
	return ID(id.String()), nil
}

// DeriveID gives the id of something that happened at a time, by the name that it has
// elsewhere: always the same, also where it is recorded a second time after a restoration.
func DeriveID(at time.Time, name string) ID {
	sum := sha256.Sum256([]byte("galla/operation/v1\n" + name))
	var u uuid.UUID
	binary.BigEndian.PutUint64(u[:], uint64(min(max(at.UnixMilli(), 0), 1<<48-1))<<16)
	copy(u[6:], sum[:])
	u[6], u[8] = u[6]&0x0f|0x70, u[8]&0x3f|0x80 // version 7, and its variant
	return ID(u.String())
}

// ParseID accepts the canonical form only, so that an id has one spelling.
func ParseID(s string) (ID, error) {
	id, err := uuid.Parse(s)
	if err != nil || id.String() != s || id.Version() != 7 {
		return "", ErrID
	}
	return ID(s), nil
}

// Time returns when an id was generated, in milliseconds; false: it is no id.
func (id ID) Time() (time.Time, bool) {
	u, err := uuid.Parse(string(id))
	if err != nil {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(u[:8]) >> 16)), true
}

// FirstID returns the least id that can be generated at a time.
func FirstID(at time.Time) ID {
	var u uuid.UUID
	binary.BigEndian.PutUint64(u[:], uint64(min(max(at.UnixMilli(), 0), 1<<48-1))<<16)
	return ID(u.String())
}

// State is the state of an operation.
type State string

// States of the central, of the edge, and of both.
const (
	Received State = "received" // central: recorded, nothing was sent to the bank
	Refused  State = "refused"  // central: final, nothing was sent

	Reserved State = "reserved" // edge: identity on disk, the finger is being captured
	Queued   State = "queued"   // edge: on disk, not yet sent
	Accepted State = "accepted" // edge: recorded by the central
	Unknown  State = "unknown"  // edge: the connection broke after sending
	Expired  State = "expired"  // edge: final, deadline passed before it was sent
	NotSent  State = "not-sent" // edge: final, the central refused it, or never saw it and never will run it

	// Sent: at the central committed before the first byte goes to the bank, at the
	// edge before the frame is given to the uplink.
	Sent      State = "sent"
	Pending   State = "pending"   // both: the bank has not answered
	Succeeded State = "succeeded" // both: final
	Failed    State = "failed"    // both: final
	Reversed  State = "reversed"  // both: final, debited and credited again
)

// Final tells whether the state never changes.
func (s State) Final() bool {
	switch s {
	case Succeeded, Failed, Reversed, Refused, Expired, NotSent:
		return true
	}
	return false
}

// Outcome is the state of an operation at the central, and the reply that the same
// request would have had over HTTP.
type Outcome struct {
	State State
	HTTP  int    // HTTP status of the reply
	Reply []byte // JSON body of the reply
}
