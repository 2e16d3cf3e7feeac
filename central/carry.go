package central

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"galla/shared/bug"
	"galla/shared/op"
)

// tariffTimeout bounds how long a settlement waits for the tariff, which reads
// a few rows of the database.
const tariffTimeout = 5 * time.Second

// carry takes an operation from received to the bank and writes what came of
// it. It runs once for each operation, in a goroutine of its own, and does not
// end with the call that began it.
func (e *Engine) carry(ctx context.Context, o Operation, s Submission) {
	defer e.leave()
	defer e.bell.Ring(operationBell(o.ID))
	defer func() {
		if p := recover(); p != nil {
			e.log.ErrorContext(ctx, "panic while an operation was under way", "operation", o.ID, "kind", o.Kind, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			e.abandon(ctx, o, "internal error while it was under way")
		}
	}()

	now := time.Now()
	if !s.NotAfter.IsZero() && now.After(s.NotAfter) {
		e.undo(ctx, o, op.Refused, Refuse(Precluded, "The deadline passed before the operation arrived; nothing was sent"))
		return
	}
	if o.Kind.Local() {
		e.carryLocal(ctx, o)
		return
	}
	if s.NeedsSession && o.Kind.AEPS() && !e.authenticate(ctx, o, s) {
		return
	}
	e.dispatchToBank(ctx, o, s)
}

// carryLocal takes a local operation to its end: received, dispatched and
// succeeded in quick succession. What it changes is written by the settlement
// alone, so that one found in dispatched has changed nothing.
func (e *Engine) carryLocal(ctx context.Context, o Operation) {
	now := time.Now()
	if err := e.store.Dispatch(ctx, o.ID, now, now); err != nil {
		e.log.ErrorContext(ctx, "local operation can't be recorded as dispatched; nothing is done", "operation", o.ID, "error", err)
		e.undo(ctx, o, op.Refused, errServer(nil))
		return
	}
	if settled, _ := e.answered(ctx, o, BankAnswer{Status: BankApproved, Code: "00"}, "done at the central"); !settled {
		// Where the settlement was written in spite of its error, this one is
		// refused for its state.
		e.abandon(ctx, o, "its settlement could not be written")
	}
}

// abandon leaves an operation whose carrier is gone. The bank may have executed
// it: pending. A local one has changed nothing, for its settlement is not
// written: failed.
func (e *Engine) abandon(ctx context.Context, o Operation, reason string) {
	if !o.Kind.Local() {
		e.suspend(ctx, o, reason)
		return
	}
	http, body := e.render.Undone(o, errServer(nil))
	e.settle(ctx, o, Settlement{To: op.Failed, Reason: reason + "; nothing was changed", HTTP: http, Reply: body})
}

// dispatchToBank commits the state dispatched, and only then sends.
func (e *Engine) dispatchToBank(ctx context.Context, o Operation, s Submission) {
	now := time.Now()
	if !s.NotAfter.IsZero() && now.After(s.NotAfter) {
		e.undo(ctx, o, op.Refused, Refuse(Precluded, "The deadline passed before the operation could be sent; nothing was sent"))
		return
	}
	notAfter := now.Add(e.cfg.BankTimeout)
	request := s.Request
	request.Reference, request.STAN, request.NotAfter = o.Reference, o.STAN, notAfter
	send := func() (BankAnswer, error) { return e.send(ctx, request) }
	if bug.DispatchBeforeCommit {
		send = bug.Early(send)
	}
	if err := e.store.Dispatch(ctx, o.ID, now, notAfter); err != nil {
		// Not committed, so not sent. If even the refusal can't be written, the
		// operation stays in received, and the sweep refuses it later.
		e.log.ErrorContext(ctx, "operation can't be recorded as dispatched; it is not sent", "operation", o.ID, "error", err)
		e.undo(ctx, o, op.Refused, errServer(nil))
		return
	}
	answer, err := send()
	if bug.RetryOnTimeout && err != nil && !NotSent(err) {
		again, stan, _ := e.draw.Next(now)
		request.Reference, request.STAN = Reference(again), stan
		request.NotAfter = time.Now().Add(e.cfg.BankTimeout)
		answer, err = send()
	}
	if err == nil && answer.Refusal == RefusedOTP {
		e.refused.Note(nameOf(o), o.ID, request.OTP)
	}
	switch {
	case err != nil && NotSent(err):
		e.log.WarnContext(ctx, "bank network unreachable; nothing was sent", "operation", o.ID, "reference", o.Reference, "error", err)
		e.undo(ctx, o, op.Failed, &Error{Fault: BankUnreachable, Message: "Bank network unreachable; nothing was sent"})
	case err != nil:
		e.log.WarnContext(ctx, "no answer from the bank; the operation is pending", "operation", o.ID, "reference", o.Reference, "error", err)
		e.suspend(ctx, o, "no answer from the bank")
	case answer.Status == BankInProgress:
		e.suspend(ctx, o, "the bank says it is in progress")
	case answer.Status == BankApproved || answer.Status == BankDeclined:
		if _, err := e.answered(ctx, o, answer, "the bank answered"); err != nil {
			e.suspend(ctx, o, earnLater)
		}
	default:
		e.log.WarnContext(ctx, "the bank's answer makes no sense; the operation is pending", "operation", o.ID, "status", answer.Status)
		e.suspend(ctx, o, "the bank's answer makes no sense")
	}
}

// send gives a request to the bank and waits for its answer up to the time-out.
func (e *Engine) send(ctx context.Context, request BankRequest) (BankAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.BankTimeout)
	defer cancel()
	return e.bank.Send(ctx, request)
}

