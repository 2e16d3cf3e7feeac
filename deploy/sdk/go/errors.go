package galla

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// The kinds of errors: errors.Is(err, galla.ErrOutcomeUnknown).
var (
	// ErrValidation: 400. Nothing ran, no key was used up, and Error.Fields has every wrong field.
	ErrValidation = errors.New("invalid request")
	// ErrAuthentication: 401. The client, its secret or key, or the clock.
	ErrAuthentication = errors.New("not authenticated")
	// ErrRefused: 403, 404, 405, 413, 422. The message says why.
	ErrRefused = errors.New("refused")
	// ErrConflict: 409. The key or reference belongs to another request, or the record exists.
	// This request did not run.
	ErrConflict = errors.New("conflict")
	// ErrRateLimit: 429 after all attempts. Nothing ran.
	ErrRateLimit = errors.New("too many calls")
	// ErrNotSent: nothing was sent to the bank, and no money moved. A new call with a new key
	// is safe.
	ErrNotSent = errors.New("not sent")
	// ErrOutcomeUnknown: it may have run or not. Repeat it with the same key and body, never
	// with another key.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrDeclined is of Result.Get: the bank said no, or gave the money back.
	ErrDeclined = errors.New("declined")
	// ErrPending is of Result.Get: neither success nor failure yet.
	ErrPending = errors.New("pending")
)

// Error is an error of a call. It holds no body of a request, no secret and no token.
type Error struct {
	Kind       error // ErrValidation and the others
	Message    string
	HTTPStatus int    // 0 without a reply
	StatusCode string // of the reply's envelope
	RequestID  string // X-Request-Id of the reply
	Key        string // repeats the call
	Fields     []FieldFault
	RetryAfter time.Duration // of ErrRateLimit, where the central said it
	Code       string        // the bank's code, of ErrDeclined
	State      State         // of ErrDeclined: Declined or Reversed
	Reference  string        // of ErrDeclined and ErrPending
	Reply      []byte        // text of the reply, where there was one; no text of the error has it
	Cause      error
}

// FieldFault is what is wrong with one field.
type FieldFault struct {
	Field   string `json:"field"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// Error says what happened. Fields are listed.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %s", e.Kind, e.Message)
	for i, f := range e.Fields {
		b.WriteString(map[bool]string{true: ": ", false: "; "}[i == 0] + f.Field + " " + f.Message)
	}
	if e.Key != "" {
		fmt.Fprintf(&b, " (key %s)", e.Key)
	}
	return b.String()
}

// Format is Error for every verb, so that none prints the reply.
func (e *Error) Format(f fmt.State, _ rune) { writeName(f, e.Error()) }

// Is compares the kind.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// writeName writes a text in place of a value.
func writeName(w io.Writer, name string) { _, _ = io.WriteString(w, name) }
