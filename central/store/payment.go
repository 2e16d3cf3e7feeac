package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"galla/central"
	"galla/central/payments"
	"galla/shared/op"
	"galla/shared/wire"
)

// AddCode implements payments.Store.
func (s Payments) AddCode(ctx context.Context, x payments.Code) error {
	return s.task("record a QR code of merchant %s", x.Merchant).exec(ctx, `INSERT INTO upi_codes (merchant, tr, amount, order_id, made_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (merchant, tr, amount) DO UPDATE SET made_at = excluded.made_at WHERE excluded.made_at > upi_codes.made_at`,
		x.Merchant, x.TR, x.Amount, x.Order, x.MadeAt)
}

const codeColumns = `merchant, tr, amount, order_id, made_at`

func scanCode(row row, x *payments.Code) error {
	return row.Scan(&x.Merchant, &x.TR, &x.Amount, &x.Order, &x.MadeAt)
}

// CodesOf implements payments.Store, at most 1000.
func (s Payments) CodesOf(ctx context.Context, m central.MerchantID, tr string) ([]payments.Code, error) {
	return listRows(ctx, s.task("list the QR codes of merchant %s", m), scanCode,
		`SELECT `+codeColumns+` FROM upi_codes WHERE merchant = $1 AND tr = $2 ORDER BY amount LIMIT $3`, m, tr, maxRows)
}

// CodesForOrder implements payments.Store, at most 1000.
func (s Payments) CodesForOrder(ctx context.Context, m central.MerchantID, order string) ([]payments.Code, error) {
	return listRows(ctx, s.task("list the QR codes of an order of merchant %s", m), scanCode,
		`SELECT `+codeColumns+` FROM upi_codes WHERE merchant = $1 AND order_id = $2 ORDER BY made_at DESC, amount LIMIT $3`, m, order, maxRows)
}

// MerchantsByVPA implements payments.Store. A merchant with a VPA of its own does not have
// the default one.
func (s Payments) MerchantsByVPA(ctx context.Context, vpa, mid string) ([]central.Merchant, error) {
	return listRows(ctx, s.task("find the merchant of a VPA"), scanMerchant, `SELECT `+merchantColumns+` FROM merchants WHERE vpa <> '' AND lower(vpa) = lower($1)
		UNION ALL SELECT `+merchantColumns+` FROM merchants WHERE mid = $2 AND vpa = '' LIMIT 2`, vpa, mid)
}

const paymentColumns = `id, operation, rrn, payee, tr, amount, paid_at, payer_name, payer_vpa, merchant, order_id, matched, source, recorded_at, over_limit,
	refund_id, refund_rrn, refunded_at, refund_operation, refund_recorded_at`

func scanPayment(row row, p *payments.Payment) error {
	var refund central.PaymentRefund
	err := row.Scan(&p.ID, &p.Operation, &p.RRN, &p.Payee, &p.TR, &p.Amount, &p.At, &p.PayerName, &p.PayerVPA, &p.Merchant, &p.Order, &p.Match, &p.Source, &p.RecordedAt, &p.OverLimit,
		&refund.ID, &refund.RRN, &refund.At, &p.RefundOperation, &p.RefundRecordedAt)
	if refund.ID != "" {
		p.Refund = &refund
	}
	return err
}

func paymentByID(c conn, id string) (payments.Payment, error) {
	return firstRow(c, scanPayment, `SELECT `+paymentColumns+` FROM upi_payments WHERE id = $1`, id)
}

// Payment implements payments.Store.
func (s Payments) Payment(ctx context.Context, id string) (payments.Payment, error) {
	return query(ctx, s.task("read payment %s", id), func(c conn) (payments.Payment, error) { return paymentByID(c, id) })
}

// AddPayment implements payments.Store.
func (s Payments) AddPayment(ctx context.Context, p payments.Payment, o central.Operation, end central.FinalOutcome, quotas []central.Quota) (payments.Recorded, error) {
	return update(ctx, s.task("record payment %s", p.ID), func(c conn) (payments.Recorded, error) {
		known, err := paymentByID(c, p.ID)
		if !errors.Is(err, central.ErrNotFound) {
			return payments.Recorded{Payment: known}, err
		}
		if err := recordReported(c, o, end); err != nil {
			return payments.Recorded{}, err
		}
		var full *central.QuotaError // it is counted all the same: the money has arrived
		if err := reserveQuotas(c, o.ID, quotas); errors.As(err, &full) {
			p.OverLimit = cmp.Or(p.OverLimit, full.Error())
		} else if err != nil {
			return payments.Recorded{}, err
		}
		err = c.changeRow(fmt.Errorf("RRN %s is that of another payment: %w", p.RRN, payments.ErrConflict), `INSERT INTO upi_payments (id, operation, rrn, payee, tr, amount, paid_at, payer_name, payer_vpa, merchant, order_id, matched, source, recorded_at, over_limit)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (rrn) DO NOTHING`,
			p.ID, p.Operation, p.RRN, p.Payee, p.TR, p.Amount, p.At, p.PayerName, p.PayerVPA, orNull(p.Merchant), orNull(p.Order), p.Match, p.Source, p.RecordedAt, orNull(p.OverLimit))
		if err != nil {
			return payments.Recorded{}, err
		}
		told, err := tellTerminals(c, p.Merchant, p.Operation, p.RecordedAt)
		return payments.Recorded{Payment: p, New: true, Terminals: told}, err
	})
}

