package api

import (
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/op"
)

// Values of data.status (interface.md, section 4.4).
const (
	statusSuccess  = "SUCCESS"
	statusPending  = "PENDING"
	statusFailed   = "FAILED"
	statusReversed = "REVERSED"
	statusRefunded = "REFUNDED"
)

// txnOutcome is an operation's state as a txnStatus of the interface, and the message
// about it. A refused operation was never sent, so it has failed.
func txnOutcome(s op.State) (status, message string) {
	switch s {
	case op.Succeeded:
		return statusSuccess, "Transaction successful"
	case op.Reversed:
		return statusReversed, "Transaction reversed"
	case op.Failed, op.Refused:
		return statusFailed, "Transaction failed"
	}
	return statusPending, "Transaction pending"
}

// transferData is the data of transaction/instant (interface.md, section 4.4) and
// of a refund that did not succeed. rrn is absent while the bank has not answered.
type transferData struct {
	RRN string `json:"rrn,omitzero"`
	// TransactionID is the central's reference of the transfer, the same in every
	// reply; in a refund, that of the refunded transfer.
	TransactionID string         `json:"transactionId,omitzero"`
	Amount        jsontext.Value `json:"amount"` // rupees, a JSON number
	Status        string         `json:"status"`
}

// refundData is the data of a refund that succeeded.
type refundData struct {
	RefundID string         `json:"refundId"`
	Amount   jsontext.Value `json:"amount"` // rupees, a JSON number
}

// requeryData is the data of transaction/requery. rrn is absent if the bank gave
// none, as in the reply to the transfer itself.
type requeryData struct {
	Status        string         `json:"status"`
	RRN           string         `json:"rrn,omitzero"`
	TransactionID string         `json:"transactionId"`
	Amount        jsontext.Value `json:"amount"` // rupees, a JSON number
}

// isTransfer reports whether operations of a kind have the replies of transfers.
func isTransfer(k central.Kind) bool { return k == central.KindTransfer || k == central.KindRefund }

func transferDataOf(o central.Operation, rrn, status string) transferData {
	id := o.Reference
	if o.Kind == central.KindRefund {
		id = o.Original
	}
	return transferData{RRN: rrn, TransactionID: string(id), Amount: rupees(o.Amount), Status: status}
}

// transferReply is the final reply of a transfer or refund; to is succeeded, failed
// or reversed. A decline and a wrong OTP have the bank's code and message.
func transferReply(o central.Operation, to op.State, a central.BankAnswer) (statusCode, message string, data any) {
	refund := o.Kind == central.KindRefund
	switch {
	case to == op.Succeeded && refund:
		return central.CodeApproved, "Refund processed successfully", refundData{RefundID: string(o.Reference), Amount: rupees(o.Amount)}
	case to == op.Succeeded:
		return central.CodeApproved, "Transaction successful", transferDataOf(o, a.RRN, statusSuccess)
	case to == op.Reversed && refund:
		return central.ResponseCode(to, a.Code), "Refund reversed", transferDataOf(o, a.RRN, statusReversed)
	case to == op.Reversed:
		return central.ResponseCode(to, a.Code), "Transaction reversed", transferDataOf(o, a.RRN, statusReversed)
	}
	if message = a.Message; message == "" {
		message = "Transaction declined"
	}
	return central.ResponseCode(to, a.Code), message, transferDataOf(o, a.RRN, statusFailed)
}

// requeryReply is the reply to a requery of a transfer. refund is its refund that
// is done or in progress; nil if there is none.
func requeryReply(o central.Operation, refund *central.Operation) (message string, data requeryData) {
	status, message := txnOutcome(o.State)
	data = requeryData{Status: status, RRN: o.RRN, TransactionID: string(o.Reference), Amount: rupees(o.Amount)}
	switch {
	case refund == nil:
	case refund.State == op.Succeeded:
		data.Status, message = statusRefunded, "Transaction refunded"
	default:
		message += "; a refund of it is under way"
	}
	return message, data
}

// checkRefundable checks that a transfer can be refunded: it succeeded or was
// reversed, and no refund of it is done or in progress. The error is
// FailedPrecondition and says why not.
func checkRefundable(o central.Operation, refund *central.Operation) error {
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
	return central.NewError(central.FailedPrecondition, why)
}
