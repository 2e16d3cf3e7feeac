package contract

import (
	"context"
	"errors"
	"fmt"

	"galla/central"
	"galla/central/form"
)

// readRequery gives an AEPS transaction's reply as it stands now (our own
// addition). It is named by the caller's own reference, by the reference of the
// pending reply, or by RetailerReferenceNumber. Another party's transaction,
// another merchant's and an absent one have the same answer.
func (d *Dispatcher) readRequery(c *call) step {
	in := &c.in
	callerRef, pendingOrOurs, ours := in.Ref("clientRefId", form.May), in.Ref("reference", form.May), in.Ref("RetailerReferenceNumber", form.May)
	in.ExactlyOne("clientRefId", "reference", "RetailerReferenceNumber")
	return func(ctx context.Context) (central.Reply, error) {
		var o central.Operation
		var err error
		switch {
		case callerRef != "":
			o, err = d.byCallerRef(ctx, c.Principal, callerRef)
		case ours != "":
			o, err = d.byReference(ctx, c.Principal, central.ReferenceQuery{Reference: central.Reference(ours)})
		default:
			o, err = d.byReference(ctx, c.Principal, central.ReferenceQuery{Pending: pendingOrOurs})
			if errors.Is(err, central.ErrNotFound) {
				o, err = d.byReference(ctx, c.Principal, central.ReferenceQuery{Reference: central.Reference(pendingOrOurs)})
			}
		}
		if errors.Is(err, central.ErrNotFound) || (err == nil && (o.Merchant != c.merchant.ID || !o.Kind.AEPS() || o.Forsworn)) {
			return central.Reply{}, central.Refuse(central.NotFound, "No such transaction")
		}
		if err != nil {
			return central.Reply{}, fmt.Errorf("read a transaction by a reference: %w", err)
		}
		c.operation = o.ID
		reply := d.Outcome(o)
		reply.State = "" // the requery is no operation, whatever it tells of one
		return reply, nil
	}
}

// byCallerRef finds an operation by the caller's own reference. Operations from
// before references had an owner have it as their identity.
func (d *Dispatcher) byCallerRef(ctx context.Context, p central.Principal, ref string) (central.Operation, error) {
	o, err := d.byReference(ctx, p, central.ReferenceQuery{CallerRef: ref})
	if !errors.Is(err, central.ErrNotFound) {
		return o, err
	}
	o, err = d.store.ByIdentity(ctx, p.Caller(), ref)
	if err == nil && o.Party != "" {
		return central.Operation{}, central.ErrNotFound
	}
	return o, err
}

func (d *Dispatcher) byReference(ctx context.Context, p central.Principal, by central.ReferenceQuery) (central.Operation, error) {
	return d.store.ByReference(ctx, p.Party(), by)
}