// AddRefund implements payments.Store.
func (s Payments) AddRefund(ctx context.Context, p payments.Payment, o central.Operation, end central.FinalOutcome) (payments.Recorded, error) {
	return update(ctx, s.task("record the return of payment %s", p.ID), func(c conn) (payments.Recorded, error) {
		// Of two reports at once, the second waits here for the first.
		known, err := firstRow(c, scanPayment, `SELECT `+paymentColumns+` FROM upi_payments WHERE id = $1`+c.dialect.forUpdate, p.ID)
		if err != nil || known.Refunded() {
			return payments.Recorded{Payment: known}, err
		}
		if err := recordReported(c, o, end); err != nil {
			return payments.Recorded{}, err
		}
		if _, err := c.exec(`UPDATE upi_payments SET refund_id = $1, refund_rrn = $2, refunded_at = $3, refund_operation = $4, refund_recorded_at = $5 WHERE id = $6`,
			p.Refund.ID, p.Refund.RRN, p.Refund.At, p.RefundOperation, p.RefundRecordedAt, p.ID); err != nil {
			return payments.Recorded{}, err
		}
		told, err := tellTerminals(c, p.Merchant, p.RefundOperation, p.RefundRecordedAt)
		return payments.Recorded{Payment: p, New: true, Terminals: told}, err
	})
}

// recordReported records an operation that the network has executed: it is created, sent and
// finished in one transaction.
func recordReported(c conn, o central.Operation, end central.FinalOutcome) error {
	known, isNew, err := insertOperation(c, o, nil)
	switch {
	case errors.Is(err, central.ErrTaken), err == nil && !isNew:
		return fmt.Errorf("its id is that of operation %s: %w", known.ID, payments.ErrConflict)
	case err != nil:
		return err
	}
	done, err := applyOutcome(c, end)
	if err != nil {
		return err
	}
	return enqueueCallback(c, done, end.At)
}

// tellTerminals writes an event of a payment for each terminal of its merchant, and returns
// the terminals. They are locked in one order at all nodes.
func tellTerminals(c conn, m central.MerchantID, operation op.ID, at time.Time) ([]central.TerminalID, error) {
	if m == "" {
		return nil, nil
	}
	list, err := allRows(c, scanValue[central.TerminalID], `SELECT id FROM terminals WHERE merchant = $1 AND revoked_at IS NULL ORDER BY created_at, id LIMIT $2`, m, maxRows)
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		if err := addEvent(c, t, wire.EventPayment, operation, at); err != nil {
			return nil, err
		}
		if err := c.notify(central.TerminalTopic(t)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// PaymentOf returns the payment whose operation, or whose return's operation, has an id, or
// central.ErrNotFound.
func (s Payments) PaymentOf(ctx context.Context, operation op.ID) (payments.Payment, error) {
	return oneRow(ctx, s.task("read the payment of operation %s", operation), scanPayment, `SELECT `+paymentColumns+` FROM upi_payments WHERE operation = $1 OR refund_operation = $1`, operation)
}

// PaymentsOf implements payments.Store, at most 1000 at a time.
func (s Payments) PaymentsOf(ctx context.Context, f payments.Filter) ([]payments.Payment, error) {
	return query(ctx, s.task("list the payments of merchant %s", f.Merchant), func(c conn) ([]payments.Payment, error) {
		until := int64(math.MaxInt64)
		if !f.To.IsZero() {
			until = f.To.UnixMilli()
		}
		before, id := int64(math.MaxInt64), ""
		if f.After != "" {
			last, err := paymentByID(c, f.After)
			if err == nil && last.Merchant != f.Merchant {
				err = central.ErrNotFound
			}
			if err != nil {
				return nil, instead(err, central.ErrNotFound, payments.ErrAfter)
			}
			before, id = last.RecordedAt.UnixMilli(), last.ID
		}
		if f.Order != "" {
			return allRows(c, scanPayment, `SELECT `+paymentColumns+` FROM upi_payments
				WHERE merchant = $1 AND order_id = $2 AND order_id IS NOT NULL AND (recorded_at, id) < ($3, $4) ORDER BY recorded_at DESC, id DESC LIMIT $5`,
				f.Merchant, f.Order, before, id, clampLimit(f.Limit))
		}
		return allRows(c, scanPayment, `SELECT `+paymentColumns+` FROM upi_payments
			WHERE merchant = $1 AND merchant IS NOT NULL AND recorded_at >= $2 AND recorded_at < $3 AND (recorded_at, id) < ($4, $5)
			ORDER BY recorded_at DESC, id DESC LIMIT $6`,
			f.Merchant, max(0, f.From.UnixMilli()), until, before, id, clampLimit(f.Limit))
	})
}

// PaymentsForPerson implements payments.Store, at most 1000 at a time.
func (s Payments) PaymentsForPerson(ctx context.Context, before time.Time, limit int) ([]payments.Payment, error) {
	until := int64(math.MaxInt64)
	if !before.IsZero() {
		until = before.UnixMilli()
	}
	return listRows(ctx, s.task("list payments that a person looks at"), scanPayment, `SELECT `+paymentColumns+` FROM upi_payments
		WHERE (matched <> 'order' AND matched <> 'static' OR over_limit IS NOT NULL) AND recorded_at < $1 ORDER BY recorded_at DESC, id DESC LIMIT $2`, until, clampLimit(limit))
}

// EnquiredUntil implements payments.Store.
func (s Payments) EnquiredUntil(ctx context.Context) (until time.Time, err error) {
	ms, err := oneRow(ctx, s.task("read how far payments were asked for"), scanValue[int64], `SELECT value FROM counters WHERE name = 'upi-enquired'`)
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}

// SetEnquiredUntil implements payments.Store.
func (s Payments) SetEnquiredUntil(ctx context.Context, until time.Time) error {
	return s.task("record how far payments were asked for").exec(ctx, `UPDATE counters SET value = $1 WHERE name = 'upi-enquired' AND value < $1`, until.UnixMilli())
}
