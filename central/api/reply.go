package api

import (
	"cmp"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/op"
)

// envelope is the common reply (interface.md, section 2.1). Data may be absent.
type envelope struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
	Data       any    `json:"data,omitzero"`
	Sandbox    bool   `json:"sandbox,omitzero"` // in GET /limits: outside a sandbox a terminal takes whole rupees only
}

// statusOK is the statusCode of success.
const statusOK = "00"

// encode writes a reply's body. Replies consist of strings, numbers and booleans,
// which always encode. Invalid UTF-8 in a bank's text is replaced and not refused,
// since the money has moved by then.
func encode(v any) []byte {
	body, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return []byte(`{"statusCode":"500","message":"Server error"}`)
	}
	return body
}

// successReply is the reply of a route that is no operation.
func successReply(http int, message string, data any) central.Reply {
	return central.Reply{HTTP: http, Body: encode(envelope{StatusCode: statusOK, Message: message, Data: data})}
}

// isoTime writes a time as ISO 8601 in UTC with milliseconds; "" for a zero time.
func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Renderer writes the final replies of operations. It implements central.Renderer
// and depends only on its arguments.
type Renderer struct{}

// transactionData is the response of interface.md, section 2.3, in that order. A
// field that the route does not have, or that the bank did not give, is absent.
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

// FinalReply implements central.Renderer: HTTP 200 and the outer code 00 for every
// answer of the bank (interface.md, sections 3.1 and 7); data has the bank's code.
func (Renderer) FinalReply(o central.Operation, to op.State, a central.BankAnswer) (int, []byte) {
	if o.Kind != "" && !o.Kind.AEPS() {
		return renderService(o, to, a)
	}
	return renderAEPS(o, to, a)
}

func renderAEPS(o central.Operation, to op.State, a central.BankAnswer) (int, []byte) {
	data := transactionData{ResponseCode: central.ResponseCode(to, a.Code), ResponseStatus: a.Message, STAN: o.STAN}
	out := envelope{StatusCode: statusOK}
	data.TxnStatus, out.Message = txnOutcome(to)
	if data.ResponseStatus == "" {
		data.ResponseStatus = data.TxnStatus
	}
	addRouteFields(&data, o, to, a)
	out.Data = data
	return 200, encode(out)
}

// addRouteFields fills in the fields that the route's replies have (interface.md,
// section 2.3, column 'Present in').
func addRouteFields(data *transactionData, o central.Operation, to op.State, a central.BankAnswer) {
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
		data.TxnStatus = "" // reqAuth has three fields only
	}
}

// NotExecutedReply implements central.Renderer. The reply is stored and may answer
// many requests, so it has no request id.
func (Renderer) NotExecutedReply(_ central.Operation, why *central.Error) (int, []byte) {
	r := errorReply(why, "")
	return r.HTTP, r.Body
}

// pendingBody is the reply while the bank has not answered (interface.md, section 3.6).
// Only transfers have data, so that no client takes it for a result.
type pendingBody struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
	TxnStatus  string `json:"txnStatus,omitzero"`
	Data       any    `json:"data,omitzero"`
	Reference  string `json:"reference,omitzero"`
}

// pendingReply is the reply to an operation that is not final. A step that moves no
// money is no success, since the next step would be out of order; it may be repeated.
func pendingReply(o central.Operation) central.Reply {
	http, body := 200, pendingBody{StatusCode: statusOK, Message: "Transaction pending", Reference: cmp.Or(o.PendingReference, string(o.Reference))}
	switch {
	case isTransfer(o.Kind):
		body.Data = transferDataOf(o, "", statusPending)
	case o.Kind.AEPS() || o.Kind == "":
		body.TxnStatus = statusPending
	default:
		http, body.StatusCode = 502, faultOf(central.BankUnreachable).statusCode
		body.Message = "The bank has not answered; no money moved. Whether it was done is being asked: repeat the call to learn"
	}
	return central.Reply{HTTP: http, State: o.State, Body: encode(body)}
}

// CurrentReply implements central.Handler: the stored reply of a final operation,
// and the pending reply of any other.
func (h *Handler) CurrentReply(o central.Operation) central.Reply {
	if !o.State.Final() {
		return pendingReply(o)
	}
	if len(o.Reply) == 0 {
		r := h.ErrorReply(&central.Error{Fault: central.Internal, Err: fmt.Errorf("operation %s is final, but no reply is stored with it", o.ID)}, "")
		r.State = o.State
		return r
	}
	return central.Reply{HTTP: o.HTTP, Body: o.Reply, State: o.State}
}
