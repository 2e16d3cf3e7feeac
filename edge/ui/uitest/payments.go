package uitest

import (
	"fmt"
	"slices"
	"time"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// Payment is a payment by UPI that was paid now; an empty order: by the printed code.
func Payment(n int, amount money.Paise, order string) edge.Record {
	return PaymentAt(n, amount, order, Now())
}

// PaymentAt is a payment that was paid at a time, and recorded now.
func PaymentAt(n int, amount money.Paise, order string, paid time.Time) edge.Record {
	return edge.Record{
		ID: op.ID(fmt.Sprintf("0190e000-0000-7000-8000-%012d", n)), Route: op.PaymentReceived, Class: op.Enquiry, State: op.Succeeded, Title: "R••••h", Customer: "R••••h",
		Amount: amount, CreatedAt: Now(), EndedAt: Now(), HTTP: 200,
		Reply: fmt.Appendf(nil, `{"statusCode":"00","data":{"id":"AXI%d","rrn":"63300000000%d","order":%q,"amountPaise":%d,"paidAt":%d,"recordedAt":%d}}`, n, n, order, amount, paid.UnixMilli(), Now().UnixMilli()),
	}
}

// ReturnOf is the return of a payment.
func ReturnOf(p edge.Record) edge.Record {
	r := p
	r.ID, r.Route, r.LinkedTo = p.ID[:len(p.ID)-3]+"999", op.PaymentReturned, p.ID
	return r
}

// Receive makes a payment new: nobody has seen it, and its sound is due.
func (c *Counter) Receive(r edge.Record) {
	c.Update(func(st *edge.Status) {
		c.unannounced = append(c.unannounced, r)
		st.Unshown = append(slices.Clone(st.Unshown), r)
		st.Unannounced = append(slices.Clone(st.Unannounced), r.ID)
	})
}

// MarkPaymentsShown implements ui.Counter.
func (c *Counter) MarkPaymentsShown(ids []op.ID) error {
	c.Update(func(st *edge.Status) {
		st.Unshown = slices.DeleteFunc(slices.Clone(st.Unshown), func(r edge.Record) bool { return slices.Contains(ids, r.ID) })
	})
	return nil
}

// ClaimAnnouncement implements ui.Counter.
func (c *Counter) ClaimAnnouncement() (claimed []edge.Record) {
	c.Update(func(st *edge.Status) { claimed, c.unannounced, st.Unannounced = c.unannounced, nil, nil })
	return claimed
}

// NoPayments is the part of a ui.Counter that no payment reaches.
type NoPayments struct{}

// MarkPaymentsShown implements ui.Counter.
func (NoPayments) MarkPaymentsShown([]op.ID) error { return nil }

// ClaimAnnouncement implements ui.Counter.
func (NoPayments) ClaimAnnouncement() []edge.Record { return nil }
