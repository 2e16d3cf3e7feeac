package server

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"galla/central/credential"
)

const (
	// helloWait bounds the wait for a connection's first byte.
	helloWait = 5 * time.Second
	// maxHellos bounds the connections that have said nothing so far: probes and
	// a few people call here. One more ends the one that has been silent longest, so
	// that silence keeps no probe out.
	maxHellos = 64
	// acceptPause is how long nobody is let in after an error that passes, such as
	// that too many files are open.
	acceptPause = 100 * time.Millisecond
	// tlsHandshake is the first byte of a TLS connection; no HTTP request begins
	// with it.
	tlsHandshake = 0x16
)

// either is the address of the administration where there is a certificate:
// probes and scrapers speak plainly to it, as they always did, and whoever begins
// with TLS gets TLS. It gives the two kinds of connections as two listeners.
type either struct {
	from          net.Listener
	plain, shaken *share

	mu     sync.Mutex
	silent []net.Conn // that have said nothing so far, the longest first
}

func newEither(from net.Listener, shown *credential.Certificate) (e *either, plain, shaken net.Listener) {
	e = &either{from: from, plain: newShare(from), shaken: newShare(from)}
	return e, e.plain, shown.Guard(e.shaken)
}

// run hands connections on until the listener is closed or ctx ends, and waits
// for those that it looks at.
func (e *either) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var looking sync.WaitGroup
	defer looking.Wait()
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = e.from.Close() })()
	for {
		conn, err := e.from.Accept()
		if passing(err) {
			select {
			case <-ctx.Done():
			case <-time.After(acceptPause):
			}
			continue
		}
		if err != nil {
			e.plain.end(err)
			e.shaken.end(err)
			return
		}
		e.wait(conn)
		looking.Go(func() {
			stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) })
			defer stop()
			e.look(conn)
		})
	}
}

// passing tells whether an error of Accept goes away by itself, as that too many
// files are open.
func passing(err error) bool {
	var failed syscall.Errno
	return errors.As(err, &failed) && failed.Temporary()
}

// wait counts a connection that has said nothing so far.
func (e *either) wait(conn net.Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.silent) == maxHellos {
		_ = e.silent[0].Close()
		e.silent = slices.Delete(e.silent, 0, 1)
	}
	e.silent = append(e.silent, conn)
}

// spoke forgets one that has said something, or has ended.
func (e *either) spoke(conn net.Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.silent, conn); i >= 0 {
		e.silent = slices.Delete(e.silent, i, i+1)
	}
}

// look reads the first byte, and hands the connection on with it.
func (e *either) look(conn net.Conn) {
	first := make([]byte, 1)
	_ = conn.SetReadDeadline(time.Now().Add(helloWait))
	_, err := conn.Read(first)
	e.spoke(conn)
	if err != nil {
		_ = conn.Close()
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	to := e.plain
	if first[0] == tlsHandshake {
		to = e.shaken
	}
	to.give(&begun{Conn: conn, first: first})
}

// begun is a connection whose first byte was read already.
type begun struct {
	net.Conn
	first []byte // empty: it was given back
}

// Read gives the first byte back before the others. Only one goroutine reads.
func (b *begun) Read(p []byte) (int, error) {
	if len(b.first) > 0 && len(p) > 0 {
		n := copy(p, b.first)
		b.first = b.first[n:]
		return n, nil
	}
	return b.Conn.Read(p)
}

// share is one kind of a listener's connections.
type share struct {
	from  net.Listener
	conns chan net.Conn
	over  chan struct{}

	once sync.Once
	why  error
}

func newShare(from net.Listener) *share {
	return &share{from: from, conns: make(chan net.Conn), over: make(chan struct{})}
}

func (s *share) give(conn net.Conn) {
	select {
	case s.conns <- conn:
	case <-s.over:
		_ = conn.Close()
	}
}

func (s *share) end(why error) {
	s.once.Do(func() {
		s.why = why
		close(s.over)
	})
}

// Accept implements net.Listener.
func (s *share) Accept() (net.Conn, error) {
	select {
	case conn := <-s.conns:
		return conn, nil
	case <-s.over:
		return nil, s.why
	}
}

// Addr implements net.Listener.
func (s *share) Addr() net.Addr { return s.from.Addr() }

// Close implements net.Listener: both kinds end with the address.
func (s *share) Close() error {
	s.end(net.ErrClosed)
	return s.from.Close()
}
