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

// How the machines run.
const (
	killsFor = 45 * time.Second // unless $GALLA_TORTURE says otherwise
	// roundFor bounds one round of a long run. Each has a site of its own, so
	// that accounts do not run dry and every round has its verdict.
	roundFor = 2 * time.Minute
)

// TestKills kills, stops and cuts off a central on SQLite, its bank and its
// counter at random moments while many withdrawals and transfers go through, and holds every
// reply that was ever given against the bank's own books (operations.md, 'What
// must always hold').
func TestKills(t *testing.T) {
	t.Parallel()
	torture(t, plan{nodes: 1, counters: 1})
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
		newMachine(t, p, seed).run(span)
		return
	}
	for n, began := 1, time.Now(); time.Since(began) < span && !t.Failed(); n, seed = n+1, seed+1 {
		t.Run(fmt.Sprintf("round-%d", n), func(t *testing.T) { newMachine(t, p, seed).run(roundFor) })
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

// machine is a site, what is done on it, and what is done to it.
type machine struct {
	t        *testing.T
	s        *site
	l        *load
	counters []*counterLoad
	strays   *strayLoad
	remits   *remitLoad
	seed     uint64

	broken time.Duration // how long it was broken and watched
	looks  int           // at table and books meanwhile
}

func newMachine(t *testing.T, p plan, seed uint64) *machine {
	t.Helper()
	t.Logf("seed %d (GALLA_SEED)", seed)
	s := openSite(t, p, seed)
	m := &machine{t: t, s: s, l: newLoad(s.house, seed), seed: seed}
	for n := range s.counters {
		m.counters = append(m.counters, newCounterLoad(t, s, n))
	}
	m.strays = newStrayLoad(t, s.house)
	m.remits = newRemitLoad(t, m.l)
	return m
}

// run puts the site under load, breaks it for a span, and holds everything that
// was told against the books. It ends at the first thing that is not as promised.
func (m *machine) run(span time.Duration) {
	b := newBreaker(m.s, m.seed)
	m.under(span, b.enough, b.run)
	if m.t.Failed() {
		m.t.Logf("stopped after %s and %d looks; broken until then: %s", m.broken.Round(time.Millisecond), m.looks, b.story())
		return
	}
	calm := time.Now()
	m.settle()
	m.verdict(b)
	m.t.Logf("everything had its end %s after the last blow", time.Since(calm).Round(time.Second))
	if b.count("kill") == 0 || b.count("cable") == 0 || b.count("tear") == 0 {
		m.t.Errorf("nothing was broken: %s", b.figures())
	}
}

// under runs the load beside what breaks things, for a span, and longer while not
// enough was broken. All end with stop, which comes early where something is not
// as promised.
func (m *machine) under(span time.Duration, enough func() bool, breaking func(stop <-chan struct{})) {
	stop, began := make(chan struct{}), time.Now()
	end := sync.OnceFunc(func() { close(stop) })
	var work sync.WaitGroup
	work.Go(func() {
		defer end()
		select {
		case <-stop:
		case <-time.After(span):
		}
		for !enough() && time.Since(began) < mostLonger*span && !m.t.Failed() {
			time.Sleep(watchEvery / 4)
		}
	})
	work.Go(func() { m.l.serve(m.t, stop) })
	for _, c := range m.counters {
		work.Go(func() { c.serve(m.seed, stop) })
	}
	work.Go(func() { m.strays.serve(m.seed, stop) })
	work.Go(func() { m.remits.serve(m.seed, stop) })
	work.Go(func() {
		defer end()
		m.watch(stop)
		m.broken = time.Since(began)
	})
	breaking(stop)
	work.Wait()
}

// How table and books are looked at while things break.
const (
	watchEvery = time.Second
	lastLook   = 5 * time.Second // for all to be there once more, where somebody was told wrongly
)

// watch holds the central's table against the books again and again, until stop
// or until something is not as promised: then once more, for what they say of it.
func (m *machine) watch(stop <-chan struct{}) {
	for !m.t.Failed() {
		select {
		case <-stop:
			return
		case <-time.After(watchEvery):
			m.glance()
		}
	}
	for began := time.Now(); !m.glance() && time.Since(began) < lastLook; time.Sleep(watchEvery / 4) {
	}
}

// glance reads the books, the table, and the books again, where all are there to
// be read. What the first books hold was on record before; what the table says
// has ended stands in the second ones. false: one of them is away.
func (m *machine) glance() bool {
	books := func() ([]execution, error) { return m.s.tryExecutions(m.l.began, time.Now().Add(time.Minute)) }
	before, err := books()
	if err != nil {
		return false
	}
	rows, err := m.s.operations()
	if err != nil {
		return false
	}
	after, err := books()
	if err != nil {
		return false
	}
	m.looks++
	newLedger(m.t, m.s.house, before).holdKnown(rows)
	g := newLedger(m.t, m.s.house, after)
	g.holdEnded(rows)
	g.transfersOnce(m.remits)
	return true
}

// settle waits until everything that was begun has come to its end.
func (m *machine) settle() {
	m.l.settle()
	for _, c := range m.counters {
		c.settle()
	}
	m.strays.settle()
	m.remits.settle()
	deadline := time.Now().Add(settleWait)
	for open := 1; open > 0 && time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		open = 0
		for _, r := range m.rows() {
			if r.ends == 0 {
				open++
			}
		}
	}
}

// rows is the central's table.
func (m *machine) rows() map[string]row {
	rows, err := m.s.operations()
	if err != nil {
		m.t.Fatal(err)
	}
	return rows
}

// verdict holds replies, counters and table against the books, and prints the
// figures.
func (m *machine) verdict(b *breaker) {
	m.t.Helper()
	g := openLedger(m.t, m.s.house, m.l.began)
	g.holdReplies(m.l)
	for _, c := range m.counters {
		g.holdCounter(c)
	}
	g.holdStrays(m.strays)
	g.holdTransfers(m.remits)
	g.holdTable(m.rows(), m.l)
	g.balance(m.l)
	m.l.report()
	for _, c := range m.counters {
		c.report()
	}
	m.strays.report()
	m.remits.report()
	m.t.Logf("broken: %s; table and books were compared %d times meanwhile; an ended program had a successor after %s at most (%s)", b.figures(), m.looks, b.slowest.Round(time.Millisecond), b.slow)
	m.t.Log(g)
}

// ended counts the operations whose callers were told a verdict.
func (l *load) ended(v verdict) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, e := range l.entries {
		if len(e.told) > 0 && e.told[len(e.told)-1] == v {
			n++
		}
	}
	return n
}

// report prints what the direct callers did and were told.
func (l *load) report() {
	ends := map[verdict]int{}
	resolved := 0
	for _, e := range l.entries {
		if e.final == nil {
			ends["open"]++
			continue
		}
		ends[judge(*e.final)]++
		if len(e.told) > 1 {
			resolved++
		}
	}
	l.h.t.Logf("%d operations in %d calls, %d of them cut off; ends: %v; %d were pending first", len(l.entries), l.calls, l.cut, ends, resolved)
	if ends[succeeded] == 0 {
		l.h.t.Error("no direct call ever succeeded: the load proves nothing")
	}
}
