//go:build linux

package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// How often things break, and for how long. The spans reach over the limits
// that the programs wait for each other: 3 s for the bank, and are short enough
// that most operations come to an end between two of them.
const (
	killEvery    = 2 * time.Second // at most, between two kills; half of it in the mean
	stopEvery    = 6 * time.Second // at most, between two stops
	stopMost     = 5 * time.Second // for which a process is stopped, at most
	illEvery     = 8 * time.Second // at most, between two ailments of one wire
	illMost      = 5 * time.Second // for which a wire is ill, at most
	databaseWait = 14 * time.Second
	databaseGone = 3 * time.Second // at most, until a killed database is started again
)

// breaker breaks a site at random: kill -9, SIGSTOP, wires, the database. Each
// of its hands has a source of its own, so that a seed repeats what is drawn,
// though not the moment at which it strikes.
type breaker struct {
	s    *site
	seed uint64

	mu      sync.Mutex
	done    map[string]int // how often what was done
	slowest time.Duration  // until a killed program had a successor
}

func newBreaker(s *site, seed uint64) *breaker {
	return &breaker{s: s, seed: seed, done: map[string]int{}}
}

// run breaks until stop, and leaves everything running and every wire sound.
func (b *breaker) run(stop <-chan struct{}) {
	var hands sync.WaitGroup
	hand := func(n uint64, every time.Duration, strike func(*rand.Rand)) {
		r := rand.New(rand.NewPCG(b.seed, 1<<32+n))
		hands.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(r.Int64N(int64(every)))):
				}
				strike(r)
			}
		})
	}
	programs := b.programs()
	hand(0, killEvery, func(r *rand.Rand) { b.kill(programs[r.IntN(len(programs))]) })
	hand(1, stopEvery, func(r *rand.Rand) { b.freeze(programs[r.IntN(len(programs))], draw(r, stopMost)) })
	for i, w := range b.s.wires {
		hand(uint64(16+i), illEvery, func(r *rand.Rand) { b.sicken(w, ailments[r.IntN(len(ailments))], draw(r, illMost)) })
	}
	if b.s.primary != nil {
		hand(2, databaseWait, func(r *rand.Rand) { b.killDatabase(draw(r, databaseGone)) })
	}
	hands.Wait()
}

func draw(r *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(most)))
}

// programs are those that may be killed and stopped; the centrals stand twice.
func (b *breaker) programs() []string {
	var list []string
	for name := range b.s.pids {
		switch {
		case strings.HasPrefix(name, "rdsim"):
			continue // nobody kills the reader: what a load captures is its own
		case strings.HasPrefix(name, "central"):
			list = append(list, name, name)
		default:
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

func (b *breaker) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done[what]++
}

// kill ends a program with SIGKILL and waits until the next one has its place.
func (b *breaker) kill(name string) {
	old := b.s.pid(name)
	if !b.s.signal(name, syscall.SIGKILL) {
		return // it is just being started
	}
	b.note("kill " + name)
	killed := time.Now()
	for b.s.pid(name) == old {
		if time.Since(killed) > startWait {
			b.s.t.Errorf("%s was killed and never started again", name)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slowest = max(b.slowest, time.Since(killed))
}

// freeze stops a program for a while, as a machine that swaps or a paused
// virtual one does: its connections stay, and nobody answers.
func (b *breaker) freeze(name string, span time.Duration) {
	pid := b.s.pid(name)
	if pid == 0 || syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return
	}
	b.note("stop " + name)
	time.Sleep(span)
	if b.s.pid(name) == pid { // else it was killed meanwhile, and the number may be another's
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
}

// sicken makes a wire ill for a while.
func (b *breaker) sicken(w *wire, a ailment, span time.Duration) {
	b.note(fmt.Sprintf("wire %s", a))
	b.set(w, a)
	time.Sleep(span)
	b.set(w, sound)
}

func (b *breaker) set(w *wire, a ailment) {
	if err := w.set(a); err != nil {
		b.s.t.Errorf("%s: %v", a, err)
	}
}

// killDatabase ends PostgreSQL with SIGKILL and starts it again after a while.
func (b *breaker) killDatabase(span time.Duration) {
	b.s.primary.Kill()
	b.note("kill postgres")
	time.Sleep(span)
	if err := b.s.primary.Run(); err != nil {
		b.s.t.Errorf("PostgreSQL does not come back: %v", err)
	}
}

// figures tells what was broken, the most frequent first names first.
func (b *breaker) figures() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var words []string
	for what, n := range b.done {
		words = append(words, fmt.Sprintf("%s %d", what, n))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// count is how often something was done whose name begins so.
func (b *breaker) count(prefix string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for what, k := range b.done {
		if strings.HasPrefix(what, prefix) {
			n += k
		}
	}
	return n
}
