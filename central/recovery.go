package central

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"galla/shared/op"
)

const (
	// abandonedPage bounds how many operations one query gives, and how many are ended
	// before the next look at whether the database takes the changes at all.
	abandonedPage = 1000
	// abandonedWorkers is how many abandoned operations are ended at one time. Their
	// changes share commits of the store, and take turns with those of requests.
	abandonedWorkers = 64
)

// errRestarted is the reply to an operation that a sweep found in received.
func errRestarted(o Operation) *Error {
	if o.Kind.IsLocal() {
		return errInternal(nil)
	}
	return &Error{Fault: BankUnreachable, Message: "The central restarted before the operation was sent; nothing was sent"}
}

// unfinished lists the operations in received and sent of a node (empty: of every node)
// that were created before the given time (zero: at any time). Read before the first
// submission of a run, those of its node are of earlier runs, whatever the clocks say.
func (e *Engine) unfinished(ctx context.Context, node string, before time.Time) ([]Operation, error) {
	var found []Operation
	for _, state := range []op.State{op.Received, op.Sent} {
		q := UnfinishedQuery{Node: node, State: state, Before: before, Limit: abandonedPage}
		for {
			page, err := e.store.Unfinished(ctx, q)
			if err != nil {
				return nil, fmt.Errorf("list operations in state %s: %w", state, err)
			}
			found = append(found, page...)
			if len(page) < abandonedPage {
				break
			}
			q.After = page[len(page)-1]
		}
	}
	return found, nil
}

// recoverOwn ends what earlier runs of this node left unfinished (operations.md, section
// 13), beside the service. A sweep finds what it leaves.
func (e *Engine) recoverOwn(ctx context.Context, left []Operation) {
	if len(left) == 0 {
		return
	}
	refused, uncertain, err := e.endAbandoned(ctx, left)
	if err != nil && ctx.Err() == nil {
		e.log.Error("unfinished operations of an earlier run of this node can't be ended; they are tried again", "found", len(left), "ended", refused+uncertain, "error", err)
		return
	}
	e.log.Info("unfinished operations of an earlier run of this node were found", "found", len(left), "refused", refused, "pending", uncertain)
}

// endAbandoned ends operations that nobody executes, by many workers. It stops when the
// database refuses the changes, or ctx ends. What was in received was never sent, and
// what was in sent is uncertain.
func (e *Engine) endAbandoned(ctx context.Context, found []Operation) (refused, uncertain int, err error) {
	for page := range slices.Chunk(found, abandonedPage) {
		var unsent, sent atomic.Int64
		var next atomic.Int64
		var workers sync.WaitGroup
		for range min(abandonedWorkers, len(page)) {
			workers.Go(func() {
				for n := next.Add(1) - 1; n < int64(len(page)) && ctx.Err() == nil; n = next.Add(1) - 1 {
					switch o := page[n]; {
					case !e.endOne(ctx, o): // it is found again
					case o.State == op.Received:
						unsent.Add(1)
					default:
						sent.Add(1)
					}
				}
			})
		}
		workers.Wait()
		refused, uncertain = refused+int(unsent.Load()), uncertain+int(sent.Load())
		if ctx.Err() != nil {
			return refused, uncertain, ctx.Err()
		}
		first, err := e.store.Operation(ctx, page[0].ID)
		if err != nil || first.State == page[0].State {
			return refused, uncertain, errors.Join(err, fmt.Errorf("operation %s stays %s: the database refuses the change", page[0].ID, page[0].State))
		}
	}
	return refused, uncertain, nil
}

// endOne ends an operation that nobody executes, and tells whether this call did. What is
// in received was never sent: refused. What is in sent may have been executed: pending;
// if it is local, it changed nothing: failed.
func (e *Engine) endOne(ctx context.Context, o Operation) (recorded bool) {
	defer func() {
		if p := recover(); p != nil {
			e.log.ErrorContext(ctx, "panic while an abandoned operation was ended", "operation", o.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	var ended Operation
	if o.State == op.Received {
		ended, recorded = e.finishUnsent(ctx, o, op.Refused, errRestarted(o))
	} else {
		ended, recorded = e.markInterrupted(ctx, o, "found after its node stopped")
	}
	if recorded {
		e.logEnded(ctx, ended)
	}
	return recorded
}
