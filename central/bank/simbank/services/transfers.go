package services

import (
	"fmt"
	"strconv"
	"time"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/shared/money"
)

// The tariff of transfers (domain.md): one per cent of the amount, at least ten
// rupees, GST of 18 per cent included.
const (
	chargeMin    = 10 * money.Rupee
	gstPercent   = 18
	providerCost = 4 * money.Rupee // what the network keeps of a charge
)

// tariff is what a transfer costs its customer, and what becomes of that.
type tariff struct {
	charge     money.Paise // GST included
	gst        money.Paise
	commission money.Paise // of the aggregator's side: without GST and the network's cost
}

// tariffOf works out the tariff of an amount, half up at each step.
func tariffOf(amount money.Paise) tariff {
	t := tariff{charge: max(chargeMin, halfUp(amount, 100))}
	t.gst = halfUp(t.charge*gstPercent, 100+gstPercent)
	t.commission = t.charge - t.gst - providerCost
	return t
}

// halfUp divides an amount that is not negative and rounds half up.
func halfUp(p, by money.Paise) money.Paise { return (2*p + by) / (2 * by) }

func overLimit(message string) books.Decision {
	return books.Decision{Code: codeLimit, Message: message, Refusal: network.RefusedLimit}
}

// exceeded gives a decline where a transfer is over a limit.
func (a allowance) exceeded(amount money.Paise) *books.Decision {
	if amount <= a.transfer && amount <= a.left() {
		return nil
	}
	v := overLimit(fmt.Sprintf("the limit is exceeded: Rs %s are left today and Rs %s this month, at most Rs %s in one transfer",
		a.left(), a.month, a.transfer))
	return &v
}

func transferPurpose(p network.Particulars, amount money.Paise) purpose {
	return purposeOf("transfer", p.Sender, p.Account, p.IFSC, strconv.FormatInt(int64(amount), 10))
}

func (s *Services) transferOTP(x books.Tx, t network.Transaction, now time.Time) (books.Decision, error) {
	r, b, v, err := receiverOf(x, t.Particulars)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if t.Amount <= 0 {
		return declined(codeAmount, "INVALID AMOUNT"), nil
	}
	rest := fmt.Sprintf(" is the OTP to send Rs %s to %s, account XXXX%s.", t.Amount, b.name, b.account[len(b.account)-4:])
	if v, err := s.sendOTP(transferPurpose(t.Particulars, t.Amount), "", r.mobile, rest, now); v != nil || err != nil {
		return declineOf(v), err
	}
	return approved(status{"OTP_SENT"})
}

func (s *Services) transferCharges(x books.Tx, t network.Transaction, _ time.Time) (books.Decision, error) {
	if _, v, err := senderOf(x, t.Particulars); v != nil || err != nil {
		return declineOf(v), err
	}
	if t.Amount <= 0 || t.Amount > money.Max {
		return declined(codeAmount, "INVALID AMOUNT"), nil
	}
	c := tariffOf(t.Amount)
	return approved(struct {
		Charge     rupees `json:"charge"`
		Total      rupees `json:"totalAmount"`
		GST        rupees `json:"gst"`
		Commission rupees `json:"commission"`
	}{rupees(c.charge), rupees(t.Amount + c.charge), rupees(c.gst), rupees(c.commission)})
}

