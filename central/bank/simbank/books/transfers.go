package books

import (
	"fmt"
	"time"

	"galla/central/bank/network"
	"galla/shared/ist"
	"galla/shared/money"
)

// Codes of the accounts of money transfer.
const (
	accountFloat   = "float"           // what the aggregator paid in, and transfers are paid from
	accountIMPS    = "settlement.imps" // owed to the receivers' banks
	accountCharges = "income.charges"  // what customers pay for transfers and registrations, GST included
	accountRefunds = "refunds.due"     // of transfers that were reversed, until their refund
)

// OpenFloat opens the accounts of money transfer, where they are missing, with
// what the aggregator pays in at the beginning.
func (x Tx) OpenFloat(opening money.Paise, now time.Time) error {
	var n int
	if _, err := x.Row("look for the float", `SELECT count(*) FROM accounts WHERE code = ?`, []any{accountFloat}, &n); err != nil || n > 0 {
		return err
	}
	funds, err := x.k.account(accountFunds, "Funds held for customers", "FUNDS")
	if err != nil {
		return err
	}
	float, err := x.k.account(accountFloat, "Float of the aggregator", "FLOAT")
	if err != nil {
		return err
	}
	for _, a := range []struct{ code, title, kind string }{
		{accountIMPS, "Settlement of transfers by IMPS", "SETTLEMENT"},
		{accountCharges, "Charges of transfers and registrations", "INCOME"},
		{accountRefunds, "Refunds due for reversed transfers", "PAYABLE"},
	} {
		if _, err := x.k.account(a.code, a.title, a.kind); err != nil {
			return err
		}
	}
	if opening == 0 {
		return nil
	}
	return x.k.post(entry{purpose: purposeOpening, debit: funds, credit: float, amount: opening, narration: "OPENING FLOAT", at: now})
}

// Float is what the float holds.
func (x Tx) Float() (money.Paise, error) {
	var p money.Paise
	_, err := x.Row("read the float", `SELECT credits_paise - debits_paise FROM accounts WHERE code = ?`, []any{accountFloat}, &p)
	return p, err
}

// RemitterTotals is what a remitter has sent, reversals and refunds taken off.
type RemitterTotals struct {
	Transfers  int // today
	Day, Month money.Paise
}

// RemitterTotals sums up a remitter's transfers on the Indian day and in the month of a
// moment.
func (x Tx) RemitterTotals(remitter int64, at time.Time) (RemitterTotals, error) {
	var s RemitterTotals
	today := day(at)
	_, err := x.Row("sum up the remitter's transfers", `SELECT coalesce(sum(transfers) FILTER (WHERE day = ?1), 0),
		coalesce(sum(paise) FILTER (WHERE day = ?1), 0), coalesce(sum(paise), 0)
		FROM remitter_debits WHERE remitter_id = ?2 AND day BETWEEN ?3 AND ?4`,
		[]any{today, remitter, today[:8] + "01", today[:8] + "31"}, &s.Transfers, &s.Day, &s.Month)
	return s, err
}

// Transfer is money on its way from a remitter to a beneficiary.
type Transfer struct {
	Remitter, Beneficiary   int64
	SenderMobile            string
	Receiver, Account, IFSC string
	CallerRef, Remarks      string
	Charge                  money.Paise
}

