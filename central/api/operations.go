package api

import (
	"context"
	"errors"
	"fmt"
	"unicode"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/op"
)

// operationData is the state of an operation (interface.md, section 4.8). Times are
// ISO 8601 in UTC; what has not happened, or was not given, is absent.
type operationData struct {
	ID               op.ID      `json:"id"`
	Route            op.RouteID `json:"route"`
	Status           op.State   `json:"status"`
	Reference        string     `json:"reference"`
	PendingReference string     `json:"pendingReference,omitzero"`
	STAN             string     `json:"stan"`
	Amount           string     `json:"amount"` // rupees, two decimals
	ResponseCode     string     `json:"responseCode,omitzero"`
	RRN              string     `json:"rrn,omitzero"`
	CreatedAt        string     `json:"createdAt"`
	SentAt           string     `json:"sentAt,omitzero"`
	FinishedAt       string     `json:"finishedAt,omitzero"`
}

func operationOf(o central.Operation) operationData {
	return operationData{
		ID: o.ID, Route: o.Route, Status: o.State, Reference: string(o.Reference), PendingReference: o.PendingReference,
		STAN: o.STAN, Amount: o.Amount.String(), ResponseCode: o.Code, RRN: o.RRN,
		CreatedAt: isoTime(o.CreatedAt), SentAt: isoTime(o.SentAt), FinishedAt: isoTime(o.FinishedAt),
	}
}

// showOperation returns the state of one of the caller's own operations, found by
// its id or by the identity that the caller chose. Another party's operation gets
// the same reply as an absent one.
func (h *Handler) showOperation(c *activeRequest) action {
	name, caller := c.Params["id"], c.Principal.Caller()
	return func(ctx context.Context) (central.Reply, error) {
		o, err := h.findOperation(ctx, caller, name)
		if errors.Is(err, central.ErrNotFound) || (err == nil && (o.Caller != caller || o.Tombstone)) {
			return central.Reply{}, central.NewError(central.NotFound, "No such operation")
		}
		if err != nil {
			return central.Reply{}, fmt.Errorf("read an operation: %w", err)
		}
		c.note(o)
		return successReply(200, "Operation found", operationOf(o)), nil
	}
}

func (h *Handler) findOperation(ctx context.Context, caller, name string) (central.Operation, error) {
	if !field.Within(name, field.MaxIdentity, unicode.IsPrint) {
		return central.Operation{}, central.ErrNotFound
	}
	if id, err := op.ParseID(name); err == nil {
		o, err := h.operationByID(ctx, id)
		if !errors.Is(err, central.ErrNotFound) && (err != nil || o.Caller == caller) {
			return o, err
		}
	}
	return h.operationByIdentity(ctx, caller, name)
}
