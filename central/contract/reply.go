package contract

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/op"
)

// envelope is the common reply of section 2.1; data is absent where there is
// none.
type envelope struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
	Data       any    `json:"data,omitzero"`
	Sandbox    bool   `json:"sandbox,omitzero"` // of GET /limits: a counter takes whole rupees where paise play no scenarios
}

// statusOK is the statusCode of success.
const statusOK = "00"

// encode writes a reply's body. Replies consist of strings, numbers and
// booleans, which always encode; a bank's text that is not UTF-8 is mended and
// not refused, since the money has moved by then.
func encode(v any) []byte {
	body, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return []byte(`{"statusCode":"500","message":"Server error"}`)
	}
	return body
}

// done is the reply of a route that is no operation.
func done(http int, message string, data any) central.Reply {
	return central.Reply{HTTP: http, Body: encode(envelope{StatusCode: statusOK, Message: message, Data: data})}
}

// stamp writes a time as ISO 8601 in UTC with milliseconds; "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Renderer writes the final replies of operations. It implements
// central.Renderer, and depends on nothing but the arguments.
type Renderer struct{}

// transactionData is section 2.3, in the order of the document. A field that
// its route does not have, or that the bank did not give, is absent.
type transactionData struct {
	ResponseCode            string  `json:"ResponseCode"`
	ResponseStatus          string  `json:"ResponseStatus"`
	STAN                    string  `json:"STAN"`
	Balance                 *string `json:"Balance,omitzero"`
	RetailerReferenceNumber *string `json:"RetailerReferenceNumber,omitzero"`
	ReferenceNo             *string `json:"ReferenceNo,omitzero"`
	AuthCode                *string `json:"AuthCode,omitzero"`
	Ministatement           *string `json:"Ministatement,omitzero"`
	AadharNo                *string `json:"AadharNo,omitzero"`
	TxnStatus               string  `json:"txnStatus,omitzero"`
}

// Answered implements central.Renderer: HTTP 200 and outer 00 for every answer
// of the bank (sections 3.1 and 7); data says whether it was approved.
func (Renderer) Answered(o central.Operation, to op.State, a central.BankAnswer) (int, []byte) {
	if o.Kind != "" && !o.Kind.AEPS() {
		return answeredService(o, to, a)
	}
	return answeredAEPS(o, to, a)
}

func answeredAEPS(o central.Operation, to op.State, a central.BankAnswer) (int, []byte) {
	data := transactionData{ResponseCode: central.ResponseCode(to, a.Code), ResponseStatus: a.Message, STAN: o.STAN}
	out := envelope{StatusCode: statusOK}
	switch to {
	case op.Succeeded:
		out.Message, data.TxnStatus = "Transaction successful", "SUCCESS"
	case op.Reversed:
		out.Message, data.TxnStatus = "Transaction reversed", "REVERSED"
	default:
		out.Message, data.TxnStatus = "Transaction failed", "FAILED"
	}
	if data.ResponseStatus == "" {
		data.ResponseStatus = data.TxnStatus
	}
	present(&data, o, to, a)
	out.Data = data
	return 200, encode(out)
}

// present fills in the fields that the route's replies have (section 2.3,
// column 'Present in').
func present(data *transactionData, o central.Operation, to op.State, a central.BankAnswer) {
	succeeded := to == op.Succeeded
	given := func(s string) *string {
		if s == "" && !succeeded {
			return nil
		}
		return &s
	}
	balance := func() *string {
		if a.Balance == nil {
			return nil
		}
		s := a.Balance.String()
		return &s
	}
	masked, reference := o.Aadhaar, string(o.Reference)
	switch o.Route {
	case op.Withdrawal:
		data.Balance, data.RetailerReferenceNumber = balance(), &reference
		data.ReferenceNo, data.AuthCode, data.AadharNo = given(a.RRN), given(a.AuthCode), &masked
	case op.Purchase:
		data.RetailerReferenceNumber = &reference
		data.ReferenceNo, data.AuthCode, data.AadharNo = given(a.RRN), given(a.AuthCode), &masked
	case op.Balance:
		data.Balance, data.RetailerReferenceNumber, data.AadharNo = balance(), &reference, &masked
	case op.MiniStatement:
		data.Ministatement, data.AadharNo = given(a.MiniStatement), &masked
	case op.ReqAuth:
		data.TxnStatus = "" // reqAuth keeps its three fields
	}
}

// Undone implements central.Renderer. The reply is stored and may be given to
// many requests, so it names none.
func (Renderer) Undone(_ central.Operation, why *central.Error) (int, []byte) {
	r := refuse(why, "")
	return r.HTTP, r.Body
}

// pendingReply is the reply while the bank's word is missing: no data, so that
// no client takes it for a result (interface-decisions.md).
type pendingReply struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
	TxnStatus  string `json:"txnStatus"`
	Reference  string `json:"reference,omitzero"`
}

func pending(o central.Operation) central.Reply {
	reference := o.PendingReference
	if reference == "" {
		reference = string(o.Reference)
	}
	if !o.Kind.AEPS() && o.Kind != "" {
		return pendingService(o, reference)
	}
	return central.Reply{HTTP: 200, State: o.State, Body: encode(pendingReply{
		StatusCode: statusOK, Message: "Transaction pending", TxnStatus: "PENDING", Reference: reference,
	})}
}

// Outcome implements central.Dispatcher: the stored reply of a final operation,
// and the pending reply of any other.
func (d *Dispatcher) Outcome(o central.Operation) central.Reply {
	if !o.State.Final() {
		return pending(o)
	}
	if len(o.Reply) == 0 {
		r := d.Refusal(&central.Error{Fault: central.Internal, Err: errNoReply(o.ID)}, "")
		r.State = o.State
		return r
	}
	return central.Reply{HTTP: o.HTTP, Body: o.Reply, State: o.State}
}
