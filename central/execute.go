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

// execute takes a created operation to the bank and records its outcome: MarkSent
// (committed), Send, Finish. It runs once for each operation, in a goroutine that does
// not end with the request.
func (e *Engine) execute(ctx context.Context, o Operation, s Submission) {
	defer e.releaseSlot()
	defer e.notifier.Notify(operationTopic(o.ID))
	defer e.recoverPanic(ctx, o)

	if isPast(s.NotAfter) {
		e.finishUnsent(ctx, o, op.Refused, NewError(FailedPrecondition, "The deadline passed before the operation arrived; nothing was sent"))
		return
	}
	if s.NeedsSession && o.Kind.AEPS() && !e.authenticateAgent(ctx, o, s) {
		return
	}
	now := time.Now()
	request := s.Request
	request.Reference, request.STAN, request.NotAfter = o.Reference, o.STAN, now.Add(e.cfg.BankTimeout)
	if err := e.store.MarkSent(ctx, o.ID, now, request.NotAfter); err != nil {
		// Not committed, so not sent. If the refusal can't be written either, the
		// operation stays in received, and the sweep refuses it later.
		e.log.ErrorContext(ctx, "operation can't be recorded as sent; it is not sent", "operation", o.ID, "error", err)
		e.finishUnsent(ctx, o, op.Refused, errInternal(nil))
		return
	}
	if o.Kind.IsLocal() {
		e.finishLocal(ctx, o)
		return
	}
	answer, err := e.sendWithTimeout(ctx, request)
	switch {
	case err != nil && NotSent(err):
		e.finishUnreachable(ctx, o, err)
	case err != nil:
		e.log.WarnContext(ctx, "no answer from the bank; the operation is pending", "operation", o.ID, "reference", o.Reference, "error", err)
		e.recordPending(ctx, o, "no answer from the bank")
	case answer.Status == BankInProgress:
		e.recordPending(ctx, o, "the bank says it is in progress")
	case answer.Status == BankApproved || answer.Status == BankDeclined:
		if answer.Refusal == RefusedOTP {
			e.refusedOTPs.remember(attemptNameOf(o), o.ID, request.OTP)
		}
		if _, err := e.finishAnswered(ctx, o, answer, "the bank answered"); err != nil {
			e.recordPending(ctx, o, reasonNoEarning)
		}
	default:
		e.log.WarnContext(ctx, "the bank's answer is not valid; the operation is pending", "operation", o.ID, "status", answer.Status)
		e.recordPending(ctx, o, "the bank's answer is not valid")
	}
}

// recoverPanic ends the execution after a panic. It is deferred.
func (e *Engine) recoverPanic(ctx context.Context, o Operation) {
	if p := recover(); p != nil {
		e.log.ErrorContext(ctx, "panic while an operation was executed", "operation", o.ID, "kind", o.Kind, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		e.markInterrupted(ctx, o, "internal error during its execution")
	}
}

func isPast(deadline time.Time) bool { return !deadline.IsZero() && time.Now().After(deadline) }

// finishLocal finishes a local operation. Finish makes the whole change, so that an
// operation found in sent has changed nothing.
func (e *Engine) finishLocal(ctx context.Context, o Operation) {
	if finished, _ := e.finishAnswered(ctx, o, BankAnswer{Status: BankApproved, Code: CodeApproved}, "done at the central"); !finished {
		// If Finish was committed in spite of its error, this one is refused for its
		// state.
		e.markInterrupted(ctx, o, "its outcome could not be recorded")
	}
}

// markInterrupted ends an execution that was interrupted. The bank may have executed
// the operation: pending. A local one changed nothing, since it was not finished:
// failed.
func (e *Engine) markInterrupted(ctx context.Context, o Operation, reason string) {
	if !o.Kind.IsLocal() {
		e.recordPending(ctx, o, reason)
		return
	}
	http, body := e.renderer.NotExecutedReply(o, errInternal(nil))
	e.recordOutcome(ctx, o, FinalOutcome{To: op.Failed, Reason: reason + "; nothing was changed", HTTP: http, Reply: body})
}

// sendWithTimeout is Send, with BankTimeout.
func (e *Engine) sendWithTimeout(ctx context.Context, request BankRequest) (BankAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.BankTimeout)
	defer cancel()
	return e.bank.Send(ctx, request)
}

