package duty

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/op"
)

// EventSettled is the one event that merchants are told of so far: an operation
// whose caller was told that it is pending has reached its end.
const EventSettled = "operation.settled"

// CallbackState is where a callback stands.
//
//	waiting ──► delivered
//	   └──────► given-up ──replay──► waiting
//
// A delivered one may be replayed as well.
type CallbackState string

// The states of a callback.
const (
	CallbackWaiting   CallbackState = "waiting"
	CallbackDelivered CallbackState = "delivered"
	CallbackGivenUp   CallbackState = "given-up"
)

// Callback is a fact that a merchant is owed. It is written in the transaction
// that settles the operation, so that it is never told before, nor lost after.
type Callback struct {
	Operation op.ID // names it: an operation settles once
	Merchant  central.MerchantID
	Event     string
	State     CallbackState
	CreatedAt time.Time // of the settlement
	// Since is when the time began in which it is tried: CreatedAt, or the last
	// replay.
	Since time.Time
	DueAt time.Time // of the next attempt; the lease's end while a node makes one
	// Node is who makes an attempt at this moment; empty: nobody.
	Node string
	// Attempts counts those that were ever begun; Failures those that failed
	// since Since.
	Attempts, Failures int
	TriedAt            time.Time // of the last attempt; zero: never
	HTTP               int       // of the last attempt; zero: no reply
	Said               string    // what came of the last attempt, for people
	EndedAt            time.Time // zero: waiting
}

// Verdict is what an attempt came to.
type Verdict string

// The verdicts of an attempt.
const (
	// Delivered: the receiver said that it has it.
	Delivered Verdict = "delivered"
	// Again: not delivered; the next attempt is at Next.
	Again Verdict = "again"
	// GivenUp: not delivered, and its time is over.
	GivenUp Verdict = "given-up"
	// Gone: the receiver wants no callbacks any more. The merchant's endpoint is
	// disabled, and whatever it is owed is given up.
	Gone Verdict = "gone"
)

// Attempt is one try to deliver a callback.
type Attempt struct {
	Operation op.ID
	Merchant  central.MerchantID
	Number    int // Callback.Attempts as it was claimed
	At        time.Time
	Node      string // written by the store
	HTTP      int    // zero: no reply
	Said      string // for people; nothing secret, nothing of the reply's body
	Verdict   Verdict
	Next      time.Time // of Again
	// Interrupted says that the node was being stopped: it counts as no failure.
	Interrupted bool
}

// Endpoint is where and how a merchant is told.
type Endpoint struct {
	Merchant central.MerchantID
	URL      string // empty: none
	Events   []string
	// DisabledAt is when its receiver answered 410 Gone; zero: it is in use.
	DisabledAt time.Time
	Secrets    []CallbackSecret // the live ones, oldest first
}

// SecretID names a callback secret in lists and logs; the secret itself is never
// written there.
type SecretID string

// CallbackSecret signs a merchant's callbacks.
type CallbackSecret struct {
	ID        SecretID
	Merchant  central.MerchantID
	Sealed    []byte // 32 bytes, sealed under a master key (package seal)
	CreatedAt time.Time
	RevokedAt time.Time // zero: live
}

// MaxCallbackSecrets is how many live secrets a merchant may have: two, so that
// it can change from one to the other without a callback that it can't verify.
const MaxCallbackSecrets = 2

// ClaimBounds say how many callbacks may be claimed.
type ClaimBounds struct {
	Now, Until time.Time
	Limit      int // in all
	// PerMerchant bounds a merchant's share, of which UnderWay is taken already.
	PerMerchant int
	UnderWay    map[central.MerchantID]int
}

// CallbackCounts is what an operator looks at.
type CallbackCounts struct {
	Waiting  int // due now or later
	GivenUp  int
	Disabled int       // merchants whose endpoint is disabled
	Oldest   time.Time // Since of the one that waits longest; zero: none waits
}

// CallbackFilter chooses callbacks of a list.
type CallbackFilter struct {
	Merchant central.MerchantID // empty: all
	State    CallbackState      // empty: all
	Since    time.Time          // CreatedAt at or after; zero: all
	Limit    int
}

// Callbacks is what the delivery of callbacks needs of the database. Each
// method is one transaction.
type Callbacks interface {
	// ClaimCallbacks gives callbacks that are due, each to one claimer only until
	// the bounds' moment, those that have waited longest first. Their Attempts
	// count the attempt that is about to be made.
	ClaimCallbacks(ctx context.Context, b ClaimBounds) ([]Callback, error)
	// NoteAttempt records an attempt and what it came to. central.ErrState: the
	// callback has been claimed again since, or has ended; a delivery is recorded
	// all the same while the callback waits, for it has happened.
	NoteAttempt(ctx context.Context, a Attempt) error
	// Endpoint gives where a merchant is told, or central.ErrNotFound.
	Endpoint(ctx context.Context, m central.MerchantID) (Endpoint, error)
	// Operation gives one operation, or central.ErrNotFound.
	Operation(ctx context.Context, id op.ID) (central.Operation, error)
}

// CallbackDesk is what the operator does with callbacks.
type CallbackDesk interface {
	// CallbacksOf lists callbacks, newest first.
	CallbacksOf(ctx context.Context, f CallbackFilter) ([]Callback, error)
	// Callback gives one with its attempts, oldest first, or central.ErrNotFound.
	Callback(ctx context.Context, operation op.ID) (Callback, []Attempt, error)
	// CallbackCounts counts.
	CallbackCounts(ctx context.Context) (CallbackCounts, error)
	// Replay makes one callback due now, for another full time. Where an
	// operation that was pending and has ended has none, since its merchant had
	// no endpoint then, it gets one. One that a node delivers at this moment, or
	// that is of no such operation, is central.ErrState; an unknown operation is
	// central.ErrNotFound.
	Replay(ctx context.Context, operation op.ID, at time.Time) error
	// ReplaySince does so with all of a merchant's callbacks that were created at
	// or after a moment, but for those that a node delivers now; it gives their
	// number.
	ReplaySince(ctx context.Context, m central.MerchantID, since, at time.Time) (int, error)
	// SetEndpoint sets where a merchant is told, and of what; an empty URL ends
	// it, and gives up what waits. A disabled endpoint is in use again.
	// central.ErrNotFound: no such merchant.
	SetEndpoint(ctx context.Context, m central.MerchantID, url string, events []string, at time.Time) error
	// Endpoint gives where a merchant is told, or central.ErrNotFound.
	Endpoint(ctx context.Context, m central.MerchantID) (Endpoint, error)
}

// CallbackSecrets is where the secrets of callbacks are kept.
type CallbackSecrets interface {
	// AddSecret records a secret. central.ErrNotFound: no such merchant;
	// central.ErrState: it has MaxCallbackSecrets already.
	AddSecret(ctx context.Context, s CallbackSecret) error
	// SecretsOf lists a merchant's secrets, oldest first; revoked ones are among
	// them.
	SecretsOf(ctx context.Context, m central.MerchantID) ([]CallbackSecret, error)
	// LiveSecrets lists the secrets that are not revoked, oldest first, from
	// after the given one on; empty: from the first.
	LiveSecrets(ctx context.Context, after SecretID, limit int) ([]CallbackSecret, error)
	// RevokeSecret ends a secret; revoking twice changes nothing.
	// central.ErrNotFound: no such secret.
	RevokeSecret(ctx context.Context, id SecretID, at time.Time) error
	// ResealSecret replaces a secret's sealed form. central.ErrState: it is no
	// longer what it was.
	ResealSecret(ctx context.Context, id SecretID, was, is []byte) error
}
