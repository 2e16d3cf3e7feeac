package edge

import (
	"fmt"
	"slices"
	"time"

	"galla/edge/api"
	"galla/shared/money"
	"galla/shared/op"
)

// Record is one operation as the counter stores it. It never holds PidData or an
// OTP. All times are by the computer's clock.
type Record struct {
	ID      op.ID
	Route   op.RouteID
	Class   op.Class
	State   op.State
	Reason  Reason // why it is in this state; may be empty
	Version int    // incremented by each change

	User     string // who started it, by the name of that day
	UserID   string // and by id
	Title    string // what it is about, such as the payee's name; may be empty
	Customer string
	Aadhaar  string // masked: XXXXXXXX1234
	IIN      string
	BankName string
	Amount   money.Paise
	// Charge is cash beside the amount, as the central reported it: what the
	// customer pays for a transfer, or gets back of it with a refund.
	Charge money.Paise
	Mobile string // the customer's number, ten digits, for the search
	// LinkedTo is the transfer that a refund or an enquiry is about, or, of a
	// transfer, the failed attempt whose kept cash pays for it, or the operation
	// whose receipt a message has.
	LinkedTo op.ID

	// Body is the request without biometric and OTP, as JSON. It may hold an
	// Aadhaar number in the clear; the queue seals it, and it is erased when
	// the operation ends.
	Body []byte

	CreatedAt   time.Time
	CapturedAt  time.Time // zero: no capture yet
	Deadline    time.Time // it is not sent after this; zero: none
	SentAt      time.Time
	EndedAt     time.Time // zero: not final
	CashGivenAt time.Time // the agent confirmed that the customer got the cash
	CashBy      string    // the user who answered, by the name of that day
	CashByID    string    // and by id
	CashKept    bool      // of a transfer: the agent was asked to keep the cash until its outcome
	CashUsedBy  op.ID     // of a transfer: the next attempt, which its cash paid for; empty: none
	RefundedAt  time.Time // of a transfer: when the counter learned that the bank refunded it; zero: never
	Quality     int       // of the print that was sent, 0 to 100 (qScore); 0: unknown
	ConsentAt   time.Time // the customer consented
	Consent     string    // version of the text that was read to the customer
	PrintCount  int       // slips given to a printer; from the second on marked DUPLICATE
	PrintedAt   time.Time // when the last one was given to a printer

	HTTP int // of the central's reply; 0: none yet
	// Reply is the central's last reply, as over HTTP; ReplyValue reads it. It
	// never holds an Aadhaar number, an OTP or PidData.
	Reply  []byte
	Result Result // Reply, parsed
	// ReceiverMobile is the beneficiary's number, ten digits, for the search;
	// empty: none was typed.
	ReceiverMobile string
}

// Result is a parsed reply.
type Result = api.Result

// Changed returns the record after a change. It fails with the error of alter, and
// with ErrIllegal where the id changes or CanBecome does not allow the new state.
func (r Record) Changed(alter func(*Record) error, now func() time.Time) (Record, error) {
	before := r
	r.Body = slices.Clone(r.Body)
	if err := alter(&r); err != nil {
		return Record{}, err
	}
	if r.ID != before.ID {
		return Record{}, fmt.Errorf("change operation %s: its id can't change: %w", before.ID, ErrIllegal)
	}
	if r.State != before.State && !CanBecome(before.State, r.State) {
		return Record{}, fmt.Errorf("change operation %s from %s to %s: %w", r.ID, before.State, r.State, ErrIllegal)
	}
	r.Version = before.Version + 1
	return r.Finalized(now), nil
}

// Finalized returns the record without its body and with its end, if its state is
// final.
func (r Record) Finalized(now func() time.Time) Record {
	if r.State.Final() && r.EndedAt.IsZero() {
		r.EndedAt = now()
	}
	if r.State.Final() || len(r.Body) == 0 {
		r.Body = nil
	}
	return r
}

// CreatedBy reports whether the user started the operation, also under an
// earlier name.
func (r Record) CreatedBy(u User) bool {
	return r.UserID == u.ID
}

// ReplyValue returns a value of the reply's data as text, by its name in the
// interface, such as otpreqid, referenceid, senderid, beneficiaryid,
// transactionId or charge. Empty: there is none.
func (r Record) ReplyValue(name string) string { return api.ReplyValue(r.Reply, name) }

// TakesFinger reports whether the operation needs a fingerprint.
func (r Record) TakesFinger() bool { return api.SpecOf(r.Route).Finger }

// markCashKept records that the agent is asked to keep the cash of a transfer
// whose outcome is unknown. It reports whether that is new.
func (r *Record) markCashKept() bool {
	was := r.CashKept
	r.CashKept = was || r.Route == op.Transfer
	return r.CashKept != was
}

// OwesCashBack reports whether the cash of a transfer belongs to the customer
// again: the agent was asked to keep it, and no money moved.
func (r Record) OwesCashBack() bool {
	return r.Route == op.Transfer && r.CashKept && (r.State == op.Failed || r.State == op.NotSent || r.State == op.Expired)
}

// isReversedTransfer reports whether the bank reversed a transfer: the counter
// has its cash, and the customer gets it with a refund.
func (r Record) isReversedTransfer() bool { return r.Route == op.Transfer && r.State == op.Reversed }

// The rule for a customer whose account may be debited without cash (domain.md,
// T+5). The days are calendar days after the day of sending: the rule for banks
// counts so, and the counter knows no bank holidays.
const (
	// TurnaroundDays is the number of days within which the money is back or paid.
	TurnaroundDays = 5
	// CompensationPerDay is what the bank owes the customer for each further day.
	CompensationPerDay = 100 * money.Rupee
)
