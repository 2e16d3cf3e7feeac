package api

import (
	"context"
	"errors"
	"fmt"

	"galla/central"
	"galla/central/api/field"
)

// requeryTransaction returns an AEPS transaction's reply as it stands now
// (interface.md, section 4.8). The transaction is named by the caller's own
// reference, by the reference of the pending reply, or by RetailerReferenceNumber.
// Another party's transaction, another merchant's and an absent one get the same
// reply.
func (h *Handler) requeryTransaction(c *activeRequest) action {
	in := &c.fields
	callerRef, pendingOrOurs, ours := in.Ref("clientRefId", field.May), in.Ref("reference", field.May), in.Ref("RetailerReferenceNumber", field.May)
	in.ExactlyOne("clientRefId", "reference", "RetailerReferenceNumber")
	return func(ctx context.Context) (central.Reply, error) {
		var o central.Operation
		var err error
		switch {
		case callerRef != "":
			o, err = h.byCallerRef(ctx, c.Principal, callerRef)
		case ours != "":
			o, err = h.operationByReference(ctx, c.Principal.Party(), central.ReferenceQuery{Reference: central.Reference(ours)})
		default:
			o, err = h.operationByReference(ctx, c.Principal.Party(), central.ReferenceQuery{Pending: pendingOrOurs})
			if errors.Is(err, central.ErrNotFound) {
				o, err = h.operationByReference(ctx, c.Principal.Party(), central.ReferenceQuery{Reference: central.Reference(pendingOrOurs)})
			}
		}
		if errors.Is(err, central.ErrNotFound) || (err == nil && (o.Merchant != c.merchant.ID || !o.Kind.AEPS() || o.Tombstone)) {
			return central.Reply{}, central.NewError(central.NotFound, "No such transaction")
		}
		if err != nil {
			return central.Reply{}, fmt.Errorf("read a transaction by a reference: %w", err)
		}
		c.note(o)
		reply := h.CurrentReply(o)
		reply.State = "" // the requery itself is no operation
		return reply, nil
	}
}

// byCallerRef finds an operation by the caller's own reference. Operations that
// were created before references had an owner have it as their identity.
func (h *Handler) byCallerRef(ctx context.Context, p central.Principal, ref string) (central.Operation, error) {
	o, err := h.operationByReference(ctx, p.Party(), central.ReferenceQuery{CallerRef: ref})
	if !errors.Is(err, central.ErrNotFound) {
		return o, err
	}
	o, err = h.operationByIdentity(ctx, p.Caller(), ref)
	if err == nil && o.Party != "" {
		return central.Operation{}, central.ErrNotFound
	}
	return o, err
}
