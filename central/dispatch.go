package central

import (
	"context"
	"time"

	"galla/shared/op"
)

// Call is one request, after a door has authenticated and unwrapped it.
type Call struct {
	Principal  Principal
	Credential Credential // that the principal called with, if any
	Route      op.Route
	Params     map[string]string // of the path, such as id
	Query      map[string]string
	Body       []byte // JSON as sent; empty where the method has none
	RequestID  string // for the log and the reply

	// ID is set by the uplink, which brings ids of its own; other doors leave
	// it empty and the dispatcher mints one.
	ID op.ID
	// Identity is what the door's protocol offers (Idempotency-Key,
	// X-Request-Id, or the uplink's ID); empty: none. A reference in the body
	// takes its place where the route has one.
	Identity string
	// NotAfter is the caller's deadline; zero: none.
	NotAfter time.Time
	// CapturedAt is when the biometric was captured, by the caller's word.
	CapturedAt time.Time
	// Accepted, if set, is called once when the operation is durably recorded,
	// before it is dispatched.
	Accepted func(op.ID)
}

// Reply is what a door sends back.
type Reply struct {
	HTTP       int
	Body       []byte   // JSON
	State      op.State // of the operation; empty for routes that are none
	Replayed   bool     // Idempotent-Replayed: true
	RetryAfter time.Duration
}

// Dispatcher is the one path that every call takes: roles, merchant,
// validation, idempotency, limits, then the route's handler. It never fails:
// every error is a reply of the error table.
type Dispatcher interface {
	// Dispatch returns when there is a reply, or by the end of ctx with
	// 'pending' where an operation is still under way; the operation goes on.
	Dispatch(ctx context.Context, c Call) Reply
	// Ask says what became of a principal's operation. If it is under way, Ask
	// waits for it until ctx ends. seen is false where the central had never
	// seen it: from then on it is refused for ever. An error says nothing
	// about the operation.
	Ask(ctx context.Context, p Principal, id op.ID) (r Reply, seen bool, err error)
	// Outcome is the reply that a recorded operation has now, without waiting.
	Outcome(o Operation) Reply
	// Refusal is the reply of the error table for an error that a door met
	// before it could dispatch.
	Refusal(err error, requestID string) Reply
}
