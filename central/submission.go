package central

import (
	"context"
	"errors"
	"time"

	"galla/shared/op"
)

// Submission is a validated request for an operation. The engine sets Request's
// Reference, STAN, InlineFor and NotAfter.
type Submission struct {
	ID          op.ID // empty: the engine generates one
	Caller      string
	Identity    string // empty: the ID
	Route       op.RouteID
	Fingerprint [32]byte
	Merchant    MerchantID
	Terminal    TerminalID
	Party       string    // see Operation.Party
	CallerRef   string    // see Operation.CallerRef
	Sender      string    // see Operation.Sender; empty: Request.Particulars.Sender
	NotAfter    time.Time // the caller's deadline; zero: none
	// Quotas are what the operation counts against. If one has no room, the
	// operation is refused.
	Quotas []Quota
	// RefuseNew is why no operation may be created: a repeat is answered, anything
	// else is refused with this error, by the transaction that would have created
	// it. nil: one may be created.
	RefuseNew *Error
	// KYC is the step of the merchant's service-KYC record that a success makes;
	// nil: none.
	KYC *KYCStep
	// Reverses is the operation that a success reverses (a refund's transfer).
	Reverses op.ID
	// NeedsSession runs an inline agent authentication first if the terminal has
	// no active session (interface.md, section 3.2). It applies to AEPS kinds only.
	NeedsSession bool
	Request      BankRequest
	OnAccepted   func(op.ID)    // see Request.OnAccepted
	Message      *SealedMessage // see Request.Message
}

// unspent is the message whose IV Create has to spend. A submission that waited for an
// earlier attempt comes to Create twice.
func (s Submission) unspent() *SealedMessage {
	if s.Message == nil || s.Message.Spent == SpentNow {
		return nil
	}
	return s.Message
}

// noteSpending notes what Create did with the message.
func (s Submission) noteSpending(err error) {
	switch {
	case s.Message == nil || s.Message.Spent == SpentNow:
	case err == nil:
		s.Message.Spent = SpentNow
	case errors.Is(err, ErrReplayed):
		s.Message.Spent = SpentBefore
	default:
		s.Message.Spent = SpentPerhaps
	}
}

// Executor runs operations and consultations. *Engine implements it; tests of the
// routes have others.
type Executor interface {
	// Submit creates an operation and sends it, once. It waits until the operation
	// is final or pending, or ctx ends; then the operation continues and is
	// returned as it now is.
	//
	// For a known identity or CallerRef nothing is created or sent: that operation
	// is returned, with replayed true. But if the bank refused it for its OTP, a
	// request with another OTP creates the next attempt under the same names.
	//
	// Errors are *Error: Conflict (another body or route; an identity and a
	// CallerRef of two different operations), FailedPrecondition (a tombstone, an
	// exhausted quota), TooMany, Internal.
	Submit(ctx context.Context, s Submission) (o Operation, replayed bool, err error)
	// FindOrTombstone is Operations.FindOrTombstone. It waits like Submit.
	FindOrTombstone(ctx context.Context, caller, identity string) (o Operation, seen bool, err error)
	// Consult makes a request that is no operation (Kind.IsConsultation). It sets
	// Reference, STAN and NotAfter. Errors are *Error: BankUnreachable with a
	// message that says whether anything was sent, TooMany, Internal. A decline of
	// the bank is an answer, not an error.
	Consult(ctx context.Context, req BankRequest) (BankAnswer, error)
}

// Renderer makes final replies. They are stored and never change, so they depend
// on nothing but the arguments.
type Renderer interface {
	// FinalReply is the reply to an operation that the bank answered. The state is
	// succeeded, failed or reversed.
	FinalReply(o Operation, to op.State, a BankAnswer) (http int, body []byte)
	// NotExecutedReply is the reply to an operation of which nothing was sent.
	NotExecutedReply(o Operation, why *Error) (http int, body []byte)
}
