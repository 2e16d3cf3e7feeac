//go:build linux

package e2e

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// firstAtCounter is the amount of the first counter's first withdrawal, in paise. No
// two withdrawals at counters have the same one, the direct load stays below it, and
// those of strays differ in their paise: so the books can be searched by amount,
// whatever a counter forgot.
const firstAtCounter = 1000

// counterPaise are the bank's scenarios that a counter meets, one after the other
// (load_test.go says what each is).
var counterPaise = []int64{0, 0, 97, 0, 96, 94, 0, 99, 0, 93, 98, 0}

// counterLoad is one agent who makes withdrawals at a counter while everything
// is killed.
type counterLoad struct {
	t        *testing.T
	n        int // which counter, from 0 on
	counters int // counters
	a        *agent
	ops      []*counterOp
}

// amount is that of the k-th withdrawal, in paise.
func (c *counterLoad) amount(k int) int64 {
	return firstAtCounter + int64(k*c.counters+c.n)*100 + counterPaise[k%len(counterPaise)]
}

// ownsAmount reports whether an amount is one of this counter's.
func (c *counterLoad) ownsAmount(paise int64) bool {
	k := (paise - firstAtCounter) / 100
	return paise >= firstAtCounter && !strayAmount(paise) && k%int64(c.counters) == int64(c.n)
}

// counterOp is a withdrawal as its agent knows it.
type counterOp struct {
	id            string
	paise         int64
	states        []string // as the page showed them, in order
	lastReadError error    // why the last read of the page failed
}

func (o *counterOp) last() string {
	if len(o.states) == 0 {
		return ""
	}
	return o.states[len(o.states)-1]
}

// newCounterLoad signs the agent in and puts the customer's finger on the reader.
func newCounterLoad(t *testing.T, s *site, n int) *counterLoad {
	t.Helper()
	at := s.counters[n]
	a, err := newAgent(at.counter)
	must(t, err)
	must(t, s.placeFingerOn(at.reader, fatima))
	a.signIn(t)
	must(t, s.placeFingerOn(at.reader, choudhury))
	return &counterLoad{t: t, n: n, counters: len(s.counters), a: a}
}

// serve makes one withdrawal after the other until stop.
func (c *counterLoad) serve(seed uint64, stop <-chan struct{}) {
	r := rand.New(rand.NewPCG(seed, 1<<33+uint64(c.n)))
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(r.IntN(300)) * time.Millisecond):
		}
		o := &counterOp{paise: c.amount(len(c.ops))}
		var page string
		err := c.a.unlocked(func() (err error) {
			o.id, page, err = c.a.begin(choudhury, o.paise)
			return err
		})
		if err != nil {
			continue // the counter is away, or needs the connection first
		}
		c.ops = append(c.ops, o)
		if c.a.capture(o.id, page) != nil {
			continue // it may have begun; its page will say
		}
		for range r.IntN(20) {
			if c.readPage(o); finalAtCounter(o.last()) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// readPage records what the page says. Once it said that the bank paid, or that nothing
// will happen any more, it must never say anything else.
func (c *counterLoad) readPage(o *counterOp) {
	state, title, err := c.a.look(o.id)
	if o.lastReadError = err; err != nil {
		if strings.Contains(err.Error(), "HTTP 404") {
			c.t.Errorf("invariant 3: the counter lost operation %s", o.id)
		}
		return
	}
	if give := strings.HasPrefix(title, "GIVE CASH"); give != (state == "succeeded") {
		c.t.Errorf("%s is %s, and its page says %q", o.id, state, title)
	}
	if before := o.last(); before != state {
		if finalAtCounter(before) {
			c.t.Errorf("%s was %s and is %s", o.id, before, state)
		}
		o.states = append(o.states, state)
	}
}

// waitUntilFinal waits until every withdrawal has ended.
func (c *counterLoad) waitUntilFinal() {
	deadline := time.Now().Add(finalTimeout)
	open := c.ops
	for {
		open = slices.DeleteFunc(slices.Clone(open), func(o *counterOp) bool {
			c.readPage(o)
			s := o.last()
			return finalAtCounter(s) || s == "ready" || s == "problem" // one that never got a finger waits for ever, and may
		})
		if len(open) == 0 || time.Now().After(deadline) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, o := range open {
		c.t.Logf("%s has no end at counter %d after %s: %v, the last look: %v", o.id, c.n+1, finalTimeout, o.states, o.lastReadError)
	}
}

func (c *counterLoad) report() {
	ends := map[string]int{}
	for _, o := range c.ops {
		ends[o.last()]++
	}
	c.t.Logf("at counter %d %d withdrawals; ends: %v", c.n+1, len(c.ops), ends)
	if len(c.ops) == 0 {
		c.t.Error(errors.New("nobody was served at the counter"))
	}
}
