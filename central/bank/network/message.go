package network

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/money"
	"galla/shared/secret"
)

// Kind is a transaction type of the network.
type Kind string

// The transaction types. Cash deposit is declared and refused: it has no route
// (interface.md, section 1, rule 5).
const (
	Withdrawal    Kind = "CASH_WITHDRAWAL"
	Balance       Kind = "BALANCE_ENQUIRY"
	MiniStatement Kind = "MINI_STATEMENT"
	Purchase      Kind = "PURCHASE"
	AgentAuth     Kind = "AGENT_AUTHENTICATION"
	CashDeposit   Kind = "CASH_DEPOSIT"

	AgentOnboarding Kind = "AGENT_ONBOARDING" // begins it, and sends the first OTP
	AgentOTP        Kind = "AGENT_OTP"
	AgentOTPCheck   Kind = "AGENT_OTP_CHECK"
	AgentPAN        Kind = "AGENT_PAN"
	AgentUID        Kind = "AGENT_UID"
	AgentBiometric  Kind = "AGENT_BIOMETRIC"
	AgentSubmit     Kind = "AGENT_SUBMIT"
	AgentStatus     Kind = "AGENT_STATUS"
	AgentDetail     Kind = "AGENT_DETAIL"

	CustomerDetail     Kind = "CUSTOMER_DETAIL"
	CustomerOnboarding Kind = "CUSTOMER_ONBOARDING"
	CustomerOTP        Kind = "CUSTOMER_OTP"
	CustomerOTPCheck   Kind = "CUSTOMER_OTP_CHECK"
	CustomerUID        Kind = "CUSTOMER_UID"
	CustomerBiometric  Kind = "CUSTOMER_BIOMETRIC"
	CustomerSubmit     Kind = "CUSTOMER_SUBMIT"
	CustomerStatus     Kind = "CUSTOMER_STATUS"

	RemitterRegister    Kind = "REMITTER_REGISTER"
	RemitterDetails     Kind = "REMITTER_DETAILS"
	AccountVerification Kind = "ACCOUNT_VERIFICATION"
	BeneficiaryAdd      Kind = "BENEFICIARY_ADD"
	BeneficiaryGet      Kind = "BENEFICIARY_GET"
	BeneficiaryDelete   Kind = "BENEFICIARY_DELETE"
	TransferOTP         Kind = "TRANSFER_OTP"
	Transfer            Kind = "TRANSFER"
	TransferCharges     Kind = "TRANSFER_CHARGES"
	RefundOTP           Kind = "REFUND_OTP"
	Refund              Kind = "REFUND"
	FloatBalance        Kind = "FLOAT_BALANCE"
	Login               Kind = "LOGIN"

	BCRegister        Kind = "BC_REGISTER"
	BCAgentRegister   Kind = "BC_AGENT_REGISTER"
	BCAgentInitialize Kind = "BC_AGENT_INITIALIZE"
	BCStatus          Kind = "BC_STATUS"

	ReceiptMessage Kind = "RECEIPT_MESSAGE" // an SMS of a registered text; it moves no money
)

// AEPS tells whether the kind is an AEPS transaction: those have an Aadhaar
// number, a PID block, a terminal and a response code of two characters.
func (k Kind) AEPS() bool {
	switch k {
	case Withdrawal, Balance, MiniStatement, Purchase, AgentAuth, CashDeposit:
		return true
	}
	return false
}

// IsConsultation tells whether the kind reads, or sends an OTP, and leaves no record
// of its reference; it goes to PathConsultations, the others to
// PathTransactions.
func (k Kind) IsConsultation() bool {
	switch k {
	case AgentOTP, AgentStatus, AgentDetail, CustomerDetail, CustomerOTP, CustomerStatus, RemitterDetails,
		BeneficiaryGet, TransferOTP, TransferCharges, RefundOTP, FloatBalance, Login, BCStatus:
		return true
	}
	return false
}

