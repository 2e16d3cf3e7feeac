package edge

import (
	"time"

	"galla/edge/message"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// Draft is what the agent filled in for an operation, before the finger.
type Draft struct {
	Route    op.RouteID
	Aadhaar  secret.Aadhaar
	Customer string
	IIN      string
	Amount   money.Paise // 0 for enquiries
	Consent  string      // version of the text the customer consented to

	Operator   string // the agent at the counter, by name
	OperatorID string // and by id
}

// FieldError says what is wrong with one field of a draft; Field is the name
// of the Draft's field in lower case.
type FieldError struct {
	Field   string
	Message string
}

// DraftError lists every field of a draft that is wrong.
type DraftError struct{ Fields []FieldError }

func (e *DraftError) Error() string { return "the form is not complete" }

// PrecludedError says why no operation can begin now, and what to do.
type PrecludedError struct {
	Code    string // "session", "number", "link", "device", "disk", "clock", "revoked", "busy"
	Message string
}

func (e *PrecludedError) Error() string { return e.Message }

// Stage is what is going on with an operation that is not final, finer than
// its state.
type Stage string

// The stages.
const (
	StageNone      Stage = ""          // nothing is going on here: see the state
	StageReady     Stage = "ready"     // reserved, the capture was not started or failed
	StageCapturing Stage = "capturing" // the finger is awaited
	StageSending   Stage = "sending"   // being sent, or waiting for the line or for an earlier change
	StageBank      Stage = "bank"      // the central has it and asks the bank
	StageAsking    Stage = "asking"    // the line broke; the outcome is being asked for
)

// View is an operation as the screen shows it.
type View struct {
	Record
	Stage Stage
	// Problem is why the last capture gave nothing; nil: no problem.
	Problem *CaptureError
	// Volatile marks an enquiry: it is in memory only and gone after a restart.
	Volatile bool
	// KnownAt is when the reply was told, where the line was down and it was
	// given from memory; zero: it is this operation's own.
	KnownAt time.Time
}

// Verdict is the first thing that a result says.
type Verdict string

// The verdicts.
const (
	VerdictWait    Verdict = "wait"     // not known yet: do not give cash
	VerdictGive    Verdict = "give"     // a withdrawal succeeded, or a refund whose cash is given after it: give cash
	VerdictDone    Verdict = "done"     // succeeded, and no cash is to be given
	VerdictPaid    Verdict = "paid"     // a transfer succeeded: the money was sent, the customer's cash stays here
	VerdictRefund  Verdict = "refund"   // a refund of an older program succeeded: the cash went back before the OTP; none is to be given now
	VerdictNoCash  Verdict = "no-cash"  // final: do not give cash
	VerdictPending Verdict = "pending"  // the bank has not answered: do not give cash
	VerdictNoMoney Verdict = "no-money" // expired or not sent: no money moved
)

// Verdict says what the agent must do, before anything else.
func (r Record) Verdict() Verdict {
	switch r.State {
	case op.Succeeded:
		switch {
		case r.paysCash():
			return VerdictGive
		case r.Route == op.Transfer:
			return VerdictPaid
		case r.Route == op.Refund:
			return VerdictRefund
		case r.Result.Code != "" && !message.IsAEPS(r.Route):
			return VerdictNoCash // it was asked, and the answer is no
		}
		return VerdictDone
	case op.Failed:
		if r.Result.Code == "" { // the bank never had it
			return VerdictNoMoney
		}
		return VerdictNoCash
	case op.Reversed:
		return VerdictNoCash
	case op.Expired, op.NotSent:
		return VerdictNoMoney
	case op.Pending:
		return VerdictPending
	}
	return VerdictWait
}

// SessionState is the day's agent authentication on this terminal.
type SessionState struct {
	Known     bool // the central has told, now or earlier
	Active    bool
	ExpiresAt time.Time // by the counter's clock
	Operator  string    // whose finger it was, by name; empty: the counter was not there
	By        string    // and by the operator's id; empty with a name: kept before ids were
}

// Of tells whether the session is this operator's: another one gives a finger
// first (domain.md). One that the counter did not see begin counts for whoever
// is here, as the central's word says no more.
func (s SessionState) Of(o Operator) bool {
	if s.By != "" {
		return s.Active && s.By == o.ID
	}
	return s.Active && (s.Operator == "" || s.Operator == o.Name)
}

// Words of the interface that the screen shows.
type (
	Bank   = message.Bank
	Limit  = message.Limit
	Bounds = message.Bounds
)

// Status is what the counter is doing, for the bar that every page shows.
type Status struct {
	Link       LinkState
	Device     DeviceState
	Session    SessionState
	Agent      string // name
	Merchant   string // legal name
	TID        string
	Unresolved int      // operations that are not final
	Cash       []Record // whose cash is open (Cash.Open), the one that ended first first; without body and reply
	Trouble    string   // the queue cannot be written, or was set aside: what to do
	Now        time.Time
}
