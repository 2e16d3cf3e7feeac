package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"sync/atomic"

	"galla/central/store/dbconn"
)

// The states of a job. From queued, either the writer starts it, or its caller, whose context
// ended, withdraws it.
const (
	jobQueued int32 = iota
	jobStarted
	jobWithdrawn
)

// job is one change in the queue of the writer.
type job struct {
	do    func(dbconn.Conn) error
	state atomic.Int32
	err   error         // set before done is closed
	done  chan struct{} // closed when the job is committed or has failed
}

func (j *job) start() bool    { return j.state.CompareAndSwap(jobQueued, jobStarted) }
func (j *job) withdraw() bool { return j.state.CompareAndSwap(jobQueued, jobWithdrawn) }

// writer commits jobs in groups (see doc.go).
type writer struct {
	link  *sql.Conn
	queue chan *job
	batch int
	log   *slog.Logger

	abandoned atomic.Bool   // nothing more is committed
	ended     chan struct{} // closed when run has returned
}

// run runs jobs until the queue is closed and empty.
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

// fill adds the jobs that are queued now, without waiting.
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

// commit runs jobs in one transaction and answers them. It returns those that it did not start
// because the transaction was lost.
func (w *writer) commit(batch []*job) (rest []*job) {
	begun := batch[:0]
	open := false
	for i, j := range batch {
		if w.abandoned.Load() {
			w.fail(append(begun, batch[i:]...), dbconn.ErrAbandoned)
			return nil
		}
		if !j.start() {
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
		if err := w.runInSavepoint(j); err != nil {
			w.fail(begun, err)
			return batch[i+1:]
		}
	}
	if !open {
		return nil
	}
	if w.abandoned.Load() {
		w.fail(begun, dbconn.ErrAbandoned)
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

// fail rolls back and answers jobs with an error, started or not.
func (w *writer) fail(jobs []*job, err error) {
	// If SQLite has rolled back by itself, this fails and nothing is left to do.
	_ = w.statement("ROLLBACK")
	for _, j := range jobs {
		if j.start() || j.state.Load() == jobStarted {
			j.err = err
			close(j.done)
		}
	}
}

// runInSavepoint runs a job in a savepoint and stores the job's error in it. The returned error
// means that the whole transaction is lost: SQLite rolls it back by itself if the disk is
// full or fails.
func (w *writer) runInSavepoint(j *job) (lost error) {
	if err := w.statement("SAVEPOINT job"); err != nil {
		return fmt.Errorf("set a savepoint: %w", Explain(err))
	}
	j.err = Explain(dbconn.Run(w.log, conn{w.link}, j.do))
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

func (w *writer) statement(text string) error {
	_, err := w.link.ExecContext(context.Background(), text)
	return err
}
