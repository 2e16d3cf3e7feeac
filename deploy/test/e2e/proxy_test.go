//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"galla/shared/freeport"
)

// proxyFault is what can be wrong with a proxy.
type proxyFault string

const (
	noFault         proxyFault = "sound"
	resetAll        proxyFault = "cut"      // every connection is reset, and so is each new one
	refuseNew       proxyFault = "refused"  // nobody listens; what is open stays
	halfOpen        proxyFault = "mute"     // connections are accepted and nothing passes: half-open
	stallOpen       proxyFault = "stale"    // nothing passes on open connections; new ones work
	delayAll        proxyFault = "slow"     // everything arrives, late
	throttle        proxyFault = "narrow"   // everything arrives, a few bytes at a time
	resetAfterBytes proxyFault = "snipping" // each connection is reset after some bytes
)

// proxyFaults are those that the injector draws from.
var proxyFaults = []proxyFault{resetAll, refuseNew, halfOpen, stallOpen, delayAll, throttle, resetAfterBytes}

// Limits of a proxy. The sizes are those of the messages that pass: a transaction with
// its fingerprint has some 4 KiB.
const (
	proxyChunk          = 16 << 10 // bytes that are copied at once
	throttleChunk       = 512      // bytes at once while the proxy is throttled …
	throttlePause       = 25 * time.Millisecond
	maxDelay            = 1200 * time.Millisecond // for one chunk where it is slow
	maxBytesBeforeReset = 6 << 10                 // bytes until a connection is reset
	dialWait            = 2 * time.Second         // for the far end
)

// faultyProxy forwards connections to one of its targets, as a load balancer does, and
// can fail. What it holds back while it is mute or stalled arrives later, or never:
// each connection draws its own fate. So requests arrive after their sender gave up, or
// after it has connected to another target and asked there.
type faultyProxy struct {
	name    string
	addr    string   // where it listens
	targets []string // its targets; another one is tried if one refuses

	work         sync.WaitGroup
	mu           sync.Mutex
	l            net.Listener // nil: refused, or closed
	rng          *rand.Rand
	fault        proxyFault
	faultChanged chan struct{} // closed when the fault changes
	conns        map[*proxyConn]struct{}
	done         bool

	triggers []*trigger // armed, each for one moment
}

// proxyConn is one connection through a proxy.
type proxyConn struct {
	near, far       *net.TCPConn
	deliversLate    bool // what was held back arrives in the end
	bytesLeft       int  // bytes until it is reset
	bytesSent       int  // bytes that came from the near side
	openBeforeStall bool // it was open when the proxy stalled
	once            sync.Once
	closed          chan struct{}
}

// newFaultyProxy opens a proxy on a port of its own; it closes with the test.
func newFaultyProxy(t *testing.T, name string, seed uint64, ends ...string) *faultyProxy {
	t.Helper()
	return newFaultyProxyAt(t, name, freeport.For(t), seed, ends...)
}

// newFaultyProxyAt opens a proxy on a given port.
func newFaultyProxyAt(t *testing.T, name, addr string, seed uint64, ends ...string) *faultyProxy {
	t.Helper()
	w := &faultyProxy{
		name: name, addr: addr, targets: ends, rng: rand.New(rand.NewPCG(seed, 1)),
		fault: noFault, faultChanged: make(chan struct{}), conns: map[*proxyConn]struct{}{},
	}
	if err := w.listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w
}

// portWait is how long another program may still have a proxy's port.
const portWait = 10 * time.Second

// listen begins to accept connections.
func (w *faultyProxy) listen() error {
	l, err := net.Listen("tcp", w.addr)
	for end := time.Now().Add(portWait); errors.Is(err, syscall.EADDRINUSE) && time.Now().Before(end); l, err = net.Listen("tcp", w.addr) {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("proxy %s: %w", w.name, err)
	}
	w.mu.Lock()
	w.l = l
	w.mu.Unlock()
	w.work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			w.work.Go(func() { w.serve(c.(*net.TCPConn)) })
		}
	})
	return nil
}

// setFault makes a proxy faulty, or healthy again.
func (w *faultyProxy) setFault(a proxyFault) error {
	w.mu.Lock()
	before := w.fault
	w.fault = a
	close(w.faultChanged)
	w.faultChanged = make(chan struct{})
	if a == refuseNew && w.l != nil {
		_ = w.l.Close()
		w.l = nil
	}
	for s := range w.conns {
		if a == resetAll {
			s.reset()
		}
		s.bytesLeft, s.openBeforeStall = w.rng.IntN(maxBytesBeforeReset), a == stallOpen
	}
	w.mu.Unlock()
	if before == refuseNew && a != refuseNew {
		return w.listen()
	}
	return nil
}

