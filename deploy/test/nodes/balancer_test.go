package nodes

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// balancer is the load balancer of a cluster: it gives each TCP connection to the next
// node that says it is ready.
type balancer struct {
	addr    string
	nodes   []*node
	address func(*node) string
	up      []atomic.Bool
	next    atomic.Int64

	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// probeEvery is how often the balancer asks /readyz: several times in a node's
// lead.
const probeEvery = drainDelay / 8

// balance starts a load balancer in front of nodes until the test ends.
func balance(t *testing.T, nodes []*node, address func(*node) string) *balancer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{addr: l.Addr().String(), nodes: nodes, address: address, up: make([]atomic.Bool, len(nodes)), conns: map[net.Conn]struct{}{}}
	for i, n := range nodes {
		b.up[i].Store(ready(n))
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { b.join(c) })
		}
	})
	for i, n := range nodes {
		running.Go(func() {
			for ctx.Err() == nil {
				b.up[i].Store(ready(n))
				time.Sleep(probeEvery)
			}
		})
	}
	t.Cleanup(func() {
		stop()
		_ = l.Close()
		b.mu.Lock()
		for c := range b.conns {
			_ = c.Close()
		}
		b.mu.Unlock()
		running.Wait()
	})
	return b
}

// hold registers a connection until the balancer ends; the returned function closes it.
func (b *balancer) hold(c net.Conn) func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conns[c] = struct{}{}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.conns, c)
		_ = c.Close()
	}
}

func (b *balancer) join(in net.Conn) {
	defer b.hold(in)()
	out := b.dial()
	if out == nil {
		return
	}
	defer b.hold(out)()
	var both sync.WaitGroup
	both.Go(func() { pipe(out, in) })
	both.Go(func() { pipe(in, out) })
	both.Wait()
}

// dial connects to the next node that is ready and answers.
func (b *balancer) dial() net.Conn {
	first := int(b.next.Add(1))
	for i := range b.nodes {
		n := (first + i) % len(b.nodes)
		if !b.up[n].Load() {
			continue
		}
		if c, err := net.DialTimeout("tcp", b.address(b.nodes[n]), time.Second); err == nil {
			return c
		}
	}
	return nil
}

// pipe copies bytes one way, and the end of the connection.
func pipe(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if err != nil {
		_, _ = to.Close(), from.Close()
		return
	}
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}
