package send

import (
	"strings"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/shared/money"
	"galla/shared/op"
)

// Step is where a flow stands.
type Step string

// The steps, in the order of section 3.4 of the interface.
const (
	Find     Step = "find"      // is the customer known
	Name     Step = "name"      // who the new customer is
	CodeAsk  Step = "code-ask"  // an OTP is sent to the customer
	Code     Step = "code"      // the customer tells it
	Aadhaar  Step = "aadhaar"   // the number is checked
	Finger   Step = "finger"    // the finger is taken
	Submit   Step = "submit"    // the onboarding is closed
	Details  Step = "details"   // limits and beneficiaries
	Register Step = "register"  // the customer becomes a remitter
	Sender   Step = "sender"    // what the sender may do
	Payee    Step = "payee"     // a beneficiary's account, to be verified
	Unsure   Step = "unsure"    // the bank has not said; it is asked again
	Holder   Step = "holder"    // the bank has another name for the account
	PayeeAdd Step = "payee-add" // the beneficiary is added
	Drop     Step = "drop"      // a beneficiary is deleted
	Amount   Step = "amount"    // how much
	Confirm  Step = "confirm"   // the charges, before the OTP
	OTP      Step = "otp"       // the OTP, and the transfer
	Sent     Step = "sent"      // what became of the transfer
	// RefundCheck asks whether the bank gives the transfer back.
	RefundCheck Step = "refund-check"
	RefundAsk   Step = "refund-ask" // an OTP for a refund is sent
	RefundCode  Step = "refund-otp" // the OTP; the cash goes back after the bank's word
	Refunded    Step = "refunded"   // what became of the refund
)

// answer is what a call's reply means to the flow.
type answer int

const (
	yes    answer = iota
	absent        // nobody of that number is known
	unsure        // the bank has not said whether the account exists
	no            // refused, not sent, or the account does not exist
)

// rule is one line of the flow's table.
type rule struct {
	route op.RouteID // empty: nothing is asked of the central
	auto  bool       // asked for as soon as the step is entered; a form asks else
	yes   Step
	none  Step // where absent leads; empty: it is a no
	ends  bool // every outcome leads on: the next step shows it
	back  Step // where the agent may go back to; empty: nowhere
}

// rules is the flow's table. A step that is not in it asks for nothing.
var rules = map[Step]rule{
	Find:        {route: op.CustomerDetail, auto: true, yes: Details, none: Name},
	Name:        {route: op.CustomerOnboarding, yes: CodeAsk},
	CodeAsk:     {route: op.CustomerRequestOTP, auto: true, yes: Code},
	Code:        {route: op.CustomerValidateOTP, yes: Aadhaar},
	Aadhaar:     {route: op.CustomerVerifyUID, yes: Finger},
	Finger:      {route: op.CustomerUpdateBio, yes: Submit},
	Submit:      {route: op.CustomerSubmit, auto: true, yes: Details},
	Details:     {route: op.RemitterDetails, auto: true, yes: Sender, none: Register},
	Register:    {route: op.RemitterRegister, auto: true, yes: Details},
	Payee:       {route: op.AccountVerification, yes: PayeeAdd, back: Details},
	Unsure:      {route: op.AccountVerification, yes: PayeeAdd, back: Payee},
	Holder:      {yes: PayeeAdd, back: Payee},
	PayeeAdd:    {route: op.BeneficiaryAdd, auto: true, yes: Details, back: Payee},
	Drop:        {route: op.BeneficiaryDelete, yes: Details, back: Details},
	Amount:      {route: op.TransferCharges, yes: Confirm, back: Details},
	Confirm:     {route: op.TransferOTP, yes: OTP, back: Amount},
	OTP:         {route: op.Transfer, yes: Sent, ends: true, back: Confirm},
	RefundCheck: {route: op.TransferRequery, auto: true, yes: RefundAsk, back: Sent},
	RefundAsk:   {route: op.RefundOTP, yes: RefundCode},
	RefundCode:  {route: op.Refund, yes: Refunded, ends: true, back: RefundAsk},
}

// account is a beneficiary, as the interface names its parts.
type account struct {
	ID     string `json:",omitzero"` // beneficiaryid, digits
	Name   string `json:",omitzero"`
	Number string `json:",omitzero"`
	IFSC   string `json:",omitzero"`
	Mobile string `json:",omitzero"`
	Bank   string `json:",omitzero"`
	Usable bool   `json:",omitzero"`
}

// flow is one customer's way, as it rests in the sealed cache. It holds no
// OTP, Aadhaar number or PidData.
type flow struct {
	ID       op.ID
	Operator string // who leads it, by name
	By       string `json:",omitzero"` // and by id; empty: kept before ids were
	Step     Step
	// Turn grows with each step and call: a form of an earlier turn is old.
	Turn    int
	Touched time.Time

	// Call is the operation that is asked for in this step; empty: none. It is
	// kept before the operation begins, and asked about after a restart.
	Call op.ID `json:",omitzero"`
	// Trouble is why the step went no further: a text's key. Code and Said are
	// the code and the English words of who refused: the counter where Trouble
	// is troublePrecluded, else the central or the bank.
	Trouble string `json:",omitzero"`
	Code    string `json:",omitzero"`
	Said    string `json:",omitzero"`

	Mobile     string      `json:",omitzero"`
	Name       string      `json:",omitzero"`
	City       string      `json:",omitzero"`
	State      string      `json:",omitzero"`
	Email      string      `json:",omitzero"`
	Reference  string      `json:",omitzero"` // referenceid
	OTPRequest string      `json:",omitzero"` // otpreqid
	SenderID   string      `json:",omitzero"`
	Registered bool        `json:",omitzero"` // register was answered in this flow
	Fee        money.Paise `json:",omitzero"` // of the registration, which the customer pays in cash
	Known      op.ID       `json:",omitzero"` // the operation that told the remitter's details
	To         account     `json:",omitzero"`
	Holder     string      `json:",omitzero"` // whose the account is, as the bank told
	AskAgain   time.Time   `json:",omitzero"` // before it an unsure account is not asked about again
	Amount     money.Paise `json:",omitzero"`
	Charge     string      `json:",omitzero"` // rupees, as the central told
	Total      string      `json:",omitzero"`
	Transfer   op.ID       `json:",omitzero"`
	// Kept is the failed transfer whose kept cash pays for the next attempt, until
	// that is recorded. It stays that transfer's until then.
	Kept   op.ID  `json:",omitzero"`
	PaidAs string `json:",omitzero"` // the transfer's transactionId
	Refund op.ID  `json:",omitzero"`
	// CashBack: somebody said that the customer has the cash back, before the
	// refund. It must not be given again.
	CashBack bool `json:",omitzero"`
	// Reopened: the flow was made from its transfer alone, after the first one
	// had ended: sender and beneficiary are not known.
	Reopened bool `json:",omitzero"`
}