// authenticateAgent runs the inline agent authentication if no session is active
// (interface.md, section 3.2). false: it finished the operation, which was not sent.
func (e *Engine) authenticateAgent(ctx context.Context, o Operation, s Submission) bool {
	session, err := e.store.Session(ctx, o.TID)
	if err == nil && time.Now().Before(session.ExpiresAt) {
		return true
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		e.log.ErrorContext(ctx, "agent session can't be read", "operation", o.ID, "tid", o.TID, "error", err)
		e.finishUnsent(ctx, o, op.Refused, errInternal(nil))
		return false
	}
	reference, stan, err := e.references.Next(time.Now())
	if err != nil {
		e.log.ErrorContext(ctx, "no reference for an agent authentication", "operation", o.ID, "error", err)
		e.finishUnsent(ctx, o, op.Refused, errInternal(nil))
		return false
	}
	request := s.Request
	request.Kind, request.Amount, request.InlineFor = KindAgentAuth, 0, o.Reference
	request.Reference, request.STAN, request.NotAfter = Reference(reference), stan, time.Now().Add(e.cfg.BankTimeout)

	answer, err := e.sendWithTimeout(ctx, request)
	switch {
	case err != nil && NotSent(err):
		e.finishUnreachable(ctx, o, err)
		return false
	case err != nil || answer.Status == BankInProgress:
		// The authentication moves no money and the transaction was not sent, so
		// that no enquiry is needed.
		e.log.WarnContext(ctx, "agent authentication was not answered; the transaction is not sent", "operation", o.ID, "error", err)
		e.finishUnsent(ctx, o, op.Failed, &Error{Fault: BankUnreachable, Message: "The bank did not answer the agent authentication; the transaction was not sent"})
		return false
	case answer.Status != BankApproved:
		answer.Balance, answer.RRN, answer.AuthCode = nil, "", ""
		answer.Status = BankDeclined
		http, body := e.renderer.FinalReply(o, op.Failed, answer)
		e.recordOutcome(ctx, o, FinalOutcome{To: op.Failed, Reason: "agent authentication declined; the transaction was not sent", Answer: answer, HTTP: http, Reply: body})
		return false
	}
	at := time.Now()
	if err := e.store.OpenSession(ctx, AgentSession{TID: o.TID, OpenedAt: at, ExpiresAt: at.Add(SessionLife)}); err != nil {
		e.log.ErrorContext(ctx, "agent session can't be recorded; the next transaction authenticates again", "operation", o.ID, "tid", o.TID, "error", err)
	}
	if isPast(s.NotAfter) {
		e.finishUnsent(ctx, o, op.Refused, NewError(FailedPrecondition, "The deadline passed before the operation could be sent; nothing was sent"))
		return false
	}
	return true
}

// reasonNoEarning is why an operation that the bank approved stays pending: the
// success and its earning are written together.
const reasonNoEarning = "the bank approved it, but its earning could not be calculated"

// finishAnswered records the bank's final answer, and tells whether this call did. An
// error says that the earning of a success could not be calculated: nothing was
// written.
func (e *Engine) finishAnswered(ctx context.Context, o Operation, answer BankAnswer, reason string) (finished bool, err error) {
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
			return false, err
		}
	}
	return e.recordOutcome(ctx, o, s), nil
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
func (e *Engine) finishUnreachable(ctx context.Context, o Operation, err error) {
	e.log.WarnContext(ctx, "bank network unreachable; nothing was sent", "operation", o.ID, "reference", o.Reference, "error", err)
	e.finishUnsent(ctx, o, op.Failed, &Error{Fault: BankUnreachable, Message: "Bank network unreachable; nothing was sent"})
}

// finishUnsent finishes an operation that was not sent.
func (e *Engine) finishUnsent(ctx context.Context, o Operation, to op.State, why *Error) {
	http, body := e.renderer.NotExecutedReply(o, why)
	e.recordOutcome(ctx, o, FinalOutcome{To: to, Reason: why.Message, HTTP: http, Reply: body})
}

// recordOutcome writes a final state, and tells whether it did. If not, the operation
// stays as it is: the sweep or the next start finds it, and the bank is asked.
func (e *Engine) recordOutcome(ctx context.Context, o Operation, s FinalOutcome) bool {
	s.ID = o.ID
	if s.At.IsZero() {
		s.At = time.Now()
	}
	finished, err := e.store.Finish(context.WithoutCancel(ctx), s)
	if errors.Is(err, ErrState) {
		e.log.InfoContext(ctx, "another node finished the operation", "operation", o.ID, "to", s.To)
		return false
	}
	if err != nil {
		e.log.ErrorContext(ctx, "the outcome of an operation can't be recorded; it will be found again and the bank asked", "operation", o.ID, "to", s.To, "error", err)
		return false
	}
	e.log.InfoContext(ctx, "operation ended", "operation", o.ID, "reference", o.Reference, "route", o.Route, "state", s.To, "code", s.Answer.Code)
	e.notifier.Notify(operationTopic(o.ID))
	if finished.Terminal != "" {
		e.notifier.Notify(TerminalTopic(finished.Terminal))
	}
	return true
}

// recordPending makes an operation pending. If it can't, the sweep does it later.
func (e *Engine) recordPending(ctx context.Context, o Operation, reason string) {
	now := time.Now()
	_, err := e.store.MarkPending(context.WithoutCancel(ctx), PendingUpdate{
		ID: o.ID, At: now, Reason: reason, Prefix: o.Kind.pendingPrefix(), NextEnquiry: now.Add(e.cfg.Enquiries.Delay(0, e.cfg.Rand)),
	})
	if err != nil && !errors.Is(err, ErrState) {
		e.log.ErrorContext(ctx, "operation can't be recorded as pending; it will be found again", "operation", o.ID, "error", err)
	}
	e.notifier.Notify(operationTopic(o.ID))
}
