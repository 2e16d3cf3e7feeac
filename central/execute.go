package central

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"galla/shared/op"
)

// tariffTimeout bounds the tariff's calculation, which reads a few rows of the
// database.
const tariffTimeout = 5 * time.Second

// execute takes a created operation to the bank and records its outcome: Create
// (committed, as sent), Send, Finish. An operation that waits for the agent's
// authentication is marked as sent in between. It runs once for each operation, in a
// goroutine that does not end with the request. It gives the operation as it is
// recorded; false: nothing could be recorded, and a sweep ends the operation.
func (e *Engine) execute(ctx context.Context, o Operation, s Submission) (result Operation, recorded bool) {
	defer func() {
		if p := recover(); p != nil {
			result, recorded = e.afterPanic(ctx, o, p)
		}
	}()
	if isPast(s.NotAfter) {
		return e.finishUnsent(ctx, o, withoutSend(o), NewError(FailedPrecondition, "The deadline passed before the operation arrived; nothing was sent"))
	}
	if o.State == op.Received {
		if result, recorded, goOn := e.authenticateAgent(ctx, o, s); !goOn {
			return result, recorded
		}
		if err := e.markSent(ctx, &o); err != nil {
			return e.finishUnsent(ctx, o, op.Refused, errInternal(nil))
		}
	}
	if o.Kind.IsLocal() {
		return e.finishLocal(ctx, o)
	}
	request := s.Request
	request.Reference, request.STAN, request.NotAfter = o.Reference, o.STAN, o.BankNotAfter
	answer, err := e.sendWithTimeout(ctx, request)
	switch {
	case err != nil && NotSent(err):
		return e.finishUnreachable(ctx, o, err)
	case err != nil:
		e.log.WarnContext(ctx, "no answer from the bank; the operation is pending", "operation", o.ID, "reference", o.Reference, "error", err)
		return e.recordPending(ctx, o, "no answer from the bank")
	case answer.Status == BankInProgress:
		return e.recordPending(ctx, o, "the bank says it is in progress")
	case answer.Status == BankApproved || answer.Status == BankDeclined:
		if answer.Refusal == RefusedOTP {
			e.refusedOTPs.remember(attemptNameOf(o), o.ID, request.OTP)
		}
		result, recorded, err = e.finishAnswered(ctx, o, answer, "the bank answered")
		if err != nil {
			return e.recordPending(ctx, o, reasonNoEarning)
		}
		return result, recorded
	}
	e.log.WarnContext(ctx, "the bank's answer is not valid; the operation is pending", "operation", o.ID, "status", answer.Status)
	return e.recordPending(ctx, o, "the bank's answer is not valid")
}

// asSent gives an operation the state sent, with the bank's deadline.
func (e *Engine) asSent(o *Operation, at time.Time) {
	o.State, o.SentAt, o.BankNotAfter = op.Sent, at, at.Add(e.cfg.BankTimeout)
}

// withoutSend is the final state of an operation that the central will not send: one that
// is recorded as sent can't be refused any more, it fails.
func withoutSend(o Operation) op.State {
	if o.State == op.Sent {
		return op.Failed
	}
	return op.Refused
}

// markSent records an operation that had to wait as sent. After an error that is not
// committed, so nothing is sent. If the refusal can't be written either, the operation
// stays in received, and the sweep refuses it later.
func (e *Engine) markSent(ctx context.Context, o *Operation) error {
	before := *o
	e.asSent(o, time.Now())
	err := e.store.MarkSent(ctx, SentUpdate{ID: o.ID, Before: &before, At: o.SentAt, BankNotAfter: o.BankNotAfter})
	if err != nil {
		e.log.ErrorContext(ctx, "operation can't be recorded as sent; it is not sent", "operation", o.ID, "error", err)
		o.State = op.Received
	}
	return err
}

// afterPanic ends the execution after a panic.
func (e *Engine) afterPanic(ctx context.Context, o Operation, p any) (Operation, bool) {
	e.log.ErrorContext(ctx, "panic while an operation was executed", "operation", o.ID, "kind", o.Kind, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return e.markInterrupted(ctx, o, "internal error during its execution")
}

func isPast(deadline time.Time) bool { return !deadline.IsZero() && time.Now().After(deadline) }

// finishLocal finishes a local operation. Finish makes the whole change, so that an
// operation found in sent has changed nothing.
func (e *Engine) finishLocal(ctx context.Context, o Operation) (Operation, bool) {
	finished, recorded, _ := e.finishAnswered(ctx, o, BankAnswer{Status: BankApproved, Code: CodeApproved}, "done at the central")
	if !recorded {
		// If Finish was committed in spite of its error, this one is refused for its
		// state.
		return e.markInterrupted(ctx, o, "its outcome could not be recorded")
	}
	return finished, true
}

// markInterrupted ends an execution that was interrupted. The bank may have executed
// the operation: pending. A local one changed nothing, since it was not finished:
// failed.
func (e *Engine) markInterrupted(ctx context.Context, o Operation, reason string) (Operation, bool) {
	if !o.Kind.IsLocal() {
		return e.recordPending(ctx, o, reason)
	}
	http, body := e.renderer.NotExecutedReply(o, errInternal(nil))
	return e.recordOutcome(ctx, o, FinalOutcome{To: op.Failed, Reason: reason + "; nothing was changed", HTTP: http, Reply: body})
}

// sendWithTimeout is Send, with BankTimeout.
func (e *Engine) sendWithTimeout(ctx context.Context, request BankRequest) (BankAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.BankTimeout)
	defer cancel()
	return e.bank.Send(ctx, request)
}

