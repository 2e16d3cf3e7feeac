package edge

import (
	"cmp"
	"slices"
	"sync"

	"galla/shared/op"
)

// CashState is who has the cash of an operation, the counter or its customer.
//
// The customer of a transfer pays in cash. When the transfer fails after the
// agent was asked to keep that cash, or when the bank reverses it, the cash is
// open until a record says where it went: to the customer (ConfirmCash), into
// the refund, or into the next attempt (Request.CashFrom). Only one of them gets
// it: ConfirmCash is refused while a refund is open, a refund that starts after
// ConfirmCash pays no cash (RefundCashBefore), and an attempt that is paid with
// it owns it from then on. Two records change for that; a start of the program
// repeats the second change if a power cut prevented it.
type CashState string

// The states. CashDue and CashReversed are open until a user has answered,
// CashRefund until the bank has refunded the transfer.
const (
	CashNone         CashState = ""          // the customer gets none, or it is not known yet
	CashDue          CashState = "due"       // the bank paid, or a transfer failed; no user has said whether the cash was given
	CashGiven        CashState = "given"     // a user said that it was given
	CashNotGiven     CashState = "not-given" // a user said that it was not: the counter owes it to the customer
	CashReversed     CashState = "reversed"  // the bank reversed the payment; no user has acknowledged it
	CashAcknowledged CashState = "noted"     // the bank reversed the payment; a user has acknowledged it
	CashRefund       CashState = "refund"    // the bank reversed a transfer: the customer gets its cash with a refund
)

// RefundCashAfter is the Consent of a refund whose cash is given after the bank
// has refunded the transfer. A refund without it is one whose customer had the
// cash before the one-time password was entered.
const RefundCashAfter = "CASH-AFTER-REFUND"

// RefundCashBefore is the Consent of a refund whose cash was given to the
// customer before it started: the refund pays none out of the drawer.
const RefundCashBefore = "CASH-BEFORE-REFUND"

// paysCash reports whether the customer gets cash when the operation succeeds.
func (r Record) paysCash() bool {
	return r.Route == op.Withdrawal || r.Route == op.Refund && r.Consent == RefundCashAfter
}

// mayOpenCash reports whether the operation's cash can be open, now or later.
func (r Record) mayOpenCash() bool { return r.paysCash() || r.OwesCashBack() || r.isReversedTransfer() }

// Cash computes who has the operation's cash from the record alone. CashBy
// without CashGivenAt means that a user said that no cash was given. A failed
// transfer whose cash was kept counts like a withdrawal: the cash belongs to the
// customer. The cash of a reversed transfer is open until the bank has refunded
// it or a user says that the customer has it.
func (r Record) Cash() CashState {
	switch {
	case r.paysCash() && r.State == op.Reversed && r.CashBy != "":
		return CashAcknowledged
	case r.paysCash() && r.State == op.Reversed:
		return CashReversed
	case r.isReversedTransfer() && r.CashGivenAt.IsZero() && r.RefundedAt.IsZero():
		return CashRefund
	case r.isReversedTransfer() && r.CashGivenAt.IsZero():
		return CashNone // the refund's own record has the cash
	case !r.OwesCashBack() && !r.isReversedTransfer() && (!r.paysCash() || r.State != op.Succeeded):
		return CashNone
	case !r.CashGivenAt.IsZero():
		return CashGiven
	case r.CashBy != "":
		return CashNotGiven
	}
	return CashDue
}

// IsOpen reports whether a user has to do something about the cash, or the
// counter owes it to the customer.
func (c CashState) IsOpen() bool { return c.NeedsAnswer() || c == CashNotGiven }

// NeedsAnswer reports whether the cash waits for a user's answer or for the
// refund of a transfer.
func (c CashState) NeedsAnswer() bool { return c == CashDue || c == CashReversed || c == CashRefund }

// ConfirmCash records that the agent gave cash to the customer: of a withdrawal
// or a refund, or of a transfer that failed or was reversed after its cash was
// kept. A second call changes nothing. ErrIllegal: no cash belongs to the
// customer, or an open refund of the transfer may pay it.
func (c *Counter) ConfirmCash(id op.ID, operator User) error {
	c.cashMu.Lock()
	defer c.cashMu.Unlock()
	refunding := c.hasOpenRefund(id)
	_, err := c.change(id, func(r *Record) error {
		switch now := r.Cash(); {
		case now == CashRefund && refunding:
			return ErrIllegal
		case now == CashDue || now == CashNotGiven || now == CashRefund:
			r.CashGivenAt, r.CashBy, r.CashByID = c.cfg.Now(), operator.Name, operator.ID
		case now == CashGiven:
		default:
			return ErrIllegal
		}
		return nil
	})
	return err
}

// AnswerCash records a user's answer about the cash: CashNotGiven for cash that
// is due, CashAcknowledged for a reversed payment. A second call with the same
// answer changes nothing. ErrIllegal: the operation's state does not allow the
// answer.
func (c *Counter) AnswerCash(id op.ID, operator User, answer CashState) error {
	_, err := c.change(id, func(r *Record) error {
		from := map[CashState]CashState{CashNotGiven: CashDue, CashAcknowledged: CashReversed}[answer]
		switch now := r.Cash(); {
		case now == answer && now != CashNone:
		case from == CashNone || now != from:
			return ErrIllegal
		default:
			r.CashBy, r.CashByID = cmp.Or(operator.Name, operator.ID, AgentID), operator.ID
		}
		return nil
	})
	return err
}

// loadOpenCash finds the operations whose cash is open, however old they are.
func (c *Counter) loadOpenCash() {
	// First repeat changes of linked transfers that a power cut prevented: they
	// may close the cash of a transfer.
	linked, err := c.queue.LinkedOperations()
	if err != nil {
		c.log.Error("linked operations can't be read; the cash of their transfers may be wrong", "error", err)
	}
	for _, r := range linked {
		c.updateLinkedTransfer(r)
	}
	open, err := c.queue.OpenCash()
	if err != nil {
		c.log.Error("operations with open cash can't be read", "error", err)
	}
	for _, r := range open {
		c.updateOpenCash(r)
	}
}

// updateOpenCash updates the list of open cash after a change of an operation.
// It reads the record again, so that of two concurrent changes the later one
// counts.
func (c *Counter) updateOpenCash(r Record) {
	c.updateLinkedTransfer(r)
	if !r.mayOpenCash() {
		return
	}
	c.openCash.mu.Lock()
	defer c.openCash.mu.Unlock()
	if now, err := c.queue.Get(r.ID); err == nil {
		r = now
	}
	if !r.Cash().IsOpen() {
		delete(c.openCash.open, r.ID)
		return
	}
	r.Body, r.Reply = nil, nil
	c.openCash.open[r.ID] = r
}

type openCashList struct {
	mu   sync.Mutex
	open map[op.ID]Record
}

// sorted returns the operations, the one that ended first first.
func (l *openCashList) sorted() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Record, 0, len(l.open))
	for _, r := range l.open {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Record) int {
		return cmp.Or(a.EndedAt.Compare(b.EndedAt), cmp.Compare(a.ID, b.ID))
	})
	return out
}
