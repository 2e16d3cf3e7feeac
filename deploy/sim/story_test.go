package sim

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

var (
	seeds = flag.Int("seeds", 200, "how many stories to play")
	first = flag.Uint64("first", 1, "the first seed")
)

// amounts are what customers ask for: mostly plain, the rest play the bank's
// scenarios by their paise.
var amounts = []money.Paise{
	100_00, 200_00, 100_00, 50_00, 100_05, 100_51, 100_91, 100_97, 100_98, 100_99, 100_96, 100_95, 100_94, 100_93,
}

// story is one seed's play.
type story struct {
	*house
	rand *rand.Rand
	mu   sync.Mutex // of rand: the shops draw side by side

	told map[op.ID]*counter // every operation that Begin gave an id to
	ends map[op.State]int   // how they ended
}

func (s *story) draw(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rand.IntN(n)
}

func (s *story) pause(from, to time.Duration) {
	s.mu.Lock()
	d := from + time.Duration(s.rand.Int64N(int64(to-from)))
	s.mu.Unlock()
	time.Sleep(d)
}

// Times of a story, on its virtual clock.
const (
	storyTime = 4 * time.Minute // customers come and things break
	healTime  = 6 * time.Minute // nothing breaks any more
)

// play plays a seed in a bubble and gives what must not be.
func play(t *testing.T, seed uint64, keys *keys, dir string) (complaints []string, ends map[op.State]int) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 0x6a11a))
		s := &story{
			house: &house{dir: dir, keys: keys, network: newNetwork(rand.New(rand.NewPCG(seed, 1))), log: slog.New(slog.DiscardHandler)},
			rand:  r, told: map[op.ID]*counter{}, ends: map[op.State]int{},
		}
		if os.Getenv("SIM_LOG") != "" {
			s.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
		}
		if err := s.open(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), storyTime)
		var cast sync.WaitGroup
		for _, c := range s.counters {
			cast.Go(func() { s.customers(ctx, c) })
		}
		s.adversary(ctx)
		cast.Wait()
		cancel()
		s.network.setWeather(weather{})
		time.Sleep(healTime)
		s.verify()
		s.close(t)
		complaints, ends = s.complaints, s.ends
	})
	return complaints, ends
}

func (s *story) open() error {
	if err := s.startBank(); err != nil {
		return err
	}
	if err := s.startCentral(); err != nil {
		return err
	}
	skews := []time.Duration{0, 0, 40 * time.Second, -40 * time.Second, 4 * time.Minute, -4 * time.Minute}
	for i := range 1 + s.draw(2) {
		c, err := s.enrol(fmt.Sprintf("shop-%d", i+1), skews[s.draw(len(skews))])
		if err != nil {
			return err
		}
		s.counters = append(s.counters, c)
		if err := c.start(); err != nil {
			return err
		}
	}
	time.Sleep(5 * time.Second) // the lines come up and the bank lists arrive
	return nil
}

func (s *story) close(t *testing.T) {
	for _, c := range s.counters {
		c.stop()
	}
	s.centralPart.cancel()
	s.centralPart.done.Wait()
	if err := s.store.Close(); err != nil {
		t.Errorf("close the central's store: %v", err)
	}
	if err := s.stopBank(); err != nil {
		t.Errorf("close the bank: %v", err)
	}
	time.Sleep(time.Minute) // what timers remain
}

// customers come to a counter one after another, and sometimes two at once.
func (s *story) customers(ctx context.Context, c *counter) {
	for ctx.Err() == nil {
		s.pause(time.Second, 25*time.Second)
		daemon := c.daemon()
		if daemon == nil {
			continue
		}
		// What is refused before a finger was asked for needs no following.
		if id, _ := withdraw(daemon, amounts[s.draw(len(amounts))]); id != "" {
			s.house.mu.Lock()
			s.told[id] = c
			s.house.mu.Unlock()
		}
	}
}

// adversary breaks things until ctx ends, and leaves everything running.
func (s *story) adversary(ctx context.Context) {
	for ctx.Err() == nil {
		s.pause(500*time.Millisecond, 20*time.Second)
		var err error
		switch s.draw(8) {
		case 0, 1:
			s.network.setWeather(weather{refuse: s.draw(300), cut: s.draw(150), silence: s.draw(60), late: s.draw(400), maxDelay: time.Duration(1+s.draw(3000)) * time.Millisecond})
		case 2:
			s.network.setWeather(weather{})
		case 3:
			s.network.cut(s.counters[s.draw(len(s.counters))].name)
		case 4, 5:
			if err = s.killCentral(); err == nil {
				s.pause(time.Millisecond, 20*time.Second)
				err = s.startCentral()
			}
		case 6:
			c := s.counters[s.draw(len(s.counters))]
			c.kill()
			s.pause(time.Millisecond, 10*time.Second)
			err = c.start()
		case 7:
			if err = s.stopBank(); err == nil {
				s.pause(time.Millisecond, 15*time.Second)
				err = s.startBank()
			}
		}
		if err != nil {
			s.complain("a part did not come back: %v", err)
			return
		}
	}
}

func TestStories(t *testing.T) {
	dir := t.TempDir()
	var keys *keys
	synctest.Test(t, func(t *testing.T) {
		made, err := makeKeys(filepath.Join(dir, "keys"))
		if err != nil {
			t.Fatal(err)
		}
		keys = made
	})
	var mu sync.Mutex
	total, ends := 0, map[op.State]int{}
	t.Run("seeds", func(t *testing.T) {
		for seed := *first; seed < *first+uint64(*seeds); seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				complaints, how := play(t, seed, keys, t.TempDir())
				for _, c := range complaints {
					t.Errorf("seed %d: %s", seed, c)
				}
				mu.Lock()
				defer mu.Unlock()
				for state, n := range how {
					total += n
					ends[state] += n
				}
			})
		}
	})
	t.Logf("%d stories, %d operations: %v", *seeds, total, ends)
	// Stories in which nothing of a kind ever happens prove nothing of it.
	for _, state := range []op.State{op.Succeeded, op.Failed, op.Reversed, op.NotSent, op.Expired} {
		if *seeds >= 100 && ends[state] == 0 {
			t.Errorf("no operation of %d stories ended as %s: the stories do not do what they should", *seeds, state)
		}
	}
}