// reasonNoEarning is why an operation that the bank approved stays pending: the
// success and its earning are written together.
const reasonNoEarning = "the bank approved it, but its earning could not be calculated"

// finishAnswered records the bank's final answer, like recordOutcome. An error says that
// the earning of a success could not be calculated: nothing was written.
func (e *Engine) finishAnswered(ctx context.Context, o Operation, answer BankAnswer, reason string) (finished Operation, recorded bool, err error) {
	to := op.Failed
	switch answer.Status {
	case BankApproved:
		to = op.Succeeded
	case BankReversed:
		to = op.Reversed
	}
	o.Charge = answer.Charge
	http, body := e.renderer.FinalReply(o, to, answer)
	at := time.Now()
	s := FinalOutcome{To: to, At: at, Reason: reason, Answer: answer, HTTP: http, Reply: body}
	if to == op.Succeeded {
		if o.Kind == KindAgentAuth {
			s.Session = &AgentSession{TID: o.TID, OpenedAt: at, ExpiresAt: at.Add(SessionLife)}
		}
		if s.Earning, err = e.earning(ctx, o, answer, at); err != nil {
			e.log.ErrorContext(ctx, "the earning of an operation can't be calculated; it is not finished, and the bank will be asked again", "operation", o.ID, "reference", o.Reference, "error", err)
			return o, false, err
		}
	}
	finished, recorded = e.recordOutcome(ctx, o, s)
	return finished, recorded, nil
}

// earning gives what a success earns. A refund earns nothing, since it reverses what
// its transfer earned; neither does a local operation.
func (e *Engine) earning(ctx context.Context, o Operation, answer BankAnswer, at time.Time) (*Earning, error) {
	if e.cfg.Tariff == nil || o.Reverses != "" || o.Kind.IsLocal() {
		return nil, nil
	}
	// The bank has answered: finish the operation even if ctx has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tariffTimeout)
	defer cancel()
	return e.cfg.Tariff.Earning(ctx, o, answer, at)
}

// finishUnreachable finishes an operation after a Send of which nothing was sent.
func (e *Engine) finishUnreachable(ctx context.Context, o Operation, err error) (Operation, bool) {
	e.log.WarnContext(ctx, "bank network unreachable; nothing was sent", "operation", o.ID, "reference", o.Reference, "error", err)
	return e.finishUnsent(ctx, o, op.Failed, &Error{Fault: BankUnreachable, Message: "Bank network unreachable; nothing was sent"})
}

// finishUnsent finishes an operation that was not sent.
func (e *Engine) finishUnsent(ctx context.Context, o Operation, to op.State, why *Error) (Operation, bool) {
	http, body := e.renderer.NotExecutedReply(o, why)
	return e.recordOutcome(ctx, o, FinalOutcome{To: to, Reason: why.Message, HTTP: http, Reply: body})
}

// recordOutcome writes a final state, and tells whether it did. If not, the operation
// stays as it is: the sweep or the next start finds it, and the bank is asked. Whoever
// else waits for the operation is notified.
func (e *Engine) recordOutcome(ctx context.Context, o Operation, s FinalOutcome) (Operation, bool) {
	s.ID, s.Before = o.ID, &o
	if s.At.IsZero() {
		s.At = time.Now()
	}
	finished, err := e.store.Finish(context.WithoutCancel(ctx), s)
	e.notifier.Notify(operationTopic(o.ID))
	if errors.Is(err, ErrState) {
		e.log.InfoContext(ctx, "another node finished the operation", "operation", o.ID, "to", s.To)
		return o, false
	}
	if err != nil {
		e.log.ErrorContext(ctx, "the outcome of an operation can't be recorded; it will be found again and the bank asked", "operation", o.ID, "to", s.To, "error", err)
		return o, false
	}
	if s.Session != nil {
		e.sessions.remember(*s.Session)
	}
	if finished.Terminal != "" {
		e.notifier.Notify(TerminalTopic(finished.Terminal))
	}
	return finished, true
}

// logEnded writes the line of an operation that ended while no call waited for it. The
// result that a waiting call is handed stands in the line of its request.
func (e *Engine) logEnded(ctx context.Context, o Operation) {
	if o.State.Final() {
		e.log.InfoContext(ctx, "operation ended", "operation", o.ID, "reference", o.Reference, "route", o.Route, "state", o.State, "code", o.Code)
	}
}

// recordPending makes an operation pending, and tells whether it did. If it can't, the
// sweep does it later.
func (e *Engine) recordPending(ctx context.Context, o Operation, reason string) (Operation, bool) {
	now := time.Now()
	pending, err := e.store.MarkPending(context.WithoutCancel(ctx), PendingUpdate{
		ID: o.ID, Before: &o, At: now, Reason: reason, Prefix: o.Kind.pendingPrefix(), NextEnquiry: now.Add(e.cfg.Enquiries.Delay(0, e.cfg.Rand)),
	})
	e.notifier.Notify(operationTopic(o.ID))
	if err != nil && !errors.Is(err, ErrState) {
		e.log.ErrorContext(ctx, "operation can't be recorded as pending; it will be found again", "operation", o.ID, "error", err)
	}
	return pending, err == nil
}