// Refusal is a reason to decline that callers need.
type Refusal string

// The refusals, beside a status of Failed.
const (
	RefusedOrder    Refusal = "ORDER"     // a step whose predecessor is missing; the message names it
	RefusedNotFound Refusal = "NOT_FOUND" // no such customer, remitter, beneficiary or agent
	RefusedLimit    Refusal = "LIMIT"     // over a limit; the message says what is left
	RefusedOTP      Refusal = "OTP"       // the OTP was not accepted; nothing moved, and nothing of it will
)

// Particulars are what onboarding and money transfer say beyond an AEPS
// transaction; which are set follows from the kind. They mirror
// central.Particulars field by field.
type Particulars struct {
	Enrolment  string `json:"enrolment,omitzero"`
	OTPRequest string `json:"otpRequest,omitzero"`

	Name      string `json:"name,omitzero"`
	Mobile    string `json:"mobile,omitzero"`
	Email     string `json:"email,omitzero"`
	PAN       string `json:"pan,omitzero"`
	BirthDate string `json:"birthDate,omitzero"`
	Address   string `json:"address,omitzero"`
	City      string `json:"city,omitzero"`
	State     string `json:"state,omitzero"`
	Pincode   string `json:"pincode,omitzero"`
	Shop      string `json:"shop,omitzero"`

	BC    string `json:"bc,omitzero"`
	Agent string `json:"agent,omitzero"`

	Sender         string `json:"sender,omitzero"`
	Beneficiary    int64  `json:"beneficiary,omitzero"`
	Account        string `json:"account,omitzero"`
	IFSC           string `json:"ifsc,omitzero"`
	Receiver       string `json:"receiver,omitzero"`
	ReceiverMobile string `json:"receiverMobile,omitzero"`
	ReceiverEmail  string `json:"receiverEmail,omitzero"`
	Branch         string `json:"branch,omitzero"`
	Remarks        string `json:"remarks,omitzero"`
	CallerRef      string `json:"callerRef,omitzero"`
	Original       string `json:"original,omitzero"` // reference of the transfer that a refund gives back

	Template string `json:"template,omitzero"`
	Language string `json:"language,omitzero"`
	Receipt  string `json:"receipt,omitzero"`
	Value    string `json:"value,omitzero"`
	Day      string `json:"day,omitzero"`
}

// Debits tells whether an approval of this kind takes money from a customer.
func (k Kind) Debits() bool { return k == Withdrawal || k == Purchase }

// Status is what the network says of a reference.
type Status string

// The statuses. A transaction is answered with Success, Failed or Pending; an
// enquiry also with Reversed (debited and given back) and NotFound.
const (
	Success  Status = "SUCCESS"
	Failed   Status = "FAILED"
	Pending  Status = "PENDING"
	Reversed Status = "REVERSED"
	NotFound Status = "NOT_FOUND"
)

// Response codes that the protocol itself gives a meaning.
const (
	CodeApproved  = "00"
	CodeDuplicate = "94" // the reference was used before; ask for the first
)

// Transaction is a request to execute something.
type Transaction struct {
	Reference string // the caller's, unique for ever
	STAN      string // system trace audit number, six digits
	Kind      Kind
	NotAfter  time.Time // the network may not start it later; whole milliseconds
	MID       string    // merchant
	TID       string    // terminal
	IIN       string    // the customer's bank
	Amount    money.Paise
	Aadhaar   secret.Aadhaar
	PidData   secret.PidData
	Customer  string // name, as the agent wrote it
	Latitude  string // decimal degrees
	Longitude string // decimal degrees
	// InlineFor is the reference of the transaction that an agent
	// authentication precedes with the same PID block; else empty.
	InlineFor string

	OTP         secret.OTP  // of kinds that take one
	Particulars Particulars // of kinds that are no AEPS transaction
}

// Enquiry asks what became of a reference.
type Enquiry struct {
	Reference string `json:"reference"`
}

