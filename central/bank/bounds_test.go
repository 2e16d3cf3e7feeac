package bank

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestBoundsOfKeptConnections: time is virtual, connections are in memory.
func TestBoundsOfKeptConnections(t *testing.T) {
	run := func(name string, cfg Config, test func(t *testing.T, c *Client, dials *atomic.Int64)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var dials, requests atomic.Int64
				var far sync.WaitGroup
				cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
					dials.Add(1)
					time.Sleep(time.Microsecond) // so that exchanges of one moment overlap
					near, end := net.Pipe()
					far.Go(func() { answering(&requests, signed(200, approvedBody))(end) })
					return near, nil
				}
				c := newClient(t, cfg)
				test(t, c, &dials)
				c.Close()
				far.Wait() // every connection was closed
			})
		})
	}
	run("idle", Config{}, func(t *testing.T, c *Client, dials *atomic.Int64) {
		mustSend(t, c)
		time.Sleep(defaultMaxIdle - time.Millisecond)
		mustSend(t, c)
		if dials.Load() != 1 {
			t.Errorf("%d connections: the first was not used again", dials.Load())
		}
		time.Sleep(defaultMaxIdle)
		synctest.Wait()
		if n := len(c.kept.waiting); n != 0 {
			t.Errorf("%d connections are still kept", n)
		}
		mustSend(t, c)
		if dials.Load() != 2 {
			t.Errorf("%d connections, want 2", dials.Load())
		}
	})
	run("life", Config{}, func(t *testing.T, c *Client, dials *atomic.Int64) {
		for range int(defaultMaxLife / time.Second) {
			mustSend(t, c)
			time.Sleep(time.Second)
		}
		if dials.Load() != 1 {
			t.Errorf("%d connections within the life of one", dials.Load())
		}
		mustSend(t, c)
		if dials.Load() != 2 {
			t.Errorf("%d connections: the first lives for ever", dials.Load())
		}
	})
	run("number", Config{MaxKept: 2}, func(t *testing.T, c *Client, dials *atomic.Int64) {
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { mustSend(t, c) })
		}
		all.Wait()
		if n := len(c.kept.waiting); n < 1 || n > 2 {
			t.Errorf("%d connections are kept, want at most 2", n)
		}
	})
	run("none", Config{MaxIdle: -1}, func(t *testing.T, c *Client, dials *atomic.Int64) {
		mustSend(t, c)
		mustSend(t, c)
		if n := len(c.kept.waiting); dials.Load() != 2 || n != 0 {
			t.Errorf("%d connections, %d kept", dials.Load(), n)
		}
	})
	run("closed", Config{}, func(t *testing.T, c *Client, dials *atomic.Int64) {
		mustSend(t, c)
		c.Close()
		mustSend(t, c)
		if n := len(c.kept.waiting); dials.Load() != 2 || n != 0 {
			t.Errorf("%d connections, %d kept", dials.Load(), n)
		}
	})
	run("the older wait less", Config{}, func(t *testing.T, c *Client, dials *atomic.Int64) {
		var two sync.WaitGroup
		two.Go(func() { mustSend(t, c) })
		two.Go(func() { mustSend(t, c) })
		two.Wait()
		for range 4 { // one of them is used all the time
			time.Sleep(time.Second)
			mustSend(t, c)
		}
		synctest.Wait()
		if n := len(c.kept.waiting); dials.Load() != 2 || n != 1 {
			t.Errorf("%d connections, %d kept; want 2 and 1", dials.Load(), n)
		}
	})
}
