package duty_test

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

	"galla/central/duty"
	"galla/central/store"
	"galla/central/worker"
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

// inTime plays with two nodes on one database in virtual time.
func inTime(t *testing.T, play func(t *testing.T, a, b *store.DB)) {
	path := filepath.Join(t.TempDir(), "central.db")
	must(t, open(t, path, "node-a").Close())
	synctest.Test(t, func(t *testing.T) { play(t, open(t, path, "node-a"), open(t, path, "node-b")) })
}

// run does chores on a node until stop is called.
func run(t *testing.T, db *store.DB, list ...duty.Chore) (stop func()) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	d, err := duty.ChoreDuty(db, log, list...)
	must(t, err)
	w, err := worker.New(log, d)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = w.Run(ctx) }()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); <-done }) }
	t.Cleanup(stop)
	return stop
}

// diary notes runs of a chore.
type diary struct {
	mu    sync.Mutex
	runs  []time.Time
	under int
	both  bool
}

func (d *diary) do(length time.Duration, err error) func(context.Context) (string, error) {
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

func (d *diary) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.runs)
}

func record(t *testing.T, db *store.DB, name string) duty.ChoreRecord {
	t.Helper()
	list, err := db.Chores(context.Background())
	must(t, err)
	for _, r := range list {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no chore %s in %+v", name, list)
	return duty.ChoreRecord{}
}

// TestPeriods: two nodes, one run a period, never two at one time; one that
// takes longer than its period starts again at once.
func TestPeriods(t *testing.T) {
	inTime(t, func(t *testing.T, a, b *store.DB) {
		var purge, long diary
		list := []duty.Chore{
			{Name: "purge", Every: 10 * time.Minute, Do: purge.do(5*time.Second, nil)},
			{Name: "long", Every: time.Minute, Do: long.do(3*time.Minute, nil)},
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
		// What was stopped is done by the other node at once, and did not fail.
		before := long.count()
		time.Sleep(4 * time.Minute)
		if long.count() == before {
			t.Error("nobody does the chore that was stopped")
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

// TestChoresThatFail: after a pause that grows to the period; a panic is a
// failure, too, and one that never ends is stopped.
func TestChoresThatFail(t *testing.T) {
	inTime(t, func(t *testing.T, a, _ *store.DB) {
		var broken, stuck diary
		stop := run(t, a,
			duty.Chore{Name: "broken", Every: 24 * time.Hour, Do: broken.do(0, errors.New("no room on the disk"))},
			duty.Chore{Name: "panics", Every: time.Minute, Do: func(context.Context) (string, error) { panic("a mistake") }},
			duty.Chore{Name: "stuck", Every: time.Hour, Do: stuck.do(100*time.Hour, nil)})
		time.Sleep(6 * time.Hour)
		stop()
		if n := broken.count(); n < 11 || n > 14 {
			t.Errorf("%d runs in 6 hours, with pauses from 30 s to an hour", n)
		}
		if r := record(t, a, "broken"); r.Failures != broken.count() || r.Note != "no room on the disk" {
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

// TestADeadNodesChore: when the lease has ended, another node does it.
func TestADeadNodesChore(t *testing.T) {
	inTime(t, func(t *testing.T, a, b *store.DB) {
		ctx, now := context.Background(), time.Now()
		must(t, b.EnrolChore(ctx, "purge", now, time.Minute))
		_, err := b.ClaimChore(ctx, "purge", now, now.Add(10*time.Minute))
		must(t, err) // and the node dies
		var d diary
		stop := run(t, a, duty.Chore{Name: "purge", Every: time.Minute, Do: d.do(0, nil)})
		time.Sleep(10*time.Minute - 2*time.Second)
		if d.count() != 0 {
			t.Error("a chore was taken from a node whose lease holds")
		}
		time.Sleep(4 * time.Second)
		stop()
		if d.count() != 1 {
			t.Errorf("%d runs after the lease", d.count())
		}
	})
}

// TestAnotherProgramsChores are left alone.
func TestAnotherProgramsChores(t *testing.T) {
	inTime(t, func(t *testing.T, a, _ *store.DB) {
		must(t, a.EnrolChore(context.Background(), "of-a-newer-program", time.Now(), time.Second))
		var d diary
		stop := run(t, a, duty.Chore{Name: "purge", Every: time.Second, Do: d.do(0, nil)})
		time.Sleep(30 * time.Second)
		stop()
		if r := record(t, a, "of-a-newer-program"); !r.StartedAt.IsZero() || d.count() < 25 {
			t.Errorf("%+v; %d runs of our own", r, d.count())
		}
	})
}

func TestChoresAreChecked(t *testing.T) {
	do := func(context.Context) (string, error) { return "", nil }
	for name, list := range map[string][]duty.Chore{
		"no name": {{Every: time.Hour, Do: do}}, "capitals": {{Name: "Purge", Every: time.Hour, Do: do}}, "a long name": {{Name: strings.Repeat("a", 65), Every: time.Hour, Do: do}},
		"nothing to do": {{Name: "a", Every: time.Hour}}, "no period": {{Name: "a", Do: do}},
		"two of one name": {{Name: "a", Every: time.Hour, Do: do}, {Name: "a", Every: time.Hour, Do: do}},
	} {
		if _, err := duty.ChoreDuty(nil, slog.New(slog.DiscardHandler), list...); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