// Answer is the network's word on a reference.
type Answer struct {
	Reference     string       `json:"reference"`
	Status        Status       `json:"status"`
	Code          string       `json:"code"`
	Message       string       `json:"message"`
	STAN          string       `json:"stan,omitzero"`
	RRN           string       `json:"rrn,omitzero"`
	AuthCode      string       `json:"authCode,omitzero"`
	Balance       *money.Paise `json:"balancePaise,omitzero"`
	MiniStatement string       `json:"miniStatement,omitzero"`

	// Data is the answer to a kind that is no AEPS transaction: one JSON object
	// with the keys that the interface names. Callers get it as it is. A decline
	// has none.
	Data    jsontext.Value `json:"data,omitzero"`
	Refusal Refusal        `json:"refusal,omitzero"`
	Charge  money.Paise    `json:"chargePaise,omitzero"` // of a transfer, GST included
}

// Fault is the body of every reply that is not 200: for people.
type Fault struct {
	Error string `json:"error"`
}

// transaction is Transaction on the wire, with the secrets in clear.
type transaction struct {
	Reference   string `json:"reference"`
	STAN        string `json:"stan"`
	Kind        string `json:"kind"`
	NotAfter    int64  `json:"notAfter"` // Unix milliseconds
	MID         string `json:"mid"`
	TID         string `json:"tid"`
	IIN         string `json:"iin"`
	AmountPaise int64  `json:"amountPaise"`
	Aadhaar     string `json:"aadhaar"`
	PidData     string `json:"pidData"`
	Customer    string `json:"customer"`
	Latitude    string `json:"latitude"`
	Longitude   string `json:"longitude"`
	InlineFor   string `json:"inlineFor,omitzero"`

	OTP         string      `json:"otp,omitzero"`
	Particulars Particulars `json:"particulars,omitzero"`
}

// Encode writes the transaction for the network, secrets in clear.
// It fails where a text is not UTF-8.
func (t Transaction) Encode() ([]byte, error) { return t.Append(nil) }

// Append is Encode to the end of a buffer. It writes what encoding/json makes of a
// transaction, member by member, since every operation passes here.
func (t *Transaction) Append(b []byte) ([]byte, error) {
	w := objectWriter{b: append(b, '{')}
	w.text("reference", t.Reference)
	w.text("stan", t.STAN)
	w.text("kind", string(t.Kind))
	w.integer("notAfter", t.NotAfter.UnixMilli())
	w.text("mid", t.MID)
	w.text("tid", t.TID)
	w.text("iin", t.IIN)
	w.integer("amountPaise", int64(t.Amount))
	w.text("aadhaar", t.Aadhaar.Reveal())
	w.text("pidData", t.PidData.Reveal())
	w.text("customer", t.Customer)
	w.text("latitude", t.Latitude)
	w.text("longitude", t.Longitude)
	if t.InlineFor != "" {
		w.text("inlineFor", t.InlineFor)
	}
	if !t.OTP.IsZero() {
		w.text("otp", t.OTP.Reveal())
	}
	if t.Particulars != (Particulars{}) {
		p, err := json.Marshal(&t.Particulars)
		w.add("particulars", p, err)
	}
	if w.failed {
		return b, errNotUTF8("transaction")
	}
	return append(w.b, '}'), nil
}

// objectWriter writes the members of a JSON object.
type objectWriter struct {
	b      []byte
	failed bool // a text was not UTF-8
}

func (w *objectWriter) name(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), name...), '"', ':')
}

func (w *objectWriter) text(name, value string) {
	w.name(name)
	b, err := jsontext.AppendQuote(w.b, value)
	w.b, w.failed = b, w.failed || err != nil
}

func (w *objectWriter) integer(name string, value int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, value, 10)
}

func (w *objectWriter) add(name string, value []byte, err error) {
	w.name(name)
	w.b, w.failed = append(w.b, value...), w.failed || err != nil
}

