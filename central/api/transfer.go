package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"galla/central"
	"galla/central/accounts"
	"galla/central/api/field"

	"galla/shared/op"
)

// forward handles a route that is one request to the bank: an operation or a
// consultation, depending on its kind.
func (h *Handler) forward(route forwardRoute) func(*activeRequest) action {
	return func(c *activeRequest) action {
		r := c.newBankRequest(route.Kind)
		route.Read(&c.fields, &r)
		return func(ctx context.Context) (reply central.Reply, err error) {
			by := accounts.CustomerRequest{RequestID: c.RequestID, Principal: c.Principal, Merchant: c.merchant.ID, IsRepeat: func(ctx context.Context) (bool, error) { return h.isRepeat(ctx, c, central.Submission{}) }}
			if err := h.customers.Check(ctx, by, r); err != nil {
				return central.Reply{}, err
			}
			if route.Kind.IsConsultation() {
				reply, err = h.consult(ctx, r, route.Message, !route.WithoutData)
			} else {
				reply, err = h.submit(ctx, c, central.Submission{Sender: r.Particulars.Sender, Request: r}, c.limitSubject(r, r.Particulars.Sender))
			}
			if err == nil {
				h.customers.Record(ctx, by, r, reply)
			}
			return reply, err
		}
	}
}

// limitSubject describes a request for the limits.
func (c *activeRequest) limitSubject(r central.BankRequest, sender string) central.LimitSubject {
	return central.LimitSubject{Kind: r.Kind, Amount: r.Amount, TID: c.tid, Sender: sender}
}

// transfer handles transaction/instant: OTP check and debit in one operation,
// under the caller's refId.
func (h *Handler) transfer(c *activeRequest) action {
	r := c.newBankRequest(central.KindTransfer)
	readTransferFields(&c.fields, &r)
	return func(ctx context.Context) (central.Reply, error) {
		p := r.Particulars
		return h.submit(ctx, c, central.Submission{CallerRef: p.CallerRef, Sender: p.Sender, Request: r}, c.limitSubject(r, p.Sender))
	}
}

// findTransfer finds a transfer of the caller's own party and of the acting
// merchant. All others get the same reply as an absent one.
func (h *Handler) findTransfer(ctx context.Context, c *activeRequest, by central.ReferenceQuery) (central.Operation, error) {
	o, err := h.operationByReference(ctx, c.Principal.Party(), by)
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return central.Operation{}, fmt.Errorf("read a transfer: %w", err)
	}
	if err != nil || o.Kind != central.KindTransfer || o.Merchant != c.merchant.ID {
		return central.Operation{}, errNoTransfer()
	}
	c.note(o)
	return o, nil
}

// errNoTransfer is the one reply for a transfer that is absent, another party's,
// or does not have the reference that was sent with it.
func errNoTransfer() error { return central.NewError(central.NotFound, "No such transaction") }

// findRefund returns the refund of a transfer that is done or in progress; nil if
// there is none.
func (h *Handler) findRefund(ctx context.Context, o central.Operation) (*central.Operation, error) {
	refund, err := h.store.RefundOf(ctx, o.Reference)
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

// requeryTransfer returns the state of a transfer. It does not ask the bank: the
// enquiry job does that until the outcome is known.
func (h *Handler) requeryTransfer(c *activeRequest) action {
	ref := c.fields.Ref(refField, field.Must)
	return func(ctx context.Context) (central.Reply, error) {
		o, err := h.findTransfer(ctx, c, central.ReferenceQuery{CallerRef: ref})
		if err != nil {
			return central.Reply{}, err
		}
		refund, err := h.findRefund(ctx, o)
		if err != nil {
			return central.Reply{}, err
		}
		message, data := requeryReply(o, refund)
		return successReply(200, message, data), nil
	}
}

// findRefundable finds a transfer by its transaction id (and its refId, if given)
// and its refund, and checks that the transfer can be refunded.
func (h *Handler) findRefundable(ctx context.Context, c *activeRequest, id, ref string) (central.Operation, *central.Operation, error) {
	o, err := h.findTransfer(ctx, c, central.ReferenceQuery{Reference: central.Reference(id)})
	if err == nil && ref != "" && o.CallerRef != ref {
		err = errNoTransfer()
	}
	if err != nil {
		return central.Operation{}, nil, err
	}
	refund, err := h.findRefund(ctx, o)
	if err != nil {
		return central.Operation{}, nil, err
	}
	return o, refund, checkRefundable(o, refund)
}

func (h *Handler) refundOTP(c *activeRequest) action {
	r := c.newBankRequest(central.KindRefundOTP)
	readRefundOTPFields(&c.fields, &r)
	return func(ctx context.Context) (central.Reply, error) {
		if _, _, err := h.findRefundable(ctx, c, r.Particulars.Original, ""); err != nil {
			return central.Reply{}, err
		}
		return h.consult(ctx, r, "OTP sent for refund", false)
	}
}

// refund handles refund. Its refId is the transfer's, so the refund has no
// reference of the caller's own and is identified by its transfer. The executor
// answers a repeat with the stored reply. Two different ids of terminals are two
// agents who would each pay out the cash, so the second is refused.
func (h *Handler) refund(c *activeRequest) action {
	r := c.newBankRequest(central.KindRefund)
	readRefundFields(&c.fields, &r)
	return func(ctx context.Context) (central.Reply, error) {
		s := central.Submission{Request: r}
		known, err := c.ID != "", error(nil)
		if known {
			known, err = h.isRepeat(ctx, c, central.Submission{})
		}
		if err == nil && !known {
			err = h.prepareRefund(ctx, c, &s)
		}
		if err != nil {
			return central.Reply{}, h.refundError(ctx, c, err)
		}
		return h.submit(ctx, c, s, c.limitSubject(s.Request, s.Sender))
	}
}

// refundError is the reply if the transfer is not found or can't be refunded. If
// the identity is known, it was used before with another body.
func (h *Handler) refundError(ctx context.Context, c *activeRequest, err error) error {
	if central.AsError(err).Fault == central.Internal || c.Identity == "" || c.ID != "" {
		return err
	}
	if known, looked := h.isRepeat(ctx, c, central.Submission{}); looked != nil || !known {
		return cmp.Or(looked, err)
	}
	return central.NewError(central.Conflict, "The same identity was used before with another body or route; nothing was done")
}

// prepareRefund takes what the refund needs from the transfer. A refund that is
// done or in progress is no error here: the request is then a repeat of it.
func (h *Handler) prepareRefund(ctx context.Context, c *activeRequest, s *central.Submission) error {
	p := s.Request.Particulars
	o, refund, err := h.findRefundable(ctx, c, p.Original, p.CallerRef)
	if err != nil && (refund == nil || c.ID != "") {
		return err
	}
	s.Request.Amount, s.Sender = o.Amount, o.Sender
	// Two refunds at the same time, at any nodes, must not both find no refund.
	s.Quotas = []central.Quota{{Key: "refund:" + string(o.Reference), Period: "once", MaxCount: 1, What: "refunds of this transfer"}}
	if o.State == op.Succeeded { // a reversed one has earned nothing
		s.Reverses = o.ID
	}
	return nil
}

// renderTransfer is the final reply of a transfer or refund. Where the interface
// has its own code, that is used.
func renderTransfer(o central.Operation, to op.State, a central.BankAnswer) (http int, body []byte) {
	if to == op.Failed && a.Refusal != "" && a.Refusal != central.RefusedOTP {
		return declinedReply(a)
	}
	code, message, data := transferReply(o, to, a)
	return 200, encode(envelope{StatusCode: code, Message: message, Data: data})
}
