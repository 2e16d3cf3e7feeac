package console

import (
	"context"
	"net/http"
	"time"

	"galla/central"
	"galla/central/payments"
	"galla/central/staff"
	"galla/shared/op"
)

// PaymentReader reads payments that were received by UPI.
type PaymentReader interface {
	// PaymentsForPerson lists those whose order or payee was not found, or that are over a
	// limit of their merchant, the newest record first, recorded before a time; zero: all.
	PaymentsForPerson(ctx context.Context, before time.Time, limit int) ([]payments.Payment, error)
}

// PaymentFinder finds the payment of an operation.
type PaymentFinder interface {
	// PaymentOf returns the payment whose operation, or whose return's operation, has an id,
	// or central.ErrNotFound.
	PaymentOf(ctx context.Context, operation op.ID) (payments.Payment, error)
}

// readPayment reads the payment of an operation that the network reported, and says what is
// different from one that was sent.
func (c *Console) readPayment(ctx context.Context, d *operationPage) error {
	p, err := c.Payments.PaymentOf(ctx, d.ID)
	if err != nil {
		return err
	}
	d.Payment = &p
	if p.Refunded() && d.Kind == central.KindUPIPayment {
		d.Tone, d.Description = "quiet", "The network received it by UPI, and the bank returned it to the payer."
	}
	return nil
}

func (e *PartyPages) paymentRoutes() []route {
	return []route{getRoute("payments", staff.Viewer, e.payments)}
}

// paymentsPage is the list's data.
type paymentsPage struct {
	Payments []payments.Payment
	Older    string // address of the next page; empty: this is the last one
}

// payments lists the payments that somebody has to look at.
func (e *PartyPages) payments(v *visit) error {
	var before time.Time
	if text := v.query().Get("before"); text != "" {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return refuse("The list continues before a time, such as 2026-11-26T09:30:00.123Z.")
		}
		before = at
	}
	list, err := e.Payments.PaymentsForPerson(v.Context(), before, pageSize+1)
	if err != nil {
		return err
	}
	d := paymentsPage{Payments: list}
	if len(list) > pageSize {
		d.Payments = list[:pageSize]
		d.Older = Root + "payments?before=" + list[pageSize-1].RecordedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return v.show(http.StatusOK, page{Name: "payments", Title: "UPI payments", Data: d})
}

// matchText says what a payment was matched to, or why it was not.
func matchText(m payments.Match) string {
	switch m {
	case payments.MatchOrder:
		return "the order's own QR code"
	case payments.MatchStatic:
		return "no order: the static QR code, or the VPA"
	case payments.MatchUnknownPayee:
		return "no merchant has this VPA"
	case payments.MatchUnknownOrder:
		return "the merchant made no QR code with this tr"
	case payments.MatchExpired:
		return "the QR code was older than seven days"
	case payments.MatchAmount:
		return "the QR code is for another amount"
	}
	return string(m)
}
