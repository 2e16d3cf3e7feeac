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
	killEvery    = 3 * time.Second  // at most, between two kills by one hand; half of it in the mean
	endOneOf     = 4                // so many kills, one is SIGTERM: a restart in order
	randomOneOf  = 3                // so many kills, one is at any moment
	stopEvery    = 6 * time.Second  // at most, between two stops
	stopMost     = 5 * time.Second  // for which a process is stopped, at most
	illEvery     = 8 * time.Second  // at most, between two ailments of one cable
	illMost      = 5 * time.Second  // for which a cable is ill, at most
	databaseWait = 12 * time.Second // at most, between two blows at the database
	databaseGone = 3 * time.Second  // at most, until a killed database is started again
)

// breaker breaks a site at random: kill -9, SIGSTOP, cables, the database; most
// kills, and some cuts, at the moments that matter (aim_test.go). Each of its
// hands has a source of its own, so that a seed repeats what is drawn,
// though not the moment at which it strikes.
type breaker struct {
	s    *site
	seed uint64
	stop <-chan struct{} // set by run

	mu      sync.Mutex
	began   time.Time
	journal []string       // what was done, and when
	done    map[string]int // how often
	slowest time.Duration  // until an ended program had a successor
	slow    string         // what that was
}

func newBreaker(s *site, seed uint64) *breaker {
	return &breaker{s: s, seed: seed, began: time.Now(), done: map[string]int{}}
}

// run breaks until stop, and leaves everything running and every cable sound.
func (b *breaker) run(stop <-chan struct{}) {
	b.stop = stop
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
	centrals, rest := b.programs()
	kill := func(list []string) func(*rand.Rand) {
		moments, n := killsOf(list), 0
		return func(r *rand.Rand) {
			if n%randomOneOf < randomOneOf-1 {
				if b.aim(r, moments) {
					n++
				}
				return
			}
			n++
			b.kill(list[r.IntN(len(list))], r.IntN(endOneOf) == 0)
		}
	}
	hand(0, killEvery, kill(centrals))
	hand(1, killEvery, kill(rest))
	money, others := b.tears(true), b.tears(false)
	hand(4, tearEvery, func(r *rand.Rand) { b.aim(r, money) })
	hand(5, tearEvery, func(r *rand.Rand) { b.aim(r, others) })
	hand(2, stopEvery, func(r *rand.Rand) { b.freeze(pick(r, b.names(), func(string) bool { return true }), draw(r, stopMost)) })
	for i, w := range b.s.cables {
		hand(uint64(16+i), illEvery, func(r *rand.Rand) { b.sicken(w, ailments[r.IntN(len(ailments))], draw(r, illMost)) })
	}
	if b.s.primary != nil {
		hand(3, databaseWait, b.strikeDatabase)
	}
	hands.Wait()
}

func draw(r *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(most)))
}

// names are all programs that may be killed.
func (b *breaker) names() []string { return slices.Concat(b.programs()) }

// programs are those that may be killed and stopped. Nobody kills the readers:
// what a load captures is its own.
func (b *breaker) programs() (centrals, others []string) {
	for name := range b.s.pids {
		switch {
		case strings.HasPrefix(name, "rdsim"):
		case strings.HasPrefix(name, "central"):
			centrals = append(centrals, name)
		default:
			others = append(others, name)
		}
	}
	slices.Sort(centrals)
	slices.Sort(others)
	return centrals, others
}

func (b *breaker) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done[what]++
	b.journal = append(b.journal, fmt.Sprintf("%.2fs %s", time.Since(b.began).Seconds(), what))
}

// kill ends a program, with SIGKILL or in order, and waits until the next one has
// its place.
func (b *breaker) kill(name string, inOrder bool) {
	old, how, sig := b.s.pid(name), "kill ", syscall.SIGKILL
	if inOrder {
		how, sig = "end ", syscall.SIGTERM
	}
	if !b.s.signal(name, sig) {
		return // it is just being started
	}
	b.note(how + name)
	b.await(name, old, how, time.Now())
}

// await waits until an ended program has its successor.
func (b *breaker) await(name string, old int, how string, killed time.Time) {
	for pid := old; pid == old || pid == 0; pid = b.s.pid(name) {
		if time.Since(killed) > startWait {
			b.s.t.Errorf("%s was ended and never started again", name)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	span := time.Since(killed)
	b.mu.Lock()
	if span > b.slowest {
		b.slowest, b.slow = span, how+name
	}
	b.mu.Unlock()
	// On a busy machine a start takes long, and who is killed again at once does
	// nothing in which it could be met.
	b.rest(span / 2)
}

// Enough blows for a verdict: on a busy machine it takes longer to strike them.
const (
	enoughKills = 6 // of centrals, by SIGKILL
	enoughTears = 6
	mostLonger  = 3 // times the span, at most
)

func (b *breaker) enough() bool {
	return b.count("kill central") >= enoughKills && b.count("tear") >= enoughTears
}

// freeze stops a program for a while, as a machine that swaps or a paused
// virtual one does: its connections stay, and nobody answers.
func (b *breaker) freeze(name string, span time.Duration) {
	pid := b.s.pid(name)
	if pid == 0 || syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return
	}
	b.note("stop " + name)
	b.rest(span)
	if b.s.pid(name) == pid { // else it was killed meanwhile, and the number may be another's
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
}

// sicken makes a cable ill for a while.
func (b *breaker) sicken(w *cable, a ailment, span time.Duration) {
	b.note(fmt.Sprintf("cable %s", a))
	b.set(w, a)
	b.rest(span)
	b.set(w, sound)
}

// rest waits, or until everything is to end.
func (b *breaker) rest(span time.Duration) {
	select {
	case <-b.stop:
	case <-time.After(span):
	}
}

func (b *breaker) set(w *cable, a ailment) {
	if err := w.set(a); err != nil {
		b.s.t.Errorf("%s: %v", a, err)
	}
}

// strikeDatabase ends PostgreSQL with SIGKILL and starts it again after a while;
// or one of its processes, as the system does that runs out of memory, upon
// which it restarts itself; or every session, as an operator does.
func (b *breaker) strikeDatabase(r *rand.Rand) {
	switch r.IntN(3) {
	case 0:
		b.note("kill postgres")
		b.s.primary.Kill()
		time.Sleep(draw(r, databaseGone))
		if err := b.s.primary.Run(); err != nil {
			b.s.t.Errorf("PostgreSQL does not come back: %v", err)
		}
	case 1:
		if b.s.primary.KillSession(r.IntN) {
			b.note("kill session")
		}
	default:
		if err := b.s.endSessions(); err == nil {
			b.note("end sessions")
		}
	}
}

// figures tells what was broken.
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

// story is what was broken, in order.
func (b *breaker) story() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.journal, ", ")
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
