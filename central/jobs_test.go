package central

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// jobTable is a table of a job: rows with the time at which they are due.
type jobTable struct {
	mu    sync.Mutex
	rows  map[int]time.Time
	done  map[int]int
	looks int
	fail  error
}

func newJobTable(n int) *jobTable {
	t := &jobTable{rows: map[int]time.Time{}, done: map[int]int{}}
	for i := range n {
		t.rows[i] = time.Now()
	}
	return t
}

// job is a Job that claims rows with a lease and calls do.
func (t *jobTable) job(name string, batch int, do func(ctx context.Context, row int)) Job {
	return Job{Name: name, Poll: time.Second, Batch: batch, Lease: time.Minute,
		Claim: func(_ context.Context, now, until time.Time, n int) (tasks []Task, err error) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.looks++
			if t.fail != nil {
				return nil, t.fail
			}
			for row, due := range t.rows {
				if len(tasks) < n && !due.After(now) {
					t.rows[row] = until
					tasks = append(tasks, Task{Name: fmt.Sprint("row ", row), Do: func(ctx context.Context) { do(ctx, row) }})
				}
			}
			return tasks, nil
		}}
}

func (t *jobTable) finish(row int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.rows, row)
	t.done[row]++
}

func (t *jobTable) left() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.rows)
}

// startJobs runs a job runner until stop is called.
func startJobs(t *testing.T, jobs ...Job) (w *JobRunner, log *strings.Builder, stop func()) {
	t.Helper()
	log = &strings.Builder{}
	w, err := NewJobRunner(slog.New(slog.NewTextHandler(log, nil)), jobs...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.Run(ctx) }()
	return w, log, func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestALongQueue: while there is more, a claim does not wait for the poll, no more
// than Batch tasks run at one time, and claims are few.
func TestALongQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newJobTable(1000)
		var mu sync.Mutex
		running, most := 0, 0
		w, _, stop := startJobs(t, rows.job("rows", 16, func(_ context.Context, row int) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Duration(row%7) * time.Millisecond)
			mu.Lock()
			running--
			mu.Unlock()
			rows.finish(row)
		}))
		time.Sleep(2 * time.Second)
		stop()
		if rows.left() != 0 || most != 16 || w.Counts()["rows"].Done != 1000 {
			t.Errorf("%d rows are left, %d ran at one time, counts %+v", rows.left(), most, w.Counts())
		}
		if rows.looks > 200 {
			t.Errorf("%d claims for 1000 rows", rows.looks)
		}
	})
}

// TestAnIdleTable: an idle table is read once per poll.
func TestAnIdleTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newJobTable(0)
		_, _, stop := startJobs(t, rows.job("rows", 4, nil))
		time.Sleep(100*time.Second + time.Millisecond)
		stop()
		if rows.looks != 100 {
			t.Errorf("%d claims in 100 seconds", rows.looks)
		}
	})
}

// TestSlowTasksDoNotHoldUpOthers: a poll fills the free slots, and no job waits for
// another job's tasks.
func TestSlowTasksDoNotHoldUpOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := newJobTable(15), newJobTable(100)
		_, _, stop := startJobs(t,
			slow.job("slow", 16, func(ctx context.Context, row int) {
				if row < 15 {
					<-ctx.Done()
					return
				}
				slow.finish(row)
			}),
			quick.job("quick", 2, func(_ context.Context, row int) { quick.finish(row) }))
		time.Sleep(1500 * time.Millisecond)
		slow.mu.Lock()
		for row := 15; row < 45; row++ {
			slow.rows[row] = time.Now()
		}
		slow.mu.Unlock()
		time.Sleep(5 * time.Second)
		if n := slow.left(); n != 15 || quick.left() != 0 {
			t.Errorf("%d slow ones are left, want the 15 that never end; %d quick ones", n, quick.left())
		}
		stop()
	})
}

// TestPanics: a panic ends only its own task.
func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newJobTable(10)
		claims := 0
		bad := Job{Name: "bad", Poll: time.Second, Batch: 1, Lease: time.Second, Claim: func(context.Context, time.Time, time.Time, int) ([]Task, error) {
			claims++
			panic("in the claim")
		}}
		w, log, stop := startJobs(t, bad, rows.job("rows", 2, func(_ context.Context, row int) {
			if row == 3 {
				panic("in the task")
			}
			rows.finish(row)
		}))
		time.Sleep(90*time.Second - time.Second/2) // between two polls
		stop()
		if rows.left() != 1 || claims != 89 && claims != 90 {
			t.Errorf("%d rows are left, %d claims", rows.left(), claims)
		}
		c := w.Counts()
		if c["rows"].Panics != 2 || c["rows"].Done != 11 || c["bad"].Faults != int64(claims) {
			t.Errorf("counts %+v", c) // the row's lease ended once
		}
		if n := strings.Count(log.String(), "tasks can't be claimed"); n != 2 || !strings.Contains(log.String(), "row 3") {
			t.Errorf("%d lines of %d claims that failed:\n%s", n, claims, log)
		}
	})
}

