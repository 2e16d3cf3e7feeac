package model

import (
	"context"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/central"
	"galla/edge"
	"galla/shared/op"
)

// depth is how many steps two operations are followed, and turns on the large
// explorations; 0: the small ones of every test run.
var depth = flag.Int("depth", 0, "how many steps two operations are followed (make model)")

// explore explores a system and logs the figures.
func explore(t *testing.T, cfg Config) Report {
	t.Helper()
	begun := time.Now()
	r, err := Explore(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d states, %d steps between them, %d steps deep, in %s", r.States, r.Steps, r.Depth, time.Since(begun).Round(10*time.Millisecond))
	return r
}

// holds requires an exploration without violation.
func holds(t *testing.T, cfg Config) Report {
	t.Helper()
	r := explore(t, cfg)
	if r.Violation != nil {
		t.Fatal(r.Violation)
	}
	return r
}

// TestTheProtocolHolds visits every state of one operation, to the end, with any number
// of faults. Every entry of the two tables must be used: an unused one is a step that
// only a mistake would make.
func TestTheProtocolHolds(t *testing.T) {
	r := holds(t, Config{Faults: -1, Refusals: true})
	var wantEdge, wantCentral []string
	for _, from := range edgeStates {
		for _, to := range edgeStates {
			if edge.CanBecome(from, to) {
				wantEdge = append(wantEdge, line(from, to))
			}
		}
	}
	for _, from := range centralStates {
		for _, to := range centralStates {
			if central.CanTransition(from, to) {
				wantCentral = append(wantCentral, line(from, to))
			}
		}
	}
	if !slices.Equal(r.EdgeSteps, wantEdge) {
		t.Errorf("the counter's table and what is walked of it differ:\n%v\n%v", wantEdge, r.EdgeSteps)
	}
	if !slices.Equal(r.CentralSteps, wantCentral) {
		t.Errorf("the central's table and what is walked of it differ:\n%v\n%v", wantCentral, r.CentralSteps)
	}
}

// TestFramesThatArriveTwice allows more than the connection does. It runs for some
// steps, and with -depth to the end.
func TestFramesThatArriveTwice(t *testing.T) {
	cfg := Config{Faults: -1, Duplicates: true, Refusals: true, Steps: 13}
	if *depth > 0 {
		cfg.Steps = 0
	}
	holds(t, cfg)
}

// TestTwoOperations follows two concurrent operations for some steps.
func TestTwoOperations(t *testing.T) {
	holds(t, Config{Operations: 2, Faults: -1, Refusals: true, Steps: max(*depth, 12)})
}

// TestTwoAreOneTwice shows why it is enough to explore one operation completely:
// whatever two do concurrently, each of them is in a state that the exploration of one
// has seen.
func TestTwoAreOneTwice(t *testing.T) {
	h, a := &explorer{cfg: Config{Operations: 1, Faults: -1, Refusals: true}}, newStateSet()
	a.number((&state{}).pack(), none, step{})
	var r Report
	for n := uint32(0); int(n) < len(a.keys); n++ {
		a.visit(h, n, &r)
	}
	states := uint32(len(a.keys))
	pair := &explorer{cfg: Config{Operations: 2, Faults: -1, Refusals: true}}
	rapid.Check(t, func(t *rapid.T) {
		s := state{}
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			moves := slices.Clone(pair.moves(&s))
			if rapid.IntRange(0, 9).Draw(t, "luck") > 0 { // mostly good, or nothing gets far
				moves = slices.DeleteFunc(moves, func(m move) bool { return m.rank == never })
			}
			if len(moves) == 0 {
				continue
			}
			s = moves[rapid.IntRange(0, len(moves)-1).Draw(t, "move")].to
			for i := range s.ops {
				alone := state{link: s.link}
				alone.ops[0] = s.ops[i]
				if n, isNew := a.number(alone.pack(), none, step{}); isNew || n >= states {
					t.Fatalf("operation %d is in a state that it never reaches alone: %+v", i+1, alone)
				}
			}
		}
	})
}

// TestTwoAttemptsUnderOneName visits every state of two attempts at one transfer,
// called at both nodes each, to the end and with any number of faults: of all that is
// sent under a refId, the bank executes at most one.
func TestTwoAttemptsUnderOneName(t *testing.T) {
	r := holds(t, Config{Operations: 2, OneName: true, Faults: -1})
	if r.States < 100_000 {
		t.Errorf("%d states: the second attempt is never made", r.States)
	}
	// The other deliberate faults are found here, too.
	for _, f := range []Faulty{{SendBeforeCommit: true}, {SendBeforeCreate: true}, {RetryOnTimeout: true}, {BelieveNotFound: true}, {LateStart: true}} {
		if r := explore(t, Config{Operations: 2, OneName: true, Faults: -1, Faulty: f}); r.Violation == nil {
			t.Errorf("%+v is not seen", f)
		}
	}
}

