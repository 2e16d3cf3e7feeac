//go:build linux

package e2e

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// How a host of the cluster is lost.
const (
	clusterFor   = 20 * time.Second // of load, at least; it goes on until the cluster is whole
	beforeLoss   = 4 * time.Second  // of load, and up to as much again
	afterChange  = 5 * time.Second  // of load on the new primary, before the old one comes back
	afterReturn  = 3 * time.Second  // of load on the whole cluster
	sampledEvery = 50 * time.Millisecond
)

// TestCluster cuts the power of the database host that is the primary, with two
// centrals behind HAProxy under load. Patroni promotes the standby without anybody's
// help; what was acknowledged survives, and the old primary comes back as the standby.
func TestCluster(t *testing.T) {
	m := newKillTest(t, plan{nodes: 2, counters: 1, postgres: true, cluster: true}, seedOf(t))
	b := newFaultInjector(m.site, m.seed)
	r := rand.New(rand.NewPCG(m.seed, 1<<35))
	c, before, underWay := m.site.cluster, 0, 0
	var lost, changed, whole time.Time
	old, err := c.AwaitPrimary()
	must(t, err)
	gauge := &outageMeter{l: m.load}
	broken := make(chan struct{}) // closed when nothing is broken any more
	m.runLoad(clusterFor, isClosed(broken), func(stop <-chan struct{}) {
		defer close(broken)
		time.Sleep(beforeLoss + draw(r, beforeLoss))
		before, underWay = m.load.countFinal(succeeded), m.load.underWay()
		end := gauge.start()
		lost = time.Now()
		c.Kill(old)
		b.logEvent("power cut " + old)
		now, err := c.AwaitPrimary()
		changed = time.Now()
		if err != nil || now == old {
			t.Errorf("no other host became the primary: %q, %v", now, err)
			return
		}
		b.logEvent("primary " + now)
		time.Sleep(afterChange)
		end()
		if err := c.Restart(old); err != nil {
			t.Errorf("the old primary's host does not start: %v", err)
			return
		}
		if err := c.AwaitStandby(old); err != nil {
			t.Errorf("the old primary does not follow the new one: %v", err)
			return
		}
		whole = time.Now()
		b.logEvent("standby " + old)
		time.Sleep(afterReturn)
	})
	after := m.load.countFinal(succeeded)
	m.waitUntilFinal()
	m.report(b)
	t.Logf("%s was lost with %d operations of callers under way, after %d had succeeded; another host was the primary %.1f s later; no caller got a success for %.1f s; %d succeeded since",
		old, underWay, before, changed.Sub(lost).Seconds(), gauge.longest.Seconds(), after-before)
	t.Logf("%s came back as the synchronous standby %.1f s after the loss", old, whole.Sub(lost).Seconds())
	if before == 0 || after == before || gauge.longest == 0 {
		t.Error("the load ended before or with the first primary: this proves nothing")
	}
}

// isClosed reports whether a channel is closed.
func isClosed(c <-chan struct{}) func() bool {
	return func() bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
}

// underWay counts the operations that were called and have no final outcome.
func (l *load) underWay() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, e := range l.entries {
		if e.final == nil {
			n++
		}
	}
	return n
}

// outageMeter measures the longest time without a success for any caller.
type outageMeter struct {
	l       *load
	longest time.Duration // valid after the end
}

// start measures until the function that it gives is called.
func (s *outageMeter) start() (end func()) {
	stop := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		last, n := time.Now(), s.l.countFinal(succeeded)
		for !isClosed(stop)() {
			time.Sleep(sampledEvery)
			if now := s.l.countFinal(succeeded); now != n {
				s.longest, last, n = max(s.longest, time.Since(last)), time.Now(), now
			}
		}
		s.longest = max(s.longest, time.Since(last))
	})
	return func() { close(stop); work.Wait() }
}
