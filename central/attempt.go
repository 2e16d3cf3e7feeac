package central

import (
	"context"
	"errors"

	"galla/central/guess"
	"galla/shared/bug"
	"galla/shared/op"
)

// attempt records a submission as a new operation (isNew), or gives what its
// names stand for, when that is final or pending or ctx ends.
func (e *Engine) attempt(ctx context.Context, s Submission) (Operation, bool, error) {
	for {
		o, err := e.newOperation(s)
		if err != nil {
			return Operation{}, false, errServer(err)
		}
		known, told := e.toldBefore(ctx, o, s)
		if !told {
			isNew := false
			if known, isNew, err = e.begin(ctx, &o, s.Quotas); err != nil || isNew {
				return o, isNew, beginFault(err)
			}
		}
		ended, _, err := e.repeat(ctx, s, known)
		if bug.AttemptWhilePending && err == nil && ended.State == op.Pending && o.Kind == KindTransfer {
			s.CallerRef, s.Identity = "", ""
			continue
		}
		// A terminal's id goes on standing for what it waited for.
		waited := err == nil && ended.OTPRefused && !known.State.Final()
		if s.ID != "" || !waited || e.refused.Is(nameOf(ended), ended.ID, s.Request.OTP) {
			return ended, false, err
		}
	}
}

// toldBefore gives the refusal that a call with the very OTP was told already.
func (e *Engine) toldBefore(ctx context.Context, o Operation, s Submission) (Operation, bool) {
	id, told := e.refused.Find(nameOf(o), s.Request.OTP)
	if !told || s.ID != "" {
		return Operation{}, false
	}
	known, err := e.store.Operation(ctx, id)
	if err != nil {
		return Operation{}, false
	}
	newest, err := e.newest(ctx, o)
	return known, err == nil && newest.ID == id || errors.Is(err, ErrNotFound)
}

// newest gives what a name leads to; ErrNotFound: a refund neither done nor begun.
func (e *Engine) newest(ctx context.Context, o Operation) (Operation, error) {
	if o.Kind == KindRefund {
		return e.store.RefundOf(ctx, o.Original)
	}
	return e.store.ByReference(ctx, o.Party, ReferenceQuery{CallerRef: o.CallerRef})
}

// nameOf gives what attempts have in common; empty: the operation has no name.
func nameOf(o Operation) string { return guess.Name(o.Party, o.CallerRef, string(o.Original)) }
