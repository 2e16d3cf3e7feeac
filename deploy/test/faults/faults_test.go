package faults

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

	"galla/deploy/test/model"
)

// patience bounds one run: a minute or two of work beside others.
const patience = 20 * time.Minute

// root of the repository, from here.
var root = filepath.Join("..", "..", "..")

// run is one test, how it is run, and the sentence with which it must fail.
type run struct {
	pkg  string
	args []string
	want string // a regular expression
}

// TestNoFaultIsForgotten checks that every fault has a run in each table.
func TestNoFaultIsForgotten(t *testing.T) {
	for _, fault := range allFaults() {
		if len(walks[fault]) == 0 || stories[fault].want == "" || kills[fault].random == "" || kills[fault].directed == "" || explored[fault].want == "" {
			t.Errorf("a machine is missing for %s", fault)
		}
	}
}

// walks are the random walks, quick and small: each in the package that has its part of
// the fault.
var walks = map[string][]run{
	sendBeforeCommit: {
		{pkg: "central", args: []string{"-test.run", "^TestRandomWalk$"}, want: `is (refused|received), executed 1 times|the bank executed GL\w+, which is no operation's|was sent 2 times and executed`},
	},
	retryOnTimeout: {
		{pkg: "central", args: []string{"-test.run", "^TestRandomWalk$"}, want: `the bank executed GL\w+, which is no operation's`},
		{pkg: "edge", args: []string{"-test.run", "^TestRandomWalks$"}, want: `was sent \d+ times`},
	},
	attemptWhilePending: {
		{pkg: "central", args: []string{"-test.run", "^TestRandomWalk$"}, want: `the bank executed 2 transfers under the name ref-|answered with the record of another body`},
	},
	forgetTombstone: {
		{pkg: "central/store", args: []string{"-test.run", "^TestWalk"}, want: `a tombstone: `},
	},
	seenBeforeStored: {
		{pkg: "edge", args: []string{"-test.run", "^TestRandomWalks$"}, want: `payment \S+ was seen and is not stored`},
	},
}

func TestRandomWalks(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	for _, fault := range allFaults() {
		for _, r := range walks[fault] {
			// No file with the shortest example: it would lie in the source tree.
			r.args = append(r.args, "-rapid.checks=1000", "-rapid.nofailfile", "-rapid.shrinktime=100ms")
			t.Run(fault+" in "+r.pkg, func(t *testing.T) { r.mustFind(t, fault, r.want) })
		}
	}
}

// stories are the simulation. A few seeds are enough for most faults; forgetTombstone shows in
// about one story of seventy, hence the bound.
var stories = map[string]run{
	sendBeforeCommit:    {want: `the books say "EXECUTED", the central refused|the books have EXECUTED .*, which no operation of the central has`},
	retryOnTimeout:      {want: `the books have EXECUTED .*, which no operation of the central has`},
	attemptWhilePending: {want: `the books have one TRANSFER of \S+ twice|the partner got the reply that \S+ succeeded, and no attempt of it moved money`},
	forgetTombstone:     {want: `was declared never seen, and is|the books say "EXECUTED", .*the counter not-sent`},
	seenBeforeStored:    {want: `was not told of payment`},
}

// maxStories bounds the seeds that are played until a fault shows.
const maxStories = 400

func TestSimulation(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	for _, fault := range allFaults() {
		t.Run(fault, func(t *testing.T) {
			r := stories[fault]
			r.pkg, r.args = "deploy/test/sim", []string{"-test.run", "^TestStories$", "-seeds", fmt.Sprint(maxStories), "-bad", "1"}
			r.mustFind(t, fault, r.want)
		})
	}
}

// kills are real processes: TestKills, which breaks them at random and at critical
// moments, and the fault's story of TestPromises, which leaves nothing to chance. Each
// must say what is wrong.
var kills = map[string]struct{ random, story, directed string }{
	sendBeforeCommit: {
		story:    "recorded_before_it_is_sent",
		random:   `the central says that nothing was sent of \S+, and the bank has EXECUTED|the books hold GL\w+ .*, which is no operation's`,
		directed: `the central says (nothing was sent|FAILED) of what the bank has EXECUTED`,
	},
	retryOnTimeout: {
		story:    "not_sent_again",
		random:   `the books hold GL\w+ .*, which is no operation's: something was sent again`,
		directed: `what the bank did not answer was sent again: the books hold 1 debits`,
	},
	attemptWhilePending: {
		story:    "second_attempt",
		random:   `invariant 1: two attempts of transfer \S+ moved money`,
		directed: `a second attempt began while the first may be executed`,
	},
	forgetTombstone: {
		story:    "never_seen",
		random:   `invariant 5: \S+ was declared never seen, and is`,
		directed: `what was declared never seen is (succeeded|pending|EXECUTED)`,
	},
	seenBeforeStored: {
		story:    "a_payment_that_a_counter_has_seen",
		random:   `invariant 3: counter \d does not have operation \S+ of payment \S+, and the central has no event of it`,
		directed: `the counter has seen payment \S+, and lost it`,
	},
}

