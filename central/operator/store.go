package operator

import (
	"context"
	"time"

	"galla/central/duty"
)

// People is where operators are kept. Each method that changes something is one
// transaction with its entry of the trail; central.ErrNotFound where there is no
// such person.
type People interface {
	// AddOperator records a person with an open set-up. central.ErrTaken: the login
	// is in use, or was. ErrTooMany.
	AddOperator(ctx context.Context, r Record, e Entry) error
	// Descent gives who an account descends from. Additions and resets record it, of
	// who acts by the entry; those at the machine, whose entry has no person, forget it.
	Descent(ctx context.Context, login string) (Descent, error)
	// Operator gives one.
	Operator(ctx context.Context, login string) (Record, error)
	// Operators lists all, by login.
	Operators(ctx context.Context) ([]Person, error)
	// SetOperatorRole gives another role, as Record.Become has it of the person whom the
	// transaction holds, and ends the person's sessions. ErrLastAdmin, ErrAsked.
	SetOperatorRole(ctx context.Context, login string, role Role, e Entry) error
	// ApproveOperator does what was asked for by the person that the record names.
	// central.ErrState: that is not what is asked for.
	ApproveOperator(ctx context.Context, was Record, e Entry) error
	// DisableOperator puts a person out: password and second factor are forgotten, the
	// sessions end. ErrLastAdmin.
	DisableOperator(ctx context.Context, login string, e Entry) error
	// RenewOperator opens a new set-up for a person, who may have been put out: what was
	// there before is forgotten, the sessions end. ErrLastAdmin does not apply,
	// since the person is let in again, which the entry tells then.
	RenewOperator(ctx context.Context, r Record, e Entry) error
	// EnrolOperator ends a set-up: the password and the step of the second factor that
	// proved it are written, and a session is opened. central.ErrState: the set-up
	// was used, replaced or has ended.
	EnrolOperator(ctx context.Context, r Record, s Session, e Entry) error
	// SetOperatorPassword changes a password, and ends all the person's sessions but
	// opens the given one. central.ErrState: it is not what it was, or the step of
	// the second factor was used.
	SetOperatorPassword(ctx context.Context, was, is Record, s Session, e Entry) error
	// ResealOperator writes the second factor's secret anew where it still is what it was;
	// central.ErrState.
	ResealOperator(ctx context.Context, login string, was, is []byte) error
}

// Session is somebody who signed in.
type Session struct {
	Hash     [32]byte // of the token
	Login    string
	From     string // the address
	OpenedAt time.Time
	SeenAt   time.Time // of the last touch
	// ProvenAt is when the last code for privileged acts was typed; zero: none was.
	ProvenAt time.Time
	// Tried is the name under which the try was counted that opens it (Tries); it is
	// not kept.
	Tried string
}

// Sessions is where sessions are kept.
type Sessions interface {
	// OpenOperatorSession opens a session for a person whose step of the second factor
	// was not used before, writes it as used, forgets the wrong tries of the name under which this one was
	// counted, and sessions that have ended. central.ErrState: the step was used, or the person
	// is not as the record says.
	OpenOperatorSession(ctx context.Context, r Record, step int64, s Session, e Entry) error
	// OperatorSession gives an open session and its person, or central.ErrNotFound: those
	// opened or touched last before the given moments have ended.
	OperatorSession(ctx context.Context, hash [32]byte, opened, seen time.Time) (Session, Person, error)
	// ProveOperatorSession writes a step of the second factor as used and that the
	// session was proven by it, and forgets the wrong tries of the name under which
	// this one was counted. central.ErrState: the step was used, or the session is over.
	ProveOperatorSession(ctx context.Context, s Session, step int64, at time.Time, e Entry) error
	// TouchOperatorSession notes that a session was used.
	TouchOperatorSession(ctx context.Context, hash [32]byte, at time.Time) error
	// CloseOperatorSession ends one; one that is not there is no error.
	CloseOperatorSession(ctx context.Context, hash [32]byte, e Entry) error
}

// Tries is where wrong tries are counted, by name, whether anybody has it or not.
type Tries interface {
	// TryOperator counts a try that is about to be judged, or says how long nothing is
	// looked at; wait tells what a number of failures costs.
	TryOperator(ctx context.Context, name string, now time.Time, wait func(failures int) time.Duration) (time.Duration, error)
}

// Paper is a document that a proposal rests on, sealed.
type Paper struct {
	SHA256 string // of the document, 64 hexadecimal digits
	Name   string
	Bytes  int64 // of the document
	Sealed []byte
	At     time.Time
	By     string
}

// Papers is where documents are kept.
type Papers interface {
	// KeepPaper keeps a document; one that is there already stays as it is.
	KeepPaper(ctx context.Context, p Paper) error
	// Paper gives one, or central.ErrNotFound.
	Paper(ctx context.Context, sha256 string) (Paper, error)
	// PaperSums lists the documents' names after the given one, in their order.
	PaperSums(ctx context.Context, after string, limit int) ([]string, error)
	// ResealPaper is ResealOperator for a document.
	ResealPaper(ctx context.Context, sha256 string, was, is []byte) error
}

// Store is all that this room needs of the database.
type Store interface {
	People
	Sessions
	Tries
	Trail
	Papers
	duty.Rates
}
