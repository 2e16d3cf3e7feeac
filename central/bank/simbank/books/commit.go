package books

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// maxShared bounds the changes that share a commit, so that the first of them does
// not wait long.
const maxShared = 64

// queue holds the changes that wait for the commit under way. The writer is one
// connection, and a commit waits for the disk: what comes meanwhile shares the next.
type queue struct {
	mu      sync.Mutex
	waiting []*change
	busy    bool // a commit is under way
}

// change is one call of commit.
type change struct {
	fn    func(ledger) error
	err   error
	ended bool
	turn  chan struct{} // closed when the change has ended, or when it leads the next commit
}

// commit runs fn in a transaction of the only writer and returns after its commit is
// on disk. It is not interrupted when the caller leaves. After an error nothing of fn
// is in the books, unless the commit itself failed; then only the books know.
func (d *database) commit(ctx context.Context, fn func(ledger) error) error {
	c := &change{fn: fn, turn: make(chan struct{})}
	if !d.queue.enter(c) {
		if <-c.turn; c.ended {
			return c.err
		}
	}
	shared := d.queue.take()
	d.commitAll(context.WithoutCancel(ctx), shared)
	d.queue.leave(shared, c)
	return c.err
}

// enter puts a change into the queue. It reports whether the change leads the next
// commit; otherwise its turn comes.
func (q *queue) enter(c *change) (leads bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, c)
	leads = !q.busy
	q.busy = true
	return leads
}

// take gives the changes of the next commit; the leader is the first.
func (q *queue) take() []*change {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxShared)
	shared := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return shared
}

// leave ends the changes of a commit, and lets the first of those that came meanwhile
// lead the next.
func (q *queue) leave(shared []*change, leader *change) {
	q.mu.Lock()
	if q.busy = len(q.waiting) > 0; q.busy {
		close(q.waiting[0].turn)
	}
	q.mu.Unlock()
	for _, c := range shared {
		if c.ended = true; c != leader {
			close(c.turn)
		}
	}
}

// commitAll makes changes in one transaction. One that fails leaves nothing, and the
// others stay.
func (d *database) commitAll(ctx context.Context, shared []*change) {
	err := d.transact(ctx, func(k ledger) error {
		if len(shared) == 1 {
			shared[0].err = shared[0].make(k)
			return shared[0].err
		}
		for _, c := range shared {
			if err := k.separately(c); err != nil {
				return err // the transaction is broken
			}
		}
		return nil
	})
	if err != nil {
		for _, c := range shared {
			c.err = errors.Join(c.err, err)
		}
	}
}

// separately makes a change of several. Its error ends the transaction.
func (k ledger) separately(c *change) error {
	if err := k.exec("begin a change", `SAVEPOINT change`); err != nil {
		return err
	}
	if c.err = c.make(k); c.err != nil {
		if err := k.exec("take a change back", `ROLLBACK TO change`); err != nil {
			return err
		}
	}
	return k.exec("end a change", `RELEASE change`)
}

// make runs the change. A panic is an error of this change only: others share its
// transaction.
func (c *change) make(k ledger) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.fn(k)
}

// transact runs fn in one transaction.
func (d *database) transact(ctx context.Context, fn func(ledger) error) (err error) {
	tx, err := d.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if e := tx.Rollback(); e != nil && !errors.Is(e, sql.ErrTxDone) {
			err = errors.Join(err, fmt.Errorf("roll back: %w", e))
		}
	}()
	if err := fn(ledger{ctx: ctx, q: tx}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
