//go:build linux

package e2e

import (
	crand "crypto/rand"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
)

// How the kill test runs.
const (
	killsFor   = time.Minute // unless $GALLA_TORTURE says otherwise
	tellers    = 12          // withdrawals at one time
	settleWait = 5 * time.Minute
)

// paise are the bank's scenarios (sandbox.md) and how often each is played.
var paise = []struct{ paise, weight int64 }{
	{0, 60},  // normal
	{5, 4},   // do not honour
	{51, 3},  // insufficient funds
	{63, 3},  // the finger does not match
	{91, 3},  // issuer not available
	{93, 3},  // pending, then failed, the money back
	{94, 4},  // pending, then executed
	{95, 5},  // no JSON
	{96, 6},  // executes, breaks off half-way
	{97, 4},  // executes, never answers
	{98, 3},  // never executes, never answers
	{99, 3},  // executes, answers late
	{100, 8}, // not a scenario: the customer calls once and never again until the end
}

// abandoned marks an entry whose caller went away.
const abandoned = 100

// TestKills kills central, bank and edge with SIGKILL at random moments while
// many withdrawals go through, and holds every reply that was ever given
// against the bank's own books (operations.md, 'What must always hold').
func TestKills(t *testing.T) {
	span := killsFor
	if s := os.Getenv("GALLA_TORTURE"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatalf("GALLA_TORTURE=%s: %v", s, err)
		}
		span = d
	}
	seed := rand.Uint64()
	if s := os.Getenv("GALLA_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("GALLA_SEED=%s: %v", s, err)
		}
		seed = n
	}
	t.Logf("seed %d (GALLA_SEED), for %s (GALLA_TORTURE)", seed, span)

	h := open(t, "GALLA_BANK_TIMEOUT=3s")
	l := &load{h: h, seed: seed, began: time.Now().Add(-time.Second), before: map[string]int64{}}
	for aadhaar := range iins {
		l.before[aadhaar] = h.balance(aadhaar)
	}
	c := newCounterLoad(t, h)
	stop := make(chan struct{})
	time.AfterFunc(span, func() { close(stop) })
	var work sync.WaitGroup
	for n := range tellers {
		own := h.newReader(t)
		work.Go(func() { l.teller(n, own, stop) })
	}
	work.Go(func() { c.serve(seed, stop) })
	kills, slowest := l.killer(stop)
	work.Wait()
	l.settle()
	c.settle()
	l.holdAgainstBooks(c.holdAgainstBooks(l.books()))
	l.report(kills, slowest)
	c.report()
}

