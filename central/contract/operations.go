package contract

import (
	"context"
	"errors"
	"fmt"
	"unicode"

	"galla/central"
	"galla/central/form"
	"galla/shared/op"
)

// operationData is the status of an operation (our own addition). Times are
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
	DispatchedAt     string     `json:"dispatchedAt,omitzero"`
	SettledAt        string     `json:"settledAt,omitzero"`
}

// readOperation gives the state of one of the caller's own operations, named
// by its id or by the identity the caller chose for it. Another party's
// operation has the same answer as an absent one.
func (d *Dispatcher) readOperation(c *call) step {
	name, caller := c.Params["id"], c.Principal.Caller()
	return func(ctx context.Context) (central.Reply, error) {
		o, err := d.findOperation(ctx, caller, name)
		if errors.Is(err, central.ErrNotFound) || (err == nil && (o.Caller != caller || o.Forsworn)) {
			return central.Reply{}, central.Refuse(central.NotFound, "No such operation")
		}
		if err != nil {
			return central.Reply{}, fmt.Errorf("read an operation: %w", err)
		}
		c.operation = o.ID
		return done(200, "Operation found", operationData{
			ID: o.ID, Route: o.Route, Status: o.State, Reference: string(o.Reference), PendingReference: o.PendingReference,
			STAN: o.STAN, Amount: o.Amount.String(), ResponseCode: o.Code, RRN: o.RRN,
			CreatedAt: stamp(o.CreatedAt), DispatchedAt: stamp(o.DispatchedAt), SettledAt: stamp(o.SettledAt),
		}), nil
	}
}

func (d *Dispatcher) findOperation(ctx context.Context, caller, name string) (central.Operation, error) {
	if !form.Within(name, form.MaxIdentity, unicode.IsPrint) {
		return central.Operation{}, central.ErrNotFound
	}
	if id, err := op.ParseID(name); err == nil {
		o, err := d.store.Operation(ctx, id)
		if !errors.Is(err, central.ErrNotFound) && (err != nil || o.Caller == caller) {
			return o, err
		}
	}
	return d.store.ByIdentity(ctx, caller, name)
}
