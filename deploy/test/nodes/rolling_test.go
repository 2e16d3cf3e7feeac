package nodes

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"galla/shared/op"
)

// entry is one withdrawal, as its caller knows it. Only one goroutine uses it.
type entry struct {
	key   string
	paise int64
	body  []byte
	final *answer
}

// load is callers who repeat every request without an answer, with the same identity,
// as programs of merchants must.
type load struct {
	h      *system
	addr   string // the balancer's
	client *http.Client

	mu      sync.Mutex
	entries []*entry
	calls   int
	noReply int // connection errors
	replies int // to come back
}

// amounts are what a caller draws from: the paise choose the bank's scenario.
var amounts = []int64{100_00, 100_00, 100_00, 100_00, 100_00, 100_00, 100_05, 100_97, 100_94, 100_93, 100_96}

// caller withdraws until stop, and then repeats until everything is final.
func (l *load) caller(n int, stop <-chan struct{}) {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		paise := amounts[r.IntN(len(amounts))] + 100*r.Int64N(5)
		e := &entry{key: fmt.Sprintf("roll-%d-%d", n, i), paise: paise, body: l.h.withdrawal(paise)}
		l.mu.Lock()
		l.entries = append(l.entries, e)
		l.mu.Unlock()
		if v := l.until(e, func(v verdict) bool { return v.final() || v == pending }); v == broken {
			return
		}
	}
}

// until repeats a call until its verdict will do.
func (l *load) until(e *entry, enough func(verdict) bool) verdict {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		a, err := l.h.withdraw(l.client, l.addr, merchant1, e.key, e.body)
		v := later
		if err == nil {
			v = judge(a)
		}
		l.mu.Lock()
		l.calls++
		if err != nil {
			l.noReply++
		} else if v == later {
			l.replies++
		}
		l.mu.Unlock()
		if v == broken {
			l.h.t.Errorf("%s: HTTP %d %s", e.key, a.http, a.raw)
			return v
		}
		if v.final() {
			e.final = &a
		}
		if enough(v) {
			return v
		}
	}
	l.h.t.Errorf("%s has no answer after %v", e.key, patience)
	return broken
}

// waitUntilFinal waits for the end of everything.
func (l *load) waitUntilFinal() {
	open := make(chan *entry, len(l.entries))
	for _, e := range l.entries {
		open <- e
	}
	close(open)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for e := range open {
				if e.final == nil && !l.h.t.Failed() {
					l.until(e, verdict.final)
				}
			}
		})
	}
	work.Wait()
}

// checkAgainst compares every reply with the bank's books; own are references that
// others account for.
func (l *load) checkAgainst(books map[string]execution) (lost, doubled int) {
	t := l.h.t
	claimed := map[string]bool{}
	for _, e := range l.entries {
		if e.final == nil {
			lost++
			t.Errorf("%s (%d paise) has no final state", e.key, e.paise)
			continue
		}
		v := judge(*e.final)
		ref := e.final.Data.RetailerReferenceNumber
		if v == nothing {
			continue // a debit of it stays unclaimed below
		}
		if claimed[ref] {
			doubled++
			t.Errorf("two operations have the reference %s", ref)
		}
		claimed[ref] = true
		line := books[ref]
		if (v == succeeded) != (line.Status == "EXECUTED") || v == succeeded && line.AmountPaise != e.paise {
			lost++
			t.Errorf("%s (%d paise): the reply says %s; the books have %d paise, %q, of %s", e.key, e.paise, v, line.AmountPaise, line.Status, ref)
		}
	}
	for ref, line := range books {
		if line.Status == "EXECUTED" && !claimed[ref] {
			doubled++
			t.Errorf("the books hold a debit of %d paise that no reply mentions: %s", line.AmountPaise, ref)
		}
	}
	return lost, doubled
}

// TestRollingRestart stops and starts every node, one after the other, under load. No
// request stays without an answer, and the books agree with the replies.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	h := newSystem(t)
	h.slowBank = 2 * time.Second
	nodes := h.plan("north", "south", "west")
	h.start(nodes...)
	direct := balance(t, nodes, func(n *node) string { return n.addr })
	lines := balance(t, nodes, func(n *node) string { return n.terminal })
	c := h.newCounter(nodes[0], lines.addr)
	h.token(direct.addr, merchant1)

	l := &load{h: h, addr: direct.addr, client: h.client()}
	stop := make(chan struct{})
	var running sync.WaitGroup
	for n := range 6 {
		running.Go(func() { l.caller(n, stop) })
	}
	var mu sync.Mutex
	var sold []op.ID
	unsold := 0
	running.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
			v, err := c.withdraw(100_00)
			mu.Lock()
			if err == nil {
				sold = append(sold, v.ID)
			} else {
				unsold++ // not connected: refused before the capture
			}
			mu.Unlock()
		}
	})
	time.Sleep(time.Second)
	for range *rounds {
		for _, n := range nodes {
			if err := n.stop(); err != nil {
				t.Errorf("node %s: %v", n.name, err)
			}
			h.start(n)
			time.Sleep(4 * probeEvery) // until the balancer has it again
		}
	}
	close(stop)
	running.Wait()
	l.waitUntilFinal()

	books := h.executions()
	counted := 0
	for _, id := range sold {
		eventually(t, "the counter's withdrawal ends", func() bool {
			v, err := c.Operation(id)
			return err == nil && v.State.Final()
		})
		v, err := c.Operation(id)
		h.must(err)
		ref := v.ReplyValue("RetailerReferenceNumber")
		if (v.State == op.Succeeded) != (ref != "" && books[ref].Status == "EXECUTED") {
			t.Errorf("the counter has %s for %s, the books %q", v.State, ref, books[ref].Status)
		}
		if v.State == op.Succeeded {
			counted++
		}
		delete(books, ref)
	}
	lost, doubled := l.checkAgainst(books)
	t.Logf("%d restarts of 3 nodes: %d withdrawals by %d calls (%d connections cut, %d asked to repeat), %d at the counter (%d refused for a connection that was down); lost %d, doubled %d",
		*rounds*len(nodes), len(l.entries), l.calls, l.noReply, l.replies, counted, unsold, lost, doubled)
}
