package worker

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

// table is what duties are driven by: rows with a moment at which they are due.
type table struct {
	mu    sync.Mutex
	rows  map[int]time.Time
	done  map[int]int
	looks int
	fail  error
}

func newTable(n int) *table {
	t := &table{rows: map[int]time.Time{}, done: map[int]int{}}
	for i := range n {
		t.rows[i] = time.Now()
	}
	return t
}

// duty claims rows by a lease, and does them with do.
func (t *table) duty(name string, batch int, do func(ctx context.Context, row int)) Duty {
	return Duty{Name: name, Poll: time.Second, Batch: batch, Lease: time.Minute,
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

func (t *table) finish(row int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.rows, row)
	t.done[row]++
}

func (t *table) left() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.rows)
}

// start runs a worker until stop is called.
func start(t *testing.T, duties ...Duty) (w *Worker, log *strings.Builder, stop func()) {
	t.Helper()
	log = &strings.Builder{}
	w, err := New(slog.New(slog.NewTextHandler(log, nil)), duties...)
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

// TestALongQueue: while there is more, a look does not wait for the poll, no
// more than Batch run at one time, and looks are few.
func TestALongQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newTable(1000)
		var mu sync.Mutex
		running, most := 0, 0
		w, _, stop := start(t, rows.duty("rows", 16, func(_ context.Context, row int) {
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
			t.Errorf("%d looks for 1000 rows", rows.looks)
		}
	})
}

// TestAnIdleTable is looked at once a poll.
func TestAnIdleTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newTable(0)
		_, _, stop := start(t, rows.duty("rows", 4, nil))
		time.Sleep(100*time.Second + time.Millisecond)
		stop()
		if rows.looks != 100 {
			t.Errorf("%d looks in 100 seconds", rows.looks)
		}
	})
}

// TestSlowTasksDoNotHoldUpOthers: a poll fills whatever room there is, and no
// duty waits for another one's tasks.
func TestSlowTasksDoNotHoldUpOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := newTable(15), newTable(100)
		_, _, stop := start(t,
			slow.duty("slow", 16, func(ctx context.Context, row int) {
				if row < 15 {
					<-ctx.Done()
					return
				}
				slow.finish(row)
			}),
			quick.duty("quick", 2, func(_ context.Context, row int) { quick.finish(row) }))
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

// TestPanics end nothing but their own task.
func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newTable(10)
		claims := 0
		bad := Duty{Name: "bad", Poll: time.Second, Batch: 1, Lease: time.Second, Claim: func(context.Context, time.Time, time.Time, int) ([]Task, error) {
			claims++
			panic("in the claim")
		}}
		w, log, stop := start(t, bad, rows.duty("rows", 2, func(_ context.Context, row int) {
			if row == 3 {
				panic("in the task")
			}
			rows.finish(row)
		}))
		time.Sleep(90*time.Second - time.Second/2) // between two polls: a claim that meets the end counts for nothing
		stop()
		if rows.left() != 1 || claims != 89 && claims != 90 {
			t.Errorf("%d rows are left, %d claims", rows.left(), claims)
		}
		c := w.Counts()
		if c["rows"].Panics != 2 || c["rows"].Done != 11 || c["bad"].Faults != int64(claims) {
			t.Errorf("counts %+v", c) // the row's lease ended once
		}
		if n := strings.Count(log.String(), "work can't be claimed"); n != 2 || !strings.Contains(log.String(), "row 3") {
			t.Errorf("%d lines of %d claims that failed:\n%s", n, claims, log)
		}
	})
}

// TestAnOutage: a table that can't be read is looked at again, and the log says
// so once a minute, and when it is over.
func TestAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newTable(3)
		rows.fail = errors.New("no database")
		w, log, stop := start(t, rows.duty("rows", 4, func(_ context.Context, row int) { rows.finish(row) }))
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

// TestTheEnd: Run waits for its tasks, whose context has ended, and claims
// nothing more.
func TestTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newTable(100)
		ended := 0
		_, _, stop := start(t, rows.duty("rows", 4, func(ctx context.Context, _ int) {
			<-ctx.Done()
			time.Sleep(3 * time.Second) // writes down what it did
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

// TestRandomWork: whatever the tasks' lengths, the claims' failures and the
// number of nodes, each row is done once as long as leases hold.
func TestRandomWork(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(r, "rows")
		nodes := rapid.IntRange(1, 3).Draw(r, "nodes")
		batch := rapid.IntRange(1, 9).Draw(r, "batch")
		seed := rapid.Uint64().Draw(r, "seed")
		synctest.Test(t, func(t *testing.T) {
			rows := newTable(n)
			random := rand.New(rand.NewPCG(seed, 1))
			lengths := make([]time.Duration, n)
			for i := range lengths {
				lengths[i] = time.Duration(random.IntN(50_000)) * time.Millisecond
			}
			var stops []func()
			for range nodes {
				_, _, stop := start(t, rows.duty("rows", batch, func(_ context.Context, row int) {
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
	good := Duty{Name: "a", Poll: time.Second, Batch: 1, Lease: time.Second, Claim: claim}
	log := slog.New(slog.DiscardHandler)
	if _, err := New(log, good); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Duty){
		"no name": func(d *Duty) { d.Name = "" }, "no claim": func(d *Duty) { d.Claim = nil }, "no poll": func(d *Duty) { d.Poll = 0 },
		"no lease": func(d *Duty) { d.Lease = 0 }, "no batch": func(d *Duty) { d.Batch = 0 }, "a batch beyond reason": func(d *Duty) { d.Batch = maxBatch + 1 },
	} {
		d := good
		spoil(&d)
		if _, err := New(log, d); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := New(log, good, good); err == nil {
		t.Error("two of one name are taken")
	}
	if _, err := New(nil, good); err == nil {
		t.Error("no logger is taken")
	}
}

// TestAGreedyClaim: more than was asked for is a fault of the claim.
func TestAGreedyClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := Duty{Name: "greedy", Poll: time.Second, Batch: 1, Lease: time.Second, Claim: func(context.Context, time.Time, time.Time, int) ([]Task, error) {
			return make([]Task, 2), nil
		}}
		w, _, stop := start(t, d)
		time.Sleep(1500 * time.Millisecond)
		stop()
		if c := w.Counts()["greedy"]; c.Faults != 1 || c.Done != 0 {
			t.Errorf("counts %+v", c)
		}
	})
}
