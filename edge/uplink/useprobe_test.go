package uplink

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"galla/shared/wsconn"
)

// noticedWithin is how soon a central that hangs is noticed while the counter is in use.
const noticedWithin = 8 * time.Second

// probed plays a central that counts pings and may stop answering them.
func probed(t *testing.T, inUse *atomic.Bool, delay time.Duration, test func(t *testing.T, c *fakeReceiver, l *Client, pings *atomic.Int64, hang func())) {
	t.Helper()
	var mute atomic.Bool
	var pings atomic.Int64
	play(t, func(cfg *Config) { cfg.InUse = inUse.Load }, func(t *testing.T, d *testServer) {
		d.script = append(d.script, d.serveScript(func(p *peer) {
			p.greeted()
			pong := p.ws.PingHandler()
			p.ws.SetPingHandler(func(s string) error {
				pings.Add(1)
				if mute.Load() {
					return nil
				}
				time.Sleep(delay)
				return pong(s)
			})
			_ = p.rest()
		}))
	}, func(t *testing.T, _ *testServer, c *fakeReceiver, l *Client) {
		until(t, "up", func() bool { return l.State().Online })
		test(t, c, l, &pings, func() { mute.Store(true) })
	})
}

// TestHungCentralIsNoticed: a central that is alive and silent is noticed soon while
// somebody is at the counter, also when the use begins after it hung.
func TestHungCentralIsNoticed(t *testing.T) {
	for _, before := range []time.Duration{0, 100 * time.Millisecond, 3 * time.Second, 19900 * time.Millisecond} {
		var inUse atomic.Bool
		inUse.Store(true)
		probed(t, &inUse, 0, func(t *testing.T, c *fakeReceiver, _ *Client, _ *atomic.Int64, hang func()) {
			time.Sleep(before)
			hang()
			begun := time.Now()
			until(t, "lost", func() bool { return len(c.causes()) > 0 })
			if d := time.Since(begun); d > noticedWithin || !errors.Is(c.causes()[0], wsconn.ErrSilent) {
				t.Errorf("hung after %v, it was lost after %v for %v", before, d, c.causes()[0])
			}
		})
	}
	var inUse atomic.Bool
	probed(t, &inUse, 0, func(t *testing.T, c *fakeReceiver, _ *Client, _ *atomic.Int64, hang func()) {
		hang()
		time.Sleep(10 * time.Second)
		inUse.Store(true)
		begun := time.Now()
		until(t, "lost", func() bool { return len(c.causes()) > 0 })
		if d := time.Since(begun); d > noticedWithin {
			t.Errorf("the use began, and it was lost after %v", d)
		}
	})
}

// TestPingsOfUse counts the frames: an idle terminal sends no more than without InUse, and
// one in use a ping in three seconds.
func TestPingsOfUse(t *testing.T) {
	var inUse atomic.Bool
	probed(t, &inUse, 0, func(t *testing.T, c *fakeReceiver, _ *Client, pings *atomic.Int64, _ func()) {
		time.Sleep(10*time.Minute + time.Second)
		if n := pings.Load(); n != 30 {
			t.Errorf("an idle terminal sent %d pings in ten minutes, want 30", n)
		}
		inUse.Store(true)
		pings.Store(0)
		time.Sleep(10 * time.Minute)
		if n := pings.Load(); n < 150 || n > 230 || len(c.causes()) != 0 {
			t.Errorf("a terminal in use sent %d pings in ten minutes, and was cut off %d times", n, len(c.causes()))
		}
	})
}

// TestSlowLineIsNotCut: a connection whose answers take long, but come, stays.
func TestSlowLineIsNotCut(t *testing.T) {
	var inUse atomic.Bool
	inUse.Store(true)
	probed(t, &inUse, 3*time.Second, func(t *testing.T, c *fakeReceiver, _ *Client, _ *atomic.Int64, _ func()) {
		time.Sleep(10 * time.Minute)
		if len(c.causes()) != 0 {
			t.Errorf("a slow connection was cut: %v", c.causes())
		}
	})
}

// TestPatience: a large message gets the time that it takes on the slowest connection.
func TestPatience(t *testing.T) {
	var p useProbe
	now := time.Now()
	p.look(now, 1, 0, true)
	if got := p.patience(8 << 10); got != answerWait {
		t.Errorf("after a finger's capture %v", got)
	}
	if got := p.patience(180 << 10); got < 80*time.Second || got > 90*time.Second {
		t.Errorf("after the capture of a face %v", got)
	}
	p.look(now.Add(3*time.Second), 1, 0, true)
	p.look(now.Add(6*time.Second), 2, 0, true)
	if got := p.patience(0); got != slowFactor*(3*time.Second-lookEvery) {
		t.Errorf("after an answer in 3 s %v", got)
	}
}
