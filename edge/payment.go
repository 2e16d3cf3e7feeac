package edge

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/edge/api"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/wire"
)

// maxPayments bounds the payments in memory; older ones are in the queue.
const maxPayments = 512

// applyPayment stores a payment, or its return, that the central recorded, with the event's
// cursor. It is an operation that the counter did not begin, and that is final.
func (c *Counter) applyPayment(f wire.Frame) error {
	p, err := wire.DecodePayment(f.Data)
	if err != nil {
		return fmt.Errorf("apply event %d: %w", f.Cursor, err)
	}
	offset := c.uplink.State().Offset
	known, err := c.queue.AddByEvent(f.Cursor, paymentRecord(f.ID, p, func(ms int64) time.Time { return time.UnixMilli(ms).Add(-offset) }))
	c.noteDiskError(err)
	if err != nil {
		return fmt.Errorf("apply event %d: %w", f.Cursor, err)
	}
	if known.ID != "" {
		c.rememberPayment(known, true)
		c.afterChange(known)
	}
	return nil
}

// paymentRecord is the record of a payment, or of its return. local gives a time of the
// central by this computer's clock.
func paymentRecord(id op.ID, p wire.Payment, local func(ms int64) time.Time) Record {
	r := Record{
		ID: id, Route: op.PaymentReceived, Class: op.Enquiry, State: op.Succeeded, Title: paymentTitle(p), Customer: p.PayerName,
		Amount: p.Amount, CreatedAt: local(p.RecordedAt), EndedAt: local(p.RecordedAt), HTTP: 200, Reply: paymentReply(p),
	}
	if p.Received != "" {
		r.Route, r.LinkedTo = op.PaymentReturned, p.Received
		r.CreatedAt = local(p.ReturnedAt)
		r.EndedAt = r.CreatedAt
	}
	r.Result = api.ParseResult(r.HTTP, r.Reply)
	return r
}

// paymentTitle says who paid, as far as the network tells it.
func paymentTitle(p wire.Payment) string {
	if p.PayerName != "" {
		return p.PayerName
	}
	return p.PayerVPA
}

// paymentReply puts a payment into the form of a reply, for ReplyValue.
func paymentReply(p wire.Payment) []byte {
	data, err := wire.EncodePayment(p)
	if err == nil {
		data, err = json.Marshal(map[string]any{"statusCode": "00", "data": jsontext.Value(data)}, json.Deterministic(true))
	}
	if err != nil { // a decoded payment can be encoded
		return []byte(`{"statusCode":"00"}`)
	}
	return data
}

// IsPayment reports whether the record is a payment by UPI, or its return: the customer's
// bank paid the shop's account, and no cash moved.
func (r Record) IsPayment() bool {
	return r.Route == op.PaymentReceived || r.Route == op.PaymentReturned
}

// PaymentOrder is the order of the QR code that a payment was for; empty: none.
func (r Record) PaymentOrder() string {
	if !r.IsPayment() {
		return ""
	}
	return r.ReplyValue("order")
}

// PaidAt is when the payer paid, by the central's clock; the zero time: it is no payment.
func (r Record) PaidAt() time.Time {
	if !r.IsPayment() {
		return time.Time{}
	}
	var reply struct {
		Data wire.Payment `json:"data"`
	}
	if json.Unmarshal(r.Reply, &reply) != nil {
		return time.Time{}
	}
	return time.UnixMilli(reply.Data.PaidAt)
}

// ReceivedFor sums up the payments of an order that the bank did not return. full reports
// whether one of them is the asked amount.
func ReceivedFor(list []Record, asked money.Paise) (sum money.Paise, full bool) {
	returned := map[op.ID]bool{}
	for _, r := range list {
		if r.Route == op.PaymentReturned {
			returned[r.LinkedTo] = true
		}
	}
	for _, r := range list {
		if r.Route == op.PaymentReceived && !returned[r.ID] {
			sum, full = sum+r.Amount, full || r.Amount == asked
		}
	}
	return sum, full
}

// rememberPayment keeps a payment in memory, in the order of the records' times. arrives: it
// came now.
func (c *Counter) rememberPayment(r Record, arrives bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.ContainsFunc(c.payments, func(known Record) bool { return known.ID == r.ID }) {
		return
	}
	c.payments = append(c.payments, r)
	slices.SortStableFunc(c.payments, func(a, b Record) int { return a.CreatedAt.Compare(b.CreatedAt) })
	if over := len(c.payments) - maxPayments; over > 0 {
		c.payments = slices.Delete(c.payments, 0, over)
	}
	if arrives {
		c.news.arrived[r.ID] = c.cfg.Now()
		c.sortNews()
	}
}

// loadPayments fills the memory from the queue, after a start.
func (c *Counter) loadPayments() error {
	recent, err := c.queue.Recent("", maxPayments)
	if err != nil {
		return fmt.Errorf("read the latest payments: %w", err)
	}
	for _, r := range slices.Backward(recent) {
		if r.IsPayment() {
			c.rememberPayment(r, false)
		}
	}
	c.loadNews()
	return nil
}

// Payments returns the latest payments by UPI and their returns, newest first, at most
// limit of those in memory.
func (c *Counter) Payments(limit int) []Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := slices.Clone(c.payments)
	slices.Reverse(out)
	return out[:min(limit, len(out))]
}

// PaymentsOf returns the payments of one order and their returns, oldest first.
func (c *Counter) PaymentsOf(order string) []Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Record
	for _, r := range c.payments {
		if order != "" && r.PaymentOrder() == order {
			out = append(out, r)
		}
	}
	return out
}
