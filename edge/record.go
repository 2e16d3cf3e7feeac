package edge

import (
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

// Record is one operation as the counter knows it. It holds no PidData and no
// OTP, ever. All times are the counter's own clock.
type Record struct {
	ID      op.ID
	Route   op.RouteID
	Class   op.Class
	State   op.State
	Reason  string // why it is in this state, for people
	Version int    // grows with each change

	Operator string // the agent's name
	Customer string
	Aadhaar  string // masked: XXXXXXXX1234
	IIN      string
	BankName string
	Amount   money.Paise

	// Body is the request without biometric and OTP, as JSON. It holds the
	// Aadhaar number in the clear; the queue seals it, and it is erased when
	// the operation ends.
	Body []byte

	CreatedAt  time.Time
	CapturedAt time.Time // zero: no capture yet
	Deadline   time.Time // it is sent before this or not at all; zero: none
	SentAt     time.Time
	EndedAt    time.Time // zero: not final
	CashGiven  time.Time // the agent confirmed that cash was handed over
	ConsentAt  time.Time // the customer consented
	Consent    string    // version of the text that was read to the customer

	HTTP   int    // of the central's reply; 0: none yet
	Reply  []byte // the central's last reply, as over HTTP
	Result Result // what the reply says, read out
}

// Result is what a reply says to people.
type Result struct {
	StatusCode    string // of the envelope
	Message       string // of the envelope
	Code          string // ResponseCode of the bank (domain.md); empty: the bank has not answered
	Status        string // ResponseStatus
	STAN          string
	Reference     string // ours: RetailerReferenceNumber, or the pending reference
	RRN           string // the bank's: ReferenceNo
	AuthCode      string
	Balance       *money.Paise
	MiniStatement []string // lines
}
