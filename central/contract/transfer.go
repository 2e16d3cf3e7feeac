package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"galla/central"
	"galla/central/customer"
	"galla/central/dmt"
	"galla/shared/op"
)

// bindTransfers ties the routes of money transfer (sections 4.3 and 4.4) to
// their code.
func (d *Dispatcher) bindTransfers() {
	for _, route := range dmt.Routes() {
		d.bind(route.Acting, d.forwarding(route), route.ID)
	}
	d.bind(true, d.readTransfer, op.Transfer)
	d.bind(true, d.readTransferRequery, op.TransferRequery)
	d.bind(true, d.readRefundOTP, op.RefundOTP)
	d.bind(true, d.readRefund, op.Refund)
}

// forwarding is the code of a route that is one question to the bank: an
// operation or a consultation, as its kind is.
func (d *Dispatcher) forwarding(route dmt.Route) func(*call) step {
	return func(c *call) step {
		r := c.request(route.Kind)
		route.Read(&c.in, &r)
		return func(ctx context.Context) (reply central.Reply, err error) {
			by := customer.Call{RequestID: c.RequestID, Principal: c.Principal, Merchant: c.merchant.ID, Repeats: func(ctx context.Context) (bool, error) { return d.known(ctx, c, central.Submission{}) }}
			if err := d.guard.Admit(ctx, by, r); err != nil {
				return central.Reply{}, err
			}
			switch {
			case !route.Kind.Consults():
				reply, err = d.submit(ctx, c, central.Submission{Sender: r.Particulars.Sender, Request: r}, c.subject(r, r.Particulars.Sender))
			case route.Bare:
				reply, err = d.announce(ctx, r, route.Message)
			default:
				reply, err = d.consult(ctx, r, route.Message)
			}
			if err == nil {
				d.guard.Learn(ctx, by, r, reply)
			}
			return reply, err
		}
	}
}

// subject is a request as limits see it.
func (c *call) subject(r central.BankRequest, sender string) central.Subject {
	return central.Subject{Kind: r.Kind, Amount: r.Amount, TID: c.tid, Sender: sender}
}

// announce consults the bank and tells the caller no more than that it was
// done.
func (d *Dispatcher) announce(ctx context.Context, r central.BankRequest, message string) (central.Reply, error) {
	a, err := d.desk.Consult(ctx, r)
	if err != nil {
		return central.Reply{}, err
	}
	a.Data = nil
	return consulted(a, message), nil
}

// readTransfer reads transaction/instant: OTP check and debit in one operation,
// under the caller's refId.
func (d *Dispatcher) readTransfer(c *call) step {
	r := c.request(central.KindTransfer)
	dmt.ReadTransfer(&c.in, &r)
	return func(ctx context.Context) (central.Reply, error) {
		p := r.Particulars
		return d.submit(ctx, c, central.Submission{CallerRef: p.CallerRef, Sender: p.Sender, Request: r}, c.subject(r, p.Sender))
	}
}

// transferBy finds a transfer of the caller's own party and of the acting
// merchant. Everything else has the answer of an absent one.
func (d *Dispatcher) transferBy(ctx context.Context, c *call, by central.ReferenceQuery) (central.Operation, error) {
	o, err := d.store.ByReference(ctx, c.Principal.Party(), by)
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return central.Operation{}, fmt.Errorf("read a transfer: %w", err)
	}
	if err != nil || o.Kind != central.KindTransfer || o.Merchant != c.merchant.ID {
		return central.Operation{}, errNoTransfer()
	}
	c.operation = o.ID
	return o, nil
}

// errNoTransfer is the one answer for a transfer that is absent, another
// party's, or not of the reference that was sent with it.
func errNoTransfer() error { return central.Refuse(central.NotFound, "No such transaction") }

