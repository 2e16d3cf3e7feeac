package bugs

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"galla/deploy/model"
	"galla/shared/bug"
)

// patience bounds one machine's run: a minute or two of work beside others, and building the
// house with the fault on a busy machine.
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
	for _, tag := range bug.Faults() {
		if len(walks[tag]) == 0 || stories[tag].want == "" || kills[tag].random == "" || kills[tag].directed == "" || explored[tag].want == "" {
			t.Errorf("a machine is missing for %s", tag)
		}
	}
}

// walks are the random walks, quick and small: each where its part of the fault
// is.
var walks = map[string][]run{
	"bug_dispatch": {
		{room: "central", args: []string{"-run", "^TestRandomWalk$"}, want: `is (refused|received), executed 1 times`},
	},
	"bug_retry": {
		{room: "central", args: []string{"-run", "^TestRandomWalk$"}, want: `the bank executed GL\w+, which is no operation's`},
		{room: "edge", args: []string{"-run", "^TestRandomWalks$"}, want: `was sent \d+ times`},
	},
	"bug_tombstone": {
		{room: "central/store", args: []string{"-run", "^TestWalk"}, want: `a tombstone: `},
	},
}

func TestRandomWalks(t *testing.T) {
	for _, tag := range bug.Faults() {
		for _, r := range walks[tag] {
			r.args = append(r.args, "-rapid.checks=1000", "-rapid.nofailfile") // a file would lie in the tree
			t.Run(tag+" in "+r.room, func(t *testing.T) { r.mustFail(t, tag, r.want) })
		}
	}
}

// stories are the simulation; the seeds are few, since what is to be found is
// no rare thing.
var stories = map[string]run{
	"bug_dispatch":  {want: `the books say "EXECUTED", the central refused`},
	"bug_retry":     {want: `the books have EXECUTED .*, which no operation of the central has`},
	"bug_tombstone": {want: `was declared never seen, and is|the books say "EXECUTED", .*the counter not-sent`},
}

func TestSimulation(t *testing.T) {
	for _, tag := range bug.Faults() {
		t.Run(tag, func(t *testing.T) {
			r := stories[tag]
			r.room, r.args = "deploy/sim", []string{"-run", "^TestStories$", "-seeds", "60"}
			r.mustFail(t, tag, r.want)
		})
	}
}

// kills are real processes: TestKills, which breaks them at random and at the
// moments that matter, and the fault's story of TestPromises, with nothing left to
// luck. Each must say what is wrong.
var kills = map[string]struct{ random, story, directed string }{
	"bug_dispatch": {
		story:    "recorded_before_it_is_sent",
		random:   `the central says that nothing was sent of \S+, and the bank has EXECUTED`,
		directed: `the central says nothing was sent of what the bank has EXECUTED`,
	},
	"bug_retry": {
		story:    "not_sent_again",
		random:   `the books hold GL\w+ .*, which is no operation's: something was sent again`,
		directed: `what the bank did not answer was sent again: the books hold 1 debits`,
	},
	"bug_tombstone": {
		story:    "never_seen",
		random:   `invariant 5: \S+ was declared never seen, and is`,
		directed: `what was declared never seen is (succeeded|pending|EXECUTED)`,
	},
}

// One run has both, so that the house is built once for each fault.
func TestKilledProcesses(t *testing.T) {
	for _, tag := range bug.Faults() {
		t.Run(tag, func(t *testing.T) {
			r := run{room: "deploy/e2e", args: []string{"-run", "^(TestKills|TestPromises)$/" + kills[tag].story}}
			r.mustFail(t, tag, kills[tag].random, kills[tag].directed)
		})
	}
}

// explored is what the model says of each.
var explored = map[string]struct {
	faulty model.Faulty
	want   string
}{
	"bug_dispatch":  {model.Faulty{DispatchBeforeCommit: true}, "invariant 2: the central says refused, and the bank has executed it"},
	"bug_retry":     {model.Faulty{RetryOnTimeout: true}, "invariant 1: the bank executed it 2 times"},
	"bug_tombstone": {model.Faulty{ForgetTombstone: true}, "invariant 5: it was declared never seen, and began"},
}

func TestModel(t *testing.T) {
	for _, tag := range bug.Faults() {
		r, err := model.Explore(t.Context(), model.Config{Faults: -1, Faulty: explored[tag].faulty})
		if err != nil {
			t.Fatal(err)
		}
		if r.Violation == nil || !strings.Contains(r.Violation.Rule, explored[tag].want) {
			t.Errorf("%s: the model finds %v, want %q", tag, r.Violation, explored[tag].want)
			continue
		}
		t.Logf("%s: %v", tag, r.Violation)
	}
}

// mustFail runs a machine with a fault built in, which must say each sentence.
func (r run) mustFail(t *testing.T, tag string, wants ...string) {
	t.Helper()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	args := append([]string{"test", "-count=1", "./" + r.room}, r.args...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	// By the environment, so that programs which the machine builds have it too.
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -tags="+tag))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s was not done after %s:\n%s", r.room, patience, last(out))
	case err == nil:
		t.Fatalf("%s does not see %s: it passes", r.room, tag)
	case bytes.Contains(out, []byte("[build failed]")), bytes.Contains(out, []byte("[setup failed]")):
		t.Fatalf("%s can't be built with %s:\n%s", r.room, tag, last(out))
	}
	for _, want := range wants {
		found := regexp.MustCompile(".*(" + want + ").*").Find(out)
		if found == nil {
			t.Fatalf("%s fails with %s, but does not say what is wrong (want %s):\n%s", r.room, tag, want, last(out))
		}
		t.Logf("%s, after %s: %s", r.room, time.Since(begun).Round(time.Second), bytes.TrimSpace(found))
	}
}

// last is the end of a long output.
func last(out []byte) []byte { return out[max(0, len(out)-8000):] }
