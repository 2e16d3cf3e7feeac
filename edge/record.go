package edge

import (
	"time"

	"galla/edge/message"
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

	Operator   string // who began it, by the name of that day
	OperatorID string // and by id; empty: recorded before ids were kept
	Title      string // what it is about, for people; empty: the route tells
	Customer   string
	Aadhaar    string // masked: XXXXXXXX1234
	IIN        string
	BankName   string
	Amount     money.Paise
	// Charge is cash beside the amount, as the central told it: of a transfer what
	// the customer pays for it, of a refund what of that goes back.
	Charge money.Paise
	Mobile string // the customer's number, ten digits, so that it can be searched for
	// Of is the transfer that it is about: of a refund the one that is given back,
	// of a question about a transfer that one, and of a transfer the failed attempt
	// whose kept cash pays for this one.
	Of op.ID

	// Body is the request without biometric and OTP, as JSON. It may hold an
	// Aadhaar number in the clear; the queue seals it, and it is erased when
	// the operation ends.
	Body []byte

	CreatedAt  time.Time
	CapturedAt time.Time // zero: no capture yet
	Deadline   time.Time // it is sent before this or not at all; zero: none
	SentAt     time.Time
	EndedAt    time.Time // zero: not final
	CashGiven  time.Time // the agent confirmed that cash was handed over: a withdrawal's, a refund's, or a customer's own, back
	CashBy     string    // who handed it over, by the name of that day
	CashByID   string    // and by id; empty: recorded before ids were kept
	CashKept   bool      // of a transfer: the agent was told to keep the cash until its outcome
	CashInto   op.ID     // of a transfer: the next attempt, which its kept cash paid for; empty: it went to a hand
	Refunded   time.Time // of a transfer: since when it is known that the bank refunded it; zero: not known
	Quality    int       // of the print that was sent, 0 to 100 (qScore); 0: not told
	ConsentAt  time.Time // the customer consented
	Consent    string    // version of the text that was read to the customer
	Prints     int       // slips that were given to a printer; of the second on, DUPLICATE
	PrintedAt  time.Time // the last of them

	HTTP int // of the central's reply; 0: none yet
	// Reply is the central's last reply, as over HTTP; Value reads it. It never
	// holds an Aadhaar number, an OTP or PidData.
	Reply  []byte
	Result Result // what the reply says, read out
}

// Result is what a reply says to people.
type Result = message.Result

// By tells whether the operator began it, whatever the operator's name was then.
// A record without an id knows the name only.
func (r Record) By(o Operator) bool {
	return r.OperatorID == o.ID || r.OperatorID == "" && r.Operator == o.Name
}

// Value gives a value of the reply's data as text, such as otpreqid,
// referenceid, senderid, beneficiaryid, transactionId or charge, as the
// interface names it (message.Value).
func (r Record) Value(name string) string { return message.Value(r.Reply, name) }

// TakesFinger tells whether a finger is taken for it.
func (r Record) TakesFinger() bool { return message.ShapeOf(r.Route).Finger }

// keepCash notes that the agent is told to keep a transfer's cash: its outcome
// is not known, and the customer may go. It tells whether that is new.
func (r *Record) keepCash() bool {
	was := r.CashKept
	r.CashKept = was || r.Route == op.Transfer
	return r.CashKept != was
}

// Returns tells whether a transfer's cash is the customer's again: the agent was
// told to keep it, and it is known by now that nothing moved.
func (r Record) Returns() bool {
	return r.Route == op.Transfer && r.CashKept && (r.State == op.Failed || r.State == op.NotSent || r.State == op.Expired)
}

// cameBack tells whether the bank gave a transfer back: its customer's cash is
// here, and goes back with a refund.
func (r Record) cameBack() bool { return r.Route == op.Transfer && r.State == op.Reversed }

// The rule for a customer whose account may be debited without cash (domain.md,
// T+5). These are days of the calendar, T being the day on which it was sent:
// the rule that binds the banks says so, and the counter knows no bank holidays.
const (
	// ReturnDays is after how many days the money is back or paid at the latest.
	ReturnDays = 5
	// OwedPerDay is what the bank owes the customer for each day after them.
	OwedPerDay = 100 * money.Rupee
)
