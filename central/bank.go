package central

import (
	"context"
	"errors"
	"strings"
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

	// Onboarding of an agent for AEPS (section 4.1).
	KindAgentOnboarding Kind = "AGENT_ONBOARDING" // begins it, and sends the first OTP
	KindAgentOTP        Kind = "AGENT_OTP"
	KindAgentOTPCheck   Kind = "AGENT_OTP_CHECK"
	KindAgentPAN        Kind = "AGENT_PAN"
	KindAgentUID        Kind = "AGENT_UID"
	KindAgentBiometric  Kind = "AGENT_BIOMETRIC"
	KindAgentSubmit     Kind = "AGENT_SUBMIT"
	KindAgentStatus     Kind = "AGENT_STATUS"
	KindAgentDetail     Kind = "AGENT_DETAIL"
	// KindInitialize creates the service-KYC record at the central; the bank
	// never hears of it.
	KindInitialize Kind = "SERVICE_INITIALIZE"

	// Onboarding of a DMT customer (section 4.3).
	KindCustomerDetail     Kind = "CUSTOMER_DETAIL"
	KindCustomerOnboarding Kind = "CUSTOMER_ONBOARDING"
	KindCustomerOTP        Kind = "CUSTOMER_OTP"
	KindCustomerOTPCheck   Kind = "CUSTOMER_OTP_CHECK"
	KindCustomerUID        Kind = "CUSTOMER_UID"
	KindCustomerBiometric  Kind = "CUSTOMER_BIOMETRIC"
	KindCustomerSubmit     Kind = "CUSTOMER_SUBMIT"
	KindCustomerStatus     Kind = "CUSTOMER_STATUS"

	// Remitters, beneficiaries, transfers (section 4.4).
	KindRemitterRegister    Kind = "REMITTER_REGISTER"
	KindRemitterDetails     Kind = "REMITTER_DETAILS"
	KindAccountVerification Kind = "ACCOUNT_VERIFICATION"
	KindBeneficiaryAdd      Kind = "BENEFICIARY_ADD"
	KindBeneficiaryGet      Kind = "BENEFICIARY_GET"
	KindBeneficiaryDelete   Kind = "BENEFICIARY_DELETE"
	KindTransferOTP         Kind = "TRANSFER_OTP"
	KindTransfer            Kind = "TRANSFER"
	KindTransferCharges     Kind = "TRANSFER_CHARGES"
	KindRefundOTP           Kind = "REFUND_OTP"
	KindRefund              Kind = "REFUND"
	KindFloatBalance        Kind = "FLOAT_BALANCE"
	KindLogin               Kind = "LOGIN"

	// Onboarding of business correspondents (section 4.4, end).
	KindBCRegister        Kind = "BC_REGISTER"
	KindBCAgentRegister   Kind = "BC_AGENT_REGISTER"
	KindBCAgentInitialize Kind = "BC_AGENT_INITIALIZE"
	KindBCStatus          Kind = "BC_STATUS"
)

// MovesMoney tells whether an execution of this kind debits a customer or
// moves the value of a transfer.
func (k Kind) MovesMoney() bool {
	return k == KindWithdrawal || k == KindPurchase || k == KindTransfer || k == KindRefund
}

// AEPS tells whether the kind is an AEPS transaction (section 4.2): those have
// a customer's Aadhaar number, a PID block and a terminal.
func (k Kind) AEPS() bool {
	switch k {
	case KindWithdrawal, KindBalance, KindMiniStatement, KindPurchase, KindAgentAuth:
		return true
	}
	return false
}

// Local tells whether operations of this kind change records of the central
// only. The bank never hears of them, so no enquiry is made for them: all that
// they do is done in the transaction that settles them.
func (k Kind) Local() bool { return k == KindInitialize }

// pendingPrefix begins the reference of an operation without an answer
// (section 3.1; operations.md, 'States at the central').
func (k Kind) pendingPrefix() string {
	if k.AEPS() || strings.HasPrefix(string(k), "AGENT_") {
		return "AEPS-NR-"
	}
	return "DMT-NR-"
}

// Consults tells whether the kind is a consultation: it reads, or sends an
// OTP, may be repeated at will, and is therefore no operation.
func (k Kind) Consults() bool {
	switch k {
	case KindAgentOTP, KindAgentStatus, KindAgentDetail, KindCustomerDetail, KindCustomerOTP, KindCustomerStatus,
		KindRemitterDetails, KindBeneficiaryGet, KindTransferOTP, KindTransferCharges, KindRefundOTP,
		KindFloatBalance, KindLogin, KindBCStatus:
		return true
	}
	return false
}

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
	// Consult delivers a request whose kind Consults, and waits for the answer.
	// NotSent holds for its errors, too; after any error the caller may simply
	// consult again.
	Consult(ctx context.Context, req BankRequest) (BankAnswer, error)
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

	OTP         secret.OTP // of kinds that take one
	Particulars Particulars

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
	MiniStatement string       // a line for each transaction and no other, separated by \n

	// Data is the network's own reply to a request that is no AEPS
	// transaction: a JSON object, passed through to the caller as it came;
	// empty where there is none.
	Data []byte
	// Refusal says why the network declined, where callers must be told more
	// than that it did.
	Refusal Refusal
	Charge  money.Paise // of a transfer: what the customer pays for it, GST included
}

// Refusal is a reason of the network to decline that has a meaning in the
// interface.
type Refusal string

// The refusals.
const (
	RefusedOrder  Refusal = "ORDER"     // an onboarding step whose predecessor is missing: Message names it (05)
	RefusedAbsent Refusal = "NOT_FOUND" // no such customer, remitter, beneficiary or agent
	RefusedLimit  Refusal = "LIMIT"     // over a limit: Message says what is left (05)
	RefusedOTP    Refusal = "OTP"       // the OTP was not accepted: nothing moved, and the name is free for another attempt
)

// Particulars are what onboarding and money transfer say beyond an AEPS
// transaction; which are set follows from the kind.
type Particulars struct {
	Enrolment  string // names a person's onboarding at the network (referenceid)
	OTPRequest string // names the OTP that is checked (otpreqid)

	Name      string
	Mobile    string // ten digits
	Email     string
	PAN       string // ten characters
	BirthDate string // YYYY-MM-DD
	Address   string
	City      string
	State     string
	Pincode   string // six digits
	Shop      string

	BC    string // business correspondent (bcId)
	Agent string // agent of a business correspondent, or of AEPS (agentId)

	Sender         string // remitter (senderId), a UUID
	Beneficiary    int64  // beneficiary (BeneficiaryId)
	Account        string // the receiver's account number, leading zeros kept
	IFSC           string // the receiver's branch
	Receiver       string // the receiver's name
	ReceiverMobile string
	ReceiverEmail  string
	Branch         string // branch_contact
	Remarks        string
	CallerRef      string // the caller's own reference of a transfer (refId)
	// Original is our reference of the transfer that a refund gives back
	// (transactionId, refereanceId).
	Original string
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