// newReader makes a reader of the test's own, under the house's authority: the
// house's one is slow, as readers are, and a load needs many.
func (h *house) newReader(t *testing.T) *reader {
	t.Helper()
	authority, err := rdcrypto.LoadCertificate(filepath.Join(h.data, "authority", rdcrypto.AuthorityCertFile))
	if err != nil {
		t.Fatal(err)
	}
	device, err := rdsim.New(authority, crand.Reader, slog.New(slog.DiscardHandler), rdsim.Config{CaptureTime: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(device)
	t.Cleanup(srv.Close)
	return &reader{url: srv.URL}
}

// load is the withdrawals of one run and what was replied to each.
type load struct {
	h      *house
	seed   uint64
	began  time.Time
	before map[string]int64 // balances

	mu      sync.Mutex
	entries []*entry
	token   string
	calls   int // made
	cut     int // that got no reply
}

// entry is one operation, as its caller knows it. One goroutine at a time has
// it.
type entry struct {
	key     string
	aadhaar string
	paise   int64
	body    []byte
	called  int
	told    []verdict // what changed, in order
	final   *answer
}

// verdict is what a reply says of the operation.
type verdict string

const (
	succeeded verdict = "SUCCESS"
	failed    verdict = "FAILED"
	reversed  verdict = "REVERSED"
	pending   verdict = "PENDING"
	nothing   verdict = "nothing was sent" // final
	later     verdict = "come back"        // says nothing about the operation
	broken    verdict = "broken"           // a reply that may not be
)

// judge reads a reply.
func judge(a answer) verdict {
	switch {
	case a.http == 200 && a.StatusCode == "00" && a.Data != nil:
		return verdict(a.Data.TxnStatus)
	case a.http == 200 && a.StatusCode == "00" && a.TxnStatus == "PENDING" && a.Reference != "":
		return pending
	case a.http == 502 && a.StatusCode == "10", a.http == 422 && a.StatusCode == "05", a.http == 500 && a.replayed:
		return nothing
	case a.http == 429, a.http == 503, a.http == 401, a.http == 500:
		return later
	}
	return broken
}

func (v verdict) final() bool {
	return v == succeeded || v == failed || v == reversed || v == nothing
}

// teller makes withdrawals until stop.
func (l *load) teller(n int, own *reader, stop <-chan struct{}) {
	r := rand.New(rand.NewPCG(l.seed, uint64(n)))
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		e, calls, err := l.draw(r, own, fmt.Sprintf("kills-%d-%d-%d", l.seed, n, i))
		if err != nil {
			l.h.t.Errorf("a capture failed, though nobody kills the reader: %v", err)
			return
		}
		l.mu.Lock()
		l.entries = append(l.entries, e)
		l.mu.Unlock()
		for range calls {
			if l.call(e).final() {
				break
			}
			pause := time.Duration(100+r.IntN(400)) * time.Millisecond
			select {
			case <-stop:
				return
			case <-time.After(pause):
			}
		}
	}
}

// draw makes an operation and says how often its caller will ask.
func (l *load) draw(r *rand.Rand, own *reader, key string) (*entry, int, error) {
	customers := []string{choudhury, agarwal, kapoor}
	e := &entry{key: key, aadhaar: customers[r.IntN(len(customers))]}
	sum := int64(0)
	for _, p := range paise {
		sum += p.weight
	}
	pick, calls := r.Int64N(sum), 1+r.IntN(4)
	for _, p := range paise {
		if pick -= p.weight; pick >= 0 {
			continue
		}
		e.paise = p.paise
		if p.paise == abandoned {
			e.paise, calls = 0, 1
		}
		break
	}
	e.paise += 100 * (1 + r.Int64N(3))
	body, err := l.h.transaction(own, e.aadhaar, e.paise)
	e.body = body
	return e, calls, err
}

// call sends an operation once and notes what was replied.
func (l *load) call(e *entry) verdict {
	token := l.bearer()
	if token == "" {
		return later
	}
	e.called++
	a, err := l.h.transact("/aeps/withdrawal", token, e.key, e.body)
	l.mu.Lock()
	l.calls++
	if err != nil {
		l.cut++
	}
	l.mu.Unlock()
	if err != nil {
		return later
	}
	v := judge(a)
	switch {
	case a.http == 401:
		l.forget(token)
	case v == broken:
		l.h.t.Errorf("%s: HTTP %d: %s", e.key, a.http, a.raw)
	case v == later:
	default:
		l.note(e, v, a)
	}
	return v
}

// note holds a reply against the earlier ones: what was final stays, byte for
// byte.
func (l *load) note(e *entry, v verdict, a answer) {
	if e.final != nil {
		if string(e.final.raw) != string(a.raw) || e.final.http != a.http || !a.replayed {
			l.h.t.Errorf("%s: the final reply changed (replayed %v):\n%s\n%s", e.key, a.replayed, e.final.raw, a.raw)
		}
		return
	}
	if len(e.told) == 0 || e.told[len(e.told)-1] != v {
		e.told = append(e.told, v)
	}
	if v.final() {
		e.final = &a
	}
}

// bearer gives a token; "" while the central is away.
func (l *load) bearer() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token == "" {
		l.token, _ = l.h.newToken(lakshmi, lakshmiSecret)
	}
	return l.token
}

func (l *load) forget(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token == token {
		l.token = ""
	}
}

// killer kills until stop, and tells how often it killed what, and the longest
// time until a new process had written its pid.
func (l *load) killer(stop <-chan struct{}) (kills map[string]int, slowest time.Duration) {
	r := rand.New(rand.NewPCG(l.seed, 1<<32))
	kills = map[string]int{}
	victims := []string{"central", "central", "central", "bank", "bank", "edge", "edge"}
	for {
		select {
		case <-stop:
			return kills, slowest
		case <-time.After(time.Duration(r.IntN(2000)) * time.Millisecond):
		}
		name := victims[r.IntN(len(victims))]
		old := l.h.pid(name)
		if !l.h.signal(name, syscall.SIGKILL) {
			continue // it is just being started
		}
		kills[name]++
		killed := time.Now()
		until(l.h.t, name+" is started again", time.Minute, func() bool { p := l.h.pid(name); return p != old && p != 0 })
		slowest = max(slowest, time.Since(killed))
	}
}

