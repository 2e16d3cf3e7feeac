//go:build linux

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// The plan of the runs.
const (
	killsFor = 45 * time.Second // unless $GALLA_TORTURE says otherwise
	// roundFor bounds one round of a long run. Each has a site of its own, so that
	// accounts do not run dry and every round has its verdict.
	roundFor = 2 * time.Minute
)

// TestKills kills, stops and cuts off a central on SQLite, its bank and the two counters of
// a shop at random moments during many withdrawals, transfers and payments by UPI, and
// compares every reply, and what the counters show, with the bank's own books
// (operations.md, section 16).
func TestKills(t *testing.T) {
	t.Parallel()
	torture(t, plan{nodes: 1, counters: 2})
}

// TestKillsPostgres does the same to two centrals on one PostgreSQL, which is
// killed too, with clients and counters on both.
func TestKillsPostgres(t *testing.T) {
	t.Parallel()
	torture(t, plan{nodes: 2, counters: 2, postgres: true})
}

// torture runs one round, or as many as $GALLA_TORTURE has time for.
func torture(t *testing.T, p plan) {
	span, seed := killsFor, seedOf(t)
	if s := os.Getenv("GALLA_TORTURE"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatalf("GALLA_TORTURE=%s: %v", s, err)
		}
		span = d
	}
	if span <= roundFor {
		newKillTest(t, p, seed).run(span)
		return
	}
	for n, began := 1, time.Now(); time.Since(began) < span && !t.Failed(); n, seed = n+1, seed+1 {
		t.Run(fmt.Sprintf("round-%d", n), func(t *testing.T) { newKillTest(t, p, seed).run(roundFor) })
	}
}

// seedOf is $GALLA_SEED, or one that is drawn.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	s := os.Getenv("GALLA_SEED")
	if s == "" {
		return rand.Uint64()
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("GALLA_SEED=%s: %v", s, err)
	}
	return n
}

// killTest is a site, its load, and its faults.
type killTest struct {
	t        *testing.T
	site     *site
	load     *load
	counters []*counterLoad
	strays   *strayLoad
	remits   *remitLoad
	payers   *payerLoad
	seed     uint64

	duration time.Duration // how long it was broken and watched
	checks   int           // at table and books meanwhile
}

func newKillTest(t *testing.T, p plan, seed uint64) *killTest {
	t.Helper()
	t.Logf("seed %d (GALLA_SEED)", seed)
	s := openSite(t, p, seed)
	m := &killTest{t: t, site: s, load: newLoad(s.sandbox, seed), seed: seed}
	for n := range s.counters {
		m.counters = append(m.counters, newCounterLoad(t, s, n))
	}
	m.strays = newStrayLoad(t, s.sandbox)
	m.remits = newRemitLoad(t, m.load)
	m.payers = newPayerLoad(t, s, m.load)
	return m
}

// run puts the site under load, breaks it for a time, and compares every reply with the
// books. It ends at the first violation.
func (m *killTest) run(span time.Duration) {
	b := newFaultInjector(m.site, m.seed)
	m.runLoad(span, func() bool { return b.enoughInjected() && m.payers.enough() }, b.run)
	if m.t.Failed() {
		m.t.Logf("stopped after %s and %d looks; broken until then: %s", m.duration.Round(time.Millisecond), m.checks, b.events())
		return
	}
	calm := time.Now()
	m.waitUntilFinal()
	m.report(b)
	m.t.Logf("everything had its end %s after the last blow", time.Since(calm).Round(time.Second))
	if b.countOf("kill") == 0 || b.countOf("proxy") == 0 || b.countOf("tear") == 0 {
		m.t.Errorf("nothing was broken: %s", b.summary())
	}
}

// runLoad runs the load and the faults for a time, and longer if not enough was broken.
// All end with stop, which comes early after a violation.
func (m *killTest) runLoad(span time.Duration, enough func() bool, breaking func(stop <-chan struct{})) {
	stop, began := make(chan struct{}), time.Now()
	end := sync.OnceFunc(func() { close(stop) })
	var work sync.WaitGroup
	work.Go(func() {
		defer end()
		select {
		case <-stop:
		case <-time.After(span):
		}
		for !enough() && time.Since(began) < maxExtension*span && !m.t.Failed() {
			time.Sleep(watchEvery / 4)
		}
	})
	work.Go(func() { m.load.serve(m.t, stop) })
	for _, c := range m.counters {
		work.Go(func() { c.serve(m.seed, stop) })
	}
	work.Go(func() { m.strays.serve(m.seed, stop) })
	work.Go(func() { m.remits.serve(m.seed, stop) })
	work.Go(func() { m.payers.serve(m.seed, stop) })
	work.Go(func() {
		defer end()
		m.watchTable(stop)
		m.duration = time.Since(began)
	})
	breaking(stop)
	work.Wait()
}