// transfer sends money. The OTP comes after the rules that need no secret, so
// that a decline by one of them does not use it up, and before the bank's own.
func (s *Services) transfer(x books.Tx, q books.Request) (books.Decision, error) {
	p := q.Particulars
	if f := firstInvalid(isText("remarks", p.Remarks), isText("caller's reference", p.CallerRef)); f != "" {
		return malformed(f), nil
	}
	if q.Amount <= 0 {
		return declined(codeAmount, ""), nil
	}
	r, b, v, err := receiverOf(x, p)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	switch {
	case b.id != p.Beneficiary:
		return notFound("beneficiary of this sender with this account"), nil
	case b.status() != beneficiaryUsable:
		return declined(codeNotUsed, "THE BENEFICIARY'S ACCOUNT IS NOT VERIFIED"), nil
	}
	a, err := s.allowanceOf(x, r.id, q.At)
	if err != nil {
		return books.Decision{}, err
	}
	if v := a.exceeded(q.Amount); v != nil {
		return *v, nil
	}
	if !s.otps.use(transferPurpose(p, q.Amount), "", q.OTP, q.At) {
		return wrongOTP(), nil
	}
	if q.Refuse != "" {
		return declined(q.Refuse, ""), nil
	}
	charge := tariffOf(q.Amount).charge
	if v, err := s.affordable(x, q.Amount+charge); v != nil || err != nil {
		return declineOf(v), err
	}
	err = x.BookTransfer(q, books.Transfer{
		Remitter: r.id, Beneficiary: b.id, SenderMobile: r.mobile, Receiver: b.name, Account: b.account, IFSC: b.ifsc,
		CallerRef: p.CallerRef, Remarks: p.Remarks, Charge: charge,
	})
	if err != nil {
		return books.Decision{}, err
	}
	if err := s.refillFloat(x, q); err != nil {
		return books.Decision{}, err
	}
	ruling, err := approved(struct {
		RRN    string `json:"rrn"`
		Status string `json:"status"`
	}{q.RRN, "SUCCESS"})
	ruling.Charge = charge
	return ruling, err
}

func refundPurpose(original string) purpose { return purposeOf("refund", original) }

// refundable finds the transfer that a refund means, or gives the decline.
// Another merchant's is as absent as one that never was.
func refundable(x books.Tx, original, mid string) (books.BookedTransfer, *books.Decision, error) {
	sent, known, err := x.FindTransfer(original)
	if err != nil {
		return books.BookedTransfer{}, nil, err
	}
	var v books.Decision
	switch {
	case !known || sent.MID != mid || sent.Status == network.NotFound:
		v = notFound("transfer")
	case sent.Refunded:
		v = declined(codeInvalid, "THE TRANSFER IS REFUNDED ALREADY")
	case sent.Status == network.Pending:
		v = declined(codeInvalid, "THE TRANSFER IS PENDING")
	case sent.Status == network.Failed:
		v = declined(codeInvalid, "THE TRANSFER FAILED, NOTHING WAS TAKEN")
	default:
		return sent, nil, nil
	}
	return books.BookedTransfer{}, &v, nil
}

func (s *Services) refundOTP(x books.Tx, t network.Transaction, now time.Time) (books.Decision, error) {
	sent, v, err := refundable(x, t.Particulars.Original, t.MID)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	rest := fmt.Sprintf(" is the OTP for the refund of Rs %s that you sent to %s (RRN %s). Tell it at the counter: you get the money when the bank has confirmed the refund.",
		sent.Amount, sent.Receiver, sent.RRN)
	if v, err := s.sendOTP(refundPurpose(sent.Reference), "", sent.SenderMobile, rest, now); v != nil || err != nil {
		return declineOf(v), err
	}
	return approved(status{"OTP_SENT"})
}

// refund brings a transfer back to the float, against the customer's OTP. The cash
// goes back when the refund has been confirmed.
func (s *Services) refund(x books.Tx, q books.Request) (books.Decision, error) {
	sent, v, err := refundable(x, q.Particulars.Original, q.MID)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if q.Amount != sent.Amount {
		return declined(codeAmount, ""), nil
	}
	if !s.otps.use(refundPurpose(sent.Reference), "", q.OTP, q.At) {
		return wrongOTP(), nil
	}
	if err := x.Refund(q, sent); err != nil {
		return books.Decision{}, err
	}
	return approved(struct {
		Amount rupees `json:"amount"`
		Status string `json:"status"`
	}{rupees(sent.Amount), "REFUNDED"})
}
