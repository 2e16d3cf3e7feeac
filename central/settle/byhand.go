package settle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/shared/op"
)

// HandAfter is how old a pending operation must be before people may open a case
// of it by hand: the reconciler has had a day of enquiries, and the bank's file
// of the day has come.
const HandAfter = 24 * time.Hour

// ErrTooEarly says that an operation is not left to people so far.
var ErrTooEarly = errors.New("the bank is still asked after it: a case is opened by hand after a day")

// Operation gives the operation of a reference as cases have it, or
// central.ErrNotFound.
func (d *Desk) Operation(ctx context.Context, ref central.Reference) (Operation, error) {
	list, err := d.books.Named(ctx, []central.Reference{ref})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("operation %s: %w", ref, central.ErrNotFound)
	}
	if err != nil {
		return Operation{}, err
	}
	return list[0], nil
}

// OpenByHand opens a case of a pending operation that no settlement file has an
// open one of. again tells that there was one, which is given. central.ErrState:
// the operation is final; ErrTooEarly.
func (d *Desk) OpenByHand(ctx context.Context, ref central.Reference, reason string, by Actor) (id CaseID, again bool, err error) {
	s, err := d.step(by, DidFind)
	if err != nil {
		return CaseID{}, false, err
	}
	if err := checkReason(reason, nil); err != nil {
		return CaseID{}, false, &Refusal{err}
	}
	s.Reason = reason
	o, err := d.Operation(ctx, ref)
	if err != nil {
		return CaseID{}, false, err
	}
	switch {
	case o.State != op.Pending:
		return CaseID{}, false, fmt.Errorf("the operation is %s, and not pending: %w", o.State, central.ErrState)
	case s.At.Sub(o.Certain()) < HandAfter:
		return CaseID{}, false, ErrTooEarly
	}
	known, err := d.cases.CasesOfOperation(ctx, o.ID)
	if err != nil {
		return CaseID{}, false, err
	}
	for _, c := range known {
		if !c.Superseded && (c.Class == ByHand || c.Status != Decided) {
			return c.CaseID, true, nil
		}
	}
	id, err = d.cases.OpenCase(ctx, Case{
		CaseID: CaseID{Day: central.DayOf(s.At)}, Class: ByHand, Reference: o.Reference, Operation: &o, Found: o.State, FoundAt: s.At, Status: Open,
	}, s)
	return id, false, err
}

// Case gives a case with its history.
func (d *Desk) Case(ctx context.Context, id CaseID) (Case, []Step, error) {
	c, err := d.cases.Case(ctx, id)
	if err != nil {
		return Case{}, nil, err
	}
	steps, err := d.cases.Steps(ctx, id)
	return c, steps, err
}

// CasesOfOperation lists the cases of an operation, the newest first.
func (d *Desk) CasesOfOperation(ctx context.Context, id op.ID) ([]Case, error) {
	return d.cases.CasesOfOperation(ctx, id)
}

// ByHand lists the cases that people opened, the newest first.
func (d *Desk) ByHand(ctx context.Context, limit int) ([]Case, error) {
	return d.cases.CasesByHand(ctx, limit)
}
