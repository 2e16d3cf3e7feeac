package books

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"galla/central/bank/network"
	"galla/shared/ist"
	"galla/shared/money"
)

// Accounts of payments by UPI.
const (
	accountPayers    = "settlement.upi.payers"    // owed by the banks of those who paid
	accountMerchants = "settlement.upi.merchants" // owed to the merchants who were paid
)

const (
	purposePayment       = "PAYMENT"
	purposePaymentRefund = "PAYMENT_REFUND"
)

// Errors of RefundPayment.
var (
	ErrUnknownPayment  = errors.New("the bank has no payment with this id")
	ErrPaymentRefunded = errors.New("this payment was refunded before")
)

// NewPayment is a UPI payment that arrives.
type NewPayment struct {
	// ID is UPI's transaction id, from NewPaymentID.
	ID        string
	Payee, TR string
	Amount    money.Paise
	// PayerName and PayerVPA are stored and told as they are: masked.
	PayerName, PayerVPA string
}

// NewPaymentID draws UPI's transaction id: a bank's three letters and 32 digits.
func (b *Books) NewPaymentID() (string, error) {
	var id [16]byte
	if _, err := io.ReadFull(b.cfg.Rand, id[:]); err != nil {
		return "", fmt.Errorf("draw an id of a payment: %w", err)
	}
	return "GSB" + strings.ToUpper(hex.EncodeToString(id[:])), nil
}

// ReceivePayment books a payment from the payers' banks to the merchants, with what the
// central is to be told of it. A second one with its id books nothing, and gives the
// first. It returns after the commit is on disk.
func (b *Books) ReceivePayment(ctx context.Context, p NewPayment, n Notice) (network.Payment, error) {
	var out network.Payment
	err := b.db.commit(ctx, func(k ledger) error {
		known, err := k.payments(`p.upi_id = ?`, []any{p.ID}, 1)
		if err != nil {
			return err
		}
		if len(known) > 0 {
			out = known[0].Payment
			return nil
		}
		out, err = k.receive(p, n)
		return err
	})
	return out, err
}

