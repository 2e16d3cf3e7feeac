package central

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of a job.
const (
	// maxJobBatch bounds the tasks of a job at one time. Each is a goroutine.
	maxJobBatch = 1024
	// minJobPoll keeps a configuration mistake from making a busy loop.
	minJobPoll = time.Millisecond
	// earlyPolls is the part of a poll after which free slots are filled while there
	// is more to do.
	earlyPolls = 20
	// claimErrorEvery is how often the log repeats that a job can't claim its tasks.
	claimErrorEvery = time.Minute
)

// Job is work that rows of a table ask for, such as enquiries or callbacks. Any
// number of nodes on one database share it: a task is claimed by one node until its
// lease ends. A node that dies needs no clean-up, since its tasks become due again.
// A task records its result itself.
type Job struct {
	// Name is the job's name in logs and counts.
	Name string
	// Poll is how often the table is read.
	Poll time.Duration
	// Batch is how many tasks run at one time.
	Batch int
	// Lease is how long a claim holds. Tasks must end before it does, since
	// another node may claim them then.
	Lease time.Duration
	// Claim gives at most n tasks that are due at now, each to one caller only
	// until the given time. Fewer than n mean that there are no more. It may also
	// do small work itself and give no task.
	Claim func(ctx context.Context, now, until time.Time, n int) ([]Task, error)
}

// Task is one piece of a job's work.
type Task struct {
	Name string // for the log
	// Do does the work and records the result. It ends soon after ctx; what it
	// leaves undone is claimed again after the lease.
	Do func(ctx context.Context)
}

// JobCounts is what a job has done since the start.
type JobCounts struct {
	Done   int64 // tasks that have ended
	Panics int64 // tasks that ended in a panic
	Faults int64 // claims that failed
}

// JobRunner runs jobs. At most Batch tasks of a job run at one time, no job waits
// for another, and a panic ends only its own task. Its methods are safe for
// concurrent use.
type JobRunner struct {
	jobs []*runningJob
	log  *slog.Logger
}

// runningJob is a Job of a JobRunner.
type runningJob struct {
	Job
	log   *slog.Logger
	tasks sync.WaitGroup
	ended chan struct{} // one for each task that ended; Batch of them fit

	done, panics, faults atomic.Int64

	// Used by run only: since when claims fail, and when that was last logged.
	failingSince, loggedAt time.Time
}

// NewJobRunner makes a runner. Nothing runs before Run. It fails for a job without
// a name, a Claim or valid bounds, and for two jobs of one name.
func NewJobRunner(log *slog.Logger, jobs ...Job) (*JobRunner, error) {
	if log == nil {
		return nil, errors.New("a job runner needs a logger")
	}
	w := &JobRunner{log: log}
	names := map[string]bool{}
	for _, d := range jobs {
		switch {
		case d.Name == "" || d.Claim == nil:
			return nil, errors.New("a job needs a name and a Claim function")
		case names[d.Name]:
			return nil, fmt.Errorf("two jobs have the name %s", d.Name)
		case d.Poll < minJobPoll || d.Lease <= 0:
			return nil, fmt.Errorf("job %s: it is polled every %s and claimed for %s; want at least %s and a lease", d.Name, d.Poll, d.Lease, minJobPoll)
		case d.Batch < 1 || d.Batch > maxJobBatch:
			return nil, fmt.Errorf("job %s: %d tasks at one time; want 1 to %d", d.Name, d.Batch, maxJobBatch)
		}
		names[d.Name] = true
		w.jobs = append(w.jobs, &runningJob{Job: d, log: log.With("job", d.Name), ended: make(chan struct{}, d.Batch)})
	}
	return w, nil
}

// Run runs the jobs until ctx ends, then waits for the tasks under way, whose ctx
// has ended too. It returns nil.
func (w *JobRunner) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	for _, d := range w.jobs {
		loops.Go(func() { d.run(ctx) })
	}
	loops.Wait()
	return nil
}

// Counts gives what each job has done, by its name.
func (w *JobRunner) Counts() map[string]JobCounts {
	out := make(map[string]JobCounts, len(w.jobs))
	for _, d := range w.jobs {
		out[d.Name] = JobCounts{Done: d.done.Load(), Panics: d.panics.Load(), Faults: d.faults.Load()}
	}
	return out
}

// run claims tasks at each poll. If a claim filled the batch, the next does not
// wait for the poll: it is made when half of the batch is free, so that a long
// queue costs few queries, or a part of a poll after a task ended, so that slow
// tasks delay the others little.
func (d *runningJob) run(ctx context.Context) {
	defer d.tasks.Wait()
	poll := time.NewTicker(d.Poll)
	defer poll.Stop()
	soon := time.NewTimer(d.Poll)
	soon.Stop()
	defer soon.Stop()
	running, more, armed := 0, false, false
	for {
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
			more = true
		case <-soon.C:
			armed = false
		case <-d.ended:
			running--
			if running > d.Batch/2 {
				if more && !armed {
					soon.Reset(d.Poll / earlyPolls)
					armed = true
				}
				continue
			}
		}
		for more && running < d.Batch && ctx.Err() == nil {
			free := d.Batch - running
			tasks := d.claim(ctx, free)
			running += len(tasks)
			more = len(tasks) == free
			for _, t := range tasks {
				d.tasks.Go(func() { d.do(ctx, t) })
			}
		}
	}
}

// claim claims at most n tasks. Errors go to the log.
func (d *runningJob) claim(ctx context.Context, n int) (tasks []Task) {
	now := time.Now()
	tasks, err := d.claimSafely(ctx, now, n)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		d.faults.Add(1)
		if d.failingSince.IsZero() {
			d.failingSince = now
		}
		if now.Sub(d.loggedAt) >= claimErrorEvery {
			d.loggedAt = now
			d.log.Error("tasks can't be claimed; the job tries again", "error", err, "since", d.failingSince.UTC())
		}
		return nil
	case !d.failingSince.IsZero():
		d.log.Info("tasks can be claimed again", "failed_since", d.failingSince.UTC())
		d.failingSince, d.loggedAt = time.Time{}, time.Time{}
	}
	return tasks
}

// claimSafely is Claim, with a panic as an error.
func (d *runningJob) claimSafely(ctx context.Context, now time.Time, n int) (tasks []Task, err error) {
	defer func() {
		if p := recover(); p != nil {
			tasks, err = nil, fmt.Errorf("panic while tasks were claimed: %v\n%s", p, debug.Stack())
		}
	}()
	tasks, err = d.Claim(ctx, now, now.Add(d.Lease), n)
	if err == nil && len(tasks) > n {
		err = fmt.Errorf("%d tasks were claimed, more than %d", len(tasks), n)
	}
	if err != nil {
		return nil, err
	}
	return tasks, nil
}

// do runs one task. After a panic the task is claimed again when its lease has
// ended.
func (d *runningJob) do(ctx context.Context, t Task) {
	defer func() {
		if p := recover(); p != nil {
			d.panics.Add(1)
			d.log.Error("panic in a task; it is claimed again when its lease has ended", "task", t.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
		d.done.Add(1)
		d.ended <- struct{}{}
	}()
	t.Do(ctx)
}
