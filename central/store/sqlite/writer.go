package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
)

// The life of a job. Who moves it from queued decides: the writer begins it,
// or its caller, whose context ended, withdraws it.
const (
	jobQueued int32 = iota
	jobBegun
	jobWithdrawn
)

// job is one method's change, on its way through the writer.
type job struct {
	do    func(*sql.Conn) error
	state atomic.Int32
	err   error         // set before done is closed
	done  chan struct{} // closed when the job is committed or has failed
}

func (j *job) begin() bool    { return j.state.CompareAndSwap(jobQueued, jobBegun) }
func (j *job) withdraw() bool { return j.state.CompareAndSwap(jobQueued, jobWithdrawn) }

// writer commits jobs in groups. See the package comment.
type writer struct {
	link  *sql.Conn
	queue chan *job
	batch int
	log   *slog.Logger

	abandoned atomic.Bool   // nothing is committed any more
	ended     chan struct{} // closed when run has returned
}

// run takes jobs until the queue is closed and empty.
func (w *writer) run() {
	defer close(w.ended)
	batch := make([]*job, 0, w.batch)
	for first := range w.queue {
		batch = w.fill(append(batch[:0], first))
		for rest := batch; len(rest) > 0; {
			rest = w.commit(rest)
		}
		clear(batch)
	}
}

// fill adds what is queued at this moment; it waits for nothing.
func (w *writer) fill(batch []*job) []*job {
	for len(batch) < w.batch {
		select {
		case j, ok := <-w.queue:
			if !ok {
				return batch
			}
			batch = append(batch, j)
		default:
			return batch
		}
	}
	return batch
}

// commit runs jobs in one transaction and answers them. It gives back those
// that it did not begin because the transaction was lost on the way.
func (w *writer) commit(batch []*job) (rest []*job) {
	begun := batch[:0]
	open := false
	for i, j := range batch {
		if w.abandoned.Load() {
			w.fail(append(begun, batch[i:]...), ErrAbandoned)
			return nil
		}
		if !j.begin() {
			continue
		}
		if !open {
			if err := w.statement("BEGIN IMMEDIATE"); err != nil {
				// The others would wait for the same lock, one after the other.
				w.fail(append(begun, batch[i:]...), fmt.Errorf("begin a transaction: %w", Explain(err)))
				return nil
			}
			open = true
		}
		begun = append(begun, j)
		if err := w.attempt(j); err != nil {
			w.fail(begun, err)
			return batch[i+1:]
		}
	}
	if !open {
		return nil
	}
	if w.abandoned.Load() {
		w.fail(begun, ErrAbandoned)
		return nil
	}
	if err := w.statement("COMMIT"); err != nil {
		w.fail(begun, fmt.Errorf("commit: %w", Explain(err)))
		return nil
	}
	for _, j := range begun {
		close(j.done)
	}
	return nil
}

// fail rolls back what is open and answers jobs with an error, begun or not.
func (w *writer) fail(jobs []*job, err error) {
	// Where SQLite has rolled back by itself there is nothing left to do, and
	// its error says no more than that.
	_ = w.statement("ROLLBACK")
	for _, j := range jobs {
		if j.begin() || j.state.Load() == jobBegun {
			j.err = err
			close(j.done)
		}
	}
}

// attempt runs a job in a savepoint and keeps the job's own error in it. The
// error returned says that the whole transaction is gone: SQLite rolls it back
// by itself where the disk is full or fails.
func (w *writer) attempt(j *job) (lost error) {
	if err := w.statement("SAVEPOINT job"); err != nil {
		return fmt.Errorf("set a savepoint: %w", Explain(err))
	}
	j.err = Explain(w.guarded(j))
	if j.err != nil {
		if err := w.statement("ROLLBACK TO job"); err != nil {
			return fmt.Errorf("the transaction was rolled back: %w", j.err)
		}
	}
	if err := w.statement("RELEASE job"); err != nil {
		return fmt.Errorf("release a savepoint: %w", Explain(err))
	}
	return nil
}

// guarded runs a job and makes an error of a panic.
func (w *writer) guarded(j *job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.log.Error("panic in a change of the database; the change is undone", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.New("internal error (panic) in the change; it is undone")
		}
	}()
	return j.do(w.link)
}

func (w *writer) statement(text string) error {
	_, err := w.link.ExecContext(context.Background(), text)
	return err
}
