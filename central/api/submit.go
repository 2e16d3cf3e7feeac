package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/op"
)

// submit gives an operation to the executor, after checking the limits. s has the
// route's own parts; the rest comes from the request.
func (h *Handler) submit(ctx context.Context, c *activeRequest, s central.Submission, about central.LimitSubject) (central.Reply, error) {
	print, err := field.Fingerprint(h.prints, c.endpoint.route.ID, c.merchant.ID, c.body)
	if err != nil {
		return central.Reply{}, err
	}
	about.Merchant = c.merchant.ID
	quotas, err := h.cfg.Limits.Check(time.Now(), about)
	if err != nil {
		// Limits apply to new operations only, not to a repeat of an earlier one.
		if known, looked := h.isRepeat(ctx, c, s); looked != nil || !known {
			return central.Reply{}, errors.Join(err, looked)
		}
		// A repeat may start another attempt at the bank, which is new.
		s.RefuseNew = central.AsError(err)
	}
	s.Quotas = append(s.Quotas, quotas...)
	s.ID, s.Caller, s.Identity, s.Party = c.ID, c.Principal.Caller(), c.Identity, c.Principal.Party()
	s.Route, s.Merchant, s.Terminal = c.endpoint.route.ID, c.merchant.ID, c.Principal.Terminal
	s.Fingerprint, s.NotAfter, s.OnAccepted, s.Message = print, c.NotAfter, c.OnAccepted, c.Message
	c.submitted, c.kind, c.amount = true, s.Request.Kind, s.Request.Amount
	if err := h.cfg.Recovery.Admit(ctx, &s); err != nil {
		return central.Reply{}, err
	}
	o, replayed, err := h.executor.Submit(ctx, s)
	if err != nil {
		return central.Reply{}, err
	}
	c.note(o)
	reply := h.CurrentReply(o)
	reply.Replayed = replayed && o.State.Final()
	return reply, nil
}

// isRepeat reports whether the request repeats an operation of the caller: by its
// identity, by the reference in its body or, for a refund, by its transfer. The
// executor answers repeats, whatever has changed since.
func (h *Handler) isRepeat(ctx context.Context, c *activeRequest, s central.Submission) (bool, error) {
	err := central.ErrNotFound
	if c.Identity != "" {
		_, err = h.operationByIdentity(ctx, c.Principal.Caller(), c.Identity)
	}
	if s.CallerRef != "" && errors.Is(err, central.ErrNotFound) {
		_, err = h.operationByReference(ctx, c.Principal.Party(), central.ReferenceQuery{CallerRef: s.CallerRef})
	}
	if s.Request.Kind == central.KindRefund && errors.Is(err, central.ErrNotFound) {
		_, err = h.store.RefundOf(ctx, central.Reference(s.Request.Particulars.Original))
	}
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return false, fmt.Errorf("look for an earlier request: %w", err)
	}
	return err == nil, nil
}

// newBankRequest fills in who asks, which every request to the bank has.
func (c *activeRequest) newBankRequest(kind central.Kind) central.BankRequest {
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

// consult asks the bank something that is no operation, and passes its answer on, with
// the bank's data or without. message is the interface's message of a success; empty:
// the bank's.
func (h *Handler) consult(ctx context.Context, r central.BankRequest, message string, withData bool) (central.Reply, error) {
	a, err := h.executor.Consult(ctx, r)
	if err != nil {
		return central.Reply{}, err
	}
	if a.Status != central.BankApproved {
		http, body := declinedReply(a)
		return central.Reply{HTTP: http, Body: body}, nil
	}
	if !withData {
		a.Data = nil
	}
	return successReply(200, successMessage(message, a), networkData(a)), nil
}
