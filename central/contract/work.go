package contract

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/form"
	"galla/shared/op"
)

// submit hands an operation to the desk, under the limits in force. s has what
// is the route's own; the rest is the call's.
func (d *Dispatcher) submit(ctx context.Context, c *call, s central.Submission, about central.Subject) (central.Reply, error) {
	print, former, err := form.Fingerprints(d.cfg.FingerprintKey, c.binding.route.ID, c.merchant.ID, c.Body)
	if err != nil {
		return central.Reply{}, err
	}
	quotas, err := d.cfg.Limits.Judge(time.Now(), about)
	if err != nil {
		// Today's limits are no matter of yesterday's call.
		if known, looked := d.known(ctx, c, s); looked != nil || !known {
			return central.Reply{}, errors.Join(err, looked)
		}
		// But it may begin another attempt, and that is today's.
		s.Refusal = central.AsError(err)
	}
	s.Quotas = append(s.Quotas, quotas...)
	s.ID, s.Caller, s.Identity, s.Party = c.ID, c.Principal.Caller(), c.Identity, c.Principal.Party()
	s.Route, s.Merchant, s.Terminal = c.binding.route.ID, c.merchant.ID, c.Principal.Terminal
	s.Fingerprint, s.Former = print, former
	s.NotAfter, s.Accepted = c.NotAfter, c.Accepted
	c.submitted, c.kind, c.amount = true, s.Request.Kind, s.Request.Amount
	o, replayed, err := d.desk.Submit(ctx, s)
	if err != nil {
		return central.Reply{}, err
	}
	c.operation = o.ID
	reply := d.Outcome(o)
	reply.Replayed = replayed && o.State.Final()
	return reply, nil
}

// known tells whether the call repeats an operation of the caller's, by its
// identity, by the reference in its body or, of a refund, by its transfer. The
// desk answers repeats, whatever has changed since.
func (d *Dispatcher) known(ctx context.Context, c *call, s central.Submission) (bool, error) {
	err := central.ErrNotFound
	if c.Identity != "" {
		_, err = d.store.ByIdentity(ctx, c.Principal.Caller(), c.Identity)
	}
	if s.CallerRef != "" && errors.Is(err, central.ErrNotFound) {
		_, err = d.store.ByReference(ctx, c.Principal.Party(), central.ReferenceQuery{CallerRef: s.CallerRef})
	}
	if s.Request.Kind == central.KindRefund && errors.Is(err, central.ErrNotFound) {
		_, err = d.store.RefundOf(ctx, central.Reference(s.Request.Particulars.Original))
	}
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return false, fmt.Errorf("look for an earlier call: %w", err)
	}
	return err == nil, nil
}

// request begins what every request to the bank network has: who asks.
func (c *call) request(kind central.Kind) central.BankRequest {
	r := central.BankRequest{Kind: kind, MID: c.merchant.MID, TID: c.tid}
	switch c.Principal.Role {
	case op.Aggregator:
		r.MID = string(c.Principal.Aggregator)
	case op.Vendor:
		if r.MID == "" { // routes that act for no merchant
			r.MID = string(c.Principal.Vendor)
		}
	}
	return r
}

// consult asks the bank something that is no operation, and passes its answer
// through. message is the interface's word for a success; empty: the bank's.
func (d *Dispatcher) consult(ctx context.Context, r central.BankRequest, message string) (central.Reply, error) {
	a, err := d.desk.Consult(ctx, r)
	if err != nil {
		return central.Reply{}, err
	}
	return consulted(a, message), nil
}

// consulted is the reply to a consultation that the bank answered.
func consulted(a central.BankAnswer, message string) central.Reply {
	if a.Status != central.BankApproved {
		http, body := declined(a)
		return central.Reply{HTTP: http, Body: body}
	}
	return done(200, spoken(message, a), passed(a))
}
