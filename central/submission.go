package central

import (
	"context"
	"time"

	"galla/shared/op"
)

// Submission is a validated request for an operation. Request's Reference,
// STAN, InlineFor and NotAfter are the engine's to fill.
type Submission struct {
	ID          op.ID // empty: the engine mints one
	Caller      string
	Identity    string // empty: the ID
	Route       op.RouteID
	Fingerprint [32]byte
	// Former is the fingerprint that earlier releases recorded; zero: the same.
	Former    [32]byte
	Merchant  MerchantID
	Terminal  TerminalID
	Party     string    // see Operation.Party
	CallerRef string    // see Operation.CallerRef
	Sender    string    // see Operation.Sender; empty: Request.Particulars.Sender
	NotAfter  time.Time // the caller's deadline; zero: none
	// Quotas are what the operation counts against; it is refused where one is
	// exhausted.
	Quotas []Quota
	// Refusal is why nothing may begin: the call is answered where its names stand
	// for an operation, and else refused with this, in the transaction that would
	// have recorded it. nil: it may begin.
	Refusal *Error
	// KYC is the step of the merchant's service-KYC record that a success
	// takes; nil: none.
	KYC *KYCStep
	// Reverses is the operation that a success reverses (a refund's transfer).
	Reverses op.ID
	// Local operations change records of the central only: the bank is not
	// asked, and they succeed when they are settled. Set where the kind is
	// Local, and only there.
	Local bool
	// NeedsSession runs an inline agent authentication first where the
	// terminal has no active session (section 3.2). It means nothing where the
	// kind is not AEPS.
	NeedsSession bool
	Request      BankRequest
	Accepted     func(op.ID) // see Call.Accepted
}

// Desk runs operations. *Engine implements it; it is an interface so that the
// routes can be tested without a bank.
type Desk interface {
	// Submit records the operation and dispatches it, once, and waits until it
	// is final or pending, or ctx ends; the operation then goes on by itself
	// and is returned as it stands. A known identity or CallerRef dispatches
	// nothing: the operation it names is returned, with replayed true; but where
	// the bank refused that for its OTP, a call with another OTP is a new
	// operation under the same names, and waits for one that is under way. Errors
	// are *Error: Conflict (another body or route; an identity and a CallerRef
	// of two different operations), Precluded (a forsworn identity, an
	// exhausted quota), TooMany, Internal.
	Submit(ctx context.Context, s Submission) (o Operation, replayed bool, err error)
	// Ask is Operations.Ask, and waits like Submit.
	Ask(ctx context.Context, caller, identity string) (o Operation, seen bool, err error)
	// Consult asks the bank something that is no operation (Kind.Consults). It
	// fills in Reference, STAN and NotAfter. Errors are *Error: BankUnreachable
	// with words that say whether anything was sent, TooMany, Internal. What
	// the bank declines is an answer and no error.
	Consult(ctx context.Context, req BankRequest) (BankAnswer, error)
}

// Renderer writes final replies. They are stored with the operation and given
// unchanged from then on, so it must not depend on anything but its arguments.
type Renderer interface {
	// Answered is the reply to an operation that the bank answered; to is
	// succeeded, failed or reversed.
	Answered(o Operation, to op.State, a BankAnswer) (http int, body []byte)
	// Undone is the reply to an operation of which nothing was sent.
	Undone(o Operation, why *Error) (http int, body []byte)
}