func (w *faultyProxy) close() {
	w.mu.Lock()
	w.done = true
	if w.l != nil {
		_ = w.l.Close()
	}
	for s := range w.conns {
		s.reset()
	}
	w.mu.Unlock()
	w.work.Wait()
}

// serve joins a connection to a target and returns when it is over.
func (w *faultyProxy) serve(near *net.TCPConn) {
	s := &proxyConn{near: near, closed: make(chan struct{})}
	w.mu.Lock()
	if w.fault == resetAll || w.done {
		w.mu.Unlock()
		resetConn(near)
		return
	}
	first := w.rng.IntN(len(w.targets))
	s.deliversLate, s.bytesLeft = w.rng.IntN(2) == 0, w.rng.IntN(maxBytesBeforeReset)
	w.mu.Unlock()
	if s.far = w.dial(first); s.far == nil {
		resetConn(near)
		return
	}
	w.mu.Lock()
	if w.fault == resetAll || w.done {
		s.reset()
	}
	w.conns[s] = struct{}{}
	w.mu.Unlock()
	var pumps sync.WaitGroup
	pumps.Go(func() { w.copyDirection(s, s.far, s.near, true) })
	pumps.Go(func() { w.copyDirection(s, s.near, s.far, false) })
	pumps.Wait()
	w.mu.Lock()
	delete(w.conns, s)
	w.mu.Unlock()
	_, _ = s.near.Close(), s.far.Close()
}

// dial connects to a target, the given one first.
func (w *faultyProxy) dial(first int) *net.TCPConn {
	for i := range w.targets {
		c, err := net.DialTimeout("tcp", w.targets[(first+i)%len(w.targets)], dialWait)
		if err == nil {
			return c.(*net.TCPConn)
		}
	}
	return nil
}

// copyDirection copies one direction; out is the one towards the target.
func (w *faultyProxy) copyDirection(s *proxyConn, to, from *net.TCPConn, out bool) {
	buf := make([]byte, proxyChunk)
	for {
		n, err := from.Read(buf)
		chunk := buf[:n]
		if x := w.matchTrigger(s, out, n); x != nil {
			k := x.passes.of(n)
			if !w.copyChunk(s, to, chunk[:k]) {
				x.giveUp()
				return
			}
			x.fire()
			if x.reset {
				s.reset()
				return
			}
			chunk = chunk[k:]
		}
		if !w.copyChunk(s, to, chunk) {
			return
		}
		if err != nil {
			if err != io.EOF || to.CloseWrite() != nil {
				s.reset()
			}
			return
		}
	}
}

// copyChunk copies a chunk as the proxy's fault allows; false: the connection is over.
func (w *faultyProxy) copyChunk(s *proxyConn, to *net.TCPConn, rest []byte) bool {
	for len(rest) > 0 {
		k, ok := w.allowBytes(s, len(rest))
		if k > 0 {
			if _, err := to.Write(rest[:k]); err != nil {
				s.reset()
				return false
			}
		}
		if !ok {
			s.reset()
			return false
		}
		rest = rest[k:]
	}
	return true
}

// allowBytes waits until some of n bytes may pass, and says how many; false: the
// connection is reset after them.
func (w *faultyProxy) allowBytes(s *proxyConn, n int) (int, bool) {
	for {
		w.mu.Lock()
		ill, turn := w.fault, w.faultChanged
		if ill == stallOpen && !s.openBeforeStall {
			ill = noFault
		}
		switch ill {
		case noFault, refuseNew:
			w.mu.Unlock()
			return n, true
		case resetAfterBytes:
			k := min(n, s.bytesLeft)
			s.bytesLeft -= k
			snipped := s.bytesLeft == 0
			w.mu.Unlock()
			return k, !snipped
		case delayAll:
			pause := time.Duration(w.rng.Int64N(int64(maxDelay)))
			w.mu.Unlock()
			return n, s.sleep(pause)
		case throttle:
			w.mu.Unlock()
			return min(n, throttleChunk), s.sleep(throttlePause)
		}
		w.mu.Unlock()
		select { // mute, or stalled
		case <-s.closed:
			return 0, false
		case <-turn:
			if !s.deliversLate {
				return 0, false
			}
		}
	}
}

func (s *proxyConn) sleep(d time.Duration) bool {
	select {
	case <-s.closed:
		return false
	case <-time.After(d):
		return true
	}
}

// reset resets both halves.
func (s *proxyConn) reset() {
	s.once.Do(func() {
		close(s.closed)
		resetConn(s.near)
		resetConn(s.far)
	})
}

// resetConn ends a connection without a good-bye.
func resetConn(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}
