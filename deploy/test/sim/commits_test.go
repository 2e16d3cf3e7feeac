package sim

import (
	"context"
	"runtime"
	"testing"
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

// maxCommits is more than any machine makes for one operation.
const maxCommits = 60

// TestEveryCommit plays one operation again and again. Each time another commit of a
// machine fails: the machine dies just before it or just after it, or the commit is
// made and reports an error, or the disk is full from then on for a while. It covers
// every commit, until one run needs fewer.
func TestEveryCommit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	dir := scratch(t)
	b := newSnapshot(t, dir)
	withdrawal := func(amount money.Paise) func(*story, context.Context) {
		return func(s *story, _ context.Context) { s.agentOf(0).runAEPS(op.Withdrawal, amount) }
	}
	transfer := func(amount money.Paise) func(*story, context.Context) {
		return func(s *story, ctx context.Context) { s.agentOf(0).transfer(ctx, amount) }
	}
	total := 0
	for _, tt := range []struct {
		name string
		do   func(*story, context.Context)
	}{
		{"withdrawal", withdrawal(100_00)},
		{"withdrawal that the bank does not answer", withdrawal(100_97)},
		{"withdrawal that the bank gives back", withdrawal(100_93)},
		{"transfer", transfer(100_00)},
		{"transfer that the bank does not answer", transfer(100_97)},
		{"transfer and its refund", func(s *story, ctx context.Context) {
			transfer(100_00)(s, ctx)
			time.Sleep(30 * time.Second)
			s.agentOf(0).refund(ctx, 0)
		}},
	} {
		for _, whose := range []string{"central", "counter"} {
			t.Run(tt.name+", commits of the "+whose, func(t *testing.T) {
				n := 0
				for what := range commitFaults {
					n += everyCommit(t, b, dir, whose, what, tt.do)
				}
				total += n
				if n < 2*int(commitFaults) {
					t.Error("a machine that makes so few commits is not the one that was meant")
				}
			})
		}
	}
	t.Logf("%d stories, each with another commit that met another fate", total)
}

func (s *story) agentOf(n int) agent { return agent{system: s.system, counter: s.counters[n]} }

// fullFor is how long a disk stays full: longer than the central waits before it sweeps
// for operations that nobody executes any more.
const fullFor = 80 * time.Second

// everyCommit gives how many commits failed.
func everyCommit(t *testing.T, b *snapshot, dir, whose string, what commitFault, do func(*story, context.Context)) int {
	for at := 1; at <= maxCommits; at++ {
		reached := false
		plot := func(s *story, ctx context.Context) {
			d := s.nodes[0].disk
			if whose == "counter" {
				d = s.counters[0].disk
			}
			d.planFault(at, what)
			do(s, ctx)
			time.Sleep(fullFor)
			reached = !d.planned()
		}
		_, complaints := runStory(t, 1, b, dir, setup{1, 1, plot})
		for _, c := range complaints {
			t.Errorf("commit %d: %s: %s", at, what, c)
		}
		if !reached {
			return at - 1
		}
	}
	t.Errorf("more than %d commits", maxCommits)
	return maxCommits
}
