package central

import (
	"errors"
	"time"
)

// Fault is a kind of error as callers meet it. The dispatcher's error table
// gives each its HTTP status and statusCode (interface-decisions.md).
type Fault string

// The faults.
const (
	Invalid          Fault = "invalid"          // 02: malformed or invalid body
	Unauthenticated  Fault = "unauthenticated"  // 03
	AccessDenied     Fault = "access-denied"    // 01, 403: role not allowed
	MerchantNotFound Fault = "merchant-missing" // 01, 404: no such merchant, or another party's
	NoMerchantInfo   Fault = "no-merchant-info" // 01, 422: 'Merchant info not created'
	NoRoute          Fault = "no-route"         // 04, 404
	NoMethod         Fault = "no-method"        // 04, 405: the path exists, the method does not
	NotFound         Fault = "not-found"        // 04, 404: no such record of the caller's own
	Precluded        Fault = "precluded"        // 05: the state forbids it
	TooLarge         Fault = "too-large"        // 06
	TooMany          Fault = "too-many"         // 07: RetryAfter is set
	Conflict         Fault = "conflict"         // 09: identity reused with another body
	BankUnreachable  Fault = "bank-unreachable" // 10: nothing was sent
	Internal         Fault = "internal"         // 500
)

// Faults lists every fault, for the test that walks them through all doors.
func Faults() []Fault {
	return []Fault{Invalid, Unauthenticated, AccessDenied, MerchantNotFound, NoMerchantInfo, NoRoute, NoMethod, NotFound,
		Precluded, TooLarge, TooMany, Conflict, BankUnreachable, Internal}
}

// FieldError says what is wrong with one field of a body. It never quotes the
// value.
type FieldError struct {
	Field   string `json:"field"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// Error is an error with a kind and words for the caller. What it wraps is for
// the log only.
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

// Refuse makes an Error of a fault with words for the caller.
func Refuse(f Fault, message string) *Error { return &Error{Fault: f, Message: message} }

// AsError gives the Error in err's chain; anything else is Internal, and its
// text stays inside.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Fault: Internal, Message: "Server error", Err: err}
}
