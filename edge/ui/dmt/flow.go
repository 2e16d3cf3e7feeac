package dmt

import (
	"strings"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/outcome"
	"galla/shared/money"
	"galla/shared/op"
)

// Step is the present step of a flow.
type Step string

// The steps, in the order of interface.md, section 4.3.
const (
	Find          Step = "find"           // is the customer known
	Name          Step = "name"           // name of the new customer
	CodeAsk       Step = "code-ask"       // an OTP is sent to the customer
	Code          Step = "code"           // the customer's OTP
	Aadhaar       Step = "aadhaar"        // the number is checked
	Finger        Step = "finger"         // the finger is captured
	Submit        Step = "submit"         // the onboarding is submitted
	Details       Step = "details"        // limits and beneficiaries
	Register      Step = "register"       // the customer becomes a remitter
	Sender        Step = "sender"         // limits of the sender
	Payee         Step = "payee"          // a beneficiary's account, to be verified
	Unconfirmed   Step = "unconfirmed"    // the bank has not answered; it is asked again
	ConfirmHolder Step = "confirm-holder" // the bank has another name for the account
	PayeeAdd      Step = "payee-add"      // the beneficiary is stored
	DeletePayee   Step = "delete-payee"   // a beneficiary is deleted
	Amount        Step = "amount"         // how much
	Confirm       Step = "confirm"        // the charges, before the OTP
	OTP           Step = "otp"            // the OTP and the transfer
	Sent          Step = "sent"           // the transfer's outcome
	// RefundCheck asks whether the bank returns the transfer.
	RefundCheck Step = "refund-check"
	RefundAsk   Step = "refund-ask" // an OTP for a refund is sent
	RefundCode  Step = "refund-otp" // the OTP; cash is given after the bank's answer
	Refunded    Step = "refunded"   // the refund's outcome
)

type meaning int

const (
	accepted    meaning = iota
	absent              // the number is unknown
	unconfirmed         // the bank has not confirmed the account
	refused             // refused, not sent, or no such account
)

type rule struct {
	route      op.RouteID // empty: no operation
	auto       bool       // started on entering the step; otherwise by a form
	next       Step
	ifAbsent   Step // the step after absent; empty: absent is a refusal
	anyOutcome bool // every outcome moves on: the next step shows it
	back       Step // where the agent may go back to; empty: nowhere
}

// rules is the flow's table. A step that is not in it starts no operation.
var rules = map[Step]rule{
	Find:          {route: op.CustomerDetail, auto: true, next: Details, ifAbsent: Name},
	Name:          {route: op.CustomerOnboarding, next: CodeAsk},
	CodeAsk:       {route: op.CustomerRequestOTP, auto: true, next: Code},
	Code:          {route: op.CustomerValidateOTP, next: Aadhaar},
	Aadhaar:       {route: op.CustomerVerifyUID, next: Finger},
	Finger:        {route: op.CustomerUpdateBio, next: Submit},
	Submit:        {route: op.CustomerSubmit, auto: true, next: Details},
	Details:       {route: op.RemitterDetails, auto: true, next: Sender, ifAbsent: Register},
	Register:      {route: op.RemitterRegister, auto: true, next: Details},
	Payee:         {route: op.AccountVerification, next: PayeeAdd, back: Details},
	Unconfirmed:   {route: op.AccountVerification, next: PayeeAdd, back: Payee},
	ConfirmHolder: {next: PayeeAdd, back: Payee},
	PayeeAdd:      {route: op.BeneficiaryAdd, auto: true, next: Details, back: Payee},
	DeletePayee:   {route: op.BeneficiaryDelete, next: Details, back: Details},
	Amount:        {route: op.TransferCharges, next: Confirm, back: Details},
	Confirm:       {route: op.TransferOTP, next: OTP, back: Amount},
	OTP:           {route: op.Transfer, next: Sent, anyOutcome: true, back: Confirm},
	RefundCheck:   {route: op.TransferRequery, auto: true, next: RefundAsk, back: Sent},
	RefundAsk:     {route: op.RefundOTP, next: RefundCode},
	RefundCode:    {route: op.Refund, next: Refunded, anyOutcome: true, back: RefundAsk},
}

// account is a beneficiary, with the interface's field names.
type account struct {
	ID     string `json:",omitzero"` // beneficiaryid, digits
	Name   string `json:",omitzero"`
	Number string `json:",omitzero"`
	IFSC   string `json:",omitzero"`
	Mobile string `json:",omitzero"`
	Bank   string `json:",omitzero"`
	Usable bool   `json:",omitzero"`
}

