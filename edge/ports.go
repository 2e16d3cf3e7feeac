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
	ErrFull     = errors.New("the queue's disk is full; free some space")
	ErrIllegal  = errors.New("the operation's state does not allow this change")
)

// Queue is the counter's durable storage. Every change is one fsynced
// transaction: after a nil error, a power cut does not undo it.
type Queue interface {
	// Add stores a new operation. It fails with ErrExists or ErrFull.
	Add(r Record) error
	// Change reads the operation, applies change to it, and writes it back. It
	// fails with ErrIllegal, and writes nothing, where CanBecome does not allow
	// the new state; an error of change is returned as it is. When the state
	// becomes final, EndedAt is set if it was not, and Body is erased.
	Change(id op.ID, change func(*Record) error) (Record, error)
	Get(id op.ID) (Record, error)
	// Unresolved returns all operations that are not final, oldest first.
	Unresolved() ([]Record, error)
	// UnresolvedCount is the number of operations that are not final. It reads
	// nothing from disk.
	UnresolvedCount() int
	// OpenCash returns the operations whose cash is open (Record.Cash), oldest
	// first, however old they are. The error names records that can't be read;
	// the readable ones are returned beside it.
	OpenCash() ([]Record, error)
	// LinkedOperations returns the operations with a LinkedTo, oldest first. The
	// error is as of OpenCash.
	LinkedOperations() ([]Record, error)
	// Recent returns up to limit operations, newest first, older than the given
	// id (from the newest, if empty).
	Recent(before op.ID, limit int) ([]Record, error)

	// Cursor returns the last event of the central that was applied.
	Cursor() (int64, error)
	// ApplyEvent is Change and the event's cursor in one transaction. A cursor
	// that was applied before changes nothing and is no error. With an empty id,
	// or the id of an operation that is not here, only the cursor changes.
	ApplyEvent(cursor int64, id op.ID, change func(*Record) error) (Record, error)
	// AddByEvent is Add and the event's cursor in one transaction, for what the
	// central reports and the counter did not begin. An id that is known adds nothing and
	// is no error: it returns the known operation. An older cursor than the last one
	// adds all the same: nobody asks again for what was overtaken.
	AddByEvent(cursor int64, r Record) (Record, error)

	// GetCache returns a value of the session cache and when it was stored;
	// ok is false where there is none.
	GetCache(name string) (value []byte, at time.Time, ok bool, err error)
	// PutCache stores a value in the session cache. Values are sealed.
	PutCache(name string, value []byte, at time.Time) error
}

// LateAfter is how long after its creation the index finds an operation by its
// id; what happens to it later has an index of its own (queue.Late).
const LateAfter = time.Hour

// ErrOffline reports that the terminal is offline and nothing was sent.
var ErrOffline = errors.New("the terminal is offline")

// LinkState is the state of the uplink.
type LinkState struct {
	Online  bool
	Since   time.Time     // since when it is online or offline
	Offset  time.Duration // the central's clock minus ours, measured at the last hello
	Window  int           // how many operations may be sent without an outcome
	Problem LinkProblem   // why it is offline; empty when online
	Detail  string        // the central's own words about the problem, in English
	Revoked bool          // the terminal was revoked: only a new enrolment helps
}

// LinkProblem is why the terminal is offline. Package outcome has the texts.
type LinkProblem string

// The problems.
const (
	LinkConnecting     LinkProblem = "connecting"      // no attempt has ended yet
	LinkStopped        LinkProblem = "stopped"         // the program stops
	LinkNoNetwork      LinkProblem = "no-network"      // this computer has no internet
	LinkNoAnswer       LinkProblem = "no-answer"       // the central does not answer
	LinkBroken         LinkProblem = "broken"          // the connection broke
	LinkSilent         LinkProblem = "silent"          // nothing came for too long
	LinkRestarting     LinkProblem = "restarting"      // the central
	LinkBusy           LinkProblem = "busy"            // the central
	LinkNotAccepted    LinkProblem = "not-accepted"    // the terminal's token
	LinkRevoked        LinkProblem = "revoked"         // LinkState.Revoked
	LinkWrongAddress   LinkProblem = "wrong-address"   // no central is there
	LinkCertificate    LinkProblem = "certificate"     // of the central
	LinkReplaced       LinkProblem = "replaced"        // by another program as this terminal
	LinkVersion        LinkProblem = "version"         // one side is too old
	LinkRefused        LinkProblem = "refused"         // the central did not understand a frame
	LinkProtocol       LinkProblem = "protocol"        // a frame that the protocol does not allow
	LinkNotApplied     LinkProblem = "not-applied"     // the counter could not store what came
	LinkSlow           LinkProblem = "slow"            // a frame was not written in time
	LinkClockSet       LinkProblem = "clock"           // of this computer
	LinkNetworkChanged LinkProblem = "network-changed" // no answer since
	LinkKey            LinkProblem = "key"             // the terminal's key can't sign
)

// Link is the uplink, as the counter uses it.
type Link interface {
	State() LinkState
	// Send writes a frame. ErrOffline: nothing was sent. After nil the frame may
	// or may not arrive; Receiver reports what happens then.
	Send(f wire.Frame) error
}

// Receiver is the counter, as the uplink uses it. The uplink calls one method at
// a time, in the order of the facts. Counter implements it.
type Receiver interface {
	// Hello returns what the hello frame has of the counter: the last event applied, the
	// operations whose outcome it does not know, and the checkpoint of the log that it keeps.
	Hello() (wire.Frame, error)
	// Welcome reports that the terminal is online, with the outcomes that the
	// central knew.
	Welcome(welcome wire.Frame) error
	// Receive applies a frame: accepted, outcome, unseen or event. It returns
	// after the fact is on disk; the uplink then sends seen for an event. After
	// an error the uplink reconnects.
	Receive(f wire.Frame) error
	// Disconnected reports that the terminal is offline.
	Disconnected(cause error)
}

// ReaderState is what the registered-device service reports of its reader.
type ReaderState struct {
	Status      string // READY, NOTREADY, USED, or ABSENT where no service answers
	Name        string // for people
	Problem     string // why it is not ready; empty when READY
	OtherReader bool   // only readers were found that are not assigned to this counter
	Serial      string
	CertEnd     time.Time // of the device certificate; zero: not known
	Checked     time.Time
}

// Capture is a fingerprint, in memory.
type Capture struct {
	PidData    secret.PidData
	CapturedAt time.Time // by the device's clear timestamp
	Quality    int       // qScore, 0 to 100; 0: unknown
}

// CaptureError is a capture that failed, with what the agent has to do.
type CaptureError struct {
	Code    string // errCode of the RD service; empty: the service did not answer
	Action  string // retry-customer, retry-device, fix-request, call-support
	Message string // what happened and what to do
	Quality int    // of a print that was too faint, 0 to 100 (qScore); 0: unknown
	Err     error
}

func (e *CaptureError) Error() string { return e.Message }
func (e *CaptureError) Unwrap() error { return e.Err }

// Reader is the fingerprint reader with its RD service.
type Reader interface {
	// State returns the last known state; it does not block.
	State() ReaderState
	// Capture asks for one finger. It fails with *CaptureError.
	Capture(ctx context.Context) (Capture, error)
}

// KYCReader is a Reader that marks captures of e-KYC steps as Aadhaar's rules
// ask for (wadh). Other readers capture alike for every step.
type KYCReader interface {
	Reader
	CaptureKYC(ctx context.Context) (Capture, error)
}
