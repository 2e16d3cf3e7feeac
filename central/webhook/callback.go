package webhook

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/op"
)

// EventFinished is the event of an operation whose caller got 'pending' and which has a
// final outcome now. There is no other event so far.
const EventFinished = "operation.finished"

// State is the state of a callback.
//
//	waiting ──► delivered
//	   └──────► given-up ──replay──► waiting
//
// A delivered callback can be replayed as well.
type State string

// The states of a callback.
const (
	StateWaiting   State = "waiting"
	StateDelivered State = "delivered"
	StateGivenUp   State = "given-up"
)

// Callback is a message to a merchant about an operation's end. It is written in the
// transaction that finishes the operation, so it is never sent before, nor lost after.
type Callback struct {
	Operation op.ID // its key: an operation finishes once
	Merchant  central.MerchantID
	Event     string
	State     State
	CreatedAt time.Time // the operation's end
	// Since is the start of the period in which delivery is attempted: CreatedAt, or the
	// last replay.
	Since time.Time
	DueAt time.Time // of the next attempt; during an attempt, the end of the lease
	// Node makes an attempt now; empty: none.
	Node string
	// Attempts counts all attempts; Failures those that failed since Since.
	Attempts, Failures int
	TriedAt            time.Time // of the last attempt; zero: never
	HTTP               int       // of the last attempt; zero: no reply
	Detail             string    // of the last attempt's result, for people
	EndedAt            time.Time // zero: waiting
}

// Result is the result of an attempt.
type Result string

// The results of an attempt.
const (
	// ResultDelivered: the receiver confirmed it with a status of 2xx.
	ResultDelivered Result = "delivered"
	// ResultRetry: not delivered; the next attempt is at Attempt.RetryAt.
	ResultRetry Result = "retry"
	// ResultGivenUp: not delivered, and there are no more attempts.
	ResultGivenUp Result = "given-up"
	// ResultGone: the receiver answered 410 Gone. The merchant's endpoint is disabled,
	// and all its waiting callbacks are given up.
	ResultGone Result = "gone"
)

// Attempt is one attempt to deliver a callback.
type Attempt struct {
	Operation op.ID
	Merchant  central.MerchantID
	Number    int // Callback.Attempts at the claim
	At        time.Time
	Node      string // written by the store
	HTTP      int    // zero: no reply
	Detail    string // for people; without secrets and without the reply's body
	Result    Result
	RetryAt   time.Time // with ResultRetry
	// Interrupted means that the node was stopping: the attempt is not a failure.
	Interrupted bool
}

// Endpoint is a merchant's receiver of callbacks.
type Endpoint struct {
	Merchant central.MerchantID
	URL      string // empty: none
	Events   []string
	// DisabledAt is when its receiver answered 410 Gone; zero: it is enabled.
	DisabledAt time.Time
	Secrets    []Secret // the live ones, oldest first
}

// SecretID identifies a callback secret in lists and logs.
type SecretID string

// Secret signs a merchant's callbacks.
type Secret struct {
	ID        SecretID
	Merchant  central.MerchantID
	Sealed    []byte // 32 bytes, sealed under a master key (package seal)
	CreatedAt time.Time
	RevokedAt time.Time // zero: live
}

// MaxSecrets is how many live secrets a merchant may have: two, so that it can replace one
// while it verifies every callback.
const MaxSecrets = 2

// ClaimLimits bounds a claim of callbacks.
type ClaimLimits struct {
	Now, Until time.Time
	Limit      int // in all
	// PerMerchant bounds a merchant's attempts at one time, InFlight included.
	PerMerchant int
	InFlight    map[central.MerchantID]int
}

// Backlog counts callbacks, for operators.
type Backlog struct {
	Waiting  int // due now or later
	GivenUp  int
	Disabled int       // merchants whose endpoint is disabled
	Oldest   time.Time // Since of the oldest waiting one; zero: none waits
}

