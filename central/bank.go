package central

import (
	"context"
	"errors"
	"time"

	"galla/shared/money"
	"galla/shared/secret"
)

// Reference is our own name for an operation at the bank network, unique for
// ever. It is committed before the first byte goes upstream, and a status
// enquiry asks by it. Callers see it as RetailerReferenceNumber (section 2.3).
type Reference string

// Kind is the transaction type an operation has at the bank network, as the
// checksum layer names it.
type Kind string

// The transaction types of the network. Cash deposit is declared by the
// network and has no route (section 1, rule 5).
const (
	KindWithdrawal    Kind = "CASH_WITHDRAWAL"
	KindBalance       Kind = "BALANCE_ENQUIRY"
	KindMiniStatement Kind = "MINI_STATEMENT"
	KindPurchase      Kind = "PURCHASE"
	KindAgentAuth     Kind = "AGENT_AUTHENTICATION"
	KindCashDeposit   Kind = "CASH_DEPOSIT"
)

// MovesMoney tells whether an execution of this kind debits a customer.
func (k Kind) MovesMoney() bool { return k == KindWithdrawal || k == KindPurchase }

// Bank is the upstream banking network, as the engine needs it.
//
// Send delivers one request and waits for the answer until ctx ends. It never
// delivers a request twice by itself. An error for which NotSent is true says
// that the network cannot know the reference; after every other error the
// request may have been executed, and the operation is pending.
//
// Enquire asks what became of a reference. Its errors say nothing about the
// operation.
type Bank interface {
	Send(ctx context.Context, req BankRequest) (BankAnswer, error)
	Enquire(ctx context.Context, ref Reference) (BankAnswer, error)
}

// BankRequest is one request to the network. It exists in memory only.
type BankRequest struct {
	Reference Reference
	STAN      string // system trace audit number, six digits, ours
	Kind      Kind
	MID       string // the merchant at the network
	TID       string // the terminal at the network, such as GAL00001
	IIN       string // the customer's bank
	Amount    money.Paise
	Aadhaar   secret.Aadhaar
	PidData   secret.PidData
	Customer  string
	Latitude  string // decimal degrees
	Longitude string // decimal degrees

	// InlineFor marks an agent authentication that runs inside a transaction:
	// it holds that transaction's reference, and the two share one PID block.
	InlineFor Reference

	// NotAfter is the moment after which the network may not start the
	// request. It is what makes a later 'not found' final.
	NotAfter time.Time
}

// BankStatus is what the network says of a request.
type BankStatus string

// The statuses of the network. Send answers Approved, Declined or InProgress;
// Enquire may also answer Reversed and NotFound.
const (
	BankApproved   BankStatus = "SUCCESS"
	BankDeclined   BankStatus = "FAILED"
	BankInProgress BankStatus = "PENDING"
	BankReversed   BankStatus = "REVERSED"
	BankNotFound   BankStatus = "NOT_FOUND"
)

// BankAnswer is the network's word on a request.
type BankAnswer struct {
	Status        BankStatus
	Code          string // response code, "00" when approved (domain.md)
	Message       string // for people, such as "SUCCESS" or "INSUFFICIENT FUNDS"
	STAN          string
	RRN           string       // the network's retrieval reference number (ReferenceNo)
	AuthCode      string       // issuer's approval code
	Balance       *money.Paise // after a withdrawal, or of an enquiry
	MiniStatement string       // lines separated by \n, none empty
}

// errNotSent is the mark that NotSent looks for.
type errNotSent struct{ err error }

func (e errNotSent) Error() string { return e.err.Error() }
func (e errNotSent) Unwrap() error { return e.err }

// MarkNotSent wraps an error of Send for which not one byte of the request was
// written. Only a bank adapter calls it.
func MarkNotSent(err error) error { return errNotSent{err} }

// NotSent tells whether an error of Bank.Send means that the network never saw
// the request: no byte of it was written. Everything else is pending.
func NotSent(err error) bool {
	var mark errNotSent
	return errors.As(err, &mark)
}
