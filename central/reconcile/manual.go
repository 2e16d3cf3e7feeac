package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/op"
)

// ManualAfter is the least age of a pending operation for a manual case: a day of
// enquiries has passed, and the bank's file of the day has come.
const ManualAfter = 24 * time.Hour

// ErrTooEarly says that an operation is too young for a manual case.
var ErrTooEarly = errors.New("enquiries about it still run: a manual case is possible after a day")

// Operation returns the operation of a reference, or central.ErrNotFound.
func (d *Service) Operation(ctx context.Context, ref central.Reference) (Operation, error) {
	list, err := d.operations.OperationsByReference(ctx, []central.Reference{ref})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("operation %s: %w", ref, central.ErrNotFound)
	}
	if err != nil {
		return Operation{}, err
	}
	return list[0], nil
}

// OpenManualCase opens a case of a pending operation, without a file. again means that
// there was an open case already, whose id is returned. central.ErrState: the operation
// is final; ErrTooEarly.
func (d *Service) OpenManualCase(ctx context.Context, ref central.Reference, reason string, by Actor) (id CaseID, again bool, err error) {
	s, err := d.newStep(by, ActionFound)
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
	case s.At.Sub(o.CertainAt()) < ManualAfter:
		return CaseID{}, false, ErrTooEarly
	}
	known, err := d.cases.CasesOfOperation(ctx, o.ID)
	if err != nil {
		return CaseID{}, false, err
	}
	for _, c := range known {
		if !c.Superseded && (c.Class == Manual || c.Status != Decided) {
			return c.CaseID, true, nil
		}
	}
	id, err = d.cases.OpenCase(ctx, Case{
		CaseID: CaseID{Day: ist.DayOf(s.At)}, Class: Manual, Reference: o.Reference, Operation: &o, Found: o.State, FoundAt: s.At, Status: Open,
	}, s)
	return id, false, err
}

// Case returns a case with its history.
func (d *Service) Case(ctx context.Context, id CaseID) (Case, []Step, error) {
	c, err := d.cases.Case(ctx, id)
	if err != nil {
		return Case{}, nil, err
	}
	steps, err := d.cases.CaseSteps(ctx, id)
	return c, steps, err
}

// CasesOfOperation lists the cases of an operation, newest first.
func (d *Service) CasesOfOperation(ctx context.Context, id op.ID) ([]Case, error) {
	return d.cases.CasesOfOperation(ctx, id)
}

// ManualCases lists the manual cases, newest first.
func (d *Service) ManualCases(ctx context.Context, limit int) ([]Case, error) {
	return d.cases.ManualCases(ctx, limit)
}
