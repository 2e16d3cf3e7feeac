package simbank

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/central/bank/simbank/upi"
	"galla/shared/money"
)

// Names of books that callers of PayUPI need.
type (
	Notice       = books.Notice
	PaymentEntry = books.PaymentEntry
)

// UPIPayment is what somebody pays by UPI.
type UPIPayment struct {
	ID        string // UPI's transaction id, from NewPaymentID; empty: a new one
	Payee, TR string
	Amount    money.Paise
	// PayerName and PayerVPA are masked before they are stored or told.
	PayerName, PayerVPA string
}

// PayUPI books a payment and has the central told of it. It returns after the commit is on
// disk. A second payment with the id of a first books nothing, and gives the first.
func (b *Bank) PayUPI(ctx context.Context, p UPIPayment, n Notice) (network.Payment, error) {
	if p.ID == "" {
		id, err := b.NewPaymentID()
		if err != nil {
			return network.Payment{}, err
		}
		p.ID = id
	}
	paid, err := b.ReceivePayment(ctx, books.NewPayment{
		ID: p.ID, Payee: p.Payee, TR: p.TR, Amount: p.Amount, PayerName: upi.MaskName(p.PayerName), PayerVPA: upi.MaskVPA(p.PayerVPA),
	}, n)
	b.wakeNotifier()
	return paid, err
}

// RefundUPI returns a payment to its payer and has the central told of it. It fails with
// books.ErrUnknownPayment and books.ErrPaymentRefunded.
func (b *Bank) RefundUPI(ctx context.Context, paymentID string, n Notice) (network.Payment, error) {
	refunded, err := b.RefundPayment(ctx, paymentID, n)
	b.wakeNotifier()
	return refunded, err
}

func (b *Bank) wakeNotifier() {
	if b.notifier != nil {
		b.notifier.Wake()
	}
}

// servePayments answers a question about payments.
func (b *Bank) servePayments(w http.ResponseWriter, r *http.Request, body []byte) {
	q, err := network.DecodePaymentQuery(body)
	if err != nil {
		b.fault(w, http.StatusBadRequest, err.Error())
		return
	}
	if faults := q.InvalidMembers(); faults != nil {
		b.fault(w, http.StatusBadRequest, fmt.Sprintf("wrong members: %v", faults))
		return
	}
	reply, err := b.paymentsReply(r.Context(), q)
	switch {
	case errors.Is(err, books.ErrPlace):
		b.fault(w, http.StatusBadRequest, err.Error())
	case err != nil:
		if r.Context().Err() == nil {
			b.log.Error("question about payments can't be answered", "reference", q.Reference, "error", err)
		}
		panic(http.ErrAbortHandler)
	default:
		b.write(w, http.StatusOK, q.Reference, reply, len(reply))
	}
}

// paymentsReply writes the answer to a query. Where a page would be larger than any reply
// may be, it is shorter than asked for; the rest of a period follows.
func (b *Bank) paymentsReply(ctx context.Context, q network.PaymentQuery) ([]byte, error) {
	for {
		found, err := b.FindPayments(ctx, q)
		if err != nil {
			return nil, err
		}
		reply, err := network.EncodePayments(found)
		if err != nil || len(reply) <= network.MaxReply || q.Limit == 1 {
			return reply, err
		}
		q.Limit /= 2
	}
}
