package central

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central/worker"
	"galla/shared/op"
)

// page bounds how many operations one look at the table brings.
const page = 200

// errRestarted is the reply to an operation that a restart found unsent.
func errRestarted(o Operation) *Error {
	if o.Kind.Local() {
		return errServer(nil)
	}
	return &Error{Fault: BankUnreachable, Message: "The central restarted before the operation was sent; nothing was sent"}
}

// recover ends what an earlier life of this node left in received: it was
// never sent. What it left in dispatched may have been executed: pending; or it
// was local, and has changed nothing: failed.
func (e *Engine) recover(ctx context.Context) error {
	refused, pending, err := e.sweep(ctx, e.cfg.Node, time.Now())
	if err != nil {
		return err
	}
	if refused+pending > 0 {
		e.log.Info("operations of an earlier life of this node were found", "refused", refused, "pending", pending)
	}
	return nil
}

// sweep ends or suspends the operations of a node (of every node, if empty)
// that were begun before the given moment and that nobody carries any more.
func (e *Engine) sweep(ctx context.Context, node string, before time.Time) (refused, pending int, err error) {
	unsent, err := e.abandoned(ctx, node, op.Received, before, func(o Operation) { e.undo(ctx, o, op.Refused, errRestarted(o)) })
	if err != nil {
		return unsent, 0, err
	}
	uncertain, err := e.abandoned(ctx, node, op.Dispatched, before, func(o Operation) { e.abandon(ctx, o, "found without its carrier") })
	return unsent, uncertain, err
}

// abandoned hands each abandoned operation in a state to end, page by page.
// It stops where a page makes no progress: the database refuses the change.
func (e *Engine) abandoned(ctx context.Context, node string, state op.State, before time.Time, end func(Operation)) (int, error) {
	total := 0
	for {
		found, err := e.store.Abandoned(ctx, node, state, before, page)
		if err != nil {
			return total, fmt.Errorf("list operations in state %s: %w", state, err)
		}
		if len(found) == 0 {
			return total, nil
		}
		for _, o := range found {
			end(o)
		}
		still, err := e.store.Operation(ctx, found[0].ID)
		if err != nil || still.State == state {
			return total, errors.Join(err, fmt.Errorf("operation %s stays %s: the database does not take the change", found[0].ID, state))
		}
		total += len(found)
	}
}

// reconcile asks the bank after pending operations until ctx ends.
func (e *Engine) reconcile(ctx context.Context) error {
	c := e.cfg.Enquiries
	duties, err := worker.New(e.log,
		worker.Duty{Name: "enquiries", Poll: c.Poll, Batch: c.Batch, Lease: 2 * c.Timeout, Claim: e.claimDue},
		worker.Duty{Name: "sweep", Poll: c.Sweep, Batch: 1, Lease: c.Sweep, Claim: e.sweepAll})
	if err != nil {
		return err
	}
	return duties.Run(ctx)
}

// sweepAll sweeps every node's operations; it leaves no task.
func (e *Engine) sweepAll(ctx context.Context, now, _ time.Time, _ int) ([]worker.Task, error) {
	// Long enough that whoever carries an operation has certainly given up:
	// an inline authentication, the dispatch and the margin.
	grace := 2*e.cfg.BankTimeout + e.cfg.NotFoundMargin
	_, _, err := e.sweep(ctx, "", now.Add(-grace))
	return nil, err
}

// claimDue claims the operations whose enquiry is due.
func (e *Engine) claimDue(ctx context.Context, now, until time.Time, n int) ([]worker.Task, error) {
	due, err := e.store.Claim(ctx, now, until, n)
	tasks := make([]worker.Task, len(due))
	for i, o := range due {
		tasks[i] = worker.Task{Name: "operation " + string(o.ID), Do: func(ctx context.Context) { e.enquire(ctx, o) }}
	}
	return tasks, err
}

// enquire asks once, and writes what the bank said.
func (e *Engine) enquire(ctx context.Context, o Operation) {
	askCtx, cancel := context.WithTimeout(ctx, e.cfg.Enquiries.Timeout)
	defer cancel()
	asked := time.Now()
	answer, err := e.bank.Enquire(askCtx, o.Reference)
	if ctx.Err() != nil {
		now := time.Now() // given back: another node asks at once
		_ = e.store.Postpone(context.WithoutCancel(ctx), o.ID, now, now, "the node stopped before the bank answered", false)
		return
	}
	if err != nil {
		e.postpone(ctx, o, asked, "enquiry failed: "+err.Error())
		return
	}
	switch answer.Status {
	case BankApproved, BankDeclined, BankReversed:
		if _, err := e.answered(ctx, o, answer, "the bank's word on an enquiry"); err != nil {
			e.postpone(ctx, o, asked, earnLater)
		}
	case BankNotFound:
		// Before the dispatch's deadline and a margin, it may still arrive; and
		// an answer may be old by the time that this process goes on.
		if asked.Before(o.BankNotAfter.Add(e.cfg.NotFoundMargin)) {
			e.postpone(ctx, o, asked, "the bank has not seen it so far")
			return
		}
		answer = BankAnswer{Status: BankDeclined, Code: "91", Message: "NOT FOUND AT THE BANK, NO MONEY MOVED"}
		// Only a success earns, so that there is no error of the tariff here.
		_, _ = e.answered(ctx, o, answer, "the bank has not seen it, and may not start it any more")
	case BankInProgress:
		e.postpone(ctx, o, asked, "the bank says it is in progress")
	default:
		e.postpone(ctx, o, asked, "the bank's word makes no sense")
	}
}

// postpone notes an enquiry without a final answer, which was made at the given
// moment, and sets the next one.
func (e *Engine) postpone(ctx context.Context, o Operation, asked time.Time, reason string) {
	now := time.Now()
	since := o.DispatchedAt
	if since.IsZero() {
		since = o.CreatedAt
	}
	stuck := now.Sub(since) >= e.cfg.Enquiries.GiveUp
	if stuck {
		e.log.Error("operation is stuck: no enquiry resolved it, a person must", "operation", o.ID, "reference", o.Reference, "since", since, "last", reason)
	}
	// A bank that took its time to answer does not put the next question off.
	next := asked.Add(e.cfg.Enquiries.Delay(o.Attempts+1, e.cfg.Rand))
	if soonest := now.Add(e.cfg.Enquiries.First / 2); next.Before(soonest) {
		next = soonest
	}
	if err := e.store.Postpone(ctx, o.ID, now, next, reason, stuck); err != nil && !errors.Is(err, ErrState) {
		e.log.Error("enquiry can't be recorded; it is made again", "operation", o.ID, "error", err)
	}
}
