package sqlite

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
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

// errLost is the error of all jobs of a transaction that ended before its commit.
var errLost = errors.New("the transaction was rolled back")

// job is one change in the queue of the writer.
type job struct {
	do    func(dbconn.Conn) error
	state atomic.Int32
	err   error         // set before done is closed
	done  chan struct{} // closed when the job is committed or has failed
}

// start tells whether the writer may run the job: its caller waits for the result.
func (j *job) start() bool {
	return j.state.CompareAndSwap(jobQueued, jobStarted) || j.state.Load() == jobStarted
}

func (j *job) withdraw() bool { return j.state.CompareAndSwap(jobQueued, jobWithdrawn) }

// writer commits jobs in groups (see doc.go).
type writer struct {
	link  *link
	queue chan *job
	batch int
	log   *slog.Logger

	checkpoints *checkpointer

	// careful is how many jobs still run in savepoints, since one had to be undone.
	careful int

	abandoned atomic.Bool   // nothing more is committed
	ended     chan struct{} // closed when run has returned
}

// run runs jobs until the queue is closed and empty.
func (w *writer) run() {
	defer close(w.ended)
	batch := make([]*job, 0, w.batch)
	jobs := 0 // since the write-ahead log was copied
	for first := range w.queue {
		// Callers who are about to queue a job do so first: on a busy machine a commit takes
		// as long as them all, and serves twice as many. With a core to spare it costs nothing.
		runtime.Gosched()
		batch = w.fill(append(batch[:0], first))
		jobs += len(batch)
		for rest := batch; len(rest) > 0; {
			rest = w.commit(rest)
		}
		clear(batch)
		jobs = w.checkpoints.after(jobs, w.link)
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

// commit runs jobs in one transaction and answers them. It returns those that must run in
// another one: because the transaction was lost before they started, or because a job had to be
// undone and there was no savepoint.
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
			if err := w.link.run("BEGIN IMMEDIATE"); err != nil {
				// The others would wait for the same lock, one after the other.
				w.fail(append(begun, batch[i:]...), fmt.Errorf("begin a transaction: %w", Explain(err)))
				return nil
			}
			open = true
		}
		begun = append(begun, j)
		switch undo, err := w.runJob(j, len(begun) == 1); {
		case err != nil:
			w.fail(begun, err)
			return batch[i+1:]
		case undo && len(begun) == 1:
			w.fail(begun, j.err)
			return batch[i+1:]
		case undo:
			_ = w.link.run("ROLLBACK") // see fail
			w.careful = carefulJobs
			return append(begun, batch[i+1:]...)
		}
	}
	if !open {
		return nil
	}
	if w.abandoned.Load() {
		w.fail(begun, dbconn.ErrAbandoned)
		return nil
	}
	if err := w.link.run("COMMIT"); err != nil {
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
	_ = w.link.run("ROLLBACK")
	for _, j := range jobs {
		if j.start() {
			j.err = err
			close(j.done)
		}
	}
}

// runJob runs a job and stores its error in it. undo: it failed after a change without a
// savepoint, and the transaction must be rolled back. The error means that the whole
// transaction is lost: SQLite rolls it back by itself if the disk is full or fails.
func (w *writer) runJob(j *job, first bool) (undo bool, lost error) {
	if w.careful > 0 && !first {
		w.careful--
		return false, w.runInSavepoint(j)
	}
	w.link.changed = false
	j.err = Explain(dbconn.Run(w.log, w.link, j.do))
	if w.link.own.AutoCommit() {
		return false, lostBy(j.err)
	}
	return j.err != nil && w.link.changed, nil
}

func (w *writer) runInSavepoint(j *job) (lost error) {
	if err := w.link.run("SAVEPOINT job"); err != nil {
		return fmt.Errorf("set a savepoint: %w", Explain(err))
	}
	j.err = Explain(dbconn.Run(w.log, w.link, j.do))
	if w.link.own.AutoCommit() {
		return lostBy(j.err)
	}
	if j.err != nil {
		if err := w.link.run("ROLLBACK TO job"); err != nil {
			return fmt.Errorf("undo a change: %w", Explain(err))
		}
	}
	if err := w.link.run("RELEASE job"); err != nil {
		return fmt.Errorf("release a savepoint: %w", Explain(err))
	}
	return nil
}

// lostBy is the error of all jobs of a transaction that ended during one of them.
func lostBy(err error) error {
	if err == nil {
		return errLost
	}
	return fmt.Errorf("%w: %w", errLost, err)
}
