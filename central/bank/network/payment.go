package network

import (
	"strings"
	"time"

	"galla/shared/money"
)

// PathNotifications is the route of the central on which the network reports payments. It
// is POST; its checksum is Checksums.AppendNotification.
const PathNotifications = "/network/v1/notifications"

// PathPayments is the network's route for questions about payments; the body is a
// PaymentQuery. It is POST.
const PathPayments = "/v1/payments"

// Limits of the messages about payments.
const (
	// MaxPayments is the most payments that one answer lists.
	MaxPayments = 500
	// MaxNotification is the longest notification in bytes: one payment.
	MaxNotification = 8 << 10

	maxPaymentID = 35  // UPI's transaction id
	maxVPA       = 255 // as in UPI links
	maxTR        = 35  // UPI's transaction reference
	maxPayer     = 400 // 100 characters of any script
)

// Payment is a UPI payment that the network received for a payee, as the network knows it
// now. A notification has all of it, so that the order of notifications does not matter.
type Payment struct {
	ID     string // UPI's transaction id, unique for ever: 1 to 35 capital letters and digits
	RRN    string // retrieval reference number (UTR), 12 digits
	Payee  string // VPA of the payee
	TR     string // of a dynamic QR: its tr; empty: a static QR, or none
	Amount money.Paise
	At     time.Time // when the payer's bank paid; whole milliseconds

	// PayerName and PayerVPA are masked by the network, such as "R••••h K•••r" and
	// "ra••••@okbank"; empty: not known.
	PayerName string
	PayerVPA  string

	// Refund is the return of the whole payment by the bank; nil: there is none.
	Refund *PaymentRefund
}

// PaymentRefund says that a payment was returned to its payer.
type PaymentRefund struct {
	ID  string // UPI's transaction id of the return, unique for ever
	RRN string
	At  time.Time // whole milliseconds
}

// PaymentQuery asks for payments: by TR with its payee, by RRN, or by a period. Exactly
// one of the three is set.
type PaymentQuery struct {
	// Reference is the caller's, 1 to 40 of A–Z, 0–9 and '-'. It binds the reply to the
	// query, and need not be unique.
	Reference string

	Payee, TR string
	RRN       string

	// From and To bound the time at which the network recorded a payment or its refund,
	// the first included. After is the Next of the page before; empty: the first page.
	From, To time.Time
	After    string
	Limit    int // 1 to MaxPayments
}

// Payments is the answer to a PaymentQuery. Those of a period come in the order in which
// they were recorded.
type Payments struct {
	Reference string
	Payments  []Payment
	Next      string // where the next page begins; empty: this is the last one
}

// Receipt is the reply to a notification that is recorded, now or before.
type Receipt struct {
	ID string `json:"id"` // of the payment
}

// payment, paymentRefund, paymentQuery and payments are the messages on the wire. Times
// are Unix milliseconds.
type (
	payment struct {
		ID        string         `json:"id"`
		RRN       string         `json:"rrn"`
		Payee     string         `json:"payee"`
		TR        string         `json:"tr,omitzero"`
		Amount    int64          `json:"amountPaise"`
		At        int64          `json:"at"`
		PayerName string         `json:"payerName,omitzero"`
		PayerVPA  string         `json:"payerVPA,omitzero"`
		Refund    *paymentRefund `json:"refund,omitzero"`
	}
	paymentRefund struct {
		ID  string `json:"id"`
		RRN string `json:"rrn"`
		At  int64  `json:"at"`
	}
	paymentQuery struct {
		Reference string `json:"reference"`
		Payee     string `json:"payee,omitzero"`
		TR        string `json:"tr,omitzero"`
		RRN       string `json:"rrn,omitzero"`
		From      int64  `json:"from,omitzero"`
		To        int64  `json:"to,omitzero"`
		After     string `json:"after,omitzero"`
		Limit     int    `json:"limit,omitzero"`
	}
	payments struct {
		Reference string    `json:"reference"`
		Payments  []payment `json:"payments"`
		Next      string    `json:"next,omitzero"`
	}
)

func paymentOut(p Payment) payment {
	w := payment{p.ID, p.RRN, p.Payee, p.TR, int64(p.Amount), p.At.UnixMilli(), p.PayerName, p.PayerVPA, nil}
	if p.Refund != nil {
		w.Refund = &paymentRefund{p.Refund.ID, p.Refund.RRN, p.Refund.At.UnixMilli()}
	}
	return w
}

func paymentIn(w payment) Payment {
	p := Payment{w.ID, w.RRN, w.Payee, w.TR, money.Paise(w.Amount), time.UnixMilli(w.At), w.PayerName, w.PayerVPA, nil}
	if w.Refund != nil {
		p.Refund = &PaymentRefund{w.Refund.ID, w.Refund.RRN, time.UnixMilli(w.Refund.At)}
	}
	return p
}

// EncodePayment writes a notification. It fails where a text is not UTF-8.
func EncodePayment(p Payment) ([]byte, error) { return encode("payment", paymentOut(p)) }

