//go:build linux

package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"galla/shared/freeport"
)

// ailment is what can be wrong with a cable.
type ailment string

const (
	sound    ailment = "sound"
	cut      ailment = "cut"      // every connection is reset, and so is each new one
	refused  ailment = "refused"  // nobody listens; what is open stays
	mute     ailment = "mute"     // connections are taken and nothing passes: half-open
	stale    ailment = "stale"    // nothing passes on what is open; new connections are sound
	slow     ailment = "slow"     // everything arrives, late
	narrow   ailment = "narrow"   // everything arrives, a few bytes at a time
	snipping ailment = "snipping" // each connection is reset after some bytes
)

// ailments are those that a breaker draws from.
var ailments = []ailment{cut, refused, mute, stale, slow, narrow, snipping}

// Limits of a cable. The sizes are those of the messages that pass: a
// transaction with its fingerprint has some 4 KiB.
const (
	cableChunk  = 16 << 10 // bytes that are carried at once
	narrowChunk = 512      // bytes at once where the cable is narrow …
	narrowPause = 25 * time.Millisecond
	slowMost    = 1200 * time.Millisecond // for one chunk where it is slow
	snipMost    = 6 << 10                 // bytes until a connection is reset
	dialWait    = 2 * time.Second         // for the far end
)

// cable carries connections to one of its ends, as a balancer does, and can fall
// ill. What it holds back while it is mute or stale arrives later, or never: each
// connection draws its own lot. So requests arrive after their sender gave up, or
// has connected anew to another end and asked there.
type cable struct {
	name string
	addr string   // where it listens
	ends []string // where it leads; another one is tried where one refuses

	work sync.WaitGroup
	mu   sync.Mutex
	l    net.Listener // nil: refused, or closed
	r    *rand.Rand
	ill  ailment
	turn chan struct{} // closed when the ailment changes
	open map[*splice]struct{}
	done bool

	sights []*sight // armed, each for one moment
}

// splice is one connection through a cable.
type splice struct {
	near, far *net.TCPConn
	late      bool // what was held back arrives in the end
	left      int  // bytes until it is snipped
	asked     int  // bytes that came from the near side
	old       bool // it was open when the cable went stale
	once      sync.Once
	dead      chan struct{}
}

// newCable opens a cable on a port of its own; it closes with the test.
func newCable(t *testing.T, name string, seed uint64, ends ...string) *cable {
	t.Helper()
	return newCableAt(t, name, freeport.For(t), seed, ends...)
}

// newCableAt opens a cable on a given port.
func newCableAt(t *testing.T, name, addr string, seed uint64, ends ...string) *cable {
	t.Helper()
	w := &cable{
		name: name, addr: addr, ends: ends, r: rand.New(rand.NewPCG(seed, 1)),
		ill: sound, turn: make(chan struct{}), open: map[*splice]struct{}{},
	}
	if err := w.listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w
}

// listen begins to take connections.
func (w *cable) listen() error {
	l, err := net.Listen("tcp", w.addr)
	if err != nil {
		return fmt.Errorf("cable %s: %w", w.name, err)
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
			w.work.Go(func() { w.carry(c.(*net.TCPConn)) })
		}
	})
	return nil
}

// set makes a cable ill, or sound again.
func (w *cable) set(a ailment) error {
	w.mu.Lock()
	before := w.ill
	w.ill = a
	close(w.turn)
	w.turn = make(chan struct{})
	if a == refused && w.l != nil {
		_ = w.l.Close()
		w.l = nil
	}
	for s := range w.open {
		if a == cut {
			s.kill()
		}
		s.left, s.old = w.r.IntN(snipMost), a == stale
	}
	w.mu.Unlock()
	if before == refused && a != refused {
		return w.listen()
	}
	return nil
}

func (w *cable) close() {
	w.mu.Lock()
	w.done = true
	if w.l != nil {
		_ = w.l.Close()
	}
	for s := range w.open {
		s.kill()
	}
	w.mu.Unlock()
	w.work.Wait()
}

