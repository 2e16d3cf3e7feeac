package central

import (
	"context"
	"time"

	"galla/shared/money"
)

// ReceivedPayment is a UPI payment that the network received for a payee, as the network
// knows it now. Nothing in it names the payer in the clear: the network masks.
type ReceivedPayment struct {
	ID     string // UPI's transaction id, unique for ever
	RRN    string // the network's retrieval reference number (UTR)
	Payee  string // VPA
	TR     string // transaction reference of a dynamic QR; empty: a static QR, or none
	Amount money.Paise
	At     time.Time // when the payer paid

	PayerName string // masked; empty: not known
	PayerVPA  string // masked; empty: not known

	Refund *PaymentRefund // nil: the bank did not return the payment
}

// PaymentRefund says that the bank returned a whole payment to its payer.
type PaymentRefund struct {
	ID  string // UPI's transaction id of the return, unique for ever
	RRN string
	At  time.Time
}

// PaymentQuery asks the network for payments: by Payee and TR, by RRN, or by the time at
// which the network recorded them or their refunds. Exactly one of the three is set.
type PaymentQuery struct {
	Payee, TR string
	RRN       string

	From, To time.Time // the first included
	After    string    // the Next of the page before; empty: the first page
}

// PaymentPage is a page of payments, in the order in which the network recorded them.
type PaymentPage struct {
	Payments []ReceivedPayment
	Next     string // empty: this is the last page
}

// PaymentNetwork is the part of the bank network that knows received payments.
type PaymentNetwork interface {
	// Payments asks for payments. It may be repeated at will.
	Payments(ctx context.Context, q PaymentQuery) (PaymentPage, error)
}