// TestEachRuleIsNeeded breaks one rule of the design after another. Each must be found,
// with the sentence that says what goes wrong.
func TestEachRuleIsNeeded(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  Config
		want string
		step string // that the path has
	}{
		{"send before commit", Config{Faulty: Faulty{SendBeforeCommit: true}}, "the central says refused, and the bank has executed it", "before it is recorded"},
		{"send before create", Config{Faulty: Faulty{SendBeforeCreate: true}}, "the bank has executed it", "before it is recorded"},
		{"retry on time-out", Config{Faulty: Faulty{RetryOnTimeout: true}}, "the bank executed it 2 times", "no answer of the bank"},
		{"forget the tombstone", Config{Faulty: Faulty{ForgetTombstone: true}}, "declared never seen, and began", "question"},
		{"believe the first 'not found'", Config{Faulty: Faulty{BelieveNotFound: true}}, "says failed, and the bank has executed it", "gets what the bank has"},
		{"decide 'not found' by the time of the answer", Config{Faulty: Faulty{JudgeAnswerLate: true}}, "says failed, and the bank has executed it", "decides"},
		{"a bank that starts late", Config{Faulty: Faulty{LateStart: true}}, "says failed, and the bank has executed it", "deadline passes"},
		{"send before it is recorded", Config{Faulty: Faulty{SendBeforeRecord: true}}, "the counter would go from queued to", "before anything is recorded"},
		{"never ask for what is pending", Config{Faulty: Faulty{NeverAskPending: true}}, "stays pending at the counter", "reads that operation 1 is pending"},
		{"forget a question", Config{Faulty: Faulty{ForgetQuestion: true}}, "stays pending at the counter", "the store fails"},
		{"attempt while the first is pending", Config{Operations: 2, OneName: true, Faulty: Faulty{AttemptWhilePending: true}}, "the bank executed 2 attempts under one name", "no answer of the bank to operation 1"},
		{"refuse one copy of a frame", Config{Duplicates: true, Refusals: true, Faulty: Faulty{ReportRefusals: true}}, "the counter says failed, and the bank has executed it", "once more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cfg.Faults = -1
			r := explore(t, c.cfg)
			if r.Violation == nil {
				t.Fatal("nothing was found")
			}
			if text := r.Violation.Error(); !strings.Contains(r.Violation.Rule, c.want) || !strings.Contains(text, c.step) {
				t.Errorf("want %q by way of %q, got %s", c.want, c.step, text)
			}
		})
	}
}

// TestFaultsAreCounted checks that no more faults happen than the bound allows.
func TestFaultsAreCounted(t *testing.T) {
	few, more := holds(t, Config{Faults: 0}), holds(t, Config{Faults: 1})
	if few.States >= more.States {
		t.Errorf("%d states without faults, %d with one", few.States, more.States)
	}
	r := explore(t, Config{Faults: 0, Faulty: Faulty{ForgetQuestion: true}})
	if r.Violation != nil {
		t.Errorf("a fault struck where none may: %v", r.Violation)
	}
}

func TestNothingIsLostInPacking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &explorer{cfg: Config{Operations: 2, Faults: 3, Duplicates: true, Refusals: true, OneName: rapid.Bool().Draw(t, "one name"),
			Faulty: Faulty{RetryOnTimeout: true, JudgeAnswerLate: true}}}
		s := h.startState()
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			moves := h.moves(&s)
			if len(moves) == 0 {
				break
			}
			s = moves[rapid.IntRange(0, len(moves)-1).Draw(t, "move")].to
			if got := unpack(s.pack()); got != s {
				t.Fatalf("packed %+v\nunpacked %+v", s, got)
			}
		}
	})
}

func TestEveryStepHasWords(t *testing.T) {
	for k := captured; k < lastKind; k++ {
		if stepTexts[k] == "" {
			t.Errorf("step %d has no words", k)
		}
	}
	if got := (step{kind: connected, arg: 1}).String(); got != "line: up, to node B" {
		t.Errorf("got %q", got)
	}
}

// TestACircleIsFound checks that a schedule that returns to an earlier state counts as
// endless.
func TestACircleIsFound(t *testing.T) {
	a := newStateSet()
	for n := range uint64(4) {
		parent := none
		if n > 0 {
			parent = uint32(n) - 1
		}
		a.number(key{n}, parent, step{kind: asked})
	}
	a.fairSteps = []uint32{1, 2, 3, none}
	if v := a.findEndless(); v != nil {
		t.Errorf("a schedule that ends: %v", v)
	}
	a.fairSteps = []uint32{1, 2, 1, none}
	if v := a.findEndless(); v == nil || !strings.Contains(v.Error(), "1. counter: asks") {
		t.Errorf("a circle: %v", v)
	}
}

func TestExploreRefuses(t *testing.T) {
	if _, err := Explore(t.Context(), Config{Operations: 3}); err == nil {
		t.Error("three operations were taken")
	}
	if _, err := Explore(t.Context(), Config{Faults: 16}); err == nil {
		t.Error("sixteen faults were taken")
	}
	if _, err := Explore(t.Context(), Config{MaxStates: 1000}); !errors.Is(err, ErrTooMany) {
		t.Errorf("too many states: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Explore(ctx, Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestNamesOfStates checks that the model has every state, once.
func TestNamesOfStates(t *testing.T) {
	for _, s := range []op.State{op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Expired, op.NotSent, op.Pending, op.Succeeded, op.Failed, op.Reversed} {
		if !slices.Contains(edgeStates[:], s) {
			t.Errorf("the counter's state %s is missing", s)
		}
	}
}
