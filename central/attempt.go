package central

import (
	"context"
	"errors"
)

// createOrFind creates the operation of a submission (isNew), or gives the one that its
// names lead to, when that is final or pending or ctx ends.
func (e *Engine) createOrFind(ctx context.Context, s Submission) (Operation, bool, error) {
	for {
		o, err := e.newOperation(s)
		if err != nil {
			return Operation{}, false, errInternal(err)
		}
		if !e.waitsBeforeSend(ctx, s) {
			e.asSent(&o, o.CreatedAt)
		}
		known, refused := e.refusedBefore(ctx, o, s)
		if !refused {
			isNew := false
			if known, isNew, err = e.createWithReference(ctx, &o, s); err != nil || isNew {
				return o, isNew, createError(err)
			}
		}
		ended, _, err := e.answerRepeat(ctx, s, known)
		// A request that waited for a refused attempt continues with its own OTP. A
		// terminal's id leads to the attempt that it waited for.
		waited := err == nil && ended.OTPRefused && !known.State.Final()
		if s.ID != "" || !waited || e.refusedOTPs.matches(attemptNameOf(ended), ended.ID, s.Request.OTP) {
			return ended, false, err
		}
	}
}

// refusedBefore gives the newest attempt of the operation's names, if this node knows
// that the bank refused this OTP under them: the OTP is not tried again.
func (e *Engine) refusedBefore(ctx context.Context, o Operation, s Submission) (Operation, bool) {
	id, known := e.refusedOTPs.find(attemptNameOf(o), s.Request.OTP)
	if !known || s.ID != "" {
		return Operation{}, false
	}
	newest, err := e.newestAttempt(ctx, o)
	if errors.Is(err, ErrNotFound) {
		newest, err = e.store.Operation(ctx, id)
	}
	return newest, err == nil && newest.OTPRefused
}

// newestAttempt gives what an operation's names lead to. ErrNotFound: nothing, or a
// refund of which only the identity is known or which is neither succeeded nor under
// way.
func (e *Engine) newestAttempt(ctx context.Context, o Operation) (Operation, error) {
	if o.Kind != KindRefund {
		return e.store.ByReference(ctx, o.Party, ReferenceQuery{CallerRef: o.CallerRef})
	}
	refund, err := e.store.RefundOf(ctx, o.Original)
	if errors.Is(err, ErrNotFound) {
		return e.store.ByIdentity(ctx, o.Caller, o.Identity)
	}
	return refund, err
}

// attemptNameOf is attemptName of an operation.
func attemptNameOf(o Operation) string { return attemptName(o.Party, o.CallerRef, string(o.Original)) }
