package central

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// runEnquiries runs the engine's jobs, enquiries and sweep, until ctx ends.
func (e *Engine) runEnquiries(ctx context.Context) error {
	c := e.cfg.Enquiries
	jobs, err := NewJobRunner(e.log,
		Job{Name: "enquiries", Poll: c.Poll, Batch: c.Batch, Lease: 2 * c.Timeout, Claim: e.claimDueEnquiries},
		Job{Name: "sweep", Poll: c.Sweep, Batch: 1, Lease: c.Sweep, Claim: e.sweepAllNodes})
	if err != nil {
		return err
	}
	return jobs.Run(ctx)
}

// sweepAllNodes sweeps the operations of every node. It gives no tasks.
func (e *Engine) sweepAllNodes(ctx context.Context, now, _ time.Time, _ int) ([]Task, error) {
	// By then every execution has ended: an inline authentication, Send and a
	// margin.
	grace := 2*e.cfg.BankTimeout + e.cfg.NotFoundMargin
	found, err := e.unfinished(ctx, "", now.Add(-grace))
	if err != nil {
		return nil, err
	}
	_, _, err = e.endAbandoned(ctx, found)
	return nil, err
}

// enquiriesBesideCustomers is how many enquiries may be under way: a customer's call goes
// first, so they get what calls leave of the places at the bank, and a small part in any case.
func (e *Engine) enquiriesBesideCustomers() int {
	batch := e.cfg.Enquiries.Batch
	reserve := max(batch/enquiriesInReserve, 1)
	return min(max(cap(e.slots)-len(e.slots), reserve), batch)
}

// claimDueEnquiries claims the operations whose enquiry is due.
func (e *Engine) claimDueEnquiries(ctx context.Context, now, until time.Time, n int) ([]Task, error) {
	underWay := e.cfg.Enquiries.Batch - n
	n = e.enquiriesBesideCustomers() - underWay
	if n <= 0 {
		return nil, nil // the next poll looks again
	}
	due, err := e.store.ClaimEnquiries(ctx, now, until, n)
	tasks := make([]Task, len(due))
	for i, o := range due {
		tasks[i] = Task{Name: "operation " + string(o.ID), Do: func(ctx context.Context) { e.enquire(ctx, o) }}
	}
	return tasks, err
}

// enquire asks the bank once about a pending operation and records the answer.
func (e *Engine) enquire(ctx context.Context, o Operation) {
	askCtx, cancel := context.WithTimeout(ctx, e.cfg.Enquiries.Timeout)
	defer cancel()
	asked := time.Now()
	answer, err := e.askBank(askCtx, o)
	if ctx.Err() != nil {
		now := time.Now() // another node asks at once
		_ = e.store.PostponeEnquiry(context.WithoutCancel(ctx), o.ID, now, now, "the node stopped before the bank answered", false)
		return
	}
	if err != nil {
		e.recordNoAnswer(ctx, o, asked, "enquiry failed: "+err.Error())
		return
	}
	switch answer.Status {
	case BankApproved, BankDeclined, BankReversed:
		e.finishEnquired(ctx, o, asked, answer, "the bank answered an enquiry")
	case BankNotFound:
		// Until the bank's deadline and a margin have passed, the request may still
		// arrive. The time of the question counts: the answer may be old by now.
		if asked.Before(o.BankNotAfter.Add(e.cfg.NotFoundMargin)) {
			e.recordNoAnswer(ctx, o, asked, "the bank has not received it so far")
			return
		}
		answer = BankAnswer{Status: BankDeclined, Code: codeNotFound, Message: "NOT FOUND AT THE BANK, NO MONEY MOVED"}
		e.finishEnquired(ctx, o, asked, answer, "the bank has not received it, and may no longer start it")
	case BankInProgress:
		e.recordNoAnswer(ctx, o, asked, "the bank says it is in progress")
	default:
		e.recordNoAnswer(ctx, o, asked, "the bank's answer is not valid")
	}
}

// finishEnquired records the bank's final answer to an enquiry that was made at asked.
func (e *Engine) finishEnquired(ctx context.Context, o Operation, asked time.Time, answer BankAnswer, reason string) {
	finished, recorded, err := e.finishAnswered(ctx, o, answer, reason)
	switch {
	case err != nil:
		e.recordNoAnswer(ctx, o, asked, reasonNoEarning)
	case recorded:
		e.logEnded(ctx, finished)
	}
}

// askBank asks the bank what became of an operation, and considers what staff
// decided.
func (e *Engine) askBank(ctx context.Context, o Operation) (BankAnswer, error) {
	if e.cfg.Decisions == nil {
		return e.bank.Enquire(ctx, o.Reference)
	}
	// The decision is read first: the bank may use up all the time, and its answer
	// must not be accepted against a decision that could not be read.
	decision, err := e.cfg.Decisions.DecisionFor(ctx, o.Reference)
	if errors.Is(err, ErrNotFound) {
		return e.bank.Enquire(ctx, o.Reference)
	}
	if err != nil {
		return BankAnswer{}, fmt.Errorf("read the decision of staff: %w", err)
	}
	answer, err := e.bank.Enquire(ctx, o.Reference)
	answer, err = withDecision(answer, err, decision)
	if err == nil {
		e.log.Info("a decision of staff counts for the enquiry", "operation", o.ID, "reference", o.Reference, "case", decision.Case, "by", decision.By, "to", decision.To)
	}
	return answer, err
}

// recordNoAnswer records an enquiry without a final answer, made at asked, and
// schedules the next.
func (e *Engine) recordNoAnswer(ctx context.Context, o Operation, asked time.Time, reason string) {
	now := time.Now()
	since := o.SentAt
	if since.IsZero() {
		since = o.CreatedAt
	}
	stuck := now.Sub(since) >= e.cfg.Enquiries.StuckAfter
	if stuck {
		e.log.Error("operation is stuck: no enquiry resolved it, staff must decide", "operation", o.ID, "reference", o.Reference, "since", since, "last", reason)
	}
	// Counted from the question: a slow bank does not delay the next enquiry.
	next := asked.Add(e.cfg.Enquiries.Delay(o.Enquiries+1, e.cfg.Rand))
	if soonest := now.Add(e.cfg.Enquiries.First / 2); next.Before(soonest) {
		next = soonest
	}
	if err := e.store.PostponeEnquiry(ctx, o.ID, now, next, reason, stuck); err != nil && !errors.Is(err, ErrState) {
		e.log.Error("enquiry can't be recorded; it is made again", "operation", o.ID, "error", err)
	}
}
