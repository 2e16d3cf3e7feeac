//go:build linux

package e2e

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"
)

// The plan of the failover.
const (
	failoverFor  = 30 * time.Second
	beforeIt     = 8 * time.Second // of load, and up to as much again
	enoughBefore = 20              // calls that succeed before it and after it, however busy the machine is
	untilPromote = 3 * time.Second // at most, without any primary
)

// TestFailover kills the PostgreSQL primary of two centrals under load and promotes its
// streaming standby, which every commit had waited for: what was acknowledged survives,
// and operations succeed again without anybody's help.
func TestFailover(t *testing.T) {
	t.Parallel()
	m := newKillTest(t, plan{nodes: 2, counters: 1, postgres: true, standby: true}, seedOf(t))
	b := newFaultInjector(m.site, m.seed)
	r := rand.New(rand.NewPCG(m.seed, 1<<34))
	before, at := 0, time.Time{}
	var enough atomic.Int64 // calls that succeeded, once the standby is the primary; 0: it is not
	under := func() bool { n := enough.Load(); return n > 0 && int64(m.load.countFinal(succeeded)) >= n }
	m.runLoad(failoverFor, under, func(<-chan struct{}) {
		time.Sleep(beforeIt + draw(r, beforeIt))
		waitUntil(t, "the first calls succeed", startWait, func() bool { return m.load.countFinal(succeeded) >= enoughBefore })
		before = m.load.countFinal(succeeded)
		m.site.primary.Kill()
		b.logEvent("kill postgres")
		time.Sleep(draw(r, untilPromote))
		if err := m.site.standby.Promote(); err != nil {
			t.Errorf("the standby is not promoted: %v", err)
		}
		b.logEvent("promote standby")
		at = time.Now()
		enough.Store(int64(m.load.countFinal(succeeded) + enoughBefore))
	})
	after := m.load.countFinal(succeeded)
	m.waitUntilFinal()
	m.report(b)
	t.Logf("%d direct calls had succeeded before the primary was killed, %d more while the load went on for %s after the promotion",
		before, after-before, time.Since(at).Round(time.Second))
	if before == 0 || after == before {
		t.Error("the load ended before or with the first primary: this proves nothing")
	}
}