// One run has both. The faults run in parallel: real processes mostly wait.
func TestKilledProcesses(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	for _, fault := range allFaults() {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			r := run{pkg: "deploy/test/e2e", args: []string{"-test.run", "^(TestKills|TestPromises)$/" + kills[fault].story}}
			r.mustFind(t, fault, kills[fault].directed, kills[fault].random)
		})
	}
}

// explored is what the model reports of each fault.
var explored = map[string]struct {
	faulty model.Faulty
	want   string
}{
	sendBeforeCommit:    {model.Faulty{SendBeforeCommit: true}, "invariant 2: the central says refused, and the bank has executed it"},
	retryOnTimeout:      {model.Faulty{RetryOnTimeout: true}, "invariant 1: the bank executed it 2 times"},
	forgetTombstone:     {model.Faulty{ForgetTombstone: true}, "invariant 5: it was declared never seen, and began"},
	attemptWhilePending: {model.Faulty{AttemptWhilePending: true}, "invariant 1: the bank executed 2 attempts under one name"},
	seenBeforeStored:    {model.Faulty{SeenBeforeStored: true}, "counter 1 does not show the payment"},
}

func TestModel(t *testing.T) {
	for _, fault := range allFaults() {
		cfg := model.Config{Faults: -1, Faulty: explored[fault].faulty}
		if fault == attemptWhilePending {
			cfg.Operations, cfg.OneName = 2, true
		}
		cfg.Payment = fault == seenBeforeStored
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

// testBuild is the folder of the tests and their programs, built once for all faults.
// TestMain sets it before any test runs.
var testBuild string

// searchers are the packages whose tests are built.
var searchers = []string{"central", "central/store", "edge", "deploy/test/sim", "deploy/test/e2e"}

// programs are what the tests start, by file name; deploy/test/e2e finds them by its
// GALLA_E2E_PROGRAMS.
var programs = map[string]string{
	"galla-central": "./central/cmd/galla-central", "galla-bank": "./central/cmd/galla-bank", "galla-rdsim": "./rdservice/cmd/galla-rdsim",
	"galla-edge": "./edge/cmd/galla-edge", "galla-local": "./deploy/local",
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "galla-faults-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		testBuild = dir
		return m.Run()
	}())
}

// buildOnce builds the tests and their programs with the faults inside.
var buildOnce = sync.OnceValue(func() error {
	overlay, err := writeOverlay(root, testBuild)
	if err != nil {
		return err
	}
	for name, program := range programs {
		if err := goDoes("build", "-buildvcs=false", "-ldflags=-s -w", "-overlay="+overlay, "-o", filepath.Join(testBuild, name), program); err != nil {
			return err
		}
	}
	for _, pkg := range searchers {
		if err := goDoes("test", "-c", "-ldflags=-s -w", "-overlay="+overlay, "-o", filepath.Join(testBuild, testOf(pkg)), "./"+pkg); err != nil {
			return err
		}
	}
	return nil
})

func skipIfShort(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds programs with faults")
	}
}

func testOf(pkg string) string { return strings.ReplaceAll(pkg, "/", "-") + ".test" }

// goDoes runs the go command at the repository's root.
func goDoes(args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, text)
	}
	return nil
}

// mustFind runs a test with a fault chosen; its output must have each sentence.
func (r run) mustFind(t *testing.T, fault string, wants ...string) {
	t.Helper()
	if err := buildOnce(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(testBuild, testOf(r.pkg)), append(r.args, "-test.v", "-test.timeout=0")...)
	cmd.Dir = filepath.Join(root, r.pkg)
	// The programs that the test starts have it, too.
	cmd.Env = append(os.Environ(), variable+"="+fault, "GALLA_E2E_PROGRAMS="+testBuild)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s was not done after %s:\n%s", r.pkg, patience, last(out))
	case err == nil:
		t.Fatalf("%s does not see %s: it passes", r.pkg, fault)
	}
	for _, want := range wants {
		found := regexp.MustCompile(".*(" + want + ").*").Find(out)
		if found == nil {
			t.Fatalf("%s fails with %s, but does not say what is wrong (want %s):\n%s", r.pkg, fault, want, last(out))
		}
		t.Logf("%s, after %s: %s", r.pkg, time.Since(begun).Round(time.Second), bytes.TrimSpace(found))
	}
}

// last is the end of a long output.
func last(out []byte) []byte { return out[max(0, len(out)-8000):] }
