package central

import (
	"context"
	"fmt"
	"time"
)

// Consult implements Executor. A consultation takes a slot like an operation, so
// that a silent bank can't pile them up. It ends with ctx, with the bank's
// time-out or with the engine, whichever comes first.
func (e *Engine) Consult(ctx context.Context, req BankRequest) (BankAnswer, error) {
	if !req.Kind.IsConsultation() {
		return BankAnswer{}, errInternal(fmt.Errorf("consult the bank about %s: it is an operation", req.Kind))
	}
	engineCtx, err := e.acquireSlot()
	if err != nil {
		return BankAnswer{}, err
	}
	defer e.releaseSlot()

	now := time.Now()
	reference, stan, err := e.references.Next(now)
	if err != nil {
		return BankAnswer{}, errInternal(err)
	}
	req.Reference, req.STAN, req.NotAfter = Reference(reference), stan, now.Add(e.cfg.BankTimeout)

	ctx, cancel := context.WithTimeout(ctx, e.cfg.BankTimeout)
	defer cancel()
	defer context.AfterFunc(engineCtx, cancel)()

	answer, err := e.bank.Consult(ctx, req)
	switch {
	case err != nil && NotSent(err):
		e.log.WarnContext(ctx, "bank network unreachable; a consultation was not sent", "kind", req.Kind, "reference", reference, "error", err)
		return BankAnswer{}, &Error{Fault: BankUnreachable, Message: "Bank network unreachable; nothing was sent", Err: err}
	case err != nil:
		e.log.WarnContext(ctx, "no answer from the bank to a consultation", "kind", req.Kind, "reference", reference, "error", err)
		return BankAnswer{}, errUnanswered(err)
	case answer.Status != BankApproved && answer.Status != BankDeclined:
		e.log.WarnContext(ctx, "the bank's answer to a consultation is not valid", "kind", req.Kind, "reference", reference, "status", answer.Status)
		return BankAnswer{}, errUnanswered(fmt.Errorf("bank answered %s to a consultation", answer.Status))
	}
	return answer, nil
}

// errUnanswered is the reply to a consultation without an answer. Repeating it
// does no harm, even if the bank executed it.
func errUnanswered(err error) *Error {
	return &Error{Fault: BankUnreachable, Message: "The bank did not answer in time; nothing was moved, ask again", Err: err}
}
