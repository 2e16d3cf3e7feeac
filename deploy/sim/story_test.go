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

// scene is what a story is made of.
type scene struct {
	offices, counters int
	plot              func(*story, context.Context)
}

// sceneOf is the scene of a seed: two centrals, two or three counters of two
// merchants, and anything may happen.
func sceneOf(seed uint64) scene {
	return scene{2, 2 + newChance(seed, "scene").below(2), live}
}

// story is one seed's play.
type story struct {
	*house
	middleman *middleman
	warden    sync.WaitGroup
}

// Times of a story, on its virtual clock.
const (
	storyTime = 2 * time.Minute  // customers come and things break
	healTime  = 75 * time.Second // nothing breaks any more: longer than anything stays on its way
	restTime  = 12 * time.Minute // by then everything has ended
)

// stagger keeps the parts' clocks from ticking in one moment.
const stagger = 137 * time.Millisecond

// logVariable is the environment variable that prints everything that the parts log.
const logVariable = "SIM_LOG"

// play plays a seed in a bubble of its own, and gives its tape and what must
// not be.
func play(t *testing.T, seed uint64, b *base, dir string, sc scene) (tape *tape, complaints []string) {
	defer func() {
		if p := recover(); p != nil { // a bubble in which nobody moves
			fmt.Fprintf(os.Stderr, "seed %d: %s\n", seed, again(seed))
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
		time.Sleep(time.Until(b.taken))
		s := &story{house: newHouse(seed, b, dir, log)}
		if err := s.open(sc); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		s.warden.Go(func() { s.guard(ctx) })
		sc.plot(s, ctx)
		s.heal()
		s.rest()
		cancel()
		s.warden.Wait()
		s.verify(context.Background())
		if err := s.close(); err != nil {
			t.Errorf("seed %d: close: %v", seed, err)
		}
		tape, complaints = s.tape, s.complaints
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	return tape, complaints
}

// again says how a seed is played again.
func again(seed uint64) string { return fmt.Sprintf("play it again with: make sim SEED=%d", seed) }

// open starts the centrals, over one database, the bank and the counters.
func (s *story) open(sc scene) error {
	if err := s.base.copyTo(s.dir); err != nil {
		return err
	}
	luck := newChance(s.seed, "opening")
	s.addBank()
	s.middleman = s.addMiddleman()
	if err := s.startBank(); err != nil {
		return err
	}
	for i := range sc.offices { // all are known before the first counter dials
		if err := s.addOffice(i).start(); err != nil {
			return err
		}
		time.Sleep(stagger)
	}
	for i := range sc.counters {
		c := s.addCounter(i, s.base.shops[i])
		c.skew.Store(int64(skews[luck.below(len(skews))]))
		if err := c.start(); err != nil {
			return err
		}
		time.Sleep(stagger)
	}
	time.Sleep(5 * time.Second) // the lines come up
	return nil
}

// guard starts again what died by itself.
func (s *story) guard(ctx context.Context) {
	luck := newChance(s.seed, "warden")
	var bounces sync.WaitGroup
	defer bounces.Wait()
	for {
		select {
		case p := <-s.died:
			pause := luck.between(time.Second, 8*time.Second)
			bounces.Go(func() { s.bounce(p, pause) })
		case <-ctx.Done():
			return
		}
	}
}

// heal ends all trouble: from here on everything works.
func (s *story) heal() {
	s.network.setWeather(weather{})
	for _, o := range s.offices {
		o.disk.spoil(0, 0, 0)
		o.disk.plan(0, diesBefore)
	}
	for _, c := range s.counters {
		c.disk.spoil(0, 0, 0)
		c.disk.plan(0, diesBefore)
		if c.offset().Abs() > time.Hour/2 {
			c.skew.Store(0)
		}
	}
	time.Sleep(10 * time.Second) // whoever is about to start is up
	s.house.settle()
	for _, c := range s.counters {
		c.giveUp()
	}
}

// giveUp ends what waits for a finger: its customer has left.
func (c *counter) giveUp() {
	left, err := c.queue.Unresolved()
	if err != nil {
		c.house.complain("%s: %v", c.name, err)
	}
	for _, r := range left {
		if r.State != op.Reserved {
			continue
		}
		if err := c.daemon().Abandon(r.ID); err != nil {
			c.house.complain("%s: operation %s waits for a finger and can't be given up: %v", c.name, r.ID, err)
		}
	}
}

// rest waits until everything has ended, and for what is still on its way.
func (s *story) rest() {
	time.Sleep(healTime)
	for end := time.Now().Add(restTime); time.Now().Before(end); time.Sleep(5 * time.Second) {
		if s.rested() {
			break
		}
	}
	s.house.settle()
	s.middleman.away()
}

func (s *story) rested() bool {
	for _, c := range s.counters {
		if left, err := c.queue.Unresolved(); err != nil || len(left) > 0 {
			return false
		}
	}
	waiting, err := s.offices[0].store.Backlog(context.Background())
	return err == nil && waiting.Pending.Count == 0
}

// live is the plot of the stories: customers come, and things break.
func live(s *story, ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storyTime)
	defer cancel()
	var cast sync.WaitGroup
	for _, c := range s.counters {
		cast.Go(func() { s.customers(ctx, c, &cast) })
	}
	cast.Go(func() { s.partners(ctx, &cast) })
	s.adversary(ctx)
	cast.Wait()
}

// customers come to a counter one after another, and sometimes two at once.
func (s *story) customers(ctx context.Context, c *counter, cast *sync.WaitGroup) {
	luck := newChance(s.seed, "customers of "+c.name)
	a := agent{house: s.house, counter: c}
	for nth := 0; ; nth++ {
		select {
		case <-time.After(luck.between(time.Second, 25*time.Second)):
		case <-ctx.Done():
			return
		}
		p := c.drawPress(luck, nth)
		s.tape.plan("customer %d of %s: %d for %s", nth, c.name, p.what, p.amount)
		cast.Go(func() { a.serve(ctx, p) })
	}
}
