package central

import (
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

// Operation is one call of one route by one caller, with an identity that
// never changes over retries. It holds no secret: the Aadhaar number is
// masked, and PidData and OTPs are never part of it.
type Operation struct {
	ID          op.ID
	Caller      string // Principal.Caller
	Identity    string // chosen by the caller; the ID where none was sent
	Route       op.RouteID
	Fingerprint [32]byte // HMAC-SHA-256 of the canonical body

	Merchant MerchantID
	Terminal TerminalID // to tell of a late outcome; empty: none
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
	// CallerRef is the caller's own reference in the body (clientRefId, refId);
	// one party uses it once, but for attempts that the bank refused for their
	// OTP. Empty: none.
	CallerRef string
	// Try counts the attempts under one CallerRef, from 1.
	Try int
	// OTPRefused: the bank refused it for its OTP, finally. Its name is free.
	OTPRefused bool
	// Original is the transfer that a refund gives back; empty: none.
	Original Reference
	Sender   string // remitter of a transfer or refund; empty: none
	// KYC is the step that a success takes in the merchant's service-KYC
	// record, in the same transaction; nil: none.
	KYC *KYCStep
	// Reverses is the operation that a success reverses (a refund's transfer):
	// its earning is written back and its quotas are given back, in the same
	// transaction, once. Empty: none.
	Reverses op.ID

	State     op.State
	Node      string    // the central that works on it
	NotAfter  time.Time // the caller's deadline; zero: none
	CreatedAt time.Time

	DispatchedAt     time.Time
	BankNotAfter     time.Time // the bank may not start it after this
	PendingReference string    // AEPS-NR-<unix milliseconds>
	Attempts         int       // enquiries made
	NextEnquiry      time.Time
	StuckAt          time.Time // zero: not stuck
	SettledAt        time.Time

	Code string // the bank's response code
	RRN  string // the bank's retrieval reference number
	// Charge is what the customer paid for a transfer, GST included.
	Charge money.Paise
	HTTP   int    // of the stored reply
	Reply  []byte // the final reply, byte for byte; nil until final

	Forsworn bool // a tombstone: declared unseen, refused for ever
}

// NameFree tells whether another call under the operation's name begins a new
// attempt: the bank refused it for its OTP, and it has a name. An operation's own
// id names it alone, free or not.
func (o Operation) NameFree() bool {
	return o.OTPRefused && (o.CallerRef != "" || o.Kind == KindRefund && o.Original != "")
}

// Settlement is a final state with everything that is written beside it, in
// one transaction.
type Settlement struct {
	ID     op.ID
	To     op.State // a final state
	At     time.Time
	Reason string // for the operation's history: who said so, and why
	Answer BankAnswer
	HTTP   int
	Reply  []byte
	// Session opens with the settlement of a successful reqAuth; nil: none.
	Session *AgentSession
	// Earning is written to the ledger with the settlement; nil: none.
	Earning *Earning
}

// OTPRefused tells whether the settlement leaves the operation's name free.
func (s Settlement) OTPRefused() bool {
	return s.To == op.Failed && s.Answer.Refusal == RefusedOTP
}

// Suspension is the step to pending.
type Suspension struct {
	ID          op.ID
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

// Event is a fact for a terminal, kept until the terminal has applied it.
type Event struct {
	Cursor    int64 // grows per terminal
	Terminal  TerminalID
	Kind      string // wire.EventKind
	Operation op.ID  // of an outcome event
	At        time.Time
}
