package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/central/jobs"
	"galla/central/store"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path, node string) *store.DB {
	t.Helper()
	db, err := store.OpenSQLite(context.Background(), path, store.Config{Node: node, Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// inVirtualTime runs a test with two nodes on one database in virtual time.
func inVirtualTime(t *testing.T, test func(t *testing.T, a, b *store.DB)) {
	path := filepath.Join(t.TempDir(), "central.db")
	must(t, open(t, path, "node-a").Close())
	synctest.Test(t, func(t *testing.T) { test(t, open(t, path, "node-a"), open(t, path, "node-b")) })
}

// run runs scheduled jobs on a node until stop is called.
func run(t *testing.T, db *store.DB, list ...jobs.ScheduledJob) (stop func()) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	d, err := jobs.SchedulerJob(db, log, list...)
	must(t, err)
	w, err := central.NewJobRunner(log, d)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = w.Run(ctx) }()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); <-done }) }
	t.Cleanup(stop)
	return stop
}

// runLog records the runs of a job.
type runLog struct {
	mu    sync.Mutex
	runs  []time.Time
	under int
	both  bool
}

func (d *runLog) do(length time.Duration, err error) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		d.mu.Lock()
		d.runs = append(d.runs, time.Now())
		d.under++
		d.both = d.both || d.under > 1
		d.mu.Unlock()
		select {
		case <-time.After(length):
		case <-ctx.Done():
			err = ctx.Err()
		}
		d.mu.Lock()
		d.under--
		d.mu.Unlock()
		return "12 rows", err
	}
}

func (d *runLog) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.runs)
}

func record(t *testing.T, db *store.DB, name string) jobs.JobRecord {
	t.Helper()
	list, err := db.ListJobs(context.Background())
	must(t, err)
	for _, r := range list {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no job %s in %+v", name, list)
	return jobs.JobRecord{}
}

// TestPeriods: two nodes make one run in a period, never two at one time; a job that takes
// longer than its period starts again at once.
func TestPeriods(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, a, b *store.DB) {
		var purge, long runLog
		list := []jobs.ScheduledJob{
			{Name: "purge", Every: 10 * time.Minute, Run: purge.do(5*time.Second, nil)},
			{Name: "long", Every: time.Minute, Run: long.do(3*time.Minute, nil)},
		}
		stopA, stopB := run(t, a, list...), run(t, b, list...)
		time.Sleep(time.Hour + 30*time.Second)
		if purge.count() != 7 || purge.both {
			t.Errorf("%d runs in an hour, two at one time: %v", purge.count(), purge.both)
		}
		if n := long.count(); n < 19 || n > 21 || long.both {
			t.Errorf("%d runs of 3 minutes in an hour, two at one time: %v", n, long.both)
		}
		stopA()
		// The other node runs the stopped job at once, and a stop is no failure.
		before := long.count()
		time.Sleep(4 * time.Minute)
		if long.count() == before {
			t.Error("no node runs the stopped job")
		}
		stopB()
		if r := record(t, a, "long"); r.Failures != 0 || r.Node != "" {
			t.Errorf("at the end: %+v", r)
		}
		if r := record(t, a, "purge"); r.Note != "12 rows" || r.StartedAt.IsZero() {
			t.Errorf("at the end: %+v", r)
		}
	})
}

// TestFailedJobs are run again after a pause that grows to the period; a panic is a
// failure, too, and a run that does not end is stopped.
func TestFailedJobs(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, a, _ *store.DB) {
		var broken, stuck runLog
		stop := run(t, a,
			jobs.ScheduledJob{Name: "broken", Every: 24 * time.Hour, Run: broken.do(0, errors.New("the disk is full"))},
			jobs.ScheduledJob{Name: "panics", Every: time.Minute, Run: func(context.Context) (string, error) { panic("a mistake") }},
			jobs.ScheduledJob{Name: "stuck", Every: time.Hour, Run: stuck.do(100*time.Hour, nil)})
		time.Sleep(6 * time.Hour)
		stop()
		if n := broken.count(); n < 11 || n > 14 {
			t.Errorf("%d runs in 6 hours, with pauses from 30 s to an hour", n)
		}
		if r := record(t, a, "broken"); r.Failures != broken.count() || r.Note != "the disk is full" {
			t.Errorf("broken: %+v after %d runs", r, broken.count())
		}
		if r := record(t, a, "panics"); r.Failures < 300 || !strings.Contains(r.Note, "a mistake") {
			t.Errorf("panics: %+v", r)
		}
		if r := record(t, a, "stuck"); r.Failures == 0 || stuck.both || r.EndedAt.Sub(r.StartedAt) != 9*time.Minute {
			t.Errorf("stuck: %+v", r)
		}
	})
}

// TestJobOfADeadNode: when the lease has ended, another node runs it.
func TestJobOfADeadNode(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, a, b *store.DB) {
		ctx, now := context.Background(), time.Now()
		must(t, b.RegisterJob(ctx, "purge", now, time.Minute))
		_, err := b.ClaimJob(ctx, "purge", now, now.Add(10*time.Minute))
		must(t, err) // and the node dies
		var d runLog
		stop := run(t, a, jobs.ScheduledJob{Name: "purge", Every: time.Minute, Run: d.do(0, nil)})
		time.Sleep(10*time.Minute - 2*time.Second)
		if d.count() != 0 {
			t.Error("a job was claimed before its lease ended")
		}
		time.Sleep(4 * time.Second)
		stop()
		if d.count() != 1 {
			t.Errorf("%d runs after the lease", d.count())
		}
	})
}

// TestUnknownJobs of a newer program are left alone.
func TestUnknownJobs(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, a, _ *store.DB) {
		must(t, a.RegisterJob(context.Background(), "of-a-newer-program", time.Now(), time.Second))
		var d runLog
		stop := run(t, a, jobs.ScheduledJob{Name: "purge", Every: time.Second, Run: d.do(0, nil)})
		time.Sleep(30 * time.Second)
		stop()
		if r := record(t, a, "of-a-newer-program"); !r.StartedAt.IsZero() || d.count() < 25 {
			t.Errorf("%+v; %d runs of our own", r, d.count())
		}
	})
}

func TestJobsAreChecked(t *testing.T) {
	do := func(context.Context) (string, error) { return "", nil }
	for name, list := range map[string][]jobs.ScheduledJob{
		"no name": {{Every: time.Hour, Run: do}}, "capitals": {{Name: "Purge", Every: time.Hour, Run: do}}, "a long name": {{Name: strings.Repeat("a", 65), Every: time.Hour, Run: do}},
		"nothing to do": {{Name: "a", Every: time.Hour}}, "no period": {{Name: "a", Run: do}},
		"two of one name": {{Name: "a", Every: time.Hour, Run: do}, {Name: "a", Every: time.Hour, Run: do}},
	} {
		if _, err := jobs.SchedulerJob(nil, slog.New(slog.DiscardHandler), list...); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
