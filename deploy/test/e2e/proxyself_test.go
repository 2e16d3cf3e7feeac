//go:build linux

package e2e

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"galla/shared/freeport"
)

// TestFaultyProxy checks that a proxy passes everything while it is healthy, and that
// each fault does what it says: a test that breaks nothing proves nothing.
func TestFaultyProxy(t *testing.T) {
	t.Parallel()
	end := echo(t)
	dial := func(t *testing.T, w *faultyProxy) net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", w.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	sent := make([]byte, 40<<10)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(sent)
	// trip sends everything through a connection and gives what came back.
	trip := func(c net.Conn) ([]byte, error) {
		var work sync.WaitGroup
		work.Go(func() {
			_, _ = c.Write(sent)
			_ = c.(*net.TCPConn).CloseWrite()
		})
		got, err := io.ReadAll(c)
		work.Wait()
		return got, err
	}
	for _, a := range []proxyFault{noFault, delayAll, throttle} {
		t.Run(string(a), func(t *testing.T) {
			w := newFaultyProxy(t, "PROXY", 1, end)
			must(t, w.setFault(a))
			got, err := trip(dial(t, w))
			if err != nil || !bytes.Equal(got, sent) {
				t.Errorf("%d of %d bytes came back: %v", len(got), len(sent), err)
			}
		})
	}
	t.Run("cut", func(t *testing.T) {
		w := newFaultyProxy(t, "PROXY", 1, end)
		before := dial(t, w)
		_, _ = before.Write([]byte("x"))
		_, _ = io.ReadFull(before, make([]byte, 1))
		must(t, w.setFault(resetAll))
		if _, err := before.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the open connection: %v, want a reset", err)
		}
		c, err := net.Dial("tcp", w.addr)
		if err == nil {
			_, err = c.Read(make([]byte, 1))
			_ = c.Close()
		}
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("a new connection: %v, want a reset", err)
		}
		must(t, w.setFault(noFault))
		if got, err := trip(dial(t, w)); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("after it: %d bytes, %v", len(got), err)
		}
	})
	t.Run("refused", func(t *testing.T) {
		w := newFaultyProxy(t, "PROXY", 1, end)
		must(t, w.setFault(refuseNew))
		if c, err := net.Dial("tcp", w.addr); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%v %v, want a refusal", c, err)
		}
		must(t, w.setFault(noFault))
		if got, err := trip(dial(t, w)); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("after it: %d bytes, %v", len(got), err)
		}
	})
	t.Run("snipping", func(t *testing.T) {
		w := newFaultyProxy(t, "PROXY", 1, end)
		must(t, w.setFault(resetAfterBytes))
		if got, err := trip(dial(t, w)); err == nil || len(got) >= len(sent) {
			t.Errorf("%d of %d bytes came back: %v, want a reset", len(got), len(sent), err)
		}
	})
	t.Run("mute", func(t *testing.T) {
		w := newFaultyProxy(t, "PROXY", 1, end)
		must(t, w.setFault(halfOpen))
		ends := map[bool]int{}
		var all []net.Conn
		for range 16 {
			c := dial(t, w)
			_, _ = c.Write([]byte("late"))
			_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("a mute proxy gave %v", err)
			}
			all = append(all, c)
		}
		waitUntil(t, "the proxy has accepted all connections", time.Minute, func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return len(w.conns) == len(all)
		})
		must(t, w.setFault(noFault))
		for _, c := range all {
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			got := make([]byte, 4)
			_, err := io.ReadFull(c, got)
			ends[err == nil && string(got) == "late"]++
		}
		if ends[true] == 0 || ends[false] == 0 {
			t.Errorf("of what was held back, %d arrived late and %d never: want both", ends[true], ends[false])
		}
	})
	t.Run("stale", func(t *testing.T) {
		w := newFaultyProxy(t, "PROXY", 1, end)
		before := dial(t, w)
		_, _ = before.Write([]byte("x"))
		_, _ = io.ReadFull(before, make([]byte, 1))
		must(t, w.setFault(stallOpen))
		_, _ = before.Write([]byte("x"))
		_ = before.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		if _, err := before.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the old connection of a stalled proxy gave %v", err)
		}
		if got, err := trip(dial(t, w)); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("a new connection: %d bytes, %v", len(got), err)
		}
	})
	t.Run("at a moment", func(t *testing.T) { proxyMoments(t, end) })
	t.Run("ends", func(t *testing.T) {
		gone := freeport.For(t)
		w := newFaultyProxy(t, "PROXY", 1, gone, end)
		for range 4 {
			if got, err := trip(dial(t, w)); err != nil || !bytes.Equal(got, sent) {
				t.Errorf("one of two ends is gone: %d bytes, %v", len(got), err)
			}
		}
	})
}

// proxyMoments checks that a fault happens when the message passes, once, with as much
// of it on the other side as it should be.
func proxyMoments(t *testing.T, end string) {
	const size = 3000
	for _, m := range cutPoints {
		w := newFaultyProxy(t, "PROXY", 1, end)
		c, err := net.Dial("tcp", w.addr)
		must(t, err)
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		struck := 0
		x := &trigger{towardsEnd: m.towardsEnd, minBytes: size, passes: m.passes, reset: m.reset, action: func() { struck++ }}
		w.addTrigger(x)
		_, err = c.Write([]byte("small")) // no such message
		must(t, err)
		_, err = io.ReadFull(c, make([]byte, len("small")))
		must(t, err)
		if struck != 0 {
			t.Errorf("%s: a blow at a small message", m.name)
		}
		_, err = c.Write(make([]byte, size))
		must(t, err)
		got, err := io.ReadAll(c)
		// What has passed comes back, unless the reset overtakes it.
		if most := m.passes.of(size); !errors.Is(err, syscall.ECONNRESET) || len(got) > most {
			t.Errorf("%s: %d bytes came back and then %v, want a reset after %d at most", m.name, len(got), err, most)
		}
		if hit := <-x.result; !hit || struck != 1 || w.removeTrigger(x) {
			t.Errorf("%s: hit %v, %d blows", m.name, hit, struck)
		}
		_ = c.Close()
	}
	w := newFaultyProxy(t, "PROXY", 1, end)
	x := &trigger{towardsEnd: true, minBytes: 1}
	w.addTrigger(x)
	if !w.removeTrigger(x) || w.removeTrigger(x) || w.matchTrigger(&proxyConn{}, true, size) != nil {
		t.Error("a sight that was given up is still armed")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// echo serves connections by giving back what they send.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				_, _ = io.Copy(c, c)
				_ = c.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		work.Wait()
	})
	return l.Addr().String()
}
