package edge

import (
	"context"
	"errors"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// Errors of the queue.
var (
	ErrNotFound = errors.New("no such operation")
	ErrExists   = errors.New("operation id exists already")
	ErrFull     = errors.New("the queue's disk is full; free some space before the next customer")
	ErrIllegal  = errors.New("the operation's state does not allow this step")
)

// Queue is the counter's durable memory. Every change is one fsynced
// transaction: when it returns nil, a power cut does not undo it.
type Queue interface {
	// Add records a new operation. ErrExists, ErrFull.
	Add(r Record) error
	// Change reads the operation, lets change alter it, and writes it back. A
	// step of State that CanBecome does not allow is ErrIllegal, and nothing
	// is written; an error of change is returned as it is. When the state
	// becomes final, EndedAt is set if it was not, and Body is erased.
	Change(id op.ID, change func(*Record) error) (Record, error)
	Get(id op.ID) (Record, error)
	// Unresolved gives all operations that are not final, oldest first.
	Unresolved() ([]Record, error)
	// Depth is how many operations are not final; it reads nothing.
	Depth() int
	// OpenCash gives the operations whose cash is open (Record.Cash), oldest first,
	// however long ago they were begun. Beside those that open, an error names
	// those that do not.
	OpenCash() ([]Record, error)
	// Linked gives the operations that are about another one (Record.Of), oldest
	// first; an error is as OpenCash's.
	Linked() ([]Record, error)
	// Recent gives up to limit operations, newest first, older than the given
	// id (from the newest, if empty).
	Recent(before op.ID, limit int) ([]Record, error)

	// Cursor is the last event of the central that was applied.
	Cursor() (int64, error)
	// Apply is Change and the event's cursor in one transaction. A cursor that
	// was applied already changes nothing and is no error. An empty id moves
	// the cursor only, as does an operation that is not here.
	Apply(cursor int64, id op.ID, change func(*Record) error) (Record, error)

	// Cached gives a value of the session cache and when it was put there;
	// ok is false where there is none.
	Cached(name string) (value []byte, at time.Time, ok bool, err error)
	// Cache puts a value into the session cache. Values are sealed.
	Cache(name string, value []byte, at time.Time) error
}

// LateAfter is how long after its begin an operation is found by that alone; what
// happens to it later, the queue finds by when it happened (queue.Late).
const LateAfter = time.Hour

// ErrDown says that the line is down and nothing was given to it.
var ErrDown = errors.New("the line to the central is down")

// LinkState is what the line is doing.
type LinkState struct {
	Up      bool
	Since   time.Time     // of Up or of its loss
	Offset  time.Duration // the central's clock minus ours, measured at the last hello
	Window  int           // operations that may be under way
	Problem string        // why it is down, for people; empty when up
	Revoked bool          // the terminal was revoked: only a new enrolment helps
}

// Line is the uplink, as the counter needs it.
type Line interface {
	State() LinkState
	// Send gives a frame to the line. ErrDown: nothing was given. After nil
	// the frame may or may not arrive: what happens then comes by Receiver.
	Send(f wire.Frame) error
}

// Receiver is the counter, as the line needs it. The line calls one method at
// a time, in the order in which things happened. Counter implements it.
type Receiver interface {
	// Greet gives what the hello says: the last event applied, and the
	// operations whose outcome the counter does not know.
	Greet() (cursor int64, unresolved []op.ID, err error)
	// Welcomed says that the line is up, with the outcomes that the central
	// knew.
	Welcomed(welcome wire.Frame) error
	// Receive applies a frame: accepted, outcome, unseen or event. It returns
	// after the fact is on disk; the line then sends seen for an event. After
	// an error the line is cut and greeted again.
	Receive(f wire.Frame) error
	// Lost says that the line went down.
	Lost(cause error)
}

// DeviceState is what the registered-device service says of its reader.
type DeviceState struct {
	Status  string // READY, NOTREADY, USED, or ABSENT where no service answers
	Name    string // for people
	Problem string // what to do, for people; empty when READY
	Other   bool   // only readers were found that are not this counter's
	Serial  string
	CertEnd time.Time // of the device certificate; zero: not known
	Checked time.Time
}

// Capture is a biometric, in memory.
type Capture struct {
	PidData    secret.PidData
	CapturedAt time.Time // by the device's clear timestamp
	Quality    int       // qScore, 0 to 100; 0: not told
}

// CaptureError says why there is no capture, in words for the agent.
type CaptureError struct {
	Code    string // errCode of the RD service; empty: it did not answer
	Action  string // retry-customer, retry-device, fix-request, call-support
	Message string // what happened and what to do
	Quality int    // of a print that was too faint, 0 to 100 (qScore); 0: not told
	Err     error
}

func (e *CaptureError) Error() string { return e.Message }
func (e *CaptureError) Unwrap() error { return e.Err }

// Device is the fingerprint reader behind its RD service.
type Device interface {
	// State is the last known state; it does not wait.
	State() DeviceState
	// Capture asks for one finger. Errors are *CaptureError.
	Capture(ctx context.Context) (Capture, error)
}

// KYCDevice is a Device that marks captures for e-KYC steps, as Aadhaar's rules
// want it (wadh). One that does not captures alike for every step.
type KYCDevice interface {
	Device
	CaptureKYC(ctx context.Context) (Capture, error)
}
