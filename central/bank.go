package central

import (
	"context"
	"errors"
	"strings"
	"time"

	"galla/shared/money"
	"galla/shared/secret"
)

// Reference is our own name for an operation at the bank network. It is never
// used twice, and it is committed before the first byte goes to the bank. An
// enquiry names the operation by it. Callers see it as RetailerReferenceNumber
// (interface.md, section 2.3).
type Reference string

// Kind is the transaction type of an operation, as the bank network names it.
type Kind string

// The transaction types of the network. Cash deposit exists at the network and
// has no route (interface.md, section 1).
const (
	KindWithdrawal    Kind = "CASH_WITHDRAWAL"
	KindBalance       Kind = "BALANCE_ENQUIRY"
	KindMiniStatement Kind = "MINI_STATEMENT"
	KindPurchase      Kind = "PURCHASE"
	KindAgentAuth     Kind = "AGENT_AUTHENTICATION"
	KindCashDeposit   Kind = "CASH_DEPOSIT"

	// Onboarding of an agent for AEPS (interface.md, section 4.1).
	KindAgentOnboarding Kind = "AGENT_ONBOARDING" // begins it, and sends the first OTP
	KindAgentOTP        Kind = "AGENT_OTP"
	KindAgentOTPCheck   Kind = "AGENT_OTP_CHECK"
	KindAgentPAN        Kind = "AGENT_PAN"
	KindAgentUID        Kind = "AGENT_UID"
	KindAgentBiometric  Kind = "AGENT_BIOMETRIC"
	KindAgentSubmit     Kind = "AGENT_SUBMIT"
	KindAgentStatus     Kind = "AGENT_STATUS"
	KindAgentDetail     Kind = "AGENT_DETAIL"
	// KindInitialize creates the service-KYC record at the central. Nothing is
	// sent to the bank.
	KindInitialize Kind = "SERVICE_INITIALIZE"

	// Onboarding of a DMT customer (interface.md, section 4.3).
	KindCustomerDetail     Kind = "CUSTOMER_DETAIL"
	KindCustomerOnboarding Kind = "CUSTOMER_ONBOARDING"
	KindCustomerOTP        Kind = "CUSTOMER_OTP"
	KindCustomerOTPCheck   Kind = "CUSTOMER_OTP_CHECK"
	KindCustomerUID        Kind = "CUSTOMER_UID"
	KindCustomerBiometric  Kind = "CUSTOMER_BIOMETRIC"
	KindCustomerSubmit     Kind = "CUSTOMER_SUBMIT"
	KindCustomerStatus     Kind = "CUSTOMER_STATUS"

	// Remitters, beneficiaries, transfers (interface.md, section 4.4).
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

	// Onboarding of business correspondents (interface.md, section 4.4).
	KindBCRegister        Kind = "BC_REGISTER"
	KindBCAgentRegister   Kind = "BC_AGENT_REGISTER"
	KindBCAgentInitialize Kind = "BC_AGENT_INITIALIZE"
	KindBCStatus          Kind = "BC_STATUS"

	// Reported by the network (package payments); nothing is sent to it.
	KindUPIPayment Kind = "UPI_PAYMENT" // received for a merchant
	KindUPIRefund  Kind = "UPI_REFUND"  // the bank returned a payment to its payer
)

// MovesMoney tells whether an execution of this kind debits a customer or
// moves the value of a transfer.
func (k Kind) MovesMoney() bool {
	return k == KindWithdrawal || k == KindPurchase || k == KindTransfer || k == KindRefund
}

// Reported tells whether the network reports operations of this kind, and none is sent to it.
func (k Kind) Reported() bool { return k == KindUPIPayment || k == KindUPIRefund }

// AEPS tells whether the kind is an AEPS transaction, which has a customer's
// Aadhaar number, a PID block and a terminal (interface.md, section 4.2).
func (k Kind) AEPS() bool {
	switch k {
	case KindWithdrawal, KindBalance, KindMiniStatement, KindPurchase, KindAgentAuth:
		return true
	}
	return false
}

