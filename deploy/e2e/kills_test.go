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
// counter at random moments while many withdrawals go through, and holds every
// reply that was ever given against the bank's own books (operations.md, 'What
// must always hold').
func TestKills(t *testing.T) { torture(t, plan{nodes: 1, counters: 1}) }

// TestKillsPostgres does the same to two centrals on one PostgreSQL, which is
// killed too, with clients and counters on both.
func TestKillsPostgres(t *testing.T) { torture(t, plan{nodes: 2, counters: 2, postgres: true}) }

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
	seed     uint64
}

func newMachine(t *testing.T, p plan, seed uint64) *machine {
	t.Helper()
	t.Logf("seed %d (GALLA_SEED)", seed)
	s := openSite(t, p, seed)
	m := &machine{t: t, s: s, l: newLoad(s.house, seed), seed: seed}
	for n := range s.counters {
		m.counters = append(m.counters, newCounterLoad(t, s, n))
	}
	return m
}

// run puts the site under load, breaks it for a span, and holds everything that
// was told against the books.
func (m *machine) run(span time.Duration) {
	b := newBreaker(m.s, m.seed)
	m.under(span, b.run)
	calm := time.Now()
	m.settle()
	m.verdict(b)
	m.t.Logf("everything had its end %s after the last blow", time.Since(calm).Round(time.Second))
	if b.count("kill") == 0 || b.count("cable") == 0 {
		m.t.Errorf("nothing was broken: %s", b.figures())
	}
}

// under runs the load for a span beside what breaks things; both end with stop.
func (m *machine) under(span time.Duration, breaking func(stop <-chan struct{})) {
	stop := make(chan struct{})
	timer := time.AfterFunc(span, func() { close(stop) })
	defer timer.Stop()
	var work sync.WaitGroup
	work.Go(func() { m.l.serve(m.t, stop) })
	for _, c := range m.counters {
		work.Go(func() { c.serve(m.seed, stop) })
	}
	breaking(stop)
	work.Wait()
}

// settle waits until everything that was begun has come to its end.
func (m *machine) settle() {
	m.l.settle()
	for _, c := range m.counters {
		c.settle()
	}
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
	g.holdTable(m.rows(), m.l)
	g.balance(m.l)
	m.l.report()
	for _, c := range m.counters {
		c.report()
	}
	m.t.Logf("broken: %s; an ended program had a successor after %s at most (%s)", b.figures(), b.slowest.Round(time.Millisecond), b.slow)
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
