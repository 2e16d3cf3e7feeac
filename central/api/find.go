package api

import (
	"context"

	"galla/central"
	"galla/shared/op"
)

// Operations by their names. After a restoration from a backup, what may be missing
// is not reported as absent (operations.md, section 14).

func (h *Handler) operationByID(ctx context.Context, id op.ID) (central.Operation, error) {
	o, err := h.store.Operation(ctx, id)
	return h.cfg.Recovery.Confirm(ctx, o, err, false)
}

func (h *Handler) operationByIdentity(ctx context.Context, caller, identity string) (central.Operation, error) {
	o, err := h.store.ByIdentity(ctx, caller, identity)
	return h.cfg.Recovery.Confirm(ctx, o, err, o.NameReusable() && identity != string(o.ID))
}

func (h *Handler) operationByReference(ctx context.Context, party string, by central.ReferenceQuery) (central.Operation, error) {
	o, err := h.store.ByReference(ctx, party, by)
	return h.cfg.Recovery.Confirm(ctx, o, err, o.NameReusable() && by.CallerRef != "")
}