// Filter selects callbacks of a list.
type Filter struct {
	Merchant central.MerchantID // empty: all
	State    State              // empty: all
	Vendor   central.VendorID   // of the merchant; empty: all
	Since    time.Time          // CreatedAt at or after; zero: all
	Until    time.Time          // CreatedAt before; zero: all
	After    op.ID              // of a vendor's list: the last one of the previous page; empty: the first page
	Limit    int
}

// DeliveryStore is the part of the database that the delivery needs. Each method is one
// transaction.
type DeliveryStore interface {
	// ClaimCallbacks claims due callbacks for this node until b.Until, oldest first.
	// Their Attempts include the attempt that is about to be made.
	ClaimCallbacks(ctx context.Context, b ClaimLimits) ([]Callback, error)
	// RecordAttempt records an attempt and its result. central.ErrState: the callback
	// was claimed again, or has ended. A delivery is recorded in any case while the
	// callback waits, because it has happened.
	RecordAttempt(ctx context.Context, a Attempt) error
	// Endpoint returns a merchant's endpoint, or central.ErrNotFound.
	Endpoint(ctx context.Context, m central.MerchantID) (Endpoint, error)
	// Operation returns an operation, or central.ErrNotFound.
	Operation(ctx context.Context, id op.ID) (central.Operation, error)
}

// AdminStore is the part of the database for managing callbacks.
type AdminStore interface {
	// ListCallbacks lists callbacks, newest first.
	ListCallbacks(ctx context.Context, f Filter) ([]Callback, error)
	// Callback returns one with its attempts, oldest first, or central.ErrNotFound.
	Callback(ctx context.Context, operation op.ID) (Callback, []Attempt, error)
	// CallbackBacklog counts callbacks and disabled endpoints.
	CallbackBacklog(ctx context.Context) (Backlog, error)
	// ReplayCallback makes a callback due now, for another full period. A pending
	// operation that ended while its merchant had no endpoint gets a callback.
	// central.ErrState: a node delivers it now, or the operation can have no callback;
	// central.ErrNotFound: no such operation.
	ReplayCallback(ctx context.Context, operation op.ID, at time.Time) error
	// ReplayCallbacksSince replays all of a merchant's callbacks that were created at since
	// or later, except those that a node delivers now, and returns their number.
	ReplayCallbacksSince(ctx context.Context, m central.MerchantID, since, at time.Time) (int, error)
	// SetEndpoint sets a merchant's endpoint and events; an empty URL removes it and
	// gives up waiting callbacks. A disabled endpoint is enabled. central.ErrNotFound: no
	// such merchant.
	SetEndpoint(ctx context.Context, m central.MerchantID, url string, events []string, at time.Time) error
	// Endpoint returns a merchant's endpoint, or central.ErrNotFound.
	Endpoint(ctx context.Context, m central.MerchantID) (Endpoint, error)
}

// SecretStore stores the secrets of callbacks.
type SecretStore interface {
	// AddSecret records a secret. central.ErrNotFound: no such merchant;
	// central.ErrState: it has MaxSecrets live ones already.
	AddSecret(ctx context.Context, s Secret) error
	// ListSecrets lists a merchant's secrets, revoked ones included, oldest first.
	ListSecrets(ctx context.Context, m central.MerchantID) ([]Secret, error)
	// LiveSecrets lists all secrets that are not revoked, oldest first, after the given
	// one; empty: from the first.
	LiveSecrets(ctx context.Context, after SecretID, limit int) ([]Secret, error)
	// RevokeSecret revokes a secret; a second time changes nothing.
	// central.ErrNotFound: no such secret.
	RevokeSecret(ctx context.Context, id SecretID, at time.Time) error
	// ResealSecret replaces a secret's sealed form. central.ErrState: it differs from was.
	ResealSecret(ctx context.Context, id SecretID, was, is []byte) error
}