// flow is one customer's transfer, as stored in the sealed cache. It holds no OTP, Aadhaar
// number or PidData.
type flow struct {
	ID         op.ID
	Operator   string // the user's name
	OperatorID string `json:",omitzero"` // the user's id
	Step       Step
	// Turn grows with each step and operation: a form of an earlier turn is outdated.
	Turn    int
	Touched time.Time

	// Call is the id of the step's operation; empty: none. It is stored before the operation
	// is created, and looked up after a restart.
	Call op.ID `json:",omitzero"`
	// Problem is the key of the text that says why the step failed. Code is the
	// precondition, or the code of the central or the bank, and Message their
	// message; Reason is why the operation was not sent.
	Problem string      `json:",omitzero"`
	Code    string      `json:",omitzero"`
	Message string      `json:",omitzero"`
	Reason  edge.Reason `json:",omitzero"`

	Mobile     string      `json:",omitzero"`
	Name       string      `json:",omitzero"`
	City       string      `json:",omitzero"`
	State      string      `json:",omitzero"`
	Email      string      `json:",omitzero"`
	Reference  string      `json:",omitzero"` // referenceid
	OTPRequest string      `json:",omitzero"` // otpreqid
	WrongOTPs  int         `json:",omitzero"` // how often the bank refused the last OTP that was sent
	SenderID   string      `json:",omitzero"`
	Registered bool        `json:",omitzero"` // the registration succeeded in this flow
	Fee        money.Paise `json:",omitzero"` // of the registration, paid in cash
	DetailsID  op.ID       `json:",omitzero"` // the operation with the remitter's details
	To         account     `json:",omitzero"`
	Holder     string      `json:",omitzero"` // the account holder according to the bank
	AskAgain   time.Time   `json:",omitzero"` // until then an unconfirmed account is not enquired about again
	Amount     money.Paise `json:",omitzero"`
	Charge     string      `json:",omitzero"` // rupees, as reported by central
	Total      string      `json:",omitzero"`
	Transfer   op.ID       `json:",omitzero"`
	// CashFrom is the failed transfer whose kept cash pays for the next attempt, until that is
	// recorded.
	CashFrom      op.ID  `json:",omitzero"`
	TransactionID string `json:",omitzero"` // the transfer's transactionId
	Refund        op.ID  `json:",omitzero"`
	// CashReturned: somebody said that the customer got the cash back before the refund. It
	// must not be given again.
	CashReturned bool `json:",omitzero"`
	// Reopened: the flow was made from its transfer after the original flow had ended; sender
	// and beneficiary are unknown.
	Reopened bool `json:",omitzero"`
}

// verifyWait is the pause before an unconfirmed verification is repeated (interface.md,
// section 4.4).
const verifyWait = 30 * time.Second

// Problems with a meaning of their own.
const (
	problemPrecluded = "dmt.problem.precluded"
	problemRefused   = "dmt.problem.message"
	problemNotSent   = "dmt.problem.not-sent"
	problemLost      = "dmt.problem.lost"
	problemNoRefund  = "dmt.problem.no-refund"
	problemWrongOTP  = "dmt.otp.wrong"
)

// maxOTPTries is how often one OTP may be entered (interface.md, section 4.4, names none:
// the counter has its own limit, so that a page can say how many tries are left). A bank
// that allows fewer refuses them for the same reason.
const maxOTPTries = 3

func (f *flow) moveTo(s Step) {
	f.stop("")
	f.Step = s
}

func (f *flow) stop(trouble string) {
	f.Call, f.Problem, f.Code, f.Message, f.Reason = "", trouble, "", "", edge.ReasonNone
	f.Turn++
}

func (f *flow) stopRefused(v edge.View) {
	switch {
	case v.Result.Code != "":
		f.stop(problemRefused)
		f.Code, f.Message = v.Result.Code, v.Result.Message
	case v.Result.StatusCode != "" && v.Result.StatusCode != "00":
		f.stop(problemRefused)
		f.Code, f.Message = centralCodePrefix+v.Result.StatusCode, v.Result.Message
	case v.State == op.Expired || v.State == op.NotSent:
		f.stop(problemNotSent)
		f.Reason = v.Reason
	default:
		f.stop("dmt.problem.no")
	}
}

// centralCodePrefix marks status codes of central: the bank uses the same numbers for
// other meanings.
const centralCodePrefix = "central-"