// settle repeats every operation until its reply is final.
func (l *load) settle() {
	open := make(chan *entry, len(l.entries))
	for _, e := range l.entries {
		open <- e
	}
	close(open)
	deadline := time.Now().Add(settleWait)
	var work sync.WaitGroup
	for range tellers {
		work.Go(func() {
			for e := range open {
				for v := later; !v.final() && time.Now().Before(deadline); {
					if v = l.call(e); !v.final() {
						time.Sleep(200 * time.Millisecond)
					}
				}
			}
		})
	}
	work.Wait()
}

// books reads the bank's executions by reference; a reference that stands there
// twice is a fault by itself.
func (l *load) books() map[string]execution {
	books := map[string]execution{}
	for _, e := range l.h.executions(l.began, time.Now().Add(time.Minute)) {
		if _, twice := books[e.Reference]; twice {
			l.h.t.Errorf("invariant 1: reference %s stands twice in the books", e.Reference)
		}
		books[e.Reference] = e
	}
	return books
}

// holdAgainstBooks checks the invariants; books holds what the counter did not
// claim, spent is the sum of all executions in paise.
func (l *load) holdAgainstBooks(books map[string]execution, spent int64) {
	t, h := l.h.t, l.h
	claimed := map[string]string{}
	for _, e := range l.entries {
		if e.final == nil {
			t.Errorf("invariant 3: %s (%d paise) has no final state; it was told %v", e.key, e.paise, e.told)
			continue
		}
		v := judge(*e.final)
		if v == nothing {
			continue // it has no reference; a debit of it would stay unclaimed below
		}
		ref := e.final.Data.RetailerReferenceNumber
		if other := claimed[ref]; other != "" {
			t.Errorf("%s and %s have one reference, %s", other, e.key, ref)
		}
		claimed[ref] = e.key
		line := books[ref]
		switch {
		case v == succeeded && line.Status != "EXECUTED":
			t.Errorf("invariant 2: %s (%d paise) was told SUCCESS, but the books say %q of %s", e.key, e.paise, line.Status, ref)
		case v != succeeded && line.Status == "EXECUTED":
			t.Errorf("invariant 2: %s (%d paise) was told %s, but the books say EXECUTED of %s", e.key, e.paise, v, ref)
		case v == succeeded && line.AmountPaise != e.paise:
			t.Errorf("%s: %d paise asked, %d in the books", e.key, e.paise, line.AmountPaise)
		}
	}
	for ref, line := range books {
		if line.Status == "EXECUTED" && claimed[ref] == "" {
			t.Errorf("invariant 2: the books hold a debit of %d paise that nobody was told of: %s", line.AmountPaise, ref)
		}
	}
	moved := int64(0)
	for aadhaar, before := range l.before {
		moved += before - h.balance(aadhaar)
	}
	if moved != spent {
		t.Errorf("the customers have %d paise less, the executions sum up to %d", moved, spent)
	}
	h.checkTrial()
}

// report prints the figures.
func (l *load) report(kills map[string]int, slowest time.Duration) {
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
	l.h.t.Logf("%d operations in %d calls, %d of them cut off; kills: central %d, bank %d, edge %d; ends: %v; %d were pending first; a killed program was back after %s at most",
		len(l.entries), l.calls, l.cut, kills["central"], kills["bank"], kills["edge"], ends, resolved, slowest.Round(time.Millisecond))
}

// killAndAwait kills a program and waits until the next one has written its pid.
func (h *house) killAndAwait(name string) {
	h.t.Helper()
	old := h.pid(name)
	if !h.signal(name, syscall.SIGKILL) {
		h.t.Fatalf("%s does not run", name)
	}
	until(h.t, name+" is started again", time.Minute, func() bool { p := h.pid(name); return p != old && h.signal(name, 0) })
}

// awaitExecution waits until the books hold a debit of an amount that the test
// uses once.
func (h *house) awaitExecution(t *testing.T, paise int64) {
	t.Helper()
	began := time.Now().Add(-time.Minute)
	until(t, "the bank executes "+rupees(paise), time.Minute, func() bool {
		for _, e := range h.executions(began, time.Now().Add(time.Minute)) {
			if e.AmountPaise == paise && e.Status == "EXECUTED" {
				return true
			}
		}
		return false
	})
}