// verifyWait is how long an unsure verification rests (section 3.3).
const verifyWait = 30 * time.Second

// Troubles that are more than their own text.
const (
	troublePrecluded = "send.trouble.precluded"
	troubleRefused   = "send.trouble.said"
	troubleNotSent   = "send.trouble.not-sent"
	troubleLost      = "send.trouble.lost"
	troubleNoRefund  = "send.trouble.no-refund"
)

// enter moves the flow to a step.
func (f *flow) enter(s Step) {
	f.stay("")
	f.Step = s
}

// stay says why the step went no further.
func (f *flow) stay(trouble string) {
	f.Call, f.Trouble, f.Code, f.Said = "", trouble, "", ""
	f.Turn++
}

// refused says who refused the step, and why.
func (f *flow) refused(v edge.View) {
	switch {
	case v.Result.Code != "":
		f.stay(troubleRefused)
		f.Code, f.Said = v.Result.Code, v.Result.Message
	case v.Result.StatusCode != "" && v.Result.StatusCode != "00":
		f.stay(troubleRefused)
		f.Code, f.Said = ownCode+v.Result.StatusCode, v.Result.Message
	case v.State == op.Expired || v.State == op.NotSent:
		f.stay(troubleNotSent)
		f.Said = v.Reason
	default:
		f.stay("send.trouble.no")
	}
}

// ownCode stands before a statusCode of the central's own: the bank has the
// same numbers for other things.
const ownCode = "own-"

// read says what an operation's outcome means to the step.
func read(s Step, v edge.View) answer {
	switch {
	case v.State != op.Succeeded:
		return no
	case v.Result.StatusCode == "01" && v.Value("referenceid") == "" && v.Value("senderId") == "":
		return absent
	case v.Result.StatusCode != "00":
		return no
	case s == Find && v.Value("kyc_verified") == "false":
		return absent
	case s == RefundCheck:
		if v.Value("status") == statusReversed {
			return yes
		}
		return no
	case s == Payee || s == Unsure:
		switch v.Value("status") {
		case "1":
			return yes
		case "-1", "91":
			return unsure
		}
		return no
	}
	return yes
}

// statusReversed is what the bank's side says of a transfer that it gives back
// (interface-decisions.md). SUCCESS was paid out, REFUNDED is refunded already.
const statusReversed = "REVERSED"

// settle takes an outcome into the flow and moves it on.
func (f *flow) settle(v edge.View, now time.Time) {
	r, said := rules[f.Step], read(f.Step, v)
	if r.ends {
		f.take(v)
		f.enter(r.yes)
		return
	}
	switch {
	case said == yes:
		f.take(v)
		f.enter(r.yes)
		if f.Step == PayeeAdd && f.Holder != "" && !strings.EqualFold(strings.Join(strings.Fields(f.Holder), " "), strings.Join(strings.Fields(f.To.Name), " ")) {
			f.enter(Holder) // people say whether it is who the customer means
		}
	case said == absent && r.none != "" && !(f.Step == Details && f.Registered):
		f.take(v)
		f.enter(r.none)
	case said == unsure:
		f.enter(Unsure)
		f.AskAgain = now.Add(verifyWait)
	case f.Step == RefundCheck && v.State == op.Succeeded && v.Result.StatusCode == "00":
		f.enter(Sent)
		f.Trouble = troubleNoRefund
	case (f.Step == Payee || f.Step == Unsure) && v.State == op.Succeeded && v.Result.StatusCode == "00":
		f.enter(Payee)
		f.Trouble = "send.trouble.account"
	default:
		f.refused(v)
	}
}

// take keeps what later steps need of a reply.
func (f *flow) take(v edge.View) {
	keep := func(to *string, name string) {
		if value := v.Value(name); value != "" {
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
		f.Registered, f.Fee = true, paise(v.Value("registrationFeeCharged"))
	case Details:
		keep(&f.SenderID, "senderId")
		f.Known = v.ID
	case Payee, Unsure:
		f.Holder = v.Value("account_holder_name")
	case Amount:
		f.Charge, f.Total = v.Value("charge"), v.Value("totalAmount")
	case OTP:
		f.Transfer, f.PaidAs, f.CashBack, f.Fee, f.Kept = v.ID, v.Value("transactionId"), false, 0, ""
	case RefundCode:
		f.Refund = v.ID
	}
}

// charged takes over what the customer paid for a transfer beside its amount.
func (f *flow) charged(transfer edge.Record) {
	if charge := cashbook.Charge(transfer); charge > 0 {
		f.Charge, f.Total = charge.Number(), (transfer.Amount + charge).Number()
	}
}
