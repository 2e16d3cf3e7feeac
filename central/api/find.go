package api

import (
	"context"

	"galla/central"
	"galla/shared/op"
)

// Operations by their names. After a restoration from a backup, what may be missing
// is not reported as absent (operations.md, section 14).

func (d *Handler) operationByID(ctx context.Context, id op.ID) (central.Operation, error) {
	o, err := d.store.Operation(ctx, id)
	return d.cfg.Recovery.Confirm(ctx, o, err, false)
}

func (d *Handler) operationByIdentity(ctx context.Context, caller, identity string) (central.Operation, error) {
	o, err := d.store.ByIdentity(ctx, caller, identity)
	return d.cfg.Recovery.Confirm(ctx, o, err, o.NameReusable() && identity != string(o.ID))
}

func (d *Handler) operationByReference(ctx context.Context, party string, by central.ReferenceQuery) (central.Operation, error) {
	o, err := d.store.ByReference(ctx, party, by)
	return d.cfg.Recovery.Confirm(ctx, o, err, o.NameReusable() && by.CallerRef != "")
}
