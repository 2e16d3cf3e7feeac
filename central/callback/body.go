package callback

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/duty"
	"galla/shared/op"
)

// message is the body of a callback: the form that Standard Webhooks
// recommends.
type message struct {
	Type      string  `json:"type"`
	Timestamp string  `json:"timestamp"` // when it happened: settledAt
	Data      settled `json:"data"`
}

// settled is the data of operation.settled. Its fields have the names that the
// interface's replies have. Nothing of the customer is in it.
type settled struct {
	ID               op.ID              `json:"id"`
	MerchantID       central.MerchantID `json:"merchantId"`
	Route            op.RouteID         `json:"route"`
	Reference        string             `json:"reference"`
	PendingReference string             `json:"pendingReference"`
	// CallerReference is the reference in the call's body: clientRefId or refId.
	CallerReference string `json:"callerReference,omitzero"`
	// IdempotencyKey is what the merchant's own call was named by; calls of
	// others, such as its vendor's, are not told.
	IdempotencyKey string `json:"idempotencyKey,omitzero"`
	Amount         string `json:"amount"` // rupees, two decimals
	TxnStatus      string `json:"txnStatus"`
	ResponseCode   string `json:"ResponseCode"`
	RRN            string `json:"RRN,omitzero"`
	SettledAt      string `json:"settledAt"`
}

// render writes the body. It depends on nothing that changes after the
// settlement, so that every attempt and replay has the same bytes.
func render(c duty.Callback, o central.Operation) ([]byte, error) {
	status, code := outcome(o)
	if status == "" {
		return nil, fmt.Errorf("operation %s is %s: there is no end to tell of", o.ID, o.State)
	}
	data := settled{
		ID: o.ID, MerchantID: o.Merchant, Route: o.Route, Reference: string(o.Reference), PendingReference: o.PendingReference,
		CallerReference: o.CallerRef, Amount: o.Amount.String(), TxnStatus: status, ResponseCode: code, RRN: o.RRN,
		SettledAt: stamp(o.SettledAt),
	}
	own := central.Principal{Role: op.Merchant, Merchant: o.Merchant}
	if o.Caller == own.Caller() && o.Identity != string(o.ID) && o.Identity != o.CallerRef {
		data.IdempotencyKey = o.Identity
	}
	// A bank's text that is not UTF-8 is mended and not refused.
	return json.Marshal(message{Type: c.Event, Timestamp: stamp(o.SettledAt), Data: data}, jsontext.AllowInvalidUTF8(true))
}

// outcome is an operation's end in the interface's words. What can't be the end
// of a pending operation has none.
func outcome(o central.Operation) (status, code string) {
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

// stamp writes a time as ISO 8601 in UTC with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
