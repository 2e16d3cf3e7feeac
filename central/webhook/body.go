package webhook

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/payments"
	"galla/shared/op"
)

// message is the body of a callback, in the form that Standard Webhooks recommends.
type message struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"` // when it happened: the end of the operation
	Data      any    `json:"data"`
}

// eventData is the data of operation.finished. Its fields have the names that the
// interface's replies have. Nothing of the customer is in it.
type eventData struct {
	ID               op.ID              `json:"id"`
	MerchantID       central.MerchantID `json:"merchantId"`
	Route            op.RouteID         `json:"route"`
	Reference        string             `json:"reference"`
	PendingReference string             `json:"pendingReference"`
	// CallerReference is the reference in the call's body: clientRefId or refId.
	CallerReference string `json:"callerReference,omitzero"`
	// IdempotencyKey is that of the receiver's own request: a merchant does not get its
	// vendor's, nor a vendor its merchants'.
	IdempotencyKey string `json:"idempotencyKey,omitzero"`
	Amount         string `json:"amount"` // rupees, two decimals
	TxnStatus      string `json:"txnStatus"`
	ResponseCode   string `json:"ResponseCode"`
	RRN            string `json:"RRN,omitzero"`
	FinishedAt     string `json:"finishedAt"`
}

// renderBody renders the body. It depends on nothing that changes after the operation's
// end, so every attempt and replay has the same bytes at one receiver.
func renderBody(c Callback, o central.Operation) ([]byte, error) {
	if c.Event != EventFinished {
		return renderPayment(c, o)
	}
	status, code := replyStatus(o)
	if status == "" {
		return nil, fmt.Errorf("operation %s is %s: it has no final outcome to report", o.ID, o.State)
	}
	data := eventData{
		ID: o.ID, MerchantID: o.Merchant, Route: o.Route, Reference: string(o.Reference), PendingReference: o.PendingReference,
		CallerReference: o.CallerRef, Amount: o.Amount.String(), TxnStatus: status, ResponseCode: code, RRN: o.RRN,
		FinishedAt: formatTime(o.FinishedAt),
	}
	if o.Caller == c.Receiver().String() && o.Identity != string(o.ID) && o.Identity != o.CallerRef {
		data.IdempotencyKey = o.Identity
	}
	// Invalid UTF-8 in a bank's text is replaced and not refused.
	return json.Marshal(message{Type: c.Event, Timestamp: formatTime(o.FinishedAt), Data: data}, jsontext.AllowInvalidUTF8(true))
}

// paymentData is the data of upi.received and upi.returned.
type paymentData struct {
	MerchantID    central.MerchantID `json:"merchantId"`
	payments.Data `json:",inline"`
}

// renderPayment renders the message about a payment, from the reply of its operation. Where
// that is archived, the message has what is left of it.
func renderPayment(c Callback, o central.Operation) ([]byte, error) {
	var reply struct {
		Data payments.Data `json:"data"`
	}
	if err := json.Unmarshal(o.Reply, &reply); err != nil || reply.Data.ID == "" {
		reply.Data = payments.Data{ID: string(o.Reference), RRN: o.RRN, Amount: o.Amount.String(), Status: payments.StatusReceived, RecordedAt: formatTime(o.FinishedAt)}
		if o.Original != "" {
			reply.Data.ID, reply.Data.RRN, reply.Data.Status = string(o.Original), "", payments.StatusReturned
			reply.Data.RefundID, reply.Data.RefundRRN = string(o.Reference), o.RRN
		}
	}
	return json.Marshal(message{Type: c.Event, Timestamp: formatTime(o.FinishedAt), Data: paymentData{o.Merchant, reply.Data}})
}

// replyStatus returns txnStatus and ResponseCode of a final state; empty: the state is
// not a final state of a pending operation.
func replyStatus(o central.Operation) (status, code string) {
	switch o.State {
	case op.Succeeded:
		return "SUCCESS", central.ResponseCode(o.State, o.Code)
	case op.Reversed:
		return "REVERSED", central.ResponseCode(o.State, o.Code)
	case op.Failed:
		return "FAILED", central.ResponseCode(o.State, o.Code)
	}
	return "", ""
}

// formatTime formats a time as ISO 8601 in UTC with milliseconds.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
