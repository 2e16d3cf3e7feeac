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
			if known, isNew, err = e.begin(ctx, &o, s); err != nil || isNew {
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

// toldBefore gives the refusal that a call with the very OTP was told already: the
// newest of its name, which another node may have tried since. So each node that
// remembers tries an OTP once.
func (e *Engine) toldBefore(ctx context.Context, o Operation, s Submission) (Operation, bool) {
	id, told := e.refused.Find(nameOf(o), s.Request.OTP)
	if !told || s.ID != "" {
		return Operation{}, false
	}
	newest, err := e.newest(ctx, o)
	if errors.Is(err, ErrNotFound) {
		newest, err = e.store.Operation(ctx, id)
	}
	return newest, err == nil && newest.OTPRefused
}

// newest gives what a call's names lead to; ErrNotFound: its key is unknown, or it
// has none, and the refund is neither done nor under way.
func (e *Engine) newest(ctx context.Context, o Operation) (Operation, error) {
	if o.Kind != KindRefund {
		return e.store.ByReference(ctx, o.Party, ReferenceQuery{CallerRef: o.CallerRef})
	}
	refund, err := e.store.RefundOf(ctx, o.Original)
	if errors.Is(err, ErrNotFound) {
		return e.store.ByIdentity(ctx, o.Caller, o.Identity)
	}
	return refund, err
}

// nameOf gives what attempts have in common; empty: the operation has no name.
func nameOf(o Operation) string { return guess.Name(o.Party, o.CallerRef, string(o.Original)) }
