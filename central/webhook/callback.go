package webhook

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/op"
)

// Events of callbacks.
const (
	EventFinished = "operation.finished" // an operation whose caller got 'pending' has a final outcome now
	EventReceived = "upi.received"       // a payment by UPI was received for the merchant
	EventReturned = "upi.returned"       // the bank returned such a payment to its payer
)

// Events lists all events.
func Events() []string { return []string{EventFinished, EventReceived, EventReturned} }

// EventOf is the event of a finished operation; empty: its caller got the outcome as the
// reply.
func EventOf(o central.Operation) string {
	switch {
	case o.Kind == central.KindUPIPayment:
		return EventReceived
	case o.Kind == central.KindUPIRefund:
		return EventReturned
	case o.Kind == central.KindReceiptMessage: // an SMS of the counter, of which no program waits to hear
	case o.PendingReference != "":
		return EventFinished
	}
	return ""
}

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

// Callback is a message to a merchant, or to its vendor, about an operation's end. It is
// written in the transaction that finishes the operation, so it is never sent before, nor
// lost after.
type Callback struct {
	Operation op.ID              // its key: an operation finishes once
	Merchant  central.MerchantID // of the operation
	Vendor    central.VendorID   // whose endpoint gets it; empty: the merchant's own
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

// Receiver is who gets the callback.
func (c Callback) Receiver() Receiver {
	if c.Vendor != "" {
		return OfVendor(c.Vendor)
	}
	return OfMerchant(c.Merchant)
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
	// ResultGone: the receiver answered 410 Gone. Its endpoint is disabled, and all its
	// waiting callbacks are given up.
	ResultGone Result = "gone"
)

// Attempt is one attempt to deliver a callback.
type Attempt struct {
	Operation op.ID
	Receiver  Receiver // whose endpoint it went to; not stored
	Number    int      // Callback.Attempts at the claim
	At        time.Time
	Node      string // written by the store
	HTTP      int    // zero: no reply
	Detail    string // for people; without secrets and without the reply's body
	Result    Result
	RetryAt   time.Time // with ResultRetry
	// Interrupted means that the node was stopping: the attempt is not a failure.
	Interrupted bool
}

// ClaimLimits bounds a claim of callbacks.
type ClaimLimits struct {
	Now, Until time.Time
	Limit      int // in all
	// PerReceiver bounds a receiver's attempts at one time, InFlight included.
	PerReceiver int
	InFlight    map[Receiver]int
}

// Backlog counts callbacks, for operators.
type Backlog struct {
	Waiting  int // due now or later
	GivenUp  int
	Disabled int       // endpoints that are disabled
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
	// Endpoint returns a receiver's endpoint with the secrets that are live at a time, or
	// central.ErrNotFound.
	Endpoint(ctx context.Context, r Receiver, at time.Time) (Endpoint, error)
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
	// ReplayCallback makes a callback due now, for another full period, at the endpoint
	// that its merchant has now. A pending operation that ended while there was none gets
	// a callback.
	// central.ErrState: a node delivers it now, or the operation can have no callback;
	// central.ErrNotFound: no such operation.
	ReplayCallback(ctx context.Context, operation op.ID, at time.Time) error
	// ReplayCallbacksSince replays all of a merchant's callbacks that were created at since
	// or later, except those that a node delivers now, and returns their number.
	ReplayCallbacksSince(ctx context.Context, m central.MerchantID, since, at time.Time) (int, error)
	// SetEndpoint sets a receiver's endpoint and events; an empty URL removes it. Waiting
	// callbacks go on to where they belong now; those that belong nowhere are given up. A
	// disabled endpoint is enabled. central.ErrNotFound: no such merchant or vendor.
	SetEndpoint(ctx context.Context, r Receiver, url string, events []string, at time.Time) error
	// Endpoint returns a receiver's endpoint with the secrets that are live at a time, or
	// central.ErrNotFound.
	Endpoint(ctx context.Context, r Receiver, at time.Time) (Endpoint, error)
}

// SecretStore stores the secrets of callbacks.
type SecretStore interface {
	// AddSecret records a secret. The receiver's other one ends at formerEnds, if that is
	// sooner than its planned end; zero: no sooner. central.ErrNotFound: no such merchant
	// or vendor; central.ErrState: it has MaxSecrets live ones already.
	AddSecret(ctx context.Context, s Secret, formerEnds time.Time) error
	// ListSecrets lists a receiver's secrets, revoked ones included, oldest first.
	ListSecrets(ctx context.Context, r Receiver) ([]Secret, error)
	// LiveSecrets lists all secrets that are not revoked, oldest first, after the given
	// one; empty: from the first.
	LiveSecrets(ctx context.Context, after SecretID, limit int) ([]Secret, error)
	// EndSecret plans the end of a receiver's secret. central.ErrNotFound: it has no such
	// secret; central.ErrState: it has ended.
	EndSecret(ctx context.Context, r Receiver, id SecretID, at, ends time.Time) error
	// RevokeSecret revokes a secret; a second time changes nothing.
	// central.ErrNotFound: no such secret.
	RevokeSecret(ctx context.Context, id SecretID, at time.Time) error
	// ResealSecret replaces a secret's sealed form. central.ErrState: it differs from was.
	ResealSecret(ctx context.Context, id SecretID, was, is []byte) error
}