// refundOf gives the refund of a transfer that was done or is under way; nil:
// there is none.
func (d *Dispatcher) refundOf(ctx context.Context, o central.Operation) (*central.Operation, error) {
	refund, err := d.store.RefundOf(ctx, o.Reference)
	switch {
	case errors.Is(err, central.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the refund of transfer %s: %w", o.ID, err)
	case refund.State == op.Reversed:
		return nil, nil
	}
	return &refund, nil
}

// readTransferRequery tells what became of a transfer. The bank is not asked: the
// reconciler does that, for as long as its word is missing.
func (d *Dispatcher) readTransferRequery(c *call) step {
	ref := dmt.ReadRequery(&c.in)
	return func(ctx context.Context) (central.Reply, error) {
		o, err := d.transferBy(ctx, c, central.ReferenceQuery{CallerRef: ref})
		if err != nil {
			return central.Reply{}, err
		}
		refund, err := d.refundOf(ctx, o)
		if err != nil {
			return central.Reply{}, err
		}
		message, data := dmt.Requeried(o, refund)
		return done(200, message, data), nil
	}
}

// refundable finds the transfer of a transaction id, and of a refId where one
// is given, and its refund; it sees that the transfer can be given back.
func (d *Dispatcher) refundable(ctx context.Context, c *call, id, ref string) (central.Operation, *central.Operation, error) {
	o, err := d.transferBy(ctx, c, central.ReferenceQuery{Reference: central.Reference(id)})
	if err == nil && ref != "" && o.CallerRef != ref {
		err = errNoTransfer()
	}
	if err != nil {
		return central.Operation{}, nil, err
	}
	refund, err := d.refundOf(ctx, o)
	if err != nil {
		return central.Operation{}, nil, err
	}
	return o, refund, dmt.Refundable(o, refund)
}

func (d *Dispatcher) readRefundOTP(c *call) step {
	r := c.request(central.KindRefundOTP)
	dmt.ReadRefundOTP(&c.in, &r)
	return func(ctx context.Context) (central.Reply, error) {
		if _, _, err := d.refundable(ctx, c, r.Particulars.Original, ""); err != nil {
			return central.Reply{}, err
		}
		return d.announce(ctx, r, "OTP sent for refund")
	}
}

// readRefund reads refund. Its refId is the transfer's, so the refund has no
// reference of the caller's own: what names it is the transfer. A repeat is the
// desk's to answer, whatever it is known by, with the reply as it was. But two ids
// of counters are two acts of agents, who each would count the cash: the second is
// refused.
func (d *Dispatcher) readRefund(c *call) step {
	r := c.request(central.KindRefund)
	dmt.ReadRefund(&c.in, &r)
	return func(ctx context.Context) (central.Reply, error) {
		s := central.Submission{Request: r}
		known, err := c.ID != "", error(nil)
		if known {
			known, err = d.known(ctx, c, central.Submission{})
		}
		if err == nil && !known {
			err = d.prepareRefund(ctx, c, &s)
		}
		if err != nil {
			return central.Reply{}, d.unprepared(ctx, c, err)
		}
		return d.submit(ctx, c, s, c.subject(s.Request, s.Sender))
	}
}

// unprepared is the reply to a refund whose transfer is not found or can't be
// given back: where its identity is known, that was sent with another body.
func (d *Dispatcher) unprepared(ctx context.Context, c *call, err error) error {
	if central.AsError(err).Fault == central.Internal || c.Identity == "" || c.ID != "" {
		return err
	}
	if known, looked := d.known(ctx, c, central.Submission{}); looked != nil || !known {
		return cmp.Or(looked, err)
	}
	return central.Refuse(central.Conflict, "The same identity was used before with another body or route; nothing was done")
}

// prepareRefund takes from the transfer what its refund needs. One that is done
// or under way is no obstacle: the call is taken for a repeat of it.
func (d *Dispatcher) prepareRefund(ctx context.Context, c *call, s *central.Submission) error {
	p := s.Request.Particulars
	o, refund, err := d.refundable(ctx, c, p.Original, p.CallerRef)
	if err != nil && (refund == nil || c.ID != "") {
		return err
	}
	s.Request.Amount, s.Sender = o.Amount, o.Sender
	// Two at one time, at whatever nodes, must not both find that there is none.
	s.Quotas = []central.Quota{{Key: "refund:" + string(o.Reference), Period: "once", MaxCount: 1, What: "refunds of this transfer"}}
	if o.State == op.Succeeded { // a reversed one has earned nothing
		s.Reverses = o.ID
	}
	return nil
}

// answeredTransfer is the final reply of a transfer or refund. What the
// interface has a code of its own for keeps it.
func answeredTransfer(o central.Operation, to op.State, a central.BankAnswer) (http int, body []byte) {
	if to == op.Failed && a.Refusal != "" && a.Refusal != central.RefusedOTP {
		return declined(a)
	}
	code, message, data := dmt.Answered(o, to, a)
	return 200, encode(envelope{StatusCode: code, Message: message, Data: data})
}

// unansweredTransfer is the envelope with a reference beside its data.
type unansweredTransfer struct {
	StatusCode string   `json:"statusCode"`
	Message    string   `json:"message"`
	Data       dmt.Data `json:"data"`
	Reference  string   `json:"reference,omitzero"`
}

// pendingTransfer is the reply while the bank's word on a transfer or refund is
// missing.
func pendingTransfer(o central.Operation, reference string) central.Reply {
	message, data := dmt.Unanswered(o)
	return central.Reply{HTTP: 200, State: o.State, Body: encode(unansweredTransfer{statusOK, message, data, reference})}
}
