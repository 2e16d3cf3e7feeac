package partner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Call is one operation, with its identity. It can be stored as JSON and sent again by
// another process. Body holds the customer's data in the clear, so protect the stored
// call. A biometric capture must not be stored at all: if Body has PidData, store the
// ID only, and ask for the outcome.
type Call struct {
	ID     string          `json:"id"`     // X-Request-Id: a UUID in lower case
	Method string          `json:"method"` // path of the direct route, with its ?query
	Route  string          `json:"route"`  // path of the direct route, with ?query where there is one
	Body   json.RawMessage `json:"body"`   // the route's JSON object; a repeat must have the same bytes
}

// String names the call, without its query and body. Only its JSON has them.
func (call Call) String() string {
	route, _, _ := strings.Cut(call.Route, "?")
	return fmt.Sprintf("%s %s (X-Request-Id %s)", call.Method, route, call.ID)
}

// GoString is String, so that no verb prints the body.
func (call Call) GoString() string { return call.String() }

// Format is String for every verb.
func (call Call) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, call.String()) }

// LogValue is String, so that no log has the body.
func (call Call) LogValue() slog.Value { return slog.StringValue(call.String()) }

// Option changes how a call is prepared.
type Option func(*Call)

// WithRequestID sets a call's identity: a UUID in lower case that the caller has
// stored for this operation.
func WithRequestID(id string) Option { return func(call *Call) { call.ID = id } }

// Prepare makes a call with a new identity. It sends nothing. The route is that of the
// direct route: "/aeps/withdrawal". The body is as in Client.Call. An error is an
// *Error of kind NotSent.
func (c *Client) Prepare(method, route string, body any, options ...Option) (Call, error) {
	call := Call{Method: method, Route: route}
	refuse := func(err error) (Call, error) {
		return Call{}, &Error{Call: Call{ID: call.ID, Method: method, Route: route}, Kind: NotSent, Err: err}
	}
	if !strings.HasPrefix(route, "/") || strings.HasPrefix(route, prefix+"/") {
		return refuse(fmt.Errorf("the route must be that of the direct call, such as /aeps/balance; %s is added here", prefix))
	}
	text, err := encode(body)
	if err != nil {
		return refuse(err)
	}
	call.Body = text
	for _, option := range options {
		option(&call)
	}
	if call.ID == "" {
		if call.ID, err = newUUID(c.rand); err != nil {
			return refuse(err)
		}
	}
	return call, nil
}

// encode returns the JSON object of a body. Its error never quotes the body.
func encode(body any) (json.RawMessage, error) {
	var text []byte
	switch b := body.(type) {
	case nil:
		text = []byte("{}")
	case []byte:
		text = bytes.Clone(b)
	case json.RawMessage:
		text = bytes.Clone(b)
	case string:
		text = []byte(b)
	default:
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("write the body as JSON: a value of type %T does not allow it", body)
		}
	}
	if !json.Valid(text) || bytes.TrimLeft(text, " \t\r\n")[0] != '{' {
		return nil, errors.New("the body must be one JSON object; {} where the route has no fields")
	}
	return text, nil
}

// newUUID makes a random UUID (RFC 9562, version 4).
func newUUID(rand io.Reader) (string, error) {
	var u [16]byte
	if _, err := io.ReadFull(rand, u[:]); err != nil {
		return "", fmt.Errorf("draw an identity: %w", err)
	}
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

// Reply is the gateway's answer. Its sender holds the key, and it belongs to this call.
type Reply struct {
	Call   Call   // the call that it answers
	Status int    // HTTP status of the direct route
	Body   []byte // JSON of the direct route
	// Code and Message are statusCode and message of the reply's envelope, empty for
	// the few replies without one. For AEPS transactions look at data.ResponseCode,
	// too. 'Transaction pending' is neither success nor failure: ask for the outcome,
	// and never pay out on it.
	Code    string
	Message string
	// RetryAfter is how long to wait, after HTTP 429 or 503. The checksum does not
	// cover it.
	RetryAfter time.Duration
}

// String describes a reply, without its data.
func (r Reply) String() string {
	return fmt.Sprintf("%s: HTTP %d, %s %s", r.Call, r.Status, r.Code, r.Message)
}

// GoString is String, so that no verb prints the data.
func (r Reply) GoString() string { return r.String() }

// Format is String for every verb.
func (r Reply) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, r.String()) }

// LogValue is String, so that no log has the data.
func (r Reply) LogValue() slog.Value { return slog.StringValue(r.String()) }

// Decode reads the reply's JSON into a value.
func (r Reply) Decode(into any) error {
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("read the reply to %s %s: %w", r.Call.Method, r.Call.Route, err)
	}
	return nil
}

func newReply(call Call, status int, wait time.Duration, plain []byte) Reply {
	r := Reply{Call: call, Status: status, Body: plain, RetryAfter: wait}
	var head struct {
		StatusCode string `json:"statusCode"`
		Message    string `json:"message"`
	}
	// Some replies have no envelope (aeps/initialize): both stay empty.
	if json.Unmarshal(plain, &head) == nil {
		r.Code, r.Message = head.StatusCode, head.Message
	}
	return r
}

// maxRetryAfter limits what a header can make a program wait.
const maxRetryAfter = time.Hour

func retryAfter(header http.Header) time.Duration {
	n, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(min(n, int(maxRetryAfter/time.Second)))*time.Second, maxRetryAfter)
}

// Kind is the point at which a call ended without a genuine reply.
type Kind string

// Values of Kind.
const (
	// NotSent: nothing left this machine; the call has to be changed.
	NotSent Kind = "not sent"
	// NoReply: the connection failed before a whole reply had come. It is unknown
	// whether the operation ran.
	NoReply Kind = "no reply"
	// NotAuthenticated: the gateway answered its plain 401. This message did nothing;
	// an earlier one of the same call may have.
	NotAuthenticated Kind = "not authenticated"
	// NotGenuine: a reply came, but the gateway did not seal it for this call. It is
	// unknown whether the operation ran.
	NotGenuine Kind = "not genuine"
)

// Error says that a call has no genuine reply, and what to do.
type Error struct {
	Call   Call  // to be sent again, with its identity
	Kind   Kind  // where it ended
	Status int   // HTTP status of the reply; 0: none
	Err    error // cause; may be nil for NotAuthenticated
}

// Error says what happened to which call, and what to do. It has nothing of the call's
// body.
func (e *Error) Error() string {
	what := e.Call.String() + ": "
	switch e.Kind {
	case NotSent:
		return what + fmt.Sprintf("not sent: %v", e.Err)
	case NoReply:
		var dial *net.OpError
		if errors.As(e.Err, &dial) && dial.Op == "dial" {
			return what + fmt.Sprintf("no connection: %v. Nothing was sent: retry with the same X-Request-Id, which is safe", e.Err)
		}
		return what + fmt.Sprintf("no reply: %v. Whether it ran is unknown: retry with the same X-Request-Id, which is safe", e.Err)
	case NotAuthenticated:
		why := "look at the client id, the key, the clock, and what the checksum covers"
		if e.Err != nil {
			why = e.Err.Error()
		}
		return what + "not authenticated: " + why
	}
	return what + fmt.Sprintf("the reply is not genuine: %v. Whether it ran is unknown: retry with the same X-Request-Id, which is safe", e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// SafeToRetry reports whether it is safe and useful to send the same call again, with
// the same X-Request-Id: the connection failed, or the reply was not genuine. It is
// false for nil, for a call that must be changed, and for NotAuthenticated, where the
// same message would be refused again.
func SafeToRetry(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Kind == NoReply || e.Kind == NotGenuine)
}
