package central

import (
	"context"
	"errors"
	"sync"
	"time"

	"galla/shared/op"
)

// maxSessions bounds the remembered sessions: more than the terminals of a large
// installation.
const maxSessions = 1 << 16

// activeSessions remembers sessions of agents that the store has confirmed, so that it
// is not asked for each transaction. A session is never ended early, and only gets
// longer; so one that is active stays so until it expires. Its methods are safe for
// concurrent use.
type activeSessions struct {
	mu    sync.Mutex
	until map[string]time.Time // by terminal at the bank network
}

func newActiveSessions() *activeSessions { return &activeSessions{until: map[string]time.Time{}} }

// remember keeps a session that is in the store. When there are too many, all are
// forgotten first.
func (a *activeSessions) remember(s AgentSession) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.until) >= maxSessions {
		clear(a.until)
	}
	a.until[s.TID] = s.ExpiresAt
}

// active tells whether a session is known that has not expired.
func (a *activeSessions) active(tid string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return now.Before(a.until[tid])
}

// sessionActive tells whether a submission needs no agent authentication of its own.
func (e *Engine) sessionActive(ctx context.Context, s Submission) (bool, error) {
	if !s.NeedsSession || !s.Request.Kind.AEPS() {
		return true, nil
	}
	now := time.Now()
	if e.sessions.active(s.Request.TID, now) {
		return true, nil
	}
	session, err := e.store.Session(ctx, s.Request.TID)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil || !now.Before(session.ExpiresAt) {
		return false, err
	}
	e.sessions.remember(session)
	return true, nil
}

// waitsBeforeSend tells whether something must happen between the record of an operation
// and its Send: the agent's authentication, or a refusal for its deadline.
func (e *Engine) waitsBeforeSend(ctx context.Context, s Submission) bool {
	if isPast(s.NotAfter) {
		return true
	}
	active, err := e.sessionActive(ctx, s)
	return err != nil || !active
}

// authenticateAgent runs the inline agent authentication if no session is active
// (interface.md, section 3.2). If goOn is false, the operation ended like recordOutcome,
// and was not sent.
func (e *Engine) authenticateAgent(ctx context.Context, o Operation, s Submission) (result Operation, recorded, goOn bool) {
	end := func(result Operation, recorded bool) (Operation, bool, bool) { return result, recorded, false }
	active, err := e.sessionActive(ctx, s)
	if active {
		return o, false, true
	}
	if err != nil {
		e.log.ErrorContext(ctx, "agent session can't be read", "operation", o.ID, "tid", o.TID, "error", err)
		return end(e.finishUnsent(ctx, o, op.Refused, errInternal(nil)))
	}
	reference, stan, err := e.references.Next(time.Now())
	if err != nil {
		e.log.ErrorContext(ctx, "no reference for an agent authentication", "operation", o.ID, "error", err)
		return end(e.finishUnsent(ctx, o, op.Refused, errInternal(nil)))
	}
	request := s.Request
	request.Kind, request.Amount, request.InlineFor = KindAgentAuth, 0, o.Reference
	request.Reference, request.STAN, request.NotAfter = Reference(reference), stan, time.Now().Add(e.cfg.BankTimeout)

	answer, err := e.sendWithTimeout(ctx, request)
	switch {
	case err != nil && NotSent(err):
		return end(e.finishUnreachable(ctx, o, err))
	case err != nil || answer.Status == BankInProgress:
		// The authentication moves no money and the transaction was not sent, so
		// that no enquiry is needed.
		e.log.WarnContext(ctx, "agent authentication was not answered; the transaction is not sent", "operation", o.ID, "error", err)
		return end(e.finishUnsent(ctx, o, op.Failed, &Error{Fault: BankUnreachable, Message: "The bank did not answer the agent authentication; the transaction was not sent"}))
	case answer.Status != BankApproved:
		answer.Balance, answer.RRN, answer.AuthCode = nil, "", ""
		answer.Status = BankDeclined
		http, body := e.renderer.FinalReply(o, op.Failed, answer)
		return end(e.recordOutcome(ctx, o, FinalOutcome{To: op.Failed, Reason: "agent authentication declined; the transaction was not sent", Answer: answer, HTTP: http, Reply: body}))
	}
	at := time.Now()
	session := AgentSession{TID: o.TID, OpenedAt: at, ExpiresAt: at.Add(SessionLife)}
	if err := e.store.OpenSession(ctx, session); err != nil {
		e.log.ErrorContext(ctx, "agent session can't be recorded; the next transaction authenticates again", "operation", o.ID, "tid", o.TID, "error", err)
	} else {
		e.sessions.remember(session)
	}
	if isPast(s.NotAfter) {
		return end(e.finishUnsent(ctx, o, op.Refused, NewError(FailedPrecondition, "The deadline passed before the operation could be sent; nothing was sent")))
	}
	return o, false, true
}
