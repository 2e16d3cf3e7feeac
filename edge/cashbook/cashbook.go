package cashbook

import (
	"slices"
	"time"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// Flow is a kind of movement of cash.
type Flow string

// The flows, in display order.
const (
	Withdrawn   Flow = "withdrawn"   // out: handed over, and confirmed
	Unconfirmed Flow = "unconfirmed" // out: the bank paid a withdrawal or refund; nobody has confirmed that the cash was given
	Sent        Flow = "sent"        // in: a transfer's amount, from the customer
	Charged     Flow = "charged"     // in: a transfer's charge, as reported by central
	Fee         Flow = "fee"         // in: the fee of a sender's registration
	Held        Flow = "held"        // in: of a transfer without a final outcome
	Owed        Flow = "owed"        // in: of a failed or reversed transfer: the customer's own cash until it is returned
	Returned    Flow = "returned"    // out: of a failed transfer with held cash, back to the customer
	Refunded    Flow = "refunded"    // out
)

// Flows returns the flows in display order.
func Flows() []Flow {
	return []Flow{Withdrawn, Unconfirmed, Sent, Charged, Fee, Held, Owed, Returned, Refunded}
}

// IsOut reports whether the flow takes cash out of the drawer.
func (f Flow) IsOut() bool {
	return f == Withdrawn || f == Unconfirmed || f == Returned || f == Refunded
}

// IsOpen reports whether somebody still has to answer or do something.
func (f Flow) IsOpen() bool { return f == Unconfirmed || f == Held }

// Entry is one movement of cash.
type Entry struct {
	Flow   Flow
	Amount money.Paise // not negative; Flow is the direction
	At     time.Time   // by the counter's clock
}

// EntriesOf returns how an operation changed the cash in the drawer; nil: not at all.
//
//	withdrawal   paid, cash handed over               out, when it was handed over
//	             paid, not confirmed                  out, when the bank paid; Unconfirmed
//	             paid, answered 'not given'           nothing: the cash is still here
//	             anything else                        nothing
//	Aadhaar Pay  always                               nothing: the account pays the shop
//	transfer     succeeded                            in: amount and charge
//	             on its way, pending, unknown         in: both, held until its outcome
//	             reversed                             in: both, owed until the refund; out when
//	                                                  the agent says that it was returned before
//	             refused in the customer's presence   nothing: the cash is returned at once, or
//	             (wrong password, declined)           pays for the next attempt
//	             failed after its cash was kept       in: both, owed; out when the agent says
//	                                                  that it was returned, or when the next
//	                                                  attempt that it pays for was created
//	refund       succeeded, cash handed over          out, when it was handed over
//	             succeeded, not confirmed             out, when the bank paid; Unconfirmed
//	             succeeded, answered 'not given'      nothing: the cash is still here
//	             cash returned before the password    out, when it was created
//	             (edge.RefundCashBefore)
//	             of a transfer whose cash was         nothing: it left with the transfer
//	             returned before (edge.RefundClosed)
//	             anything else                        nothing
//	registration with a fee                           in
//
// Charges come from central's reply to the transfer, else from its reply about charges
// before the customer paid (Record.Charge). The refund of a transfer that the bank had
// paid out returns its amount; that of a reversed transfer the charge too, since the bank
// takes none.
//
// A customer who tries again after a wrong password has two records, of which at most one
// succeeded: the cash counts once. If the first attempt's cash was kept, the next attempt
// holds it from when the first releases it (edge.Record.Of, CashInto).
func EntriesOf(r edge.Record) []Entry {
	switch r.Route {
	case op.Withdrawal:
		return withdrawal(r)
	case op.Transfer:
		return transfer(r)
	case op.Refund:
		return refund(r)
	case op.RemitterRegister:
		if r.State == op.Succeeded && r.Result.StatusCode == approved {
			return nonZero(Entry{Fee, amountFromReply(r, "registrationFeeCharged", 0), r.CreatedAt})
		}
	}
	return nil
}

const approved = "00"

func withdrawal(r edge.Record) []Entry {
	switch {
	case !r.CashGivenAt.IsZero():
		return nonZero(Entry{Withdrawn, r.Amount, r.CashGivenAt})
	case r.Cash() == edge.CashDue:
		return nonZero(Entry{Unconfirmed, r.Amount, r.EndedAt})
	}
	return nil
}

func transfer(r edge.Record) []Entry {
	held := Entry{Held, r.Amount + Charge(r), r.CreatedAt}
	if r.OwesCashBack() || r.State == op.Reversed {
		held.Flow = Owed
	}
	switch {
	case r.State == op.Succeeded:
		return nonZero(Entry{Sent, r.Amount, r.CreatedAt}, Entry{Charged, Charge(r), r.CreatedAt})
	case held.Flow == Owed && !r.CashGivenAt.IsZero():
		return nonZero(held, Entry{Returned, held.Amount, r.CashGivenAt})
	case held.Flow == Owed || r.CashKept: // kept cash of an earlier attempt is held before this one is sent
		return nonZero(held)
	}
	switch r.State {
	case op.Sent, op.Accepted, op.Unknown, op.Pending:
		return nonZero(held)
	}
	return nil // not sent yet, or refused in the customer's presence
}

func refund(r edge.Record) []Entry {
	switch {
	case !r.CashGivenAt.IsZero():
		return nonZero(Entry{Refunded, Payable(r), r.CashGivenAt})
	case r.Cash() == edge.CashDue:
		return nonZero(Entry{Unconfirmed, Payable(r), r.EndedAt})
	case r.Consent == edge.RefundCashBefore: // the transfer's record has it as returned
	case r.State == op.Succeeded && r.Consent != edge.RefundCashAfter: // the cash was returned before the one-time password
		return nonZero(Entry{Refunded, Payable(r), r.CreatedAt})
	}
	return nil
}

// Payable returns the cash that belongs to the customer (edge.Record.Cash): the amount,
// and the charge of a refund and of a transfer whose cash is returned.
func Payable(r edge.Record) money.Paise {
	switch {
	case r.Route == op.Refund:
		return amountFromReply(r, "amount", r.Amount) + Charge(r)
	case r.OwesCashBack(), r.Route == op.Transfer && r.State == op.Reversed:
		return r.Amount + Charge(r)
	}
	return r.Amount
}

// Charge returns what the customer pays for a transfer beside its amount, or what a refund
// returns of that; 0 for any other operation.
func Charge(r edge.Record) money.Paise {
	if r.Route != op.Transfer && r.Route != op.Refund {
		return 0
	}
	return amountFromReply(r, "charge", r.Charge)
}

// amountFromReply returns an amount of the reply, or otherwise if it has none.
func amountFromReply(r edge.Record, name string, otherwise money.Paise) money.Paise {
	p, err := money.Parse(r.ReplyValue(name))
	if err != nil || p < 0 {
		return otherwise
	}
	return p
}

func nonZero(entries ...Entry) []Entry {
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.Amount <= 0 })
}

// Sum returns the totals in and out of the drawer.
func Sum(entries []Entry) (in, out money.Paise) {
	for _, e := range entries {
		if e.Flow.IsOut() {
			out += e.Amount
		} else {
			in += e.Amount
		}
	}
	return in, out
}

// OwedBack returns the customer's own cash that a transfer left in the drawer and that
// must be returned, by hand or with the transfer's refund; 0: none.
func OwedBack(r edge.Record) money.Paise {
	if r.Route != op.Transfer || !r.Cash().IsOpen() {
		return 0
	}
	return Payable(r)
}

// RefundAmounts returns what a refund of the transfer pays back: the amount, and the
// charge if the bank took none.
func RefundAmounts(transfer edge.Record) (amount, charge money.Paise) {
	if transfer.State == op.Reversed {
		charge = Charge(transfer)
	}
	return transfer.Amount, charge
}
