package books

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"galla/central/bank/network"
)

// FindPayments answers a query whose members are valid. One by RRN finds a payment by its
// refund's, too. In a period a payment comes at the place of its record and at that of its
// refund, both times as it is known now; a period that has ended is complete.
func (b *Books) FindPayments(ctx context.Context, q network.PaymentQuery) (network.Payments, error) {
	out := network.Payments{Reference: q.Reference}
	var found []paymentRow
	var err error
	switch k := b.db.committed(ctx); {
	case q.TR != "":
		found, err = k.payments(`p.payee = ? AND p.tr = ?`, []any{q.Payee, q.TR}, q.Limit)
	case q.RRN != "":
		found, err = k.payments(`p.id IN (SELECT id FROM payments WHERE rrn = ? UNION SELECT payment_id FROM payment_refunds WHERE rrn = ?)`,
			[]any{q.RRN, q.RRN}, q.Limit)
	default:
		return b.paymentsOfPeriod(ctx, q)
	}
	for _, p := range found {
		out.Payments = append(out.Payments, p.Payment)
	}
	return out, err
}

// paymentsOfPeriod reads a page of a period. It reads where payments are written: one
// whose commit was under way, with a time before this moment, is on disk by then.
func (b *Books) paymentsOfPeriod(ctx context.Context, q network.PaymentQuery) (network.Payments, error) {
	out := network.Payments{Reference: q.Reference}
	after, err := strconv.ParseInt("0"+q.After, 10, 64)
	if err != nil {
		return out, ErrPlace
	}
	query := `SELECT ` + paymentColumns + `, r.seq FROM payment_records r JOIN ` + paymentTables + `
		WHERE p.id = r.payment_id AND r.recorded_at >= ? AND r.recorded_at < ? AND r.seq > ? ORDER BY r.seq LIMIT ?`
	var last int64
	err = b.db.commit(ctx, func(k ledger) error {
		out.Payments = nil
		return k.rows("read the payments of a period", query, []any{q.From.UnixMilli(), q.To.UnixMilli(), after, q.Limit + 1}, func(scan func(...any) error) error {
			var seq int64
			p, err := scanPayment(scan, &seq)
			if len(out.Payments) == q.Limit {
				out.Next = strconv.FormatInt(last, 10) // there is one more
				return err
			}
			last = seq
			out.Payments = append(out.Payments, p.Payment)
			return err
		})
	})
	return out, err
}

// ErrPlace says that the place at which a page begins is none of an answer's.
var ErrPlace = fmt.Errorf("after must be the next of an answer")

// PaymentEntry is a payment with what the central was told of it, for people and tests.
type PaymentEntry struct {
	network.Payment
	Notifications []Told // in the order in which they were recorded
}

// Told is the state of a notification.
type Told struct {
	Attempts  int
	Next      time.Time // zero: delivered, or given up
	Delivered time.Time // zero: not yet, or never
}

// Payments lists the payments that match, each once, oldest first. The filter's reference
// is an id or an RRN of a payment or of its refund, or a tr. ErrTooMany.
func (b *Books) Payments(ctx context.Context, f Filter) ([]PaymentEntry, error) {
	return b.paymentEntries(ctx, f, false)
}

// NewestPayments lists at most 100 of Payments, newest first.
func (b *Books) NewestPayments(ctx context.Context, f Filter) ([]PaymentEntry, error) {
	return b.paymentEntries(ctx, f, true)
}

func (b *Books) paymentEntries(ctx context.Context, f Filter, newest bool) ([]PaymentEntry, error) {
	where, args := `1`, []any(nil)
	if f.Reference != "" {
		where += ` AND p.id IN (SELECT id FROM payments WHERE ?1 IN (upi_id, rrn, tr) UNION SELECT payment_id FROM payment_refunds WHERE ?1 IN (upi_id, rrn))`
		args = append(args, f.Reference)
	}
	if !f.From.IsZero() {
		where, args = where+fmt.Sprintf(` AND p.paid_at >= ?%d`, len(args)+1), append(args, f.From.UnixMilli())
	}
	if !f.To.IsZero() {
		where, args = where+fmt.Sprintf(` AND p.paid_at <= ?%d`, len(args)+1), append(args, f.To.UnixMilli())
	}
	order, limit := `p.id, n.id`, maxExecutions
	chosen := `SELECT p.id FROM payments p WHERE ` + where + fmt.Sprintf(` ORDER BY p.id LIMIT %d`, maxExecutions+1)
	if newest {
		order, limit = `p.id DESC, n.id`, maxListed
		chosen = `SELECT p.id FROM payments p WHERE ` + where + fmt.Sprintf(` ORDER BY p.id DESC LIMIT %d`, maxListed)
	}
	query := `SELECT ` + paymentColumns + `, coalesce(n.id, 0), coalesce(n.attempts, 0), coalesce(n.next_at, 0), coalesce(n.delivered_at, 0)
		FROM ` + paymentTables + ` LEFT JOIN notifications n ON n.payment_id = p.id WHERE p.id IN (` + chosen + `) ORDER BY ` + order
	out := []PaymentEntry{}
	var last int64
	err := b.db.committed(ctx).rows("list payments", query, args, func(scan func(...any) error) error {
		var id, next, delivered int64
		var t Told
		p, err := scanPayment(scan, &id, &t.Attempts, &next, &delivered)
		if err != nil {
			return err
		}
		if p.id != last {
			last = p.id
			out = append(out, PaymentEntry{Payment: p.Payment})
		}
		if id != 0 {
			t.Next, t.Delivered = moment(next), moment(delivered)
			e := &out[len(out)-1]
			e.Notifications = append(e.Notifications, t)
		}
		return nil
	})
	if err == nil && len(out) > limit {
		return nil, ErrTooMany
	}
	return slices.Clip(out), err
}

// settledPayments lists the payments and refunds that were recorded in a time, in the
// order of their record, at most MaxSettlementLines and one.
func (k ledger) settledPayments(from, to time.Time) ([]SettlementLine, error) {
	var out []SettlementLine
	err := k.rows("read the payments of a day", `SELECT CASE r.is_refund WHEN 1 THEN f.upi_id ELSE p.upi_id END, CASE r.is_refund WHEN 1 THEN f.rrn ELSE p.rrn END,
		p.amount_paise, r.recorded_at FROM payment_records r JOIN `+paymentTables+`
		WHERE p.id = r.payment_id AND r.recorded_at >= ? AND r.recorded_at < ? ORDER BY r.seq LIMIT ?`,
		[]any{from.UnixMilli(), to.UnixMilli(), MaxSettlementLines + 1}, func(scan func(...any) error) error {
			l := SettlementLine{STAN: noSTAN, Code: codeApproved}
			var at int64
			err := scan(&l.Reference, &l.RRN, &l.Amount, &at)
			l.At = time.UnixMilli(at)
			out = append(out, l)
			return err
		})
	return out, err
}
