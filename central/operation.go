package central

import (
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

// Operation is one request of one route by one caller, with an identity that never
// changes over retries (operations.md, section 1). It holds no secret: the Aadhaar
// number is masked, and PidData and OTPs are never part of it.
type Operation struct {
	ID          op.ID
	Caller      string // Principal.Caller
	Identity    string // chosen by the caller; the ID if none was sent
	Route       op.RouteID
	Fingerprint [32]byte // HMAC-SHA-256 of the canonical body

	Merchant MerchantID
	Terminal TerminalID // gets an event of a late outcome; empty: none
	TID      string

	Kind      Kind
	Amount    money.Paise
	Aadhaar   string // masked: XXXXXXXX1234
	IIN       string
	Reference Reference // ours at the bank
	STAN      string

	// Party owns CallerRef: "merchant:…", which a merchant and its terminals
	// share, or "vendor:…" (Principal.Party).
	Party string
	// CallerRef is the caller's own reference in the body (clientRefId, refId). A
	// party uses it once, except after an attempt that the bank refused for its
	// OTP. Empty: none.
	CallerRef string
	// Attempt counts the attempts under one CallerRef, from 1.
	Attempt int
	// OTPRefused: the bank refused it for its OTP. Another attempt may use its name.
	OTPRefused bool
	// Original is the transfer that is refunded; empty: none.
	Original Reference
	Sender   string // remitter of a transfer or refund; empty: none
	// KYC is the step of the merchant's service-KYC record that a success makes;
	// nil: none.
	KYC *KYCStep
	// Reverses is the operation that a success reverses (a refund's transfer): its
	// earning is reversed and its quotas are released, once, in the transaction of
	// Finish. Empty: none.
	Reverses op.ID

	State     op.State
	Node      string    // the node that executes it
	NotAfter  time.Time // the caller's deadline; zero: none
	CreatedAt time.Time

	SentAt           time.Time
	BankNotAfter     time.Time // the bank may not start it after this
	PendingReference string    // AEPS-NR-<unix milliseconds>
	Enquiries        int       // enquiries made
	NextEnquiry      time.Time
	StuckAt          time.Time // zero: not stuck
	FinishedAt       time.Time

	Code string // the bank's response code
	RRN  string // the bank's retrieval reference number
	// Charge is the customer's charge for a transfer, GST included.
	Charge money.Paise
	HTTP   int    // of the stored reply
	Reply  []byte // the final reply, byte for byte; nil until final

	// Message is the gateway message that asks for the operation; nil: none, and always
	// in an operation that the store gives.
	Message *SealedMessage

	Tombstone bool // not an operation: its identity was declared unseen and is refused for ever
}

// NameReusable tells whether another request under the operation's name begins a
// new attempt: it has a CallerRef or refunds a transfer, and the bank refused it
// for its OTP. Its ID always leads to this operation.
func (o Operation) NameReusable() bool {
	return o.OTPRefused && (o.CallerRef != "" || o.Kind == KindRefund && o.Original != "")
}

// FinalOutcome is a final state and everything that is written with it, in one
// transaction.
type FinalOutcome struct {
	ID op.ID
	// Before is the operation as the caller got it from the store, in the state that it
	// leaves now; nil: the caller does not have it. A store that finds another state
	// looks for itself.
	Before *Operation
	To     op.State // a final state
	At     time.Time
	Reason string // for the operation's history
	Answer BankAnswer
	HTTP   int
	Reply  []byte
	// Session is opened by a successful reqAuth; nil: none.
	Session *AgentSession
	// Earning is written to the ledger; nil: none.
	Earning *Earning
}

// OTPRefused tells whether another attempt may use the operation's name.
func (s FinalOutcome) OTPRefused() bool {
	return s.To == op.Failed && s.Answer.Refusal == RefusedOTP
}

// SentUpdate is the step to sent.
type SentUpdate struct {
	ID           op.ID
	Before       *Operation // as in FinalOutcome
	At           time.Time
	BankNotAfter time.Time // the bank may not start it after this
}

// PendingUpdate is the step to pending.
type PendingUpdate struct {
	ID          op.ID
	Before      *Operation // as in FinalOutcome
	At          time.Time
	Reason      string
	Prefix      string // of the pending reference, such as "AEPS-NR-"
	NextEnquiry time.Time
}

// Step is one line of an operation's history.
type Step struct {
	At     time.Time
	Node   string
	From   op.State // empty for the first
	To     op.State
	Reason string
}

// Event is an event for a terminal, stored until the terminal acknowledges it.
type Event struct {
	Cursor    int64 // grows per terminal
	Terminal  TerminalID
	Kind      string // wire.EventKind
	Operation op.ID  // of an outcome event
	At        time.Time
}
