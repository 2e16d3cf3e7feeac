package duty

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"galla/central"
	"galla/central/worker"
)

// Bounds of chores.
const (
	// chorePoll is how often the table of chores is looked at: it is a table of
	// some ten rows, and the shortest period is a second.
	chorePoll = time.Second
	// choreLease is how long a run may take. A node that died with a chore in
	// hand delays it by so much.
	choreLease = 10 * time.Minute
	// choreTime is what a run has of that: the rest is for its end to be written,
	// and for clocks that differ.
	choreTime = 9 * time.Minute
	// chorePause is the pause after a run that failed; it doubles with each
	// further one, up to the chore's period, and never beyond an hour.
	chorePause    = 30 * time.Second
	choreMaxPause = time.Hour
	// minEvery is the shortest period.
	minEvery = time.Second
	// maxChoreName bounds a chore's name.
	maxChoreName = 64
)

// chores does the chores of this node's program. Those in the table that it
// does not know are another program's.
type chores struct {
	store Chores
	list  map[string]Chore
	log   *slog.Logger
	// enrolled says that the table has all of them; of the claiming loop alone.
	enrolled bool
}

// ChoreDuty makes of chores a duty of the worker. They are entered into the
// table when the duty begins. Errors: names and periods that are none.
func ChoreDuty(store Chores, log *slog.Logger, list ...Chore) (worker.Duty, error) {
	c := &chores{store: store, list: map[string]Chore{}, log: log}
	for _, x := range list {
		switch {
		case !choreName(x.Name):
			return worker.Duty{}, fmt.Errorf("chore %q: a name is 1 to %d lower case letters, digits and hyphens", x.Name, maxChoreName)
		case c.list[x.Name].Do != nil:
			return worker.Duty{}, fmt.Errorf("two chores have the name %s", x.Name)
		case x.Do == nil || x.Every < minEvery:
			return worker.Duty{}, fmt.Errorf("chore %s: it needs something to do, and a period of at least %s", x.Name, minEvery)
		}
		c.list[x.Name] = x
	}
	return worker.Duty{Name: "chores", Poll: chorePoll, Batch: max(1, len(list)), Lease: choreLease, Claim: c.claim}, nil
}

func choreName(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return name != "" && len(name) <= maxChoreName
}

// claim takes the chores that are due.
func (c *chores) claim(ctx context.Context, now, until time.Time, n int) ([]worker.Task, error) {
	if !c.enrolled {
		for name, x := range c.list {
			if err := c.store.EnrolChore(ctx, name, now, x.Every); err != nil {
				return nil, err
			}
		}
		c.enrolled = true
	}
	known, err := c.store.Chores(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(known, func(a, b ChoreRecord) int { return a.DueAt.Compare(b.DueAt) })
	var tasks []worker.Task
	for _, r := range known {
		x, mine := c.list[r.Name]
		if !mine || r.DueAt.After(now) || len(tasks) == n {
			continue
		}
		taken, err := c.store.ClaimChore(ctx, r.Name, now, until)
		if errors.Is(err, central.ErrState) {
			continue
		}
		if err != nil {
			// What was claimed already is done; the rest waits for the next look.
			c.log.Error("chore can't be claimed", "chore", r.Name, "error", err)
			break
		}
		tasks = append(tasks, worker.Task{Name: x.Name, Do: func(ctx context.Context) { c.do(ctx, x, taken) }})
	}
	return tasks, nil
}

// do runs a chore once, and writes down how it ended.
func (c *chores) do(ctx context.Context, x Chore, r ChoreRecord) {
	note, err := c.attempt(ctx, x)
	now := time.Now()
	end := ChoreEnd{Name: x.Name, StartedAt: r.StartedAt, At: now, Next: later(now, r.StartedAt.Add(x.Every)), Note: note}
	switch {
	case err != nil && ctx.Err() != nil:
		// The node is being stopped: another one does it at once.
		end.Next, end.Note = now, "stopped with its node"
	case err != nil:
		end.Failed, end.Note = true, err.Error()
		end.Next = now.Add(pauseAfter(r.Failures, x.Every))
		c.log.Error("chore failed; it is done again", "chore", x.Name, "next", end.Next.UTC(), "error", err)
	default:
		c.log.Info("chore is done", "chore", x.Name, "took", now.Sub(r.StartedAt), "note", note)
	}
	if err := c.store.EndChore(context.WithoutCancel(ctx), end); err != nil {
		c.log.Error("the end of a chore can't be recorded; it is done again when its lease has ended", "chore", x.Name, "error", err)
	}
}

// attempt is Do with its bound, whose panic is an error.
func (c *chores) attempt(ctx context.Context, x Chore) (note string, err error) {
	ctx, cancel := context.WithTimeout(ctx, choreTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("panic in a chore", "chore", x.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return x.Do(ctx)
}

// pauseAfter is how long a chore waits that failed after n failures in a row.
func pauseAfter(n int, every time.Duration) time.Duration {
	most := min(every, choreMaxPause)
	pause := chorePause
	for range n {
		if pause >= most {
			break
		}
		pause *= 2
	}
	return min(pause, most)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