// DecodePayment reads what EncodePayment wrote. Payment.InvalidMembers checks the values.
func DecodePayment(b []byte) (Payment, error) {
	var w payment
	if err := decode("payment", b, &w); err != nil {
		return Payment{}, err
	}
	return paymentIn(w), nil
}

// EncodeReceipt writes the reply to a notification.
func EncodeReceipt(r Receipt) ([]byte, error) { return encode("receipt", r) }

// DecodeReceipt reads what EncodeReceipt wrote.
func DecodeReceipt(b []byte) (Receipt, error) {
	var r Receipt
	err := decode("receipt", b, &r)
	return r, err
}

// EncodePaymentQuery writes a query.
func EncodePaymentQuery(q PaymentQuery) ([]byte, error) {
	return encode("payment query", paymentQuery{q.Reference, q.Payee, q.TR, q.RRN, milliseconds(q.From), milliseconds(q.To), q.After, q.Limit})
}

// DecodePaymentQuery reads what EncodePaymentQuery wrote. PaymentQuery.InvalidMembers
// checks the values.
func DecodePaymentQuery(b []byte) (PaymentQuery, error) {
	var w paymentQuery
	if err := decode("payment query", b, &w); err != nil {
		return PaymentQuery{}, err
	}
	return PaymentQuery{w.Reference, w.Payee, w.TR, w.RRN, moment(w.From), moment(w.To), w.After, w.Limit}, nil
}

// EncodePayments writes the answer to a query.
func EncodePayments(a Payments) ([]byte, error) {
	w := payments{a.Reference, make([]payment, 0, len(a.Payments)), a.Next}
	for _, p := range a.Payments {
		w.Payments = append(w.Payments, paymentOut(p))
	}
	return encode("payments", w)
}

// DecodePayments reads what EncodePayments wrote. Payment.InvalidMembers checks each.
func DecodePayments(b []byte) (Payments, error) {
	var w payments
	if err := decode("payments", b, &w); err != nil {
		return Payments{}, err
	}
	a := Payments{Reference: w.Reference, Next: w.Next}
	for _, p := range w.Payments {
		a.Payments = append(a.Payments, paymentIn(p))
	}
	return a, nil
}

// milliseconds is a time on the wire; 0: none.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// moment is the time of milliseconds.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// InvalidMembers names the members that break the protocol; nil: none.
func (p Payment) InvalidMembers() []string {
	var out invalidMembers
	out.addIf(!validPaymentID(p.ID), "id")
	out.addIf(!validRRN(p.RRN), "rrn")
	out.addIf(!validVPA(p.Payee), "payee")
	out.addIf(p.TR != "" && !validTR(p.TR), "tr")
	out.addIf(p.Amount <= 0 || p.Amount > money.Max, "amountPaise")
	out.addIf(p.At.UnixMilli() <= 0, "at")
	out.addIf(len(p.PayerName) > maxPayer, "payerName")
	out.addIf(len(p.PayerVPA) > maxPayer, "payerVPA")
	if r := p.Refund; r != nil {
		out.addIf(!validPaymentID(r.ID) || r.ID == p.ID, "refund.id")
		out.addIf(!validRRN(r.RRN), "refund.rrn")
		out.addIf(r.At.UnixMilli() <= 0, "refund.at")
	}
	return out
}

// InvalidMembers names the members that break the protocol; nil: none. A query that asks
// for nothing, or in two ways, is "query".
func (q PaymentQuery) InvalidMembers() []string {
	var out invalidMembers
	out.addIf(!ValidReference(q.Reference), "reference")
	ways := 0
	if q.Payee != "" || q.TR != "" {
		ways++
		out.addIf(!validVPA(q.Payee), "payee")
		out.addIf(!validTR(q.TR), "tr")
	}
	if q.RRN != "" {
		ways++
		out.addIf(!validRRN(q.RRN), "rrn")
	}
	if !q.From.IsZero() || !q.To.IsZero() {
		ways++
		out.addIf(q.From.UnixMilli() <= 0, "from")
		out.addIf(!q.To.After(q.From), "to")
	}
	out.addIf(ways != 1, "query")
	out.addIf(q.After != "" && (q.From.IsZero() || !isToken(q.After, maxHandle)), "after")
	out.addIf(q.Limit < 1 || q.Limit > MaxPayments, "limit")
	return out
}

func validPaymentID(s string) bool {
	return s != "" && len(s) <= maxPaymentID && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

func validRRN(s string) bool { return len(s) == 12 && digits(s) }

// validVPA tells whether a text has the form of a VPA: a name, an @ and a handle.
func validVPA(s string) bool {
	name, handle, found := strings.Cut(s, "@")
	return found && name != "" && isToken(handle, maxVPA) && isToken(s, maxVPA) && !strings.Contains(handle, "@")
}

func validTR(s string) bool { return isToken(s, maxTR) }
