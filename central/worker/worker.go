package worker

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

// Bounds of a duty.
const (
	// maxBatch bounds the tasks of a duty at one time, each of them a goroutine.
	maxBatch = 1024
	// minPoll keeps a mistake in a configuration from making a busy loop.
	minPoll = time.Millisecond
	// hurry is the part of a poll after which room that came free is filled, while
	// there is more to do.
	hurry = 20
	// remind is how often a duty that can't claim its work says so in the log: at
	// once, and then so often that nobody overlooks it, and no log fills up.
	remind = time.Minute
)

// Duty is one kind of work that rows of a table ask for.
type Duty struct {
	// Name is the duty's name in logs and counts.
	Name string
	// Poll is how often the table is looked at.
	Poll time.Duration
	// Batch is how many tasks run at one time.
	Batch int
	// Lease is how long a claim holds. Tasks must end before it does, since the
	// work is then given to the next who asks.
	Lease time.Duration
	// Claim gives at most n tasks that are due at now, each to one claimer only
	// until the given moment; fewer than n say that there are no more. It may
	// also do by itself what is small, and give no task.
	Claim func(ctx context.Context, now, until time.Time, n int) ([]Task, error)
}

// Task is one piece of a duty's work.
type Task struct {
	Name string // for the log
	// Do does the work and writes down what came of it. When ctx ends, it ends
	// soon; what it then leaves is done after the lease.
	Do func(ctx context.Context)
}

// Counts tells what a duty has done since the start.
type Counts struct {
	Done   int64 // tasks that have ended
	Panics int64 // tasks that ended in a panic
	Faults int64 // claims that failed
}

// Worker carries out duties. Its methods may be called by many goroutines at
// once.
type Worker struct {
	duties []*duty
	log    *slog.Logger
}

// duty is a Duty that is carried out.
type duty struct {
	Duty
	log   *slog.Logger
	tasks sync.WaitGroup
	ended chan struct{} // one for each task that ended; Batch of them fit

	done, panics, faults atomic.Int64

	// Of the loop alone: since when claims fail, and when the log said so.
	failing, said time.Time
}

// New makes a worker. Nothing runs before Run. Errors: a duty without a name, a
// claim, or bounds within reason, and two of one name.
func New(log *slog.Logger, duties ...Duty) (*Worker, error) {
	if log == nil {
		return nil, errors.New("a worker needs a logger")
	}
	w := &Worker{log: log}
	names := map[string]bool{}
	for _, d := range duties {
		switch {
		case d.Name == "" || d.Claim == nil:
			return nil, errors.New("a duty needs a name and a way to claim its work")
		case names[d.Name]:
			return nil, fmt.Errorf("two duties have the name %s", d.Name)
		case d.Poll < minPoll || d.Lease <= 0:
			return nil, fmt.Errorf("duty %s: it is looked after every %s and claimed for %s; want at least %s and a lease", d.Name, d.Poll, d.Lease, minPoll)
		case d.Batch < 1 || d.Batch > maxBatch:
			return nil, fmt.Errorf("duty %s: %d tasks at one time; want 1 to %d", d.Name, d.Batch, maxBatch)
		}
		names[d.Name] = true
		w.duties = append(w.duties, &duty{Duty: d, log: log.With("duty", d.Name), ended: make(chan struct{}, d.Batch)})
	}
	return w, nil
}

// Run carries out the duties until ctx ends, then waits for the tasks that are
// under way; their ctx has ended, too. It returns nil.
func (w *Worker) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	for _, d := range w.duties {
		loops.Go(func() { d.run(ctx) })
	}
	loops.Wait()
	return nil
}

// Counts tells what each duty has done, by its name.
func (w *Worker) Counts() map[string]Counts {
	out := make(map[string]Counts, len(w.duties))
	for _, d := range w.duties {
		out[d.Name] = Counts{Done: d.done.Load(), Panics: d.panics.Load(), Faults: d.faults.Load()}
	}
	return out
}

// run looks at the table at each poll. Where a look found more than there was
// room for, the next one does not wait for the poll: it is made when half of
// the room is free, so that a long queue costs few looks, or soon after some of
// it is, so that slow tasks hold up the others no more than they must.
func (d *duty) run(ctx context.Context) {
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
					soon.Reset(d.Poll / hurry)
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
				d.tasks.Go(func() { d.carryOut(ctx, t) })
			}
		}
	}
}

// claim asks for n tasks at most. What goes wrong is told to the log.
func (d *duty) claim(ctx context.Context, n int) (tasks []Task) {
	now := time.Now()
	tasks, err := d.ask(ctx, now, n)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		d.faults.Add(1)
		if d.failing.IsZero() {
			d.failing = now
		}
		if now.Sub(d.said) >= remind {
			d.said = now
			d.log.Error("work can't be claimed; it is tried again", "error", err, "since", d.failing.UTC())
		}
		return nil
	case !d.failing.IsZero():
		d.log.Info("work can be claimed again", "failed_since", d.failing.UTC())
		d.failing, d.said = time.Time{}, time.Time{}
	}
	return tasks
}

// ask is Claim, whose panic is an error.
func (d *duty) ask(ctx context.Context, now time.Time, n int) (tasks []Task, err error) {
	defer func() {
		if p := recover(); p != nil {
			tasks, err = nil, fmt.Errorf("panic while work was claimed: %v\n%s", p, debug.Stack())
		}
	}()
	tasks, err = d.Claim(ctx, now, now.Add(d.Lease), n)
	if err == nil && len(tasks) > n {
		err = fmt.Errorf("%d tasks were claimed where %d were asked for", len(tasks), n)
	}
	if err != nil {
		return nil, err
	}
	return tasks, nil
}

// carryOut does one task. A panic leaves the rest of the work alone: the lease
// ends, and it is tried again.
func (d *duty) carryOut(ctx context.Context, t Task) {
	defer func() {
		if p := recover(); p != nil {
			d.panics.Add(1)
			d.log.Error("panic in a task; it is done again when its lease has ended", "task", t.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
		d.done.Add(1)
		d.ended <- struct{}{}
	}()
	t.Do(ctx)
}