// TestAnOutage: a table that can't be read is read again. The log says so once a
// minute, and when it is over.
func TestAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newJobTable(3)
		rows.fail = errors.New("no database")
		w, log, stop := startJobs(t, rows.job("rows", 4, func(_ context.Context, row int) { rows.finish(row) }))
		time.Sleep(150 * time.Second)
		rows.mu.Lock()
		rows.fail = nil
		rows.mu.Unlock()
		time.Sleep(2 * time.Second)
		stop()
		if rows.left() != 0 || w.Counts()["rows"].Faults < 149 {
			t.Errorf("%d rows are left, counts %+v", rows.left(), w.Counts())
		}
		if a, b := strings.Count(log.String(), "can't be claimed"), strings.Count(log.String(), "can be claimed again"); a != 3 || b != 1 {
			t.Errorf("%d lines of the outage, %d of its end:\n%s", a, b, log)
		}
	})
}

// TestTheEnd: Run waits for its tasks, whose context has ended, and claims no more.
func TestTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newJobTable(100)
		ended := 0
		_, _, stop := startJobs(t, rows.job("rows", 4, func(ctx context.Context, _ int) {
			<-ctx.Done()
			time.Sleep(3 * time.Second) // records its result
			rows.mu.Lock()
			ended++
			rows.mu.Unlock()
		}))
		time.Sleep(1500 * time.Millisecond)
		before := time.Now()
		stop()
		if took := time.Since(before); took != 3*time.Second || ended != 4 {
			t.Errorf("it took %s, %d tasks had ended", took, ended)
		}
	})
}

// TestRandomWork: with any length of tasks, failed claims and number of nodes, each
// row is done once while leases hold.
func TestRandomWork(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(r, "rows")
		nodes := rapid.IntRange(1, 3).Draw(r, "nodes")
		batch := rapid.IntRange(1, 9).Draw(r, "batch")
		seed := rapid.Uint64().Draw(r, "seed")
		synctest.Test(t, func(t *testing.T) {
			rows := newJobTable(n)
			random := rand.New(rand.NewPCG(seed, 1))
			lengths := make([]time.Duration, n)
			for i := range lengths {
				lengths[i] = time.Duration(random.IntN(50_000)) * time.Millisecond
			}
			var stops []func()
			for range nodes {
				_, _, stop := startJobs(t, rows.job("rows", batch, func(_ context.Context, row int) {
					time.Sleep(lengths[row])
					rows.finish(row)
				}))
				stops = append(stops, stop)
			}
			time.Sleep(time.Hour)
			for _, stop := range stops {
				stop()
			}
			if rows.left() != 0 || len(rows.done) != n {
				t.Errorf("%d of %d rows are left", rows.left(), n)
			}
			for row, times := range rows.done {
				if times != 1 {
					t.Errorf("row %d was done %d times", row, times)
				}
			}
		})
	})
}

func TestNewRefuses(t *testing.T) {
	claim := func(context.Context, time.Time, time.Time, int) ([]Task, error) { return nil, nil }
	good := Job{Name: "a", Poll: time.Second, Batch: 1, Lease: time.Second, Claim: claim}
	log := slog.New(slog.DiscardHandler)
	if _, err := NewJobRunner(log, good); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Job){
		"no name": func(d *Job) { d.Name = "" }, "no claim": func(d *Job) { d.Claim = nil }, "no poll": func(d *Job) { d.Poll = 0 },
		"no lease": func(d *Job) { d.Lease = 0 }, "no batch": func(d *Job) { d.Batch = 0 }, "a batch beyond reason": func(d *Job) { d.Batch = maxJobBatch + 1 },
	} {
		d := good
		spoil(&d)
		if _, err := NewJobRunner(log, d); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := NewJobRunner(log, good, good); err == nil {
		t.Error("two jobs of one name are accepted")
	}
	if _, err := NewJobRunner(nil, good); err == nil {
		t.Error("a runner without a logger is accepted")
	}
}

// TestAGreedyClaim: a claim of more than n tasks is an error.
func TestAGreedyClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := Job{Name: "greedy", Poll: time.Second, Batch: 1, Lease: time.Second, Claim: func(context.Context, time.Time, time.Time, int) ([]Task, error) {
			return make([]Task, 2), nil
		}}
		w, _, stop := startJobs(t, d)
		time.Sleep(1500 * time.Millisecond)
		stop()
		if c := w.Counts()["greedy"]; c.Faults != 1 || c.Done != 0 {
			t.Errorf("counts %+v", c)
		}
	})
}