// classify returns the meaning of an operation's outcome for the step.
func classify(s Step, v edge.View) meaning {
	switch {
	case v.State != op.Succeeded:
		return refused
	case v.Result.StatusCode == "01" && v.ReplyValue("referenceid") == "" && v.ReplyValue("senderId") == "":
		return absent
	case v.Result.StatusCode != "00":
		return refused
	case s == Find && v.ReplyValue("kyc_verified") == "false":
		return absent
	case s == RefundCheck:
		if v.ReplyValue("status") == statusReversed {
			return accepted
		}
		return refused
	case s == Payee || s == Unconfirmed:
		switch v.ReplyValue("status") {
		case "1":
			return accepted
		case "-1", "91":
			return unconfirmed
		}
		return refused
	}
	return accepted
}

// statusReversed is the bank's status of a transfer that it returns (interface.md, section
// 4.4). SUCCESS was paid out, REFUNDED is already refunded.
const statusReversed = "REVERSED"

func (f *flow) applyOutcome(v edge.View, now time.Time) {
	r, got := rules[f.Step], classify(f.Step, v)
	switch f.Step {
	case CodeAsk, Confirm, RefundAsk:
		if got == accepted {
			f.WrongOTPs = 0
		}
	case Code, OTP, RefundCode:
		if refusedForOTP(f.Step, v) {
			f.stopWrongOTP(v)
			return
		}
	}
	if r.anyOutcome {
		f.keepReply(v)
		f.moveTo(r.next)
		return
	}
	switch {
	case got == accepted:
		f.keepReply(v)
		f.moveTo(r.next)
		if f.Step == PayeeAdd && f.Holder != "" && !strings.EqualFold(strings.Join(strings.Fields(f.Holder), " "), strings.Join(strings.Fields(f.To.Name), " ")) {
			f.moveTo(ConfirmHolder) // a person decides whether it is the right account
		}
	case got == absent && r.ifAbsent != "" && !(f.Step == Details && f.Registered):
		f.keepReply(v)
		f.moveTo(r.ifAbsent)
	case got == unconfirmed:
		f.moveTo(Unconfirmed)
		f.AskAgain = now.Add(verifyWait)
	case f.Step == RefundCheck && v.State == op.Succeeded && v.Result.StatusCode == "00":
		f.moveTo(Sent)
		f.Problem = problemNoRefund
	case (f.Step == Payee || f.Step == Unconfirmed) && v.State == op.Succeeded && v.Result.StatusCode == "00":
		f.moveTo(Payee)
		f.Problem = "dmt.problem.account"
	default:
		f.stopRefused(v)
	}
}

// refusedForOTP reports whether the bank refused a step for its OTP alone: nothing moved,
// and the step stays open for another.
func refusedForOTP(s Step, v edge.View) bool {
	return v.Result.Code == outcome.WrongOTP && (movedNoMoney(v) || s == Code && v.State == op.Succeeded)
}

// stopWrongOTP keeps the step open after a wrong OTP. Cash that was kept for a transfer
// pays for its next attempt.
func (f *flow) stopWrongOTP(v edge.View) {
	f.stop(problemWrongOTP)
	f.WrongOTPs++
	if f.Step == OTP {
		f.Transfer, f.CashFrom = v.ID, ""
		if cashbook.OwedBack(v.Record) > 0 {
			f.CashFrom = v.ID
		}
	}
}

// otpTriesLeft is how often the last OTP that was sent may still be entered.
func (f *flow) otpTriesLeft() int { return max(maxOTPTries-f.WrongOTPs, 0) }

// keepReply stores what later steps need of a reply.
func (f *flow) keepReply(v edge.View) {
	keep := func(to *string, name string) {
		if value := v.ReplyValue(name); value != "" {
			*to = value
		}
	}
	switch f.Step {
	case Find:
		keep(&f.Reference, "referenceid")
		keep(&f.Name, "name")
	case Name:
		keep(&f.Reference, "referenceid")
	case CodeAsk:
		keep(&f.OTPRequest, "otpreqid")
	case Register:
		keep(&f.SenderID, "senderid")
		f.Registered, f.Fee = true, paise(v.ReplyValue("registrationFeeCharged"))
	case Details:
		keep(&f.SenderID, "senderId")
		f.DetailsID = v.ID
	case Payee, Unconfirmed:
		f.Holder = v.ReplyValue("account_holder_name")
	case Amount:
		f.Charge, f.Total = v.ReplyValue("charge"), v.ReplyValue("totalAmount")
	case OTP:
		f.Transfer, f.TransactionID, f.CashReturned, f.Fee, f.CashFrom = v.ID, v.ReplyValue("transactionId"), false, 0, ""
	case RefundCode:
		f.Refund = v.ID
	}
}

// setCharge stores what the customer paid for a transfer beside its amount.
func (f *flow) setCharge(transfer edge.Record) {
	if charge := cashbook.Charge(transfer); charge > 0 {
		f.Charge, f.Total = charge.Number(), (transfer.Amount + charge).Number()
	}
}
