package bugs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/deploy/model"
	"galla/shared/bug"
)

// patience bounds one machine's run: a minute or two of work beside others.
const patience = 20 * time.Minute

// room of the repository's root from here.
var root = filepath.Join("..", "..")

// run is one machine: a test, how it is run, and the sentence with which it
// must fail.
type run struct {
	room string
	args []string
	want string // a regular expression
}

// TestNoFaultIsForgotten: every fault has each machine.
func TestNoFaultIsForgotten(t *testing.T) {
	for _, fault := range bug.Faults() {
		if len(walks[fault]) == 0 || stories[fault].want == "" || kills[fault].random == "" || kills[fault].directed == "" || explored[fault].want == "" {
			t.Errorf("a machine is missing for %s", fault)
		}
	}
}

// walks are the random walks, quick and small: each where its part of the fault
// is.
var walks = map[string][]run{
	bug.Dispatch: {
		{room: "central", args: []string{"-test.run", "^TestRandomWalk$"}, want: `is (refused|received), executed 1 times`},
	},
	bug.Retry: {
		{room: "central", args: []string{"-test.run", "^TestRandomWalk$"}, want: `the bank executed GL\w+, which is no operation's`},
		{room: "edge", args: []string{"-test.run", "^TestRandomWalks$"}, want: `was sent \d+ times`},
	},
	bug.Attempt: {
		{room: "central", args: []string{"-test.run", "^TestRandomWalk$"}, want: `the bank executed 2 transfers under the name ref-|answered with the record of another body`},
	},
	bug.Tombstone: {
		{room: "central/store", args: []string{"-test.run", "^TestWalk"}, want: `a tombstone: `},
	},
}

func TestRandomWalks(t *testing.T) {
	t.Parallel()
	for _, fault := range bug.Faults() {
		for _, r := range walks[fault] {
			// A file would lie in the tree, and nobody reads the shortest example.
			r.args = append(r.args, "-rapid.checks=1000", "-rapid.nofailfile", "-rapid.shrinktime=100ms")
			t.Run(fault+" in "+r.room, func(t *testing.T) { r.mustFail(t, fault, r.want) })
		}
	}
}

// stories are the simulation; the seeds are few, since what is to be found is
// no rare thing.
var stories = map[string]run{
	bug.Dispatch:  {want: `the books say "EXECUTED", the central refused`},
	bug.Retry:     {want: `the books have EXECUTED .*, which no operation of the central has`},
	bug.Attempt:   {want: `the books have one TRANSFER of \S+ twice|the partner was told that \S+ succeeded, and no attempt of it moved money`},
	bug.Tombstone: {want: `was declared never seen, and is|the books say "EXECUTED", .*the counter not-sent`},
}

func TestSimulation(t *testing.T) {
	t.Parallel()
	for _, fault := range bug.Faults() {
		t.Run(fault, func(t *testing.T) {
			r := stories[fault]
			r.room, r.args = "deploy/sim", []string{"-test.run", "^TestStories$", "-seeds", "60", "-bad", "1"}
			r.mustFail(t, fault, r.want)
		})
	}
}

// kills are real processes: TestKills, which breaks them at random and at the
// moments that matter, and the fault's story of TestPromises, with nothing left to
// luck. Each must say what is wrong.
var kills = map[string]struct{ random, story, directed string }{
	bug.Dispatch: {
		story:    "recorded_before_it_is_sent",
		random:   `the central says that nothing was sent of \S+, and the bank has EXECUTED`,
		directed: `the central says nothing was sent of what the bank has EXECUTED`,
	},
	bug.Retry: {
		story:    "not_sent_again",
		random:   `the books hold GL\w+ .*, which is no operation's: something was sent again`,
		directed: `what the bank did not answer was sent again: the books hold 1 debits`,
	},
	bug.Attempt: {
		story:    "second_attempt",
		random:   `invariant 1: two attempts of transfer \S+ moved money`,
		directed: `a second attempt began while the first may be executed`,
	},
	bug.Tombstone: {
		story:    "never_seen",
		random:   `invariant 5: \S+ was declared never seen, and is`,
		directed: `what was declared never seen is (succeeded|pending|EXECUTED)`,
	},
}

