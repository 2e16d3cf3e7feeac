package edge

import (
	"time"

	"galla/edge/api"
	"galla/shared/op"
)

// Stage divides the states of an operation that is not final.
type Stage string

// The stages.
const (
	StageNone      Stage = ""          // none: see the state
	StageReady     Stage = "ready"     // reserved, the capture was not started or failed
	StageCapturing Stage = "capturing" // waiting for the finger
	StageSending   Stage = "sending"   // being sent, or waiting until the terminal is online or an earlier change is done
	StageBank      Stage = "bank"      // the central received it and asks the bank
	StageAsking    Stage = "asking"    // the connection broke; the counter asks for the outcome
)

// View is an operation as the pages show it.
type View struct {
	Record
	Stage Stage
	// Problem is why the last capture failed; nil: it did not.
	Problem *CaptureError
	// Volatile marks an enquiry: it is in memory only and lost after a restart.
	Volatile bool
	// KnownAt is when a cached reply was received; zero: the reply is this
	// operation's own.
	KnownAt time.Time
}

// Verdict is the first thing that a page says of a result.
type Verdict string

// The verdicts.
const (
	VerdictWait    Verdict = "wait"     // not known yet: do not give cash
	VerdictGive    Verdict = "give"     // a withdrawal succeeded, or a refund that pays cash: give cash
	VerdictDone    Verdict = "done"     // succeeded: do not give cash
	VerdictPaid    Verdict = "paid"     // a transfer succeeded: keep the customer's cash
	VerdictRefund  Verdict = "refund"   // a refund succeeded whose cash was given back before: give no more
	VerdictNoCash  Verdict = "no-cash"  // final: do not give cash
	VerdictPending Verdict = "pending"  // the bank has not answered: do not give cash
	VerdictNoMoney Verdict = "no-money" // expired or not sent: no money moved
)

// Verdict returns what the agent must do first.
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
		case r.Result.Code != "" && !api.IsAEPS(r.Route):
			return VerdictNoCash // the bank answered no
		}
		return VerdictDone
	case op.Failed:
		if r.Result.Code == "" { // the bank never received it
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
	Known     bool // the central reported it, now or earlier
	Active    bool
	ExpiresAt time.Time // by the counter's clock
	User      string    // whose finger it was, by name; empty: it was not taken at this counter
	UserID    string    // and by id
}

// BelongsTo reports whether the session is active for the user; another user has
// to authenticate first (domain.md). A session that did not start at this
// counter has no user and is valid for all.
func (s SessionState) BelongsTo(u User) bool {
	return s.Active && (s.UserID == "" || s.UserID == u.ID)
}

// Types of the interface that the pages show.
type (
	Bank   = api.Bank
	Limit  = api.Limit
	Bounds = api.Bounds
)

// Shop is where the shop is and its phone, for receipts; empty: not known.
type Shop struct {
	Address string
	Phone   string // ten digits
}

// Status is the counter's state, for the bar of every page.
type Status struct {
	Link       LinkState
	Reader     ReaderState
	Session    SessionState
	Agent      string // name
	Merchant   string // legal name
	Shop       Shop   // as the central last told it
	TID        string
	Unresolved int      // operations that are not final
	OpenCash   []Record // whose cash is open (CashState.IsOpen), the one that ended first first; without body and reply
	// Unshown are the payments by UPI, and their returns, that nobody at the counter has seen,
	// oldest first (MarkPaymentsShown).
	Unshown []Record
	// Unannounced are those whose sound is due (ClaimAnnouncement).
	Unannounced []op.ID
	Sandbox     bool // the central is a sandbox, by its limits: no real money moves
	Warnings    []Warning
	Now         time.Time
}