// authenticate runs the inline agent authentication where no session is
// active. false: the operation has ended, nothing of it was sent.
func (e *Engine) authenticate(ctx context.Context, o Operation, s Submission) bool {
	session, err := e.store.Session(ctx, o.TID)
	if err == nil && time.Now().Before(session.ExpiresAt) {
		return true
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		e.log.ErrorContext(ctx, "agent session can't be read", "operation", o.ID, "tid", o.TID, "error", err)
		e.undo(ctx, o, op.Refused, errServer(nil))
		return false
	}
	reference, stan, err := e.draw.Next(time.Now())
	if err != nil {
		e.log.ErrorContext(ctx, "no reference for an agent authentication", "operation", o.ID, "error", err)
		e.undo(ctx, o, op.Refused, errServer(nil))
		return false
	}
	request := s.Request
	request.Kind, request.Amount, request.InlineFor = KindAgentAuth, 0, o.Reference
	request.Reference, request.STAN, request.NotAfter = Reference(reference), stan, time.Now().Add(e.cfg.BankTimeout)

	answer, err := e.send(ctx, request)
	switch {
	case err != nil && NotSent(err):
		e.log.WarnContext(ctx, "bank network unreachable; nothing was sent", "operation", o.ID, "reference", o.Reference, "error", err)
		e.undo(ctx, o, op.Failed, &Error{Fault: BankUnreachable, Message: "Bank network unreachable; nothing was sent"})
		return false
	case err != nil || answer.Status == BankInProgress:
		// The authentication moves no money and the transaction was not sent:
		// there is nothing to reconcile.
		e.log.WarnContext(ctx, "agent authentication was not answered; the transaction is not sent", "operation", o.ID, "error", err)
		e.undo(ctx, o, op.Failed, &Error{Fault: BankUnreachable, Message: "The bank did not answer the agent authentication; the transaction was not sent"})
		return false
	case answer.Status != BankApproved:
		answer.Balance, answer.RRN, answer.AuthCode = nil, "", ""
		answer.Status = BankDeclined
		e.declineBeforeDispatch(ctx, o, answer)
		return false
	}
	at := time.Now()
	if err := e.store.OpenSession(ctx, AgentSession{TID: o.TID, OpenedAt: at, ExpiresAt: at.Add(SessionLife)}); err != nil {
		e.log.ErrorContext(ctx, "agent session can't be recorded; the next transaction authenticates again", "operation", o.ID, "tid", o.TID, "error", err)
	}
	return true
}

// declineBeforeDispatch ends an operation whose inline authentication the bank
// declined: its reply carries the bank's code, and nothing of it was sent.
func (e *Engine) declineBeforeDispatch(ctx context.Context, o Operation, answer BankAnswer) {
	http, body := e.render.Answered(o, op.Failed, answer)
	e.settle(ctx, o, Settlement{To: op.Failed, Reason: "agent authentication declined; the transaction was not sent", Answer: answer, HTTP: http, Reply: body})
}