// IsLocal tells whether operations of this kind change records of the central
// only. Nothing is sent to the bank, and no enquiry is made: the transaction of
// Finish makes the whole change.
func (k Kind) IsLocal() bool { return k == KindInitialize }

// pendingPrefix begins the reference that a pending operation is given
// (interface.md, section 3.6).
func (k Kind) pendingPrefix() string {
	if k.AEPS() || strings.HasPrefix(string(k), "AGENT_") {
		return "AEPS-NR-"
	}
	return "DMT-NR-"
}

// IsConsultation tells whether the kind only reads or sends an OTP. It may be
// repeated at will, so it has no record and no state (operations.md, section 1).
func (k Kind) IsConsultation() bool {
	switch k {
	case KindAgentOTP, KindAgentStatus, KindAgentDetail, KindCustomerDetail, KindCustomerOTP, KindCustomerStatus,
		KindRemitterDetails, KindBeneficiaryGet, KindTransferOTP, KindTransferCharges, KindRefundOTP,
		KindFloatBalance, KindLogin, KindBCStatus:
		return true
	}
	return false
}

// Bank is the bank network.
type Bank interface {
	// Send sends one request, once, and waits for the answer until ctx ends. If
	// NotSent is true of an error, the network can't know the reference. After
	// every other error the request may have been executed.
	Send(ctx context.Context, req BankRequest) (BankAnswer, error)
	// Enquire asks what became of a reference. Its errors say nothing about the
	// operation.
	Enquire(ctx context.Context, ref Reference) (BankAnswer, error)
	// Consult sends a request of a kind that IsConsultation, and waits for the
	// answer. NotSent applies to its errors too. After any error the caller may
	// ask again.
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

	// InlineFor marks an agent authentication that is part of a transaction: it
	// is that transaction's reference, and the two share one PID block.
	InlineFor Reference

	// NotAfter is the moment after which the network may not start the request.
	// It makes a later 'not found' final.
	NotAfter time.Time
}

// BankStatus is the status that the network gives a request.
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

// BankAnswer is the network's answer to a request or an enquiry.
type BankAnswer struct {
	Status        BankStatus
	Code          string // response code, "00" when approved (domain.md)
	Message       string // for people, such as "SUCCESS" or "INSUFFICIENT FUNDS"
	STAN          string
	RRN           string       // the network's retrieval reference number (ReferenceNo)
	AuthCode      string       // issuer's approval code
	Balance       *money.Paise // after a withdrawal, or of an enquiry
	MiniStatement string       // a line for each transaction and no other, separated by \n

	// Data is the network's reply to a request that is no AEPS transaction: a
	// JSON object that is passed on unchanged; empty: none.
	Data []byte
	// Refusal says why the network declined, where the caller needs the reason.
	Refusal Refusal
	Charge  money.Paise // of a transfer: the charge to the customer, GST included
}

// Refusal is a reason for which the network declines and which the interface
// tells the caller.
type Refusal string

// The refusals.
const (
	RefusedOrder    Refusal = "ORDER"     // an onboarding step whose predecessor is missing: Message names it (05)
	RefusedNotFound Refusal = "NOT_FOUND" // no such customer, remitter, beneficiary or agent
	RefusedLimit    Refusal = "LIMIT"     // over a limit: Message says what is left (05)
	RefusedOTP      Refusal = "OTP"       // the OTP was not accepted: nothing moved, and another attempt may use the name
)

// Particulars are the fields of onboarding and money transfer. Which of them are
// set depends on the kind.
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
	// Original is our reference of the refunded transfer (transactionId,
	// refereanceId).
	Original string
}

// errNotSent marks an error for NotSent.
type errNotSent struct{ err error }

func (e errNotSent) Error() string { return e.err.Error() }
func (e errNotSent) Unwrap() error { return e.err }

// MarkNotSent wraps an error of Send after which no byte of the request was
// written. Only a bank client calls it.
func MarkNotSent(err error) error { return errNotSent{err} }

// NotSent tells whether an error of Bank.Send means that no byte of the request
// was written. After any other error the operation is pending.
func NotSent(err error) bool {
	var mark errNotSent
	return errors.As(err, &mark)
}