// How table and books are checked while things break.
const (
	watchEvery = time.Second
	finalCheck = 5 * time.Second // for all to be up once more, after a wrong report
)

// watchTable compares the central's table with the books again and again, until stop or
// until the first violation: then once more, for the report.
func (m *killTest) watchTable(stop <-chan struct{}) {
	for !m.t.Failed() {
		select {
		case <-stop:
			return
		case <-time.After(watchEvery):
			m.checkOnce()
		}
	}
	for began := time.Now(); !m.checkOnce() && time.Since(began) < finalCheck; time.Sleep(watchEvery / 4) {
	}
}

// checkOnce reads the books, the table, and the books again, if all are up. What the
// first books hold was recorded before; what the table calls final is in the second
// ones. false: one of them is away.
func (m *killTest) checkOnce() bool {
	books := func() ([]execution, error) {
		return m.site.tryExecutions(m.load.startedAt, time.Now().Add(time.Minute))
	}
	before, err := books()
	if err != nil {
		return false
	}
	rows, err := m.site.operations()
	if err != nil {
		return false
	}
	after, err := books()
	if err != nil {
		return false
	}
	m.checks++
	newLedger(m.t, m.site.sandbox, before).checkUnknownDebits(rows)
	g := newLedger(m.t, m.site.sandbox, after)
	g.checkFinished(rows)
	g.checkTransfersOnce(m.remits)
	return m.payers.checkOnce(g)
}

// waitUntilFinal waits until everything that was begun has come to its end.
func (m *killTest) waitUntilFinal() {
	m.load.waitUntilFinal()
	for _, c := range m.counters {
		c.waitUntilFinal()
	}
	m.strays.waitUntilFinal()
	m.remits.waitUntilFinal()
	m.payers.waitUntilFinal()
	deadline := time.Now().Add(finalTimeout)
	for open := 1; open > 0 && time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		open = 0
		for _, r := range m.rows() {
			if r.finalSteps == 0 {
				open++
			}
		}
	}
}

// rows is the central's table.
func (m *killTest) rows() map[string]row {
	rows, err := m.site.operations()
	if err != nil {
		m.t.Fatal(err)
	}
	return rows
}

// report compares replies, counters and table with the books, and prints the figures.
func (m *killTest) report(b *faultInjector) {
	m.t.Helper()
	g := openLedger(m.t, m.site.sandbox, m.load.startedAt)
	g.checkReplies(m.load)
	for _, c := range m.counters {
		g.checkCounter(c)
	}
	g.checkStrays(m.strays)
	g.checkTransfers(m.remits)
	g.checkPayments(m.payers)
	g.checkTable(m.rows(), m.load)
	g.checkBalances(m.load)
	m.load.report()
	for _, c := range m.counters {
		c.report()
	}
	m.strays.report()
	m.remits.report()
	m.payers.report()
	m.t.Logf("broken: %s; table and books were compared %d times meanwhile; an ended program had a successor after %s at most (%s)", b.summary(), m.checks, b.slowest.Round(time.Millisecond), b.slow)
	m.t.Log(g)
}

// countFinal counts the operations whose callers got a final outcome.
func (l *load) countFinal(v verdict) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, e := range l.entries {
		if len(e.replies) > 0 && e.replies[len(e.replies)-1] == v {
			n++
		}
	}
	return n
}

// report prints what the direct callers did and what replies they got.
func (l *load) report() {
	ends := map[verdict]int{}
	resolved := 0
	for _, e := range l.entries {
		if e.final == nil {
			ends["open"]++
			continue
		}
		ends[judge(*e.final)]++
		if len(e.replies) > 1 {
			resolved++
		}
	}
	l.h.t.Logf("%d operations in %d calls, %d of them cut off; ends: %v; %d were pending first", len(l.entries), l.calls, l.noReply, ends, resolved)
	if ends[succeeded] == 0 {
		l.h.t.Error("no direct call ever succeeded: the load proves nothing")
	}
}