// One run has both, and the faults run side by side: real processes mostly wait.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	for _, fault := range bug.Faults() {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			r := run{room: "deploy/e2e", args: []string{"-test.run", "^(TestKills|TestPromises)$/" + kills[fault].story}}
			r.mustFail(t, fault, kills[fault].directed, kills[fault].random)
		})
	}
}

// explored is what the model says of each.
var explored = map[string]struct {
	faulty model.Faulty
	want   string
}{
	bug.Dispatch:  {model.Faulty{DispatchBeforeCommit: true}, "invariant 2: the central says refused, and the bank has executed it"},
	bug.Retry:     {model.Faulty{RetryOnTimeout: true}, "invariant 1: the bank executed it 2 times"},
	bug.Tombstone: {model.Faulty{ForgetTombstone: true}, "invariant 5: it was declared never seen, and began"},
	bug.Attempt:   {model.Faulty{AttemptWhilePending: true}, "invariant 1: the bank executed 2 attempts under one name"},
}

func TestModel(t *testing.T) {
	for _, fault := range bug.Faults() {
		cfg := model.Config{Faults: -1, Faulty: explored[fault].faulty}
		if fault == bug.Attempt {
			cfg.Operations, cfg.OneName = 2, true
		}
		r, err := model.Explore(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if r.Violation == nil || !strings.Contains(r.Violation.Rule, explored[fault].want) {
			t.Errorf("%s: the model finds %v, want %q", fault, r.Violation, explored[fault].want)
			continue
		}
		t.Logf("%s: %v", fault, r.Violation)
	}
}

// workshop is where the machines and their programs lie, built once for all
// faults. It is set by TestMain, before any test runs.
var workshop string

// machines are the rooms whose tests are built.
var machines = []string{"central", "central/store", "edge", "deploy/sim", "deploy/e2e"}

// programs are what the machines start, by file name; deploy/e2e finds them by its
// GALLA_E2E_PROGRAMS.
var programs = map[string]string{
	"galla-central": "./central/cmd/galla-central", "galla-bank": "./central/cmd/galla-bank", "galla-rdsim": "./rdservice/cmd/galla-rdsim",
	"galla-edge": "./edge/cmd/galla-edge", "galla-local": "./deploy/local",
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "galla-bugs-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		workshop = dir
		return m.Run()
	}())
}

// buildOnce builds the machines and their programs with the faults inside.
var buildOnce = sync.OnceValue(func() error {
	for name, program := range programs {
		if err := goDoes("build", "-buildvcs=false", "-tags="+bug.Tag, "-o", filepath.Join(workshop, name), program); err != nil {
			return err
		}
	}
	for _, room := range machines {
		if err := goDoes("test", "-c", "-tags="+bug.Tag, "-o", filepath.Join(workshop, testOf(room)), "./"+room); err != nil {
			return err
		}
	}
	return nil
})

func testOf(room string) string { return strings.ReplaceAll(room, "/", "-") + ".test" }

// goDoes runs the go command at the repository's root.
func goDoes(args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, text)
	}
	return nil
}

// mustFail runs a machine with a fault chosen, which must say each sentence.
func (r run) mustFail(t *testing.T, fault string, wants ...string) {
	t.Helper()
	if err := buildOnce(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(workshop, testOf(r.room)), append(r.args, "-test.v", "-test.timeout=0")...)
	cmd.Dir = filepath.Join(root, r.room)
	// The programs that the machine starts have it, too.
	cmd.Env = append(os.Environ(), bug.Variable+"="+fault, "GALLA_E2E_PROGRAMS="+workshop)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s was not done after %s:\n%s", r.room, patience, last(out))
	case err == nil:
		t.Fatalf("%s does not see %s: it passes", r.room, fault)
	}
	for _, want := range wants {
		found := regexp.MustCompile(".*(" + want + ").*").Find(out)
		if found == nil {
			t.Fatalf("%s fails with %s, but does not say what is wrong (want %s):\n%s", r.room, fault, want, last(out))
		}
		t.Logf("%s, after %s: %s", r.room, time.Since(begun).Round(time.Second), bytes.TrimSpace(found))
	}
}

// last is the end of a long output.
func last(out []byte) []byte { return out[max(0, len(out)-8000):] }