// errNotUTF8 says why something can't be written. The library's error may quote
// the value.
func errNotUTF8(what string) error { return fmt.Errorf("write %s: a text in it is not UTF-8", what) }

// DecodeTransaction reads what Encode wrote. It accepts any values: InvalidMembers
// checks them. An Aadhaar number that is none decodes to the zero value.
func DecodeTransaction(b []byte) (Transaction, error) {
	var w transaction
	if err := decode("transaction", b, &w); err != nil {
		return Transaction{}, err
	}
	t := Transaction{
		Reference: w.Reference, STAN: w.STAN, Kind: Kind(w.Kind), NotAfter: time.UnixMilli(w.NotAfter),
		MID: w.MID, TID: w.TID, IIN: w.IIN, Amount: money.Paise(w.AmountPaise),
		PidData: secret.NewPidData(w.PidData), Customer: w.Customer,
		Latitude: w.Latitude, Longitude: w.Longitude, InlineFor: w.InlineFor,
		Particulars: w.Particulars,
	}
	if w.OTP != "" {
		t.OTP = secret.NewOTP(w.OTP)
	}
	if a, err := secret.ParseAadhaar(w.Aadhaar); err == nil {
		t.Aadhaar = a
	}
	return t, nil
}

// otpLength is the length of the OTP in bytes.
func (t *Transaction) otpLength() int { return len(t.OTP.Reveal()) }

// EncodeEnquiry writes an enquiry for the network.
func EncodeEnquiry(e Enquiry) ([]byte, error) { return encode("enquiry", e) }

// DecodeEnquiry reads what EncodeEnquiry wrote.
func DecodeEnquiry(b []byte) (Enquiry, error) {
	var e Enquiry
	err := decode("enquiry", b, &e)
	return e, err
}

// EncodeAnswer writes an answer for the network. It fails where a text
// is not UTF-8, where Data is not one JSON object, and where the whole is longer
// than MaxReply.
func EncodeAnswer(a Answer) ([]byte, error) {
	if len(a.Data) == 0 {
		a.Data = nil // no data at all, however it was written
	}
	if a.Data != nil && !isObject(a.Data) {
		return nil, errors.New("write answer: its data is not one JSON object")
	}
	b, err := encode("answer", a)
	if err == nil && len(b) > MaxReply {
		return nil, fmt.Errorf("write answer: %w: it has %d bytes, and %d are the limit", ErrTooLarge, len(b), MaxReply)
	}
	return b, err
}

// DecodeAnswer reads what EncodeAnswer wrote. Data is one JSON object where it
// is there, without a repeated member at any depth, and stays as it came, byte
// for byte.
func DecodeAnswer(b []byte) (Answer, error) {
	var a Answer
	if err := decode("answer", b, &a); err != nil {
		return Answer{}, err
	}
	if a.Data != nil && a.Data.Kind() != '{' {
		return Answer{}, errors.New("read answer: its data is not a JSON object")
	}
	return a, nil
}

// isObject tells whether a value is one JSON object and nothing else.
func isObject(v jsontext.Value) bool { return v.Kind() == '{' && v.IsValid() }

// EncodeFault writes a fault for the network.
func EncodeFault(f Fault) ([]byte, error) { return encode("fault", f) }

func encode(what string, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, errNotUTF8(what)
	}
	return b, nil
}

// decode reads exactly one JSON object into v. The library's errors can quote
// the input, so it names only the position of the fault.
func decode(what string, b []byte, v any) error {
	err := json.Unmarshal(b, v, json.RejectUnknownMembers(true))
	if err == nil && jsontext.Value(b).Kind() != '{' {
		return fmt.Errorf("read %s: not a JSON object", what)
	}
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("read %s: not JSON at byte %d", what, syntax.ByteOffset)
	case errors.As(err, &meaning):
		return fmt.Errorf("read %s: wrong or unknown member at byte %d", what, meaning.ByteOffset)
	}
	return fmt.Errorf("read %s: not the JSON of this protocol", what)
}
