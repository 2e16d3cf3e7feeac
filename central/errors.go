package central

import (
	"errors"
	"time"
)

// Fault is a kind of error that callers see. Package api gives each its HTTP
// status and statusCode (interface.md, section 7).
type Fault string

// The faults.
const (
	Invalid            Fault = "invalid"             // 02: malformed or invalid body
	Unauthenticated    Fault = "unauthenticated"     // 03
	AccessDenied       Fault = "access-denied"       // 01, 403: role not allowed
	MerchantNotFound   Fault = "merchant-missing"    // 01, 404: no such merchant, or another party's
	NoMerchantInfo     Fault = "no-merchant-info"    // 01, 422: 'Merchant info not created'
	NoRoute            Fault = "no-route"            // 04, 404
	NoMethod           Fault = "no-method"           // 04, 405: the path exists, the method does not
	NotFound           Fault = "not-found"           // 04, 404: no such record of the caller
	FailedPrecondition Fault = "failed-precondition" // 05: the state forbids it
	TooLarge           Fault = "too-large"           // 06
	TooMany            Fault = "too-many"            // 07: RetryAfter is set
	Conflict           Fault = "conflict"            // 09: identity reused with another body
	BankUnreachable    Fault = "bank-unreachable"    // 10: nothing was sent
	Internal           Fault = "internal"            // 500
)

// Faults lists every fault. A test sends each through all entrances.
func Faults() []Fault {
	return []Fault{Invalid, Unauthenticated, AccessDenied, MerchantNotFound, NoMerchantInfo, NoRoute, NoMethod, NotFound,
		FailedPrecondition, TooLarge, TooMany, Conflict, BankUnreachable, Internal}
}

// FieldError says what is wrong with one field of a body. It never quotes the
// value.
type FieldError struct {
	Field   string `json:"field"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// Error is an error with a kind and a message for the caller. What it wraps is
// for the log only.
type Error struct {
	Fault      Fault
	Message    string        // for the caller; no secret, no internals
	Fields     []FieldError  // Invalid: every field that is wrong
	RetryAfter time.Duration // TooMany: when to try again
	Err        error         // the cause, for the log
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// NewError makes an Error with a message for the caller.
func NewError(f Fault, message string) *Error { return &Error{Fault: f, Message: message} }

// NewFieldError makes the Error of one wrong field.
func NewFieldError(field, rule, message string) *Error {
	return &Error{Fault: Invalid, Message: "Invalid request", Fields: []FieldError{{Field: field, Rule: rule, Message: message}}}
}

// NewTooMany makes the Error of a caller over a limit, who may call again after wait.
func NewTooMany(wait time.Duration) *Error {
	return &Error{Fault: TooMany, Message: "Too many calls; try again later", RetryAfter: wait}
}

// AsError gives the Error in err's chain. Anything else becomes Internal, and its
// text is for the log only.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Fault: Internal, Message: "Server error", Err: err}
}
