package sim

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	seeds = flag.Int("seeds", usualSeeds, "how many stories to play")
	first = flag.Uint64("first", 1, "the first seed")
	times = flag.Int("times", 1, "how often to play each seed")
	bad   = flag.Int("bad", maxFailed, "how many stories of a worker may fail before the rest is left out")

	// Of the processes that the test starts.
	worker       = flag.Int("worker", -1, "which share of the stories to play")
	workers      = flag.Int("workers", 1, "how many shares there are")
	workerReport = flag.String("report", "", "the file for the share's totals")
)

const (
	// maxFailed is how many stories of a worker may fail before the rest is left out:
	// usually they fail for one reason.
	maxFailed = 5
	// progressEvery is the number of stories between two progress lines of a long run.
	progressEvery = 1000
	// garbage is the percentage of garbage at which it is collected: stories are short
	// and leave nothing.
	garbage = 400
)

// TestStories plays the seeds. Each core runs a process of its own with one thread (two
// under the race detector): a bubble's goroutines mostly wait for each other, so a
// second thread costs a third more and makes runs less repeatable.
func TestStories(t *testing.T) {
	if *worker >= 0 {
		runWorker(t)
		return
	}
	dir := t.TempDir()
	total := newTraceTotals()
	begun := time.Now()
	var running sync.WaitGroup
	for n := range runtime.NumCPU() {
		running.Go(func() {
			if err := startWorker(dir, n, runtime.NumCPU(), total); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	t.Logf("%s; %.1f stories a second", total, float64(total.Stories)/time.Since(begun).Seconds())
	if total.Stories < 60 {
		return
	}
	for _, what := range proven {
		if total.Counts[what] == 0 {
			t.Errorf("%d stories, and %s never happened: the stories do not do what they should", total.Stories, what)
		}
	}
}

// startWorker plays one share in a process of its own.
func startWorker(dir string, n, of int, total *traceTotals) error {
	out := filepath.Join(dir, fmt.Sprintf("worker-%d.json", n))
	child := exec.Command(os.Args[0], "-test.run=^TestStories$", "-test.v", "-test.timeout=0",
		fmt.Sprintf("-seeds=%d", *seeds), fmt.Sprintf("-first=%d", *first), fmt.Sprintf("-times=%d", *times),
		fmt.Sprintf("-bad=%d", *bad), fmt.Sprintf("-worker=%d", n), fmt.Sprintf("-workers=%d", of), "-report="+out)
	child.Env = append(os.Environ(), "GOMAXPROCS="+threads)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	life, err := child.StdinPipe() // it ends with this process, however that ends
	if err != nil {
		return fmt.Errorf("worker %d: %w", n, err)
	}
	defer func() { _ = life.Close() }()
	if err = child.Run(); err != nil {
		err = fmt.Errorf("worker %d: %w; its output is above", n, err)
	}
	raw, unread := os.ReadFile(out) // a worker whose stories failed writes one, too
	share := newTraceTotals()
	if unread == nil {
		unread = json.Unmarshal(raw, share)
	}
	if unread != nil {
		return errors.Join(err, fmt.Errorf("worker %d: read its totals: %w", n, unread))
	}
	total.merge(share)
	return err
}

// runWorker plays every workers-th story, beginning with its own.
func runWorker(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(garbage))
	dir := scratch(t)
	go exitWithParent(dir)
	b := newSnapshot(t, dir)
	share, failed, begun := newTraceTotals(), 0, time.Now()
	for nth := *worker; nth < *seeds**times && failed < *bad; nth += *workers {
		seed := *first + uint64(nth / *times)
		tape, complaints := runStory(t, seed, b, dir, setupOf(seed))
		share.add(tape)
		for _, c := range complaints {
			t.Errorf("seed %d: %s", seed, c)
		}
		if len(complaints) > 0 {
			failed++
			t.Errorf("seed %d: %s", seed, replayCommand(seed))
		}
		if share.Stories%progressEvery == 0 {
			t.Logf("worker %d: %d stories, %.1f a second", *worker, share.Stories, float64(share.Stories)/time.Since(begun).Seconds())
		}
	}
	raw, err := json.Marshal(share)
	if err == nil {
		err = os.WriteFile(*workerReport, raw, 0o600)
	}
	if err != nil {
		t.Errorf("write the totals: %v", err)
	}
	t.Logf("worker %d: %s", *worker, share)
}

// exitWithParent ends a worker whose test was stopped, and removes its files: they may be
// in memory.
func exitWithParent(dir string) {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(gone)
	}()
	select {
	case <-stop:
	case <-gone:
	}
	_ = os.RemoveAll(dir)
	os.Exit(1)
}
