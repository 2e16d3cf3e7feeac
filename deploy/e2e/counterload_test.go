//go:build linux

package e2e

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// firstAtCounter is the amount of the counter's first withdrawal, in paise. No
// two of its withdrawals have the same one, and the direct load stays below it:
// so the books can be searched by amount, whatever the counter forgot.
const firstAtCounter = 1000

// counterLoad is one agent who makes withdrawals at the counter while
// everything is killed.
type counterLoad struct {
	t   *testing.T
	h   *house
	a   *agent
	ops []*counterOp
}

// counterOp is a withdrawal as its agent knows it.
type counterOp struct {
	id     string
	paise  int64
	states []string // as the page showed them, in order
}

func (o *counterOp) last() string {
	if len(o.states) == 0 {
		return ""
	}
	return o.states[len(o.states)-1]
}

// newCounterLoad signs the agent in and lays the customer's finger on the glass.
func newCounterLoad(t *testing.T, h *house) *counterLoad {
	t.Helper()
	a, err := newAgent(h)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.lay(fatima); err != nil {
		t.Fatal(err)
	}
	a.signIn(t)
	if err := h.lay(choudhury); err != nil {
		t.Fatal(err)
	}
	return &counterLoad{t: t, h: h, a: a}
}

// serve makes one withdrawal after the other until stop.
func (c *counterLoad) serve(seed uint64, stop <-chan struct{}) {
	r := rand.New(rand.NewPCG(seed, 1<<33))
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(r.IntN(300)) * time.Millisecond):
		}
		o := &counterOp{paise: firstAtCounter + int64(len(c.ops))*100}
		var page string
		err := c.a.unlocked(func() (err error) {
			o.id, page, err = c.a.begin(choudhury, o.paise)
			return err
		})
		if err != nil {
			continue // the counter is away, or wants the line first
		}
		c.ops = append(c.ops, o)
		if c.a.capture(o.id, page) != nil {
			continue // it may have begun; its page will say
		}
		for range r.IntN(20) {
			if c.look(o); finalAtCounter(o.last()) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// look notes what the page says. Once it told that the bank paid, or that
// nothing will happen any more, it must never say anything else.
func (c *counterLoad) look(o *counterOp) {
	state, title, err := c.a.look(o.id)
	if err != nil {
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

// settle waits until every withdrawal has ended.
func (c *counterLoad) settle() {
	deadline := time.Now().Add(settleWait)
	for _, o := range c.ops {
		for time.Now().Before(deadline) {
			c.look(o)
			if s := o.last(); finalAtCounter(s) || s == "ready" || s == "problem" {
				break // one that never got a finger waits for ever, and may
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// holdAgainstBooks holds what the counter shows against the books. It gives the
// lines that are not the counter's, and the sum of everything executed.
func (c *counterLoad) holdAgainstBooks(books map[string]execution) (rest map[string]execution, spent int64) {
	rest = map[string]execution{}
	byAmount := map[int64][]execution{}
	for ref, line := range books {
		if line.Status == "EXECUTED" {
			spent += line.AmountPaise
		}
		if line.AmountPaise < firstAtCounter {
			rest[ref] = line
			continue
		}
		byAmount[line.AmountPaise] = append(byAmount[line.AmountPaise], line)
	}
	for _, o := range c.ops {
		lines := byAmount[o.paise]
		delete(byAmount, o.paise)
		executed := 0
		for _, line := range lines {
			if line.Status == "EXECUTED" {
				executed++
			}
		}
		state := o.last()
		switch paid := state == "succeeded"; {
		case executed > 1 || len(lines) > 1:
			c.t.Errorf("invariant 1: %s stands %d times in the books: %+v", o.id, len(lines), lines)
		case paid != (executed == 1):
			c.t.Errorf("invariant 2: the counter shows %s of %s (%d paise; %v), the books hold %+v", state, o.id, o.paise, o.states, lines)
		case !finalAtCounter(state) && state != "ready" && state != "problem":
			c.t.Errorf("invariant 3: %s (%d paise) has no end at the counter: %v", o.id, o.paise, o.states)
		}
	}
	for paise, lines := range byAmount {
		c.t.Errorf("invariant 2: the books hold %d paise that no agent began: %+v", paise, lines)
	}
	return rest, spent
}

func (c *counterLoad) report() {
	ends := map[string]int{}
	for _, o := range c.ops {
		ends[o.last()]++
	}
	c.t.Logf("at the counter %d withdrawals; ends: %v", len(c.ops), ends)
	if len(c.ops) == 0 {
		c.t.Error(errors.New("nobody was served at the counter"))
	}
}