// carry joins a connection to an end and returns when it is over.
func (w *cable) carry(near *net.TCPConn) {
	s := &splice{near: near, dead: make(chan struct{})}
	w.mu.Lock()
	if w.ill == cut || w.done {
		w.mu.Unlock()
		reset(near)
		return
	}
	first := w.r.IntN(len(w.ends))
	s.late, s.left = w.r.IntN(2) == 0, w.r.IntN(snipMost)
	w.mu.Unlock()
	if s.far = w.dial(first); s.far == nil {
		reset(near)
		return
	}
	w.mu.Lock()
	if w.ill == cut || w.done {
		s.kill()
	}
	w.open[s] = struct{}{}
	w.mu.Unlock()
	var pumps sync.WaitGroup
	pumps.Go(func() { w.pump(s, s.far, s.near, true) })
	pumps.Go(func() { w.pump(s, s.near, s.far, false) })
	pumps.Wait()
	w.mu.Lock()
	delete(w.open, s)
	w.mu.Unlock()
	_, _ = s.near.Close(), s.far.Close()
}

// dial reaches an end, the given one first.
func (w *cable) dial(first int) *net.TCPConn {
	for i := range w.ends {
		c, err := net.DialTimeout("tcp", w.ends[(first+i)%len(w.ends)], dialWait)
		if err == nil {
			return c.(*net.TCPConn)
		}
	}
	return nil
}

// pump carries one direction; out is the one towards the end.
func (w *cable) pump(s *splice, to, from *net.TCPConn, out bool) {
	buf := make([]byte, cableChunk)
	for {
		n, err := from.Read(buf)
		chunk := buf[:n]
		if x := w.meets(s, out, n); x != nil {
			k := x.keep.of(n)
			if !w.forward(s, to, chunk[:k]) {
				x.miss()
				return
			}
			x.hit()
			if x.sever {
				s.kill()
				return
			}
			chunk = chunk[k:]
		}
		if !w.forward(s, to, chunk) {
			return
		}
		if err != nil {
			if err != io.EOF || to.CloseWrite() != nil {
				s.kill()
			}
			return
		}
	}
}

// forward carries a chunk as the cable's ailment lets it pass; false: the
// connection is over.
func (w *cable) forward(s *splice, to *net.TCPConn, rest []byte) bool {
	for len(rest) > 0 {
		k, ok := w.pass(s, len(rest))
		if k > 0 {
			if _, err := to.Write(rest[:k]); err != nil {
				s.kill()
				return false
			}
		}
		if !ok {
			s.kill()
			return false
		}
		rest = rest[k:]
	}
	return true
}

// pass waits until some of n bytes may go on, and says how many; false: the
// connection is reset after them.
func (w *cable) pass(s *splice, n int) (int, bool) {
	for {
		w.mu.Lock()
		ill, turn := w.ill, w.turn
		if ill == stale && !s.old {
			ill = sound
		}
		switch ill {
		case sound, refused:
			w.mu.Unlock()
			return n, true
		case snipping:
			k := min(n, s.left)
			s.left -= k
			snipped := s.left == 0
			w.mu.Unlock()
			return k, !snipped
		case slow:
			pause := time.Duration(w.r.Int64N(int64(slowMost)))
			w.mu.Unlock()
			return n, s.sleep(pause)
		case narrow:
			w.mu.Unlock()
			return min(n, narrowChunk), s.sleep(narrowPause)
		}
		w.mu.Unlock()
		select { // mute, or stale
		case <-s.dead:
			return 0, false
		case <-turn:
			if !s.late {
				return 0, false
			}
		}
	}
}

func (s *splice) sleep(d time.Duration) bool {
	select {
	case <-s.dead:
		return false
	case <-time.After(d):
		return true
	}
}

// kill resets both halves.
func (s *splice) kill() {
	s.once.Do(func() {
		close(s.dead)
		reset(s.near)
		reset(s.far)
	})
}

// reset ends a connection without a good-bye.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}
