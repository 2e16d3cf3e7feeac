package sim

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
)

// setup is the configuration of a story.
type setup struct {
	nodes, counters int
	run             func(*story, context.Context)
}

// setupOf is the setup of a seed: two centrals, two or three counters of two merchants,
// and all faults.
func setupOf(seed uint64) setup {
	return setup{2, 2 + newRNG(seed, "scene").below(2), randomPlot}
}

// story is one run of a seed.
type story struct {
	*system
	faultyBank *faultyBank
	restarter  sync.WaitGroup
}

// Times of a story, on its virtual clock.
const (
	storyTime = 2 * time.Minute  // customers come and things break
	healTime  = 75 * time.Second // no more faults: longer than anything stays in transit
	restTime  = 12 * time.Minute // by then everything has ended
)

// stagger keeps the parts' clocks from ticking at the same moment.
const stagger = 137 * time.Millisecond

// logVariable is the environment variable that prints the logs of all parts.
const logVariable = "GALLA_SIM_LOG"

// runStory plays a seed in a bubble of its own, and gives its trace and the violations.
func runStory(t *testing.T, seed uint64, b *snapshot, dir string, sc setup) (tape *trace, complaints []string) {
	defer func() {
		if p := recover(); p != nil { // a bubble in which nothing moves
			fmt.Fprintf(os.Stderr, "seed %d: %s\n", seed, replayCommand(seed))
			panic(p)
		}
	}()
	dir, err := os.MkdirTemp(dir, fmt.Sprint(seed)+"-")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		if os.Getenv(logVariable) != "" {
			log = slog.New(slog.NewTextHandler(os.Stderr, nil))
		}
		time.Sleep(time.Until(b.takenAt))
		s := &story{system: newSystem(seed, b, dir, log)}
		if err := s.open(sc); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		s.restarter.Go(func() { s.restartCrashed(ctx) })
		sc.run(s, ctx)
		s.stopFaults()
		s.waitUntilIdle()
		cancel()
		s.restarter.Wait()
		s.verify(context.Background())
		if err := s.close(); err != nil {
			t.Errorf("seed %d: close: %v", seed, err)
		}
		tape, complaints = s.trace, s.violations
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	return tape, complaints
}

// replayCommand says how a seed is played again.
func replayCommand(seed uint64) string {
	return fmt.Sprintf("play it again with: make sim SEED=%d", seed)
}

// open starts the centrals, over one database, the bank and the counters.
func (s *story) open(sc setup) error {
	if err := s.snapshot.copyTo(s.dir); err != nil {
		return err
	}
	luck := newRNG(s.seed, "opening")
	s.addBank()
	s.faultyBank = s.addFaultyBank()
	if err := s.startBank(); err != nil {
		return err
	}
	for i := range sc.nodes { // all are listening before the first counter dials
		if err := s.addNode(i).start(); err != nil {
			return err
		}
		time.Sleep(stagger)
	}
	for i := range sc.counters {
		c := s.addCounter(i, s.snapshot.shops[i])
		c.clockOffset.Store(int64(skews[luck.below(len(skews))]))
		if err := c.start(); err != nil {
			return err
		}
		time.Sleep(stagger)
	}
	time.Sleep(5 * time.Second) // the counters connect
	return nil
}

// restartCrashed restarts what died by itself.
func (s *story) restartCrashed(ctx context.Context) {
	luck := newRNG(s.seed, "warden")
	var bounces sync.WaitGroup
	defer bounces.Wait()
	for {
		select {
		case p := <-s.crashed:
			pause := luck.between(time.Second, 8*time.Second)
			bounces.Go(func() { s.restart(p, pause) })
		case <-ctx.Done():
			return
		}
	}
}

// stopFaults ends all faults: from here on everything works.
func (s *story) stopFaults() {
	s.network.setFaults(netFaults{})
	for _, o := range s.nodes {
		o.disk.setFailureRates(0, 0, 0)
		o.disk.planFault(0, crashBefore)
	}
	for _, c := range s.counters {
		c.disk.setFailureRates(0, 0, 0)
		c.disk.planFault(0, crashBefore)
		if c.offset().Abs() > time.Hour/2 {
			c.clockOffset.Store(0)
		}
	}
	time.Sleep(10 * time.Second) // whatever is about to start is running
	s.system.waitForStarts()
	for _, c := range s.counters {
		c.abandonPending()
	}
}

// abandonPending ends the operations that wait for a finger: their customers have left.
func (c *counter) abandonPending() {
	left, err := c.queue.Unresolved()
	if err != nil {
		c.system.violation("%s: %v", c.name, err)
	}
	for _, r := range left {
		if r.State != op.Reserved {
			continue
		}
		if err := c.daemon().Cancel(r.ID); err != nil {
			c.system.violation("%s: operation %s waits for a finger and can't be given up: %v", c.name, r.ID, err)
		}
	}
}

// waitUntilIdle waits until everything has ended, and for what is still in transit.
func (s *story) waitUntilIdle() {
	time.Sleep(healTime)
	for end := time.Now().Add(restTime); time.Now().Before(end); time.Sleep(5 * time.Second) {
		if s.isIdle() {
			break
		}
	}
	s.system.waitForStarts()
	s.faultyBank.stop()
}

func (s *story) isIdle() bool {
	for _, c := range s.counters {
		if left, err := c.queue.Unresolved(); err != nil || len(left) > 0 {
			return false
		}
	}
	waiting, err := s.nodes[0].store.Backlog(context.Background())
	return err == nil && waiting.Pending.Count == 0 && s.paymentsArrived()
}

// randomPlot is the plot of the stories: customers come, and things break.
func randomPlot(s *story, ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storyTime)
	defer cancel()
	var cast sync.WaitGroup
	for _, c := range s.counters {
		cast.Go(func() { s.customers(ctx, c, &cast) })
	}
	cast.Go(func() { s.partners(ctx, &cast) })
	cast.Go(func() { s.payers(ctx, &cast) })
	s.adversary(ctx)
	cast.Wait()
}

// customers come to a counter one after another, and sometimes two at once.
func (s *story) customers(ctx context.Context, c *counter, cast *sync.WaitGroup) {
	luck := newRNG(s.seed, "customers of "+c.name)
	a := agent{system: s.system, counter: c}
	for nth := 0; ; nth++ {
		select {
		case <-time.After(luck.between(time.Second, 25*time.Second)):
		case <-ctx.Done():
			return
		}
		p := c.nextAction(luck, nth)
		s.trace.notePlanned("customer %d of %s: %d for %s", nth, c.name, p.kind, p.amount)
		cast.Go(func() { a.serve(ctx, p) })
	}
}
