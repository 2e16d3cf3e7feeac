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

	"galla/shared/files"
)

// How often things break, and for how long. The times are longer than the programs' own
// timeouts (3 s for the bank), and short enough that most operations end between two of
// them.
const (
	killEvery       = 3 * time.Second  // at most, between two kills by one goroutine; half of it on average
	sigtermOneOf    = 4                // so many kills, one is SIGTERM: a restart in order
	randomOneOf     = 3                // so many kills, one is at any moment
	stopEvery       = 6 * time.Second  // at most, between two stops
	maxStop         = 5 * time.Second  // for which a process is stopped, at most
	proxyFaultEvery = 8 * time.Second  // at most, between two faults of one proxy
	maxProxyFault   = 5 * time.Second  // of one fault of a proxy, at most
	databaseWait    = 12 * time.Second // at most, between two attacks on the database
	databaseGone    = 3 * time.Second  // at most, until a killed database is started again
)

// faultInjector breaks a site at random: kill -9, SIGSTOP, network faults, the
// database; most kills, and some cuts, at critical moments (faultpoints_test.go). Each
// of its goroutines has a random source of its own, so a seed repeats what is drawn,
// though not the moment at which it happens.
type faultInjector struct {
	s    *site
	seed uint64
	stop <-chan struct{} // set by run

	mu        sync.Mutex
	startedAt time.Time
	journal   []string       // what was done, and when
	counts    map[string]int // how often
	slowest   time.Duration  // until an ended program had a successor
	slow      string         // what that was
}

func newFaultInjector(s *site, seed uint64) *faultInjector {
	return &faultInjector{s: s, seed: seed, startedAt: time.Now(), counts: map[string]int{}}
}

// run breaks things until stop, and leaves everything running and every proxy healthy.
func (b *faultInjector) run(stop <-chan struct{}) {
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
		moments, n := killPointsOf(list), 0
		return func(r *rand.Rand) {
			if n%randomOneOf < randomOneOf-1 {
				if b.attackAt(r, moments) {
					n++
				}
				return
			}
			n++
			b.kill(list[r.IntN(len(list))], r.IntN(sigtermOneOf) == 0)
		}
	}
	hand(0, killEvery, kill(centrals))
	hand(1, killEvery, kill(rest))
	money, others := b.cutPoints(true), b.cutPoints(false)
	hand(4, cutEvery, func(r *rand.Rand) { b.attackAt(r, money) })
	hand(5, cutEvery, func(r *rand.Rand) { b.attackAt(r, others) })
	hand(2, stopEvery, func(r *rand.Rand) {
		b.pause(pickOne(r, b.killablePrograms(), func(string) bool { return true }), draw(r, maxStop))
	})
	for i, w := range b.s.proxies {
		hand(uint64(16+i), proxyFaultEvery, func(r *rand.Rand) { b.degradeProxy(w, proxyFaults[r.IntN(len(proxyFaults))], draw(r, maxProxyFault)) })
	}
	if b.s.primary != nil {
		hand(3, databaseWait, b.attackDatabase)
	}
	hands.Wait()
}

func draw(r *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(most)))
}

// killablePrograms are all programs that may be killed.
func (b *faultInjector) killablePrograms() []string { return slices.Concat(b.programs()) }

// programs are those that may be killed and stopped. Nobody kills the readers: a load
// owns its captures.
func (b *faultInjector) programs() (centrals, others []string) {
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

func (b *faultInjector) logEvent(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counts[what]++
	b.journal = append(b.journal, fmt.Sprintf("%.2fs %s", time.Since(b.startedAt).Seconds(), what))
}

// kill ends a program, with SIGKILL or in order, and waits until the next one has
// replaced it.
func (b *faultInjector) kill(name string, inOrder bool) {
	old, how, sig := b.s.pid(name), "kill ", syscall.SIGKILL
	if inOrder {
		how, sig = "end ", syscall.SIGTERM
	}
	if !b.s.signal(name, sig) {
		return // it is just being started
	}
	b.logEvent(how + name)
	b.waitForSuccessor(name, old, how, time.Now())
}

// waitForSuccessor waits until an ended program has its successor.
func (b *faultInjector) waitForSuccessor(name string, old int, how string, killed time.Time) {
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
	// On a busy machine a start takes long, and a program that is killed again at once
	// does nothing that could be tested.
	b.sleep(span / 2)
}

// Enough faults for a verdict: on a busy machine it takes longer to make them.
const (
	enoughKills  = 6 // of centrals, by SIGKILL
	enoughTears  = 6
	maxExtension = 3 // times the span, at most
)

func (b *faultInjector) enoughInjected() bool {
	return b.countOf("kill central") >= enoughKills && b.countOf("tear") >= enoughTears
}

// pause stops a program for a while, as a swapping machine or a paused virtual one
// does: its connections stay, and it does not answer.
func (b *faultInjector) pause(name string, span time.Duration) {
	pid := b.s.pid(name)
	if files.Signal(pid, syscall.SIGSTOP) != nil {
		return
	}
	b.logEvent("stop " + name)
	b.sleep(span)
	if b.s.pid(name) == pid { // else it was killed meanwhile, and the number may be another's
		_ = files.Signal(pid, syscall.SIGCONT)
	}
}

// degradeProxy makes a proxy faulty for a while.
func (b *faultInjector) degradeProxy(w *faultyProxy, a proxyFault, span time.Duration) {
	b.logEvent(fmt.Sprintf("proxy %s", a))
	b.set(w, a)
	b.sleep(span)
	b.set(w, noFault)
}

// sleep waits for a time, or until everything is to end.
func (b *faultInjector) sleep(span time.Duration) {
	select {
	case <-b.stop:
	case <-time.After(span):
	}
}

func (b *faultInjector) set(w *faultyProxy, a proxyFault) {
	if err := w.setFault(a); err != nil {
		b.s.t.Errorf("%s: %v", a, err)
	}
}

// attackDatabase ends PostgreSQL with SIGKILL and starts it again after a while; or one
// of its processes, as a system without memory does, after which it restarts itself; or
// every session, as an administrator does.
func (b *faultInjector) attackDatabase(r *rand.Rand) {
	switch r.IntN(3) {
	case 0:
		b.logEvent("kill postgres")
		b.s.primary.Kill()
		time.Sleep(draw(r, databaseGone))
		if err := b.s.primary.Run(); err != nil {
			b.s.t.Errorf("PostgreSQL does not come back: %v", err)
		}
	case 1:
		if b.s.primary.KillSession(r.IntN) {
			b.logEvent("kill session")
		}
	default:
		if err := b.s.endDatabaseSessions(); err == nil {
			b.logEvent("end sessions")
		}
	}
}

// summary tells what was broken.
func (b *faultInjector) summary() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var words []string
	for what, n := range b.counts {
		words = append(words, fmt.Sprintf("%s %d", what, n))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// events is what was broken, in order.
func (b *faultInjector) events() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.journal, ", ")
}

// countOf is how often an action happened whose name begins so.
func (b *faultInjector) countOf(prefix string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for what, k := range b.counts {
		if strings.HasPrefix(what, prefix) {
			n += k
		}
	}
	return n
}
