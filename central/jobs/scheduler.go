package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"galla/central"
)

// Bounds of scheduled jobs.
const (
	// pollEvery is the period of claims: the table has some ten rows, and the shortest
	// period is a second.
	pollEvery = time.Second
	// runLease is the duration of a claim. A node that dies during a run, and does not start
	// again, delays the next one by it.
	runLease = 10 * time.Minute
	// runTimeout bounds a run; the rest of the lease is for recording the result, and
	// for clocks that differ.
	runTimeout = 9 * time.Minute
	// retryPause is the pause after a failed run; it doubles with each further failure,
	// up to the job's period and at most an hour.
	retryPause    = 30 * time.Second
	maxRetryPause = time.Hour
	// minEvery is the shortest period.
	minEvery = time.Second
	// maxNameLength bounds a job's name.
	maxNameLength = 64
)

// scheduler runs the scheduled jobs of this node's program. Other jobs in the table belong
// to other versions of the program.
type scheduler struct {
	store Store
	list  map[string]ScheduledJob
	log   *slog.Logger
	// registered means that the table has all jobs. Only claim uses it.
	registered bool
}

// SchedulerJob returns a job that runs scheduled jobs; its first claim registers them. It
// is an error if a name or a period is not valid.
func SchedulerJob(store Store, log *slog.Logger, list ...ScheduledJob) (central.Job, error) {
	c := &scheduler{store: store, list: map[string]ScheduledJob{}, log: log}
	for _, x := range list {
		switch {
		case !validName(x.Name):
			return central.Job{}, fmt.Errorf("scheduled job %q: a name is 1 to %d lower case letters, digits and hyphens", x.Name, maxNameLength)
		case c.list[x.Name].Run != nil:
			return central.Job{}, fmt.Errorf("two scheduled jobs have the name %s", x.Name)
		case x.Run == nil || x.Every < minEvery:
			return central.Job{}, fmt.Errorf("scheduled job %s: it needs a function, and a period of at least %s", x.Name, minEvery)
		}
		c.list[x.Name] = x
	}
	return central.Job{Name: "scheduled-jobs", Poll: pollEvery, Batch: max(1, len(list)), Lease: runLease, Claim: c.claim}, nil
}

func validName(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return name != "" && len(name) <= maxNameLength
}

// claim claims due jobs.
func (c *scheduler) claim(ctx context.Context, now, until time.Time, n int) ([]central.Task, error) {
	if !c.registered {
		for name, x := range c.list {
			if err := c.store.RegisterJob(ctx, name, now, x.Every); err != nil {
				return nil, err
			}
		}
		c.registered = true
	}
	list, err := c.store.ListJobs(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b JobRecord) int { return a.DueAt.Compare(b.DueAt) })
	var tasks []central.Task
	for _, r := range list {
		x, known := c.list[r.Name]
		if !known || r.DueAt.After(now) || len(tasks) == n {
			continue
		}
		taken, err := c.store.ClaimJob(ctx, r.Name, now, until)
		if errors.Is(err, central.ErrState) {
			continue
		}
		if err != nil {
			// Run those that are claimed; the others are claimed at the next poll.
			c.log.Error("scheduled job can't be claimed", "job", r.Name, "error", err)
			break
		}
		tasks = append(tasks, central.Task{Name: x.Name, Do: func(ctx context.Context) { c.runOnce(ctx, x, taken) }})
	}
	return tasks, nil
}

// runOnce runs a job once and records the result.
func (c *scheduler) runOnce(ctx context.Context, x ScheduledJob, r JobRecord) {
	note, err := c.run(ctx, x)
	now := time.Now()
	end := RunResult{Name: x.Name, StartedAt: r.StartedAt, At: now, Next: laterOf(now, r.StartedAt.Add(x.Every)), Note: note}
	switch {
	case err != nil && ctx.Err() != nil:
		// The node is stopping: another one may run it at once.
		end.Next, end.Note = now, "stopped with its node"
	case err != nil:
		end.Failed, end.Note = true, err.Error()
		end.Next = now.Add(central.Backoff(retryPause, min(x.Every, maxRetryPause), r.Failures))
		c.log.Error("scheduled job failed; it is run again", "job", x.Name, "next", end.Next.UTC(), "error", err)
	case note == r.Note: // as the run before: a job of some seconds would fill the log
		c.log.Debug("scheduled job is done", "job", x.Name, "took", now.Sub(r.StartedAt), "note", note)
	default:
		c.log.Info("scheduled job is done", "job", x.Name, "took", now.Sub(r.StartedAt), "note", note)
	}
	if err := c.store.FinishJob(context.WithoutCancel(ctx), end); err != nil {
		c.log.Error("the result of a scheduled job can't be recorded; it is run again when its lease has ended", "job", x.Name, "error", err)
	}
}

// run calls Run with its timeout, and returns a panic as an error.
func (c *scheduler) run(ctx context.Context, x ScheduledJob) (note string, err error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("panic in a scheduled job", "job", x.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return x.Run(ctx)
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
