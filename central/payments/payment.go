package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// Payment is a recorded payment.
type Payment struct {
	central.ReceivedPayment

	Operation op.ID
	Merchant  central.MerchantID // empty: the VPA is nobody's
	Order     string             // the order_id of the QR; empty: none was matched
	Match     Match
	Source    Source // of the first report
	OverLimit string // which limit of the merchant it is over, for people; empty: none

	RecordedAt       time.Time
	RefundOperation  op.ID // empty: it was not returned
	RefundRecordedAt time.Time
}

// NeedsPerson tells whether operators look at the payment: the merchant may not know what it
// is for, or received more than its limits allow.
func (p Payment) NeedsPerson() bool {
	return p.OverLimit != "" || p.Match.Unclear()
}

// Refunded tells whether the bank returned the payment.
func (p Payment) Refunded() bool { return p.Refund != nil }

// Match says what a payment was matched to.
type Match string

// The matches.
const (
	MatchOrder        Match = "order"         // a QR for one order and amount
	MatchStatic       Match = "static"        // the payee's static QR, or its VPA
	MatchExpired      Match = "expired-order" // a QR older than CodeLife
	MatchAmount       Match = "wrong-amount"  // a QR for another amount
	MatchUnknownOrder Match = "unknown-order" // a tr that no QR of the merchant has
	MatchUnknownPayee Match = "unknown-payee" // a VPA that no merchant has, or several
)

// Unclear tells whether the merchant may not know what the payment is for.
func (m Match) Unclear() bool { return m != MatchOrder && m != MatchStatic }

// Source says how a payment became known.
type Source string

// The sources.
const (
	FromNotification Source = "notification"
	FromEnquiry      Source = "enquiry"
)

// CodeLife is how long after its QR was made an order can be paid. A counter's customer
// pays within minutes, and a bill within days.
const CodeLife = 7 * 24 * time.Hour

// Code is a QR code for one order and one amount.
type Code struct {
	Merchant central.MerchantID
	TR       string // in the QR's link
	Amount   money.Paise
	Order    string    // the merchant's order_id
	MadeAt   time.Time // of the newest code
}

// Errors.
var (
	// ErrConflict says that a payment is recorded with other values. It is a
	// central.ErrState.
	ErrConflict = fmt.Errorf("the payment is recorded with other values: %w", central.ErrState)
	// ErrAfter says that a page should follow a payment that the merchant does not have.
	ErrAfter = errors.New("the list has no such payment to go on after")
)

// Recorded is a payment as it is recorded now.
type Recorded struct {
	Payment
	New       bool                 // by this call
	Terminals []central.TerminalID // that have an event of it
}

// Filter chooses a merchant's payments.
type Filter struct {
	Merchant central.MerchantID
	Order    string // empty: any
	// From and To bound the time of the record, the first included.
	From, To time.Time
	After    string // id of the last payment of the page before; empty: the first page
	Limit    int
}

// Store stores payments and codes. Its methods may be called concurrently.
type Store interface {
	// AddCode records a QR code, or that it was made again.
	AddCode(ctx context.Context, c Code) error
	// CodesOf lists the codes of a merchant with a tr, one for each amount.
	CodesOf(ctx context.Context, m central.MerchantID, tr string) ([]Code, error)
	// CodesForOrder lists the codes of a merchant's order, one for each amount, newest
	// first.
	CodesForOrder(ctx context.Context, m central.MerchantID, order string) ([]Code, error)
	// MerchantsByVPA lists merchants with a VPA, in upper or lower case; at most two. mid
	// is the MID for which the VPA is the default one; empty: none.
	MerchantsByVPA(ctx context.Context, vpa, mid string) ([]central.Merchant, error)

	// Payment returns a payment by the network's id, or central.ErrNotFound.
	Payment(ctx context.Context, id string) (Payment, error)
	// CheckQuotas looks whether quotas have room now, and counts nothing. Where one has none
	// the error is a *central.QuotaError.
	CheckQuotas(ctx context.Context, quotas []central.Quota) error
	// AddPayment records a payment with its operation, which is created and finished, and
	// an event for each of the merchant's terminals, in one transaction. It is counted
	// against the quotas, and where one has no room, OverLimit says so. ErrConflict: its
	// RRN or its operation's reference is that of another. Where another node was first,
	// the result is what that one recorded.
	AddPayment(ctx context.Context, p Payment, o central.Operation, end central.FinalOutcome, quotas []central.Quota) (Recorded, error)
	// AddRefund records the return of a payment in the same way.
	AddRefund(ctx context.Context, p Payment, o central.Operation, end central.FinalOutcome) (Recorded, error)

	// PaymentsOf lists payments, the newest record first. ErrAfter.
	PaymentsOf(ctx context.Context, f Filter) ([]Payment, error)
	// PaymentsForPerson lists those that NeedsPerson, the newest record first.
	PaymentsForPerson(ctx context.Context, before time.Time, limit int) ([]Payment, error)
	// EnquiredUntil gives the time up to which the network was asked for payments; the zero
	// time: never. SetEnquiredUntil moves it, and never back.
	EnquiredUntil(ctx context.Context) (time.Time, error)
	SetEnquiredUntil(ctx context.Context, until time.Time) error
}
