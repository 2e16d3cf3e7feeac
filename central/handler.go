package central

import (
	"context"
	"io"
	"time"

	"galla/shared/op"
)

// Request is one request of the interface, authenticated and unwrapped by an
// entrance.
type Request struct {
	Principal  Principal
	Credential Credential // of the principal, if any
	Route      op.Route
	Params     map[string]string // of the path, such as id
	Query      map[string]string
	Body       []byte // JSON as sent; empty where the method has none
	RequestID  string // for the log and the reply

	// ID is set by the uplink, where the terminal chooses the operation's id; other
	// entrances leave it empty, and the engine generates one.
	ID op.ID
	// Identity is that of the entrance's protocol (Idempotency-Key, X-Request-Id,
	// or the uplink's ID); empty: none. A reference in the body takes its place
	// where the route has one.
	Identity string
	// NotAfter is the caller's deadline; zero: none.
	NotAfter time.Time
	// CapturedAt is when the fingerprint was captured, as the caller says.
	CapturedAt time.Time
	// Streams tells that the entrance can send a Reply with a Stream.
	Streams bool
	// OnAccepted, if set, is called once, after the operation is committed and
	// before it is sent.
	OnAccepted func(op.ID)
	// Message is the gateway message of the request if its IV is not spent yet; nil:
	// there is none, or it is spent. The routes of which AEPS is set take it
	// (op.Route): before Create they only read.
	Message *SealedMessage
}

// Reply is the reply that an entrance sends.
type Reply struct {
	HTTP       int
	Body       []byte   // JSON
	State      op.State // of the operation; empty: the route is no operation
	Replayed   bool     // Idempotent-Replayed: true
	RetryAfter time.Duration
	Stream     *Stream // the body instead of Body, of a request that Streams; nil: none
}

// Stream is a body that is written while it is sent.
type Stream struct {
	ContentType string
	Name        string // of the file, for browsers
	// Write writes the body. After an error the connection is cut, so that nobody takes
	// the part for the whole.
	Write func(ctx context.Context, w io.Writer) error
}

// Handler is the one path of all requests: roles, merchant, validation,
// idempotency, limits, then the route's handler. Every error becomes a reply
// (interface.md, section 7).
type Handler interface {
	// Handle returns when there is a reply. When ctx ends while the operation is
	// under way, the reply is 'pending' and the operation continues.
	Handle(ctx context.Context, c Request) Reply
	// FindOrTombstone says what became of a principal's operation, and waits for
	// one that is under way until ctx ends. seen is false if the central never saw
	// it; it is refused for ever from then on (operations.md, section 7). An error
	// says nothing about the operation.
	FindOrTombstone(ctx context.Context, p Principal, id op.ID) (r Reply, seen bool, err error)
	// CurrentReply is the reply for a recorded operation as it now is. It does not
	// wait.
	CurrentReply(o Operation) Reply
	// ErrorReply is the reply for an error that an entrance met before Handle.
	ErrorReply(err error, requestID string) Reply
}
