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

// TestEveryCommit plays one operation again and again, and each time a machine
// dies at the next of its commits, just before it or just after it, and comes
// back: at every commit there is, until one run needs fewer.
func TestEveryCommit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	dir := scratch(t)
	b := newBase(t, dir)
	withdrawal := func(amount money.Paise) func(*story, context.Context) {
		return func(s *story, _ context.Context) { s.agentOf(0).finger(op.Withdrawal, amount) }
	}
	transfer := func(amount money.Paise) func(*story, context.Context) {
		return func(s *story, ctx context.Context) { s.agentOf(0).transfer(ctx, amount) }
	}
	deaths := 0
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
		for _, dies := range []string{"central", "counter"} {
			t.Run(tt.name+", the "+dies+" dies", func(t *testing.T) {
				n := 0
				for _, after := range []bool{false, true} {
					n += everyCommit(t, b, dir, dies, after, tt.do)
				}
				deaths += n
				t.Logf("%d deaths", n)
				if n < 4 {
					t.Error("a machine that makes so few commits is not the one that was meant")
				}
			})
		}
	}
	t.Logf("%d stories with a death at a commit of their own", deaths)
}

func (s *story) agentOf(n int) agent { return agent{house: s.house, counter: s.counters[n]} }

// everyCommit gives how many commits a machine died at.
func everyCommit(t *testing.T, b *base, dir, dies string, after bool, do func(*story, context.Context)) int {
	for at := 1; at <= maxCommits; at++ {
		reached := false
		plot := func(s *story, ctx context.Context) {
			d := s.offices[0].disk
			if dies == "counter" {
				d = s.counters[0].disk
			}
			d.planNext(at, after)
			do(s, ctx)
			time.Sleep(time.Minute)
			reached = !d.planned()
		}
		_, complaints := play(t, 1, b, dir, scene{1, 1, plot})
		for _, c := range complaints {
			t.Errorf("death at commit %d (after it: %t): %s", at, after, c)
		}
		if !reached {
			return at - 1
		}
	}
	t.Errorf("more than %d commits", maxCommits)
	return maxCommits
}
