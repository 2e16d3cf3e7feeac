package sqlite

import "sync/atomic"

// checkpointer copies the write-ahead log into the database beside the writer, so that commits
// don't wait for it. While the writer goes on, the log is never copied to its end; so the writer
// copies the little that is left, and then writes over the log from its beginning.
type checkpointer struct {
	link *link
	wake chan struct{} // closed when no more checkpoints are wanted
	// copied is set when almost all of the log is copied, for the writer.
	copied atomic.Bool
	ended  chan struct{} // closed when run has returned
}

func newCheckpointer(l *link) *checkpointer {
	return &checkpointer{link: l, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// copyLog copies what of the log no reader needs. If it fails, such as on a full disk, or another
// program does it at the same time, the log stays as it is: nothing is lost, and the next one
// copies it.
const copyLog = "PRAGMA wal_checkpoint(PASSIVE)"

func (p *checkpointer) run() {
	defer close(p.ended)
	for range p.wake {
		_ = p.link.run(copyLog)
		p.copied.Store(true)
	}
}

// after is called by the writer, which has answered jobs, with the number of jobs since the log
// was last copied. It returns that number.
func (p *checkpointer) after(jobs int, writer *link) int {
	switch {
	case p.copied.CompareAndSwap(true, false):
		_ = writer.run(copyLog)
		return 0
	case jobs >= checkpointJobs:
		select {
		case p.wake <- struct{}{}:
		default: // it is at work
		}
	}
	return jobs
}

// stop waits for a checkpoint that is under way.
func (p *checkpointer) stop() {
	close(p.wake)
	<-p.ended
}