func (k ledger) receive(p NewPayment, n Notice) (network.Payment, error) {
	seq, at, err := k.nextPaymentRecord()
	if err != nil {
		return network.Payment{}, err
	}
	out := network.Payment{
		ID: p.ID, RRN: paymentRRN(at, seq), Payee: p.Payee, TR: p.TR, Amount: p.Amount, At: at, PayerName: p.PayerName, PayerVPA: p.PayerVPA,
	}
	if wrong := out.InvalidMembers(); wrong != nil {
		return network.Payment{}, fmt.Errorf("a payment with wrong members can't be booked: %v", wrong)
	}
	id, err := k.insertID("record the payment", `INSERT INTO payments (upi_id, rrn, payee, tr, amount_paise, payer_name, payer_vpa, paid_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, out.ID, out.RRN, out.Payee, out.TR, out.Amount, out.PayerName, out.PayerVPA, at.UnixMilli())
	if err != nil {
		return network.Payment{}, err
	}
	payers, merchants, err := k.paymentAccounts()
	if err != nil {
		return network.Payment{}, err
	}
	if err := k.post(entry{payment: id, purpose: purposePayment, debit: payers, credit: merchants, amount: out.Amount, narration: "UPI PAYMENT", at: at}); err != nil {
		return network.Payment{}, err
	}
	if err := k.recordPayment(seq, id, false, at); err != nil {
		return network.Payment{}, err
	}
	return out, k.addNotifications(id, at, n)
}

// RefundPayment returns a whole payment to its payer, once, with what the central is to be
// told of it. It fails with ErrUnknownPayment and ErrPaymentRefunded. It returns after the
// commit is on disk.
func (b *Books) RefundPayment(ctx context.Context, paymentID string, n Notice) (network.Payment, error) {
	refundID, err := b.NewPaymentID()
	if err != nil {
		return network.Payment{}, err
	}
	var out network.Payment
	err = b.db.commit(ctx, func(k ledger) error {
		known, err := k.payments(`p.upi_id = ?`, []any{paymentID}, 1)
		switch {
		case err != nil:
			return err
		case len(known) == 0:
			return ErrUnknownPayment
		case known[0].Refund != nil:
			return ErrPaymentRefunded
		}
		out = known[0].Payment
		out.Refund, err = k.refundPayment(known[0], refundID, n)
		return err
	})
	return out, err
}

func (k ledger) refundPayment(p paymentRow, refundID string, n Notice) (*network.PaymentRefund, error) {
	seq, at, err := k.nextPaymentRecord()
	if err != nil {
		return nil, err
	}
	r := &network.PaymentRefund{ID: refundID, RRN: paymentRRN(at, seq), At: at}
	err = k.exec("record the refund of a payment", `INSERT INTO payment_refunds (payment_id, upi_id, rrn, refunded_at) VALUES (?, ?, ?, ?)`,
		p.id, r.ID, r.RRN, at.UnixMilli())
	if err != nil {
		return nil, err
	}
	payers, merchants, err := k.paymentAccounts()
	if err != nil {
		return nil, err
	}
	if err := k.post(entry{payment: p.id, purpose: purposePaymentRefund, debit: merchants, credit: payers, amount: p.Amount, narration: "UPI REFUND", at: at}); err != nil {
		return nil, err
	}
	if err := k.recordPayment(seq, p.id, true, at); err != nil {
		return nil, err
	}
	return r, k.addNotifications(p.id, at, n)
}

// paymentAccounts gives the accounts of the payers' banks and of the merchants.
func (k ledger) paymentAccounts() (payers, merchants int64, err error) {
	if payers, err = k.account(accountPayers, "Settlement with the payers' banks, UPI", "SETTLEMENT"); err != nil {
		return 0, 0, err
	}
	merchants, err = k.account(accountMerchants, "Settlement with merchants, UPI", "SETTLEMENT")
	return payers, merchants, err
}

// nextPaymentRecord gives the next place in the order of records, and its time, which is
// never before the last one's: a clock may be set back.
func (k ledger) nextPaymentRecord() (seq int64, at time.Time, err error) {
	var last int64
	_, err = k.row("find the last record of a payment", `SELECT seq, recorded_at FROM payment_records ORDER BY seq DESC LIMIT 1`, nil, &seq, &last)
	return seq + 1, time.UnixMilli(max(time.Now().UnixMilli(), last)), err
}

func (k ledger) recordPayment(seq, payment int64, refund bool, at time.Time) error {
	return k.exec("record the order of payments", `INSERT INTO payment_records (seq, payment_id, is_refund, recorded_at) VALUES (?, ?, ?, ?)`,
		seq, payment, refund, at.UnixMilli())
}

// paymentRRN is the RRN of a record of a payment. Its fifth digit is 9, which the RRNs of
// transactions reach with the 90-millionth.
func paymentRRN(at time.Time, seq int64) string {
	at = at.In(ist.Zone())
	return fmt.Sprintf("%d%03d9%07d", at.Year()%10, at.YearDay(), seq%1e7)
}

// paymentRow is a payment with its row's id.
type paymentRow struct {
	network.Payment
	id int64
}

// paymentColumns are of payments p with their refund, from paymentTables.
const (
	paymentColumns = `p.id, p.upi_id, p.rrn, p.payee, p.tr, p.amount_paise, p.paid_at, p.payer_name, p.payer_vpa,
		coalesce(f.upi_id, ''), coalesce(f.rrn, ''), coalesce(f.refunded_at, 0)`
	paymentTables = `payments p LEFT JOIN payment_refunds f ON f.payment_id = p.id`
)

// scanPayment reads paymentColumns, and then more.
func scanPayment(scan func(...any) error, more ...any) (paymentRow, error) {
	var p paymentRow
	var r network.PaymentRefund
	var paid, refunded int64
	err := scan(append([]any{&p.id, &p.ID, &p.RRN, &p.Payee, &p.TR, &p.Amount, &paid, &p.PayerName, &p.PayerVPA, &r.ID, &r.RRN, &refunded}, more...)...)
	p.At = time.UnixMilli(paid)
	if r.ID != "" {
		r.At = time.UnixMilli(refunded)
		p.Refund = &r
	}
	return p, err
}

// payments reads those that match, at most limit, in the order of their record.
func (k ledger) payments(where string, args []any, limit int) ([]paymentRow, error) {
	var out []paymentRow
	query := `SELECT ` + paymentColumns + ` FROM ` + paymentTables + ` WHERE ` + where + fmt.Sprintf(` ORDER BY p.id LIMIT %d`, limit)
	err := k.rows("read payments", query, args, func(scan func(...any) error) error {
		p, err := scanPayment(scan)
		out = append(out, p)
		return err
	})
	return out, err
}
