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

// The flows, in the order in which they are told.
const (
	Withdrawn   Flow = "withdrawn"   // out: handed over, and confirmed
	Unconfirmed Flow = "unconfirmed" // out: the bank paid a withdrawal or a refund; nobody has said whether the cash was handed over
	Sent        Flow = "sent"        // in: a transfer's amount, from the customer
	Charged     Flow = "charged"     // in: a transfer's charge, as the central told it
	Fee         Flow = "fee"         // in: the fee of a sender's registration
	Held        Flow = "held"        // in: of a transfer that is not settled
	Owed        Flow = "owed"        // in: of a transfer that failed or came back: the customer's own, until it is given back
	Returned    Flow = "returned"    // out: a transfer that was held and failed, back to the customer
	Refunded    Flow = "refunded"    // out
)

// Flows gives the flows in the order in which they are told.
func Flows() []Flow {
	return []Flow{Withdrawn, Unconfirmed, Sent, Charged, Fee, Held, Owed, Returned, Refunded}
}

// Out tells whether the flow takes cash out of the drawer.
func (f Flow) Out() bool {
	return f == Withdrawn || f == Unconfirmed || f == Returned || f == Refunded
}

// Open tells whether somebody has still to say or do something about the flow.
func (f Flow) Open() bool { return f == Unconfirmed || f == Held }

// Entry is one movement of cash.
type Entry struct {
	Flow   Flow
	Amount money.Paise // never negative; Flow says the direction
	At     time.Time   // by the counter's clock
}

// Of says what an operation did to the drawer; nil: nothing.
func Of(r edge.Record) []Entry {
	switch r.Route {
	case op.Withdrawal:
		return withdrawal(r)
	case op.Transfer:
		return transfer(r)
	case op.Refund:
		return refund(r)
	case op.RemitterRegister:
		if r.State == op.Succeeded && r.Result.StatusCode == approved {
			return some(Entry{Fee, told(r, "registrationFeeCharged", 0), r.CreatedAt})
		}
	}
	return nil
}

// approved is the statusCode of a success.
const approved = "00"

func withdrawal(r edge.Record) []Entry {
	switch {
	case !r.CashGiven.IsZero():
		return some(Entry{Withdrawn, r.Amount, r.CashGiven})
	case r.Cash() == edge.CashDue:
		return some(Entry{Unconfirmed, r.Amount, r.EndedAt})
	}
	return nil
}

func transfer(r edge.Record) []Entry {
	held := Entry{Held, r.Amount + Charge(r), r.CreatedAt}
	if r.Returns() || r.State == op.Reversed {
		held.Flow = Owed
	}
	switch {
	case r.State == op.Succeeded:
		return some(Entry{Sent, r.Amount, r.CreatedAt}, Entry{Charged, Charge(r), r.CreatedAt})
	case held.Flow == Owed && !r.CashGiven.IsZero():
		return some(held, Entry{Returned, held.Amount, r.CashGiven})
	case held.Flow == Owed || r.CashKept: // an attempt that an earlier one's kept cash pays for holds it before it is sent
		return some(held)
	}
	switch r.State {
	case op.Sent, op.Accepted, op.Unknown, op.Pending:
		return some(held)
	}
	return nil // nothing was sent yet, or it was refused while the customer was there
}

func refund(r edge.Record) []Entry {
	switch {
	case !r.CashGiven.IsZero():
		return some(Entry{Refunded, Payable(r), r.CashGiven})
	case r.Cash() == edge.CashDue:
		return some(Entry{Unconfirmed, Payable(r), r.EndedAt})
	case r.Consent == edge.RefundClosed: // somebody gave it back before, out of the transfer's record
	case r.State == op.Succeeded && r.Consent != edge.RefundRule: // the cash went back before the one-time password
		return some(Entry{Refunded, Payable(r), r.CreatedAt})
	}
	return nil
}

// Payable is the cash that is the customer's where an operation's outcome gives
// any (edge.Record.Cash): the amount, and with it the charge of a refund and of a
// transfer whose cash goes back.
func Payable(r edge.Record) money.Paise {
	switch {
	case r.Route == op.Refund:
		return told(r, "amount", r.Amount) + Charge(r)
	case r.Returns(), r.Route == op.Transfer && r.State == op.Reversed:
		return r.Amount + Charge(r)
	}
	return r.Amount
}

// Charge is what the customer pays for a transfer beside its amount, or what of
// that goes back with a refund; 0 of any other operation.
func Charge(r edge.Record) money.Paise {
	if r.Route != op.Transfer && r.Route != op.Refund {
		return 0
	}
	return told(r, "charge", r.Charge)
}

// told is an amount that the reply tells, or another where it tells none.
func told(r edge.Record, name string, otherwise money.Paise) money.Paise {
	p, err := money.Parse(r.Value(name))
	if err != nil || p < 0 {
		return otherwise
	}
	return p
}

// some leaves out entries that move nothing.
func some(entries ...Entry) []Entry {
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.Amount <= 0 })
}

// Sum is what entries bring into the drawer and take out of it.
func Sum(entries []Entry) (in, out money.Paise) {
	for _, e := range entries {
		if e.Flow.Out() {
			out += e.Amount
		} else {
			in += e.Amount
		}
	}
	return in, out
}

// Due is the customer's own cash that a transfer left in the drawer, and that has
// to be given back: by hand, or where the transfer came back with its refund, as
// the outcome tells (package told); 0: none.
func Due(r edge.Record) money.Paise {
	if r.Route != op.Transfer || !r.Cash().Open() {
		return 0
	}
	return Payable(r)
}

// Back is what of a transfer goes back to the customer with a refund: the amount,
// and the charge where the bank took none.
func Back(transfer edge.Record) (amount, charge money.Paise) {
	if transfer.State == op.Reversed {
		charge = Charge(transfer)
	}
	return transfer.Amount, charge
}