// BookTransfer takes a transfer and its charge from the float, and counts it against
// the remitter's limits. The request must become approved or deferred in the
// same commit; a float that does not hold it is an error.
func (x Tx) BookTransfer(q Request, t Transfer) error {
	err := x.Exec("record the transfer", `INSERT INTO transfers (transaction_id, remitter_id, beneficiary_id, sender_mobile, receiver,
		account, ifsc, caller_ref, remarks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		q.ID, t.Remitter, t.Beneficiary, t.SenderMobile, t.Receiver, t.Account, t.IFSC, t.CallerRef, t.Remarks)
	if err != nil {
		return err
	}
	if err := x.k.move(q.ID, "TRANSFER", accountFloat, accountIMPS, q.Amount, "IMPS TRANSFER", q.At); err != nil {
		return err
	}
	if err := x.k.move(q.ID, "CHARGE", accountFloat, accountCharges, t.Charge, "TRANSFER CHARGE", q.At); err != nil {
		return err
	}
	return x.k.countTransfer(t.Remitter, q.At, 1, q.Amount)
}

// TakeFee takes the fee of a registration from the float.
func (x Tx) TakeFee(q Request, fee money.Paise) error {
	return x.k.move(q.ID, "FEE", accountFloat, accountCharges, fee, "REGISTRATION FEE", q.At)
}

// FillFloat has the aggregator pay an amount into the float, at most once for each
// request.
func (x Tx) FillFloat(q Request, amount money.Paise) error {
	return x.k.move(q.ID, "REFILL", accountFunds, accountFloat, amount, "FLOAT REFILL", q.At)
}

// BookedTransfer is a transfer as the books have it.
type BookedTransfer struct {
	Transfer
	ID        int64
	Reference string
	RRN       string
	MID       string
	Status    network.Status // NotFound while it counts as lost
	Amount    money.Paise
	At        time.Time // when it arrived
	Refunded  bool
}

// FindTransfer finds a transfer by its reference; it reports false where the reference
// is none of a transfer.
func (x Tx) FindTransfer(reference string) (BookedTransfer, bool, error) {
	r, known, err := x.k.recordOf(reference)
	if err != nil || !known || r.kind != network.Transfer {
		return BookedTransfer{}, false, err
	}
	s, err := x.k.sent(r)
	return s, err == nil, err
}

// sent joins a transfer's record with its rows.
func (k ledger) sent(r record) (BookedTransfer, error) {
	s := BookedTransfer{ID: r.id, Reference: r.reference, RRN: r.rrn, MID: r.mid, Status: answerOf(r).Status, Amount: r.amount, At: r.arrived}
	s.Charge = r.charge
	t := &s.Transfer
	_, err := k.row("find the transfer", `SELECT t.remitter_id, t.beneficiary_id, t.sender_mobile, t.receiver, t.account, t.ifsc,
		t.caller_ref, t.remarks, f.transfer_id IS NOT NULL
		FROM transfers t LEFT JOIN refunds f ON f.transfer_id = t.transaction_id WHERE t.transaction_id = ?`, []any{r.id},
		&t.Remitter, &t.Beneficiary, &t.SenderMobile, &t.Receiver, &t.Account, &t.IFSC, &t.CallerRef, &t.Remarks, &s.Refunded)
	return s, err
}

// Refund brings a transfer back to the float: from what is due, charge
// included, if it was reversed; else the amount from the settlement, which also
// gives the remitter's limits back. A second refund of one transfer is an
// error of the schema.
func (x Tx) Refund(q Request, s BookedTransfer) error {
	err := x.Exec("record the refund", `INSERT INTO refunds (transfer_id, transaction_id) VALUES (?, ?)`, s.ID, q.ID)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Rs %s of your transfer to %s (RRN %s) were paid back to you at the counter on %s.",
		s.Amount, s.Receiver, s.RRN, q.At.In(ist.Zone()).Format("02-01-2006 15:04"))
	if err := x.k.addMessage(s.SenderMobile, q.At, text); err != nil {
		return err
	}
	if s.Status == network.Success {
		if err := x.k.move(q.ID, "REFUND", accountIMPS, accountFloat, s.Amount, "TRANSFER REFUND", q.At); err != nil {
			return err
		}
		return x.k.countTransfer(s.Remitter, s.At, -1, -s.Amount)
	}
	if err := x.k.move(q.ID, "REFUND", accountRefunds, accountFloat, s.Amount, "TRANSFER REFUND", q.At); err != nil {
		return err
	}
	return x.k.move(q.ID, "CHARGE_REFUND", accountRefunds, accountFloat, s.Charge, "CHARGE REFUND", q.At)
}

// returnTransfer moves a failed transfer and its charge to what is due to be
// refunded, and gives the remitter's limits back.
func (k ledger) returnTransfer(r record, now time.Time) error {
	s, err := k.sent(r)
	if err != nil {
		return err
	}
	if err := k.move(r.id, "RETURN", accountIMPS, accountRefunds, s.Amount, "TRANSFER RETURNED", now); err != nil {
		return err
	}
	if err := k.move(r.id, "CHARGE_RETURN", accountCharges, accountRefunds, s.Charge, "CHARGE RETURNED", now); err != nil {
		return err
	}
	if err := k.countTransfer(s.Remitter, s.At, -1, -s.Amount); err != nil {
		return err
	}
	return k.addMessage(s.SenderMobile, now, fmt.Sprintf("Your transfer of Rs %s to %s (RRN %s) failed. Ask for your money where you paid it: you will get an OTP for the refund.",
		s.Amount, s.Receiver, s.RRN))
}

// addTransferMessage tells the sender that a transfer succeeded.
func (k ledger) addTransferMessage(r record, now time.Time) error {
	s, err := k.sent(r)
	if err != nil {
		return err
	}
	return k.addMessage(s.SenderMobile, now, fmt.Sprintf("Rs %s sent to %s, account %s, on %s. Charge Rs %s. RRN %s.",
		s.Amount, s.Receiver, maskAccount(s.Account), now.In(ist.Zone()).Format("02-01-2006 15:04"), s.Charge, s.RRN))
}

// move posts an entry between two of the bank's own accounts; an amount of zero
// moves nothing.
func (k ledger) move(transaction int64, purpose, from, to string, amount money.Paise, narration string, at time.Time) error {
	if amount == 0 {
		return nil
	}
	e := entry{transaction: transaction, purpose: purpose, amount: amount, narration: narration, at: at}
	for code, id := range map[string]*int64{from: &e.debit, to: &e.credit} {
		ok, err := k.row("find account "+code, `SELECT id FROM accounts WHERE code = ?`, []any{code}, id)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("find account %s: it was never opened", code)
		}
	}
	return k.post(e)
}

// countTransfer adds to what a remitter sent on a day, or takes from it.
func (k ledger) countTransfer(remitter int64, at time.Time, transfers int, amount money.Paise) error {
	if transfers < 0 { // an INSERT's row is checked before its conflict is seen
		return k.exec("count the remitter's transfers", `UPDATE remitter_debits SET transfers = transfers + ?, paise = paise + ?
			WHERE remitter_id = ? AND day = ?`, transfers, amount, remitter, day(at))
	}
	return k.exec("count the remitter's transfers", `INSERT INTO remitter_debits (remitter_id, day, transfers, paise) VALUES (?, ?, ?, ?)
		ON CONFLICT (remitter_id, day) DO UPDATE SET transfers = transfers + excluded.transfers, paise = paise + excluded.paise`,
		remitter, day(at), transfers, amount)
}

// maskAccount shows the last four characters of an account number.
func maskAccount(account string) string {
	if len(account) < 4 {
		return "XXXX"
	}
	return "XXXX" + account[len(account)-4:]
}
