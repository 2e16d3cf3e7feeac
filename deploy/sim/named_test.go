package sim

import (
	"context"
	"sync"
	"testing"
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

// named are the stories in which a bug was met, or that are told for one: each
// with what was wrong.
var named = []struct {
	name  string
	seed  uint64
	scene scene
}{
	// A second copy of an op frame met a store that could not be read, and the
	// refusal of the copy ended the operation at the counter as failed while the
	// first copy was being executed.
	{"a refused copy ends an operation that runs", 1, scene{2, 2, echo}},
	// The central's disk was full when an operation had been received: it could
	// neither be dispatched nor refused, was told as pending after the wait and
	// as refused after the sweep. The counter could not take that, cut its line
	// for it each time, and never came back. TestEveryCommit has it as well.
	{"an operation that was told as pending is refused", 1, scene{1, 1, stranded}},
	// Two events arrived in the wrong order: the later one's cursor made the
	// counter take the earlier one for old, and the operation stayed pending at
	// the counter for as long as the line held.
	{"an event is overtaken by the next", 1, scene{1, 1, overtaken}},
}

// echo doubles every frame while the centrals' disks are half blind.
func echo(s *story, ctx context.Context) {
	s.network.setWeather(weather{twice: 1000, maxDelay: 200 * time.Millisecond})
	for _, o := range s.offices {
		o.disk.spoil(0, 0, 250)
	}
	s.many(ctx, 20, 0)
}

// overtaken swaps the frames that tell how pending operations ended.
func overtaken(s *story, ctx context.Context) {
	s.network.setWeather(weather{swapped: 300})
	s.many(ctx, 15, 94)
}

// stranded lets a full disk keep an operation in received.
func stranded(s *story, _ context.Context) {
	s.offices[0].disk.plan(2, fillsUp)
	s.agentOf(0).finger(op.Withdrawal, 100_00)
	time.Sleep(50 * time.Second)
	s.offices[0].disk.plan(0, fillsUp)
	time.Sleep(30 * time.Second)
}

// many is a row of customers at every counter, a second apart, who all
// play one of the bank's scenarios.
func (s *story) many(ctx context.Context, n int, paise money.Paise) {
	var cast sync.WaitGroup
	for _, c := range s.counters {
		a := agent{house: s.house, counter: c}
		cast.Go(func() {
			for nth := range n {
				time.Sleep(time.Second)
				a.finger(op.Withdrawal, money.Paise(100+len(s.base.shops)*nth+c.place)*money.Rupee+paise)
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
	b := newBase(t, dir)
	for _, n := range named {
		t.Run(n.name, func(t *testing.T) {
			tape, complaints := play(t, n.seed, b, dir, n.scene)
			for _, c := range complaints {
				t.Error(c)
			}
			if tape.counts["operations"] == 0 {
				t.Error("nothing happened in this story")
			}
		})
	}
}
