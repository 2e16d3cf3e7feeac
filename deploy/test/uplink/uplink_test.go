package uplink

import (
	"fmt"
	mathrand "math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	client "galla/edge/uplink"
)

// TestClockHoursOff checks that a counter with a wrong clock is admitted at its second
// attempt, and knows the central's time from then on.
func TestClockHoursOff(t *testing.T) {
	for _, off := range []time.Duration{0, 9 * time.Hour, -31 * time.Hour, -20 * 365 * 24 * time.Hour, 50 * time.Second, -70 * time.Second} {
		t.Run(off.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, d := newNetwork(), newFakeCentral(1)
				s, _ := serve(t, n, d, nil)
				begun := time.Now()
				c := newCounter(t, n, d, func(cfg *client.Config) {
					cfg.Now = func() time.Time { return time.Now().Add(off) }
				})
				until(t, "connected", func() bool { return c.line.State().Online })
				if got := c.line.State().Offset; (got + off).Abs() > time.Millisecond {
					t.Errorf("offset %v, want %v", got, -off)
				}
				if took := time.Since(begun); took > 2*time.Second { // the dial may come before the listener
					t.Errorf("getting in took %v", took)
				}
				if refused := s.Stats().Unauthenticated; refused > 1 || (refused == 1) == (off == 0) {
					t.Errorf("%d tokens were refused", refused)
				}
			})
		})
	}
}

// TestCutAtEachWrite breaks the connection at every write of a conversation, from the
// handshake on: before it, in the middle of it, and after it.
func TestCutAtEachWrite(t *testing.T) {
	writes := 0
	run := func(t *testing.T, at, mode int) {
		synctest.Test(t, func(t *testing.T) {
			n, d := newNetwork(), newFakeCentral(7)
			count := 0
			n.cut = func(size int) int {
				count++
				if count != at+1 {
					return -1
				}
				return []int{0, size / 2, size}[mode]
			}
			serve(t, n, d, nil)
			c := newCounter(t, n, d, nil)
			for range 6 {
				c.create(newID())
			}
			until(t, "all operations have ended", func() bool { return c.open() == 0 })
			check(t, d, c)
			if at < 0 && c.applied == 0 {
				t.Error("no event came; the conversation is not a whole one")
			}
			writes = max(writes, count)
		})
	}
	run(t, -1, 0) // uncut, to count
	if writes < 20 {
		t.Fatalf("a conversation has %d writes", writes)
	}
	all := writes
	for at := range all {
		for mode := range 3 {
			t.Run(fmt.Sprintf("write %d, mode %d", at, mode), func(t *testing.T) { run(t, at, mode) })
		}
	}
	t.Logf("%d writes", all)
}

// TestStorm lets several counters work while connections break at random, the network
// goes away, and the central is stopped and started, for a virtual half-hour.
func TestStorm(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { storm(t, seed) })
		})
	}
}

func storm(t *testing.T, seed uint64) {
	random := mathrand.New(mathrand.NewPCG(seed, 2))
	n, d := newNetwork(), newFakeCentral(seed)
	_, stop := serve(t, n, d, nil)
	counters := make([]*counter, 4)
	for i := range counters {
		off := time.Duration(random.Int64N(int64(10*time.Hour))) - 5*time.Hour
		counters[i] = newCounter(t, n, d, func(c *client.Config) {
			c.Now = func() time.Time { return time.Now().Add(off) }
		})
		dice := mathrand.New(mathrand.NewPCG(seed, uint64(i)))
		counters[i].crashAt = func() bool { return dice.IntN(5) == 0 }
	}
	fate := mathrand.New(mathrand.NewPCG(seed, 3))
	n.mu.Lock()
	n.cut = func(size int) int {
		if fate.IntN(40) > 0 {
			return -1
		}
		return fate.IntN(size + 1)
	}
	n.mu.Unlock()
	for range 40 {
		time.Sleep(time.Duration(random.Int64N(int64(time.Minute))))
		for _, c := range counters {
			for range random.IntN(4) {
				c.create(newID())
			}
		}
		switch random.IntN(8) {
		case 0:
			n.breakAll(true)
		case 1:
			n.breakAll(false)
		case 2:
			stop()
			_, stop = serve(t, n, d, nil)
		}
	}
	n.mu.Lock()
	n.cut, n.down = nil, false
	n.mu.Unlock()
	lost, died, applied := 0, 0, 0
	for _, c := range counters {
		until(t, "all operations have ended", func() bool { return c.open() == 0 })
		check(t, d, c)
	}
	d.working.Wait()
	for _, c := range counters {
		until(t, "all events are applied and forgotten", func() bool { return d.refusal(c.id) == c.events() })
		c.mu.Lock()
		lost, died, applied = lost+c.lostCount, died+c.crashed, applied+c.applied
		c.mu.Unlock()
	}
	t.Logf("%d lines were lost, %d events applied, %d of them more than once", lost, applied, died)
}

// TestTwoProgramsWithOneKey checks that the later one is served, and that the earlier
// one is told and slows down.
func TestTwoProgramsWithOneKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, d := newNetwork(), newFakeCentral(3)
		s, _ := serve(t, n, d, nil)
		var cfg client.Config
		a := newCounter(t, n, d, func(c *client.Config) { cfg = *c })
		until(t, "the first is up", func() bool { return a.line.State().Online })
		b := attach(t, n, d, cfg.TerminalID, keyOf(cfg), nil)
		until(t, "the second is up", func() bool { return b.line.State().Online })
		synctest.Wait()
		if st := a.line.State(); st.Online || st.Problem != edge.LinkReplaced || s.Census().Connected != 1 {
			t.Errorf("the first: %+v; %d connected", st, s.Census().Connected)
		}
		time.Sleep(time.Hour)
		if n := s.Stats().Admitted; n > 60*60/15+4 {
			t.Errorf("two programs that fight connected %d times in an hour", n)
		}
	})
}

// TestRevocation cuts a live connection; the terminal keeps trying slowly until
// somebody undoes the revocation.
func TestRevocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, d := newNetwork(), newFakeCentral(4)
		s, _ := serve(t, n, d, nil)
		c := newCounter(t, n, d, nil)
		until(t, "up", func() bool { return c.line.State().Online })
		d.revoke(c.id, time.Now())
		synctest.Wait()
		time.Sleep(10 * time.Millisecond)
		if st := c.line.State(); st.Online || !st.Revoked || st.Problem != edge.LinkRevoked {
			t.Errorf("after the revocation: %+v", st)
		}
		time.Sleep(2 * time.Hour)
		if n := s.Stats().Unauthenticated; n < 11 || n > 15 {
			t.Errorf("a revoked counter knocked %d times in two hours", n)
		}
		if st := c.line.State(); !st.Revoked {
			t.Errorf("two hours later: %+v", st)
		}
		d.revoke(c.id, time.Time{})
		until(t, "up again", func() bool { return c.line.State().Online && !c.line.State().Revoked })
	})
}
