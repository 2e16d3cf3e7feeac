package edge

import (
	"strings"

	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// Request describes a new operation of any route.
type Request struct {
	Route op.RouteID
	// ID is the operation's id, where the caller stores it before it calls
	// Start. Empty: Start creates one.
	ID op.ID
	// Fields is the request as the interface spells it (interface.md, sections
	// 4.1 to 4.5): one JSON object, without Aadhaar number, OTP and PidData, and
	// without the refId of a transfer, which is the operation's id. Empty: no
	// fields; AEPS transactions have none.
	Fields  []byte
	Aadhaar secret.Aadhaar // of routes that take one; the agent's own is known
	OTP     secret.OTP     // of routes that take one
	IIN     string         // the customer's bank, of AEPS transactions

	Title    string // what it is about, for people, such as the payee's name
	Customer string // the customer's name, for people
	Consent  string // version of the text that the customer consented to, where a customer's finger is taken
	Mobile   string // the customer's number, where Fields has none

	Amount money.Paise // of an AEPS transaction and of a refund, which have no field for it
	Charge money.Paise // of a transfer and a refund: Record.Charge
	// CashFrom is the failed transfer whose kept cash pays for this one, if the
	// cash is still at the counter and the amount is the same.
	CashFrom op.ID

	User   string // who is at the counter, by name
	UserID string // and by id
}

// ValidationError lists the wrong fields of a request, by their names in the
// interface, or aadhaar, consent, title, customer, iin.
type ValidationError struct{ Fields []string }

func (e *ValidationError) Error() string { return "wrong fields: " + strings.Join(e.Fields, ", ") }

// PreconditionError reports why no operation can start now. Package outcome has
// the texts.
type PreconditionError struct {
	Code     Precondition
	User     string // of PreconditionSession: who has to authenticate
	Previous string // of PreconditionSession: who did today; empty: nobody
	Err      error  // the cause; nil: none
}

func (e *PreconditionError) Error() string { return "precondition not met: " + string(e.Code) }
func (e *PreconditionError) Unwrap() error { return e.Err }

// Precondition is a condition for the start of an operation.
type Precondition string

// The preconditions.
const (
	PreconditionSession Precondition = "session" // the user has authenticated today
	PreconditionNumber  Precondition = "number"  // the user's Aadhaar number is stored
	PreconditionLink    Precondition = "link"    // the terminal is online
	PreconditionDisk    Precondition = "disk"    // the queue can be read and written
	PreconditionClock   Precondition = "clock"   // the computer's clock is right
	PreconditionRevoked Precondition = "revoked" // the terminal is not revoked
	PreconditionBusy    Precondition = "busy"    // the program is not starting or stopping
)
