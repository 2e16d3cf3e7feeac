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

// TestCluster takes the power from the database host that is the primary, with
// two centrals behind HAProxy under load. Patroni makes the standby the primary
// without anybody's help; what was acknowledged survives, and the old primary
// comes back as the standby.
func TestCluster(t *testing.T) {
	m := newMachine(t, plan{nodes: 2, counters: 1, postgres: true, cluster: true}, seedOf(t))
	b := newBreaker(m.s, m.seed)
	r := rand.New(rand.NewPCG(m.seed, 1<<35))
	c, before, underWay := m.s.cluster, 0, 0
	var lost, changed, whole time.Time
	old, err := c.AwaitPrimary()
	must(t, err)
	gauge := &gap{l: m.l}
	broken := make(chan struct{}) // closed when nothing is broken any more
	m.under(clusterFor, closed(broken), func(stop <-chan struct{}) {
		defer close(broken)
		time.Sleep(beforeLoss + draw(r, beforeLoss))
		before, underWay = m.l.ended(succeeded), m.l.underWay()
		end := gauge.watch()
		lost = time.Now()
		c.Kill(old)
		b.note("power cut " + old)
		now, err := c.AwaitPrimary()
		changed = time.Now()
		if err != nil || now == old {
			t.Errorf("no other host became the primary: %q, %v", now, err)
			return
		}
		b.note("primary " + now)
		time.Sleep(afterChange)
		end()
		if err := c.Return(old); err != nil {
			t.Errorf("the old primary's host does not start: %v", err)
			return
		}
		if err := c.AwaitStandby(old); err != nil {
			t.Errorf("the old primary does not follow the new one: %v", err)
			return
		}
		whole = time.Now()
		b.note("standby " + old)
		time.Sleep(afterReturn)
	})
	after := m.l.ended(succeeded)
	m.settle()
	m.verdict(b)
	t.Logf("%s was lost with %d operations of callers under way, after %d had succeeded; another host was the primary %.1f s later; no caller was told of a success for %.1f s; %d succeeded since",
		old, underWay, before, changed.Sub(lost).Seconds(), gauge.longest.Seconds(), after-before)
	t.Logf("%s came back as the synchronous standby %.1f s after the loss", old, whole.Sub(lost).Seconds())
	if before == 0 || after == before || gauge.longest == 0 {
		t.Error("the load ended before or with the first primary: this proves nothing")
	}
}

// closed tells whether a channel is.
func closed(c <-chan struct{}) func() bool {
	return func() bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
}

// underWay counts the operations that were called and have no last word.
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

// gap measures the longest time in which no caller was told of a success.
type gap struct {
	l       *load
	longest time.Duration // valid after the end
}

// watch measures until the function that it gives is called.
func (s *gap) watch() (end func()) {
	stop := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		last, n := time.Now(), s.l.ended(succeeded)
		for !closed(stop)() {
			time.Sleep(sampledEvery)
			if now := s.l.ended(succeeded); now != n {
				s.longest, last, n = max(s.longest, time.Since(last)), time.Now(), now
			}
		}
		s.longest = max(s.longest, time.Since(last))
	})
	return func() { close(stop); work.Wait() }
}