// earnLater is why an operation that the bank approved stays pending: its
// earning is written with its settlement, or neither is.
const earnLater = "the bank approved it, but what it earns could not be worked out"

// answered writes the bank's final word; settled tells whether this call did.
// An error says that the tariff could not work out what a success earns: then
// nothing was written, and the operation is not failed.
func (e *Engine) answered(ctx context.Context, o Operation, answer BankAnswer, reason string) (settled bool, err error) {
	to := op.Failed
	switch answer.Status {
	case BankApproved:
		to = op.Succeeded
	case BankReversed:
		to = op.Reversed
	}
	o.Charge = answer.Charge
	http, body := e.render.Answered(o, to, answer)
	at := time.Now()
	s := Settlement{To: to, At: at, Reason: reason, Answer: answer, HTTP: http, Reply: body}
	if to == op.Succeeded {
		if o.Kind == KindAgentAuth {
			s.Session = &AgentSession{TID: o.TID, OpenedAt: at, ExpiresAt: at.Add(SessionLife)}
		}
		if s.Earning, err = e.earn(ctx, o, answer, at); err != nil {
			e.log.ErrorContext(ctx, "what an operation earns can't be worked out; it is not settled, and the bank will be asked again", "operation", o.ID, "reference", o.Reference, "error", err)
			return false, err
		}
	}
	return e.settle(ctx, o, s), nil
}

// earn asks the tariff what a success earns. A refund earns nothing: it takes
// back what its transfer earned; neither does what the bank never saw.
func (e *Engine) earn(ctx context.Context, o Operation, answer BankAnswer, at time.Time) (*Earning, error) {
	if e.cfg.Tariff == nil || o.Reverses != "" || o.Kind.Local() {
		return nil, nil
	}
	// The answer is here and must be written, even where the life has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tariffTimeout)
	defer cancel()
	return e.cfg.Tariff.Earn(ctx, o, answer, at)
}

// undo ends an operation of which nothing was sent.
func (e *Engine) undo(ctx context.Context, o Operation, to op.State, why *Error) {
	http, body := e.render.Undone(o, why)
	e.settle(ctx, o, Settlement{To: to, Reason: why.Message, HTTP: http, Reply: body})
}

// settle writes a final state. If it can't, the operation stays as it is: the
// sweep or the next start finds it, and the bank is asked.
func (e *Engine) settle(ctx context.Context, o Operation, s Settlement) bool {
	s.ID = o.ID
	if s.At.IsZero() {
		s.At = time.Now()
	}
	settled, err := e.store.Settle(context.WithoutCancel(ctx), s)
	if errors.Is(err, ErrState) {
		e.log.InfoContext(ctx, "operation was settled by somebody else", "operation", o.ID, "to", s.To)
		return false
	}
	if err != nil {
		e.log.ErrorContext(ctx, "operation can't be settled; it will be found again and the bank asked", "operation", o.ID, "to", s.To, "error", err)
		return false
	}
	e.log.InfoContext(ctx, "operation ended", "operation", o.ID, "reference", o.Reference, "route", o.Route, "state", s.To, "code", s.Answer.Code)
	e.bell.Ring(operationBell(o.ID))
	if settled.Terminal != "" {
		e.bell.Ring(TerminalBell(settled.Terminal))
	}
	return true
}

// suspend makes an operation pending. If it can't, the sweep does it later.
func (e *Engine) suspend(ctx context.Context, o Operation, reason string) {
	now := time.Now()
	_, err := e.store.Suspend(context.WithoutCancel(ctx), Suspension{
		ID: o.ID, At: now, Reason: reason, Prefix: o.Kind.pendingPrefix(), NextEnquiry: now.Add(e.cfg.Enquiries.Delay(0, e.cfg.Rand)),
	})
	if err != nil && !errors.Is(err, ErrState) {
		e.log.ErrorContext(ctx, "operation can't be recorded as pending; it will be found again", "operation", o.ID, "error", err)
	}
	e.bell.Ring(operationBell(o.ID))
}
