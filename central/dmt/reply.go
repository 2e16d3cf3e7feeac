package dmt

import (
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// Words of data.status (interface-decisions.md).
const (
	Success  = "SUCCESS"
	Pending  = "PENDING"
	Failed   = "FAILED"
	Reversed = "REVERSED"
	Refunded = "REFUNDED"
)

// Data is the data of transaction/instant (section 4.4), and of what became of
// a refund that did not succeed. While the bank's word is missing there is no
// rrn.
type Data struct {
	RRN string `json:"rrn,omitzero"`
	// TransactionID is the central's reference of the transfer, the same from
	// the first moment on; of a refund, that of the transfer it gives back.
	TransactionID string         `json:"transactionId,omitzero"`
	Amount        jsontext.Value `json:"amount"` // rupees, a JSON number
	Status        string         `json:"status"`
}

// RefundData is the data of a refund that succeeded.
type RefundData struct {
	RefundID string         `json:"refundId"`
	Amount   jsontext.Value `json:"amount"` // rupees, a JSON number
}

// RequeryData is the data of transaction/requery; rrn is absent where the bank
// gave none, as in the reply to the transfer itself.
type RequeryData struct {
	Status        string         `json:"status"`
	RRN           string         `json:"rrn,omitzero"`
	TransactionID string         `json:"transactionId"`
	Amount        jsontext.Value `json:"amount"` // rupees, a JSON number
}

// Transfers tells whether the operations of a kind have the replies of Answered
// and Unanswered.
func Transfers(k central.Kind) bool { return k == central.KindTransfer || k == central.KindRefund }

func rupees(p money.Paise) jsontext.Value { return jsontext.Value(p.Number()) }

func dataOf(o central.Operation, rrn, status string) Data {
	id := o.Reference
	if o.Kind == central.KindRefund {
		id = o.Original
	}
	return Data{RRN: rrn, TransactionID: string(id), Amount: rupees(o.Amount), Status: status}
}

// Answered is the final reply of a transfer or refund; to is succeeded, failed
// or reversed. A decline and a wrong OTP have the bank's code and words.
func Answered(o central.Operation, to op.State, a central.BankAnswer) (statusCode, message string, data any) {
	refund := o.Kind == central.KindRefund
	switch {
	case to == op.Succeeded && refund:
		return central.CodeApproved, "Refund processed successfully", RefundData{RefundID: string(o.Reference), Amount: rupees(o.Amount)}
	case to == op.Succeeded:
		return central.CodeApproved, "Transaction successful", dataOf(o, a.RRN, Success)
	case to == op.Reversed && refund:
		return central.ResponseCode(to, a.Code), "Refund reversed", dataOf(o, a.RRN, Reversed)
	case to == op.Reversed:
		return central.ResponseCode(to, a.Code), "Transaction reversed", dataOf(o, a.RRN, Reversed)
	}
	if message = a.Message; message == "" {
		message = "Transaction declined"
	}
	return central.ResponseCode(to, a.Code), message, dataOf(o, a.RRN, Failed)
}

// Unanswered is the reply while the bank's word on a transfer or refund is
// missing: neither a success nor a failure.
func Unanswered(o central.Operation) (message string, data Data) {
	return "Transaction pending", dataOf(o, "", Pending)
}

// Requeried is the reply to a requery of a transfer. refund is its refund that
// was done or is under way; nil: none.
func Requeried(o central.Operation, refund *central.Operation) (message string, data RequeryData) {
	data = RequeryData{Status: Pending, RRN: o.RRN, TransactionID: string(o.Reference), Amount: rupees(o.Amount)}
	message = "Transaction pending"
	switch o.State {
	case op.Succeeded:
		data.Status, message = Success, "Transaction successful"
	case op.Reversed:
		data.Status, message = Reversed, "Transaction reversed"
	case op.Failed, op.Refused:
		data.Status, message = Failed, "Transaction failed"
	}
	switch {
	case refund == nil:
	case refund.State == op.Succeeded:
		data.Status, message = Refunded, "Transaction refunded"
	default:
		message += "; a refund of it is under way"
	}
	return message, data
}

// Refundable sees that a transfer can be given back: its value moved, or came
// back to the counter, and it has no refund that was done or is under way. The
// error is Precluded and says why not.
func Refundable(o central.Operation, refund *central.Operation) error {
	why := ""
	switch {
	case o.State == op.Failed || o.State == op.Refused:
		why = "The transaction failed: there is nothing to refund"
	case o.State != op.Succeeded && o.State != op.Reversed:
		why = "The transaction is pending: it can be refunded when the bank's word on it is final"
	case refund == nil:
		return nil
	case refund.State == op.Succeeded:
		why = "The transaction is refunded already, by the refund " + string(refund.Reference)
	default:
		why = "A refund of the transaction is under way: " + string(refund.Reference)
	}
	return central.Refuse(central.Precluded, why)
}
