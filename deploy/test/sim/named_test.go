package sim

import (
	"context"
	"sync"
	"testing"
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

// named are the stories in which a bug was found, or that were written for one: each
// with what was wrong.
var named = []struct {
	name  string
	seed  uint64
	scene setup
}{
	// A second copy of an op frame met a store that could not be read. The refusal of
	// the copy ended the operation at the counter as failed while the first copy was
	// being executed.
	{"a refused copy ends an operation that runs", 1, setup{2, 2, duplicatedFrames}},
	// The central's disk was full when an operation had been received: it could neither
	// be sent nor refused, was reported as pending after the wait and as refused after
	// the sweep. The counter could not accept that, disconnected each time, and never
	// came back. TestEveryCommit covers it as well.
	{"an operation that was reported as pending is refused", 1, setup{1, 1, stuckReceived}},
	// Two events arrived in the wrong order: the later one's cursor made the counter
	// take the earlier one for old, and the operation stayed pending at the counter
	// until it reconnected.
	{"an event is overtaken by the next", 1, setup{1, 1, overtaken}},
}

// duplicatedFrames doubles every frame while the centrals' disks often fail.
func duplicatedFrames(s *story, ctx context.Context) {
	s.network.setFaults(netFaults{duplicate: 1000, maxDelay: 200 * time.Millisecond})
	for _, o := range s.nodes {
		o.disk.setFailureRates(0, 0, 250)
	}
	s.many(ctx, 20, 0)
}

// overtaken swaps the frames that report how pending operations ended.
func overtaken(s *story, ctx context.Context) {
	s.network.setFaults(netFaults{reorder: 300})
	s.many(ctx, 15, 94)
}

// stuckReceived lets a full disk keep an operation in received.
func stuckReceived(s *story, _ context.Context) {
	s.nodes[0].disk.planFault(2, diskFull)
	s.agentOf(0).runAEPS(op.Withdrawal, 100_00)
	time.Sleep(50 * time.Second)
	s.nodes[0].disk.planFault(0, diskFull)
	time.Sleep(30 * time.Second)
}

// many is a sequence of customers at every counter, a second apart, who all use one of
// the bank's scenarios.
func (s *story) many(ctx context.Context, n int, paise money.Paise) {
	var cast sync.WaitGroup
	for _, c := range s.counters {
		a := agent{system: s.system, counter: c}
		cast.Go(func() {
			for nth := range n {
				time.Sleep(time.Second)
				a.runAEPS(op.Withdrawal, money.Paise(100+len(s.snapshot.shops)*nth+c.place)*money.Rupee+paise)
			}
		})
	}
	cast.Wait()
	select {
	case <-time.After(20 * time.Second):
	case <-ctx.Done():
	}
}

func TestNamed(t *testing.T) {
	dir := scratch(t)
	b := newSnapshot(t, dir)
	for _, n := range named {
		t.Run(n.name, func(t *testing.T) {
			tape, complaints := runStory(t, n.seed, b, dir, n.scene)
			for _, c := range complaints {
				t.Error(c)
			}
			if tape.counts["operations"] == 0 {
				t.Error("nothing happened in this story")
			}
		})
	}
}
