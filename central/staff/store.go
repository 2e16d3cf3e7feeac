package staff

import (
	"context"
	"time"

	"galla/central"
	"galla/central/ratelimit"
)

// MemberStore stores members. Each change is one transaction with its audit entry;
// central.ErrNotFound where there is no such member.
type MemberStore interface {
	// AddMember records a member with an open set-up. central.ErrTaken: the login is
	// in use, or was. ErrTooMany.
	AddMember(ctx context.Context, r Account, e AuditEntry) error
	// MemberAncestry returns from whom an account got its access. AddMember and
	// ResetMember record it, by the entry's person; where the entry has none (a
	// command), they clear it.
	MemberAncestry(ctx context.Context, login string) (Ancestry, error)
	// MemberAccount returns one account.
	MemberAccount(ctx context.Context, login string) (Account, error)
	// Members lists those of a vendor, by login; empty: the console's staff.
	Members(ctx context.Context, vendor central.VendorID) ([]Member, error)
	// LoginsAfter lists logins of any realm, in their order, after one; empty: from the
	// first.
	LoginsAfter(ctx context.Context, after string, limit int) ([]string, error)
	// SetMemberRole changes a role as Account.WithRole says for the account that the
	// transaction holds, and ends the sessions. ErrLastAdmin, ErrResetPending.
	SetMemberRole(ctx context.Context, login string, role Role, e AuditEntry) error
	// ApproveMember does what the given account has been waiting for.
	// central.ErrState: it waits for something else, or for nothing.
	ApproveMember(ctx context.Context, was Account, e AuditEntry) error
	// DisableMember disables an account: password and second factor are removed, the
	// sessions end. ErrLastAdmin.
	DisableMember(ctx context.Context, login string, e AuditEntry) error
	// ResetMember opens a new set-up for a member, also for a disabled one: password
	// and second factor are removed, the sessions end. It never gives ErrLastAdmin,
	// since the admin can return.
	ResetMember(ctx context.Context, r Account, e AuditEntry) error
	// EnrolMember ends a set-up: it writes the password and the time step of the code
	// that proved the second factor, and opens a session. central.ErrState: the set-up
	// was used or replaced, or has expired.
	EnrolMember(ctx context.Context, r Account, s Session, e AuditEntry) error
	// SetMemberPassword changes a password, ends all sessions and opens the given one.
	// central.ErrState: the account is not what it was, or the code's time step was
	// used.
	SetMemberPassword(ctx context.Context, was, is Account, s Session, e AuditEntry) error
	// RehashMemberPassword replaces the hash of a password by another one of the same
	// password; central.ErrState: it was changed meanwhile.
	RehashMemberPassword(ctx context.Context, login, was, is string) error
	// ResealMemberFactor replaces the sealed second factor where it is still what it
	// was; otherwise central.ErrState.
	ResealMemberFactor(ctx context.Context, login string, was, is []byte) error
}

// Session is a period in which somebody is signed in.
type Session struct {
	Hash     [32]byte // of the token
	Login    string
	From     string // the address
	OpenedAt time.Time
	SeenAt   time.Time // last used
	// SteppedUpAt is when the last code for privileged actions was typed; zero: never.
	SteppedUpAt time.Time
	// AttemptName is the name under which the attempt was counted that opens the
	// session or steps it up; it is not stored.
	AttemptName string
}

// SessionStore stores sessions.
type SessionStore interface {
	// OpenStaffSession opens a session for an account and writes the code's time step
	// as used. It clears the wrong attempts counted under s.AttemptName, and removes
	// sessions that have ended. central.ErrState: the step was used, or the account is
	// not as given.
	OpenStaffSession(ctx context.Context, r Account, step int64, s Session, e AuditEntry) error
	// StaffSession returns an open session with its member; central.ErrNotFound where
	// it was opened or last used before the given times.
	StaffSession(ctx context.Context, hash [32]byte, opened, seen time.Time) (Session, Member, error)
	// StepUpStaffSession writes the code's time step as used and the session as
	// stepped up, and clears the wrong attempts counted under s.AttemptName.
	// central.ErrState: the step was used, or the session has ended.
	StepUpStaffSession(ctx context.Context, s Session, step int64, at time.Time, e AuditEntry) error
	// TouchStaffSession records that a session was used.
	TouchStaffSession(ctx context.Context, hash [32]byte, at time.Time) error
	// CloseStaffSession ends a session; one that does not exist is no error.
	CloseStaffSession(ctx context.Context, hash [32]byte, e AuditEntry) error
}

// AttemptStore counts wrong attempts by name, whether anybody has it or not.
type AttemptStore interface {
	// CountStaffAttempt counts an attempt before it is judged, or returns for how long
	// none is judged; wait gives the wait after a number of failures.
	CountStaffAttempt(ctx context.Context, name string, now time.Time, wait func(failures int) time.Duration) (time.Duration, error)
}

// SealedDocument is the evidence of a proposal, sealed.
type SealedDocument struct {
	SHA256 string // of the document, 64 hexadecimal digits
	Name   string
	Bytes  int64 // of the document
	Sealed []byte
	At     time.Time
	By     string
}

// DocumentStore stores documents.
type DocumentStore interface {
	// AddDocument stores a document; one with the same hash stays as it is.
	AddDocument(ctx context.Context, p SealedDocument) error
	// Document returns one, or central.ErrNotFound.
	Document(ctx context.Context, sha256 string) (SealedDocument, error)
	// DocumentHashes lists hashes after the given one, in their order.
	DocumentHashes(ctx context.Context, after string, limit int) ([]string, error)
	// ResealDocument replaces the sealed content where it is still what it was;
	// otherwise central.ErrState.
	ResealDocument(ctx context.Context, sha256 string, was, is []byte) error
}

// Store is the database as this package uses it, in parts.
type Store struct {
	MemberStore
	SessionStore
	AttemptStore
	AuditStore
	ViewStore
	ratelimit.Buckets
}

// complete tells whether no part is missing.
func (s Store) complete() bool {
	return s.MemberStore != nil && s.SessionStore != nil && s.AttemptStore != nil && s.AuditStore != nil && s.ViewStore != nil && s.Buckets != nil
}
