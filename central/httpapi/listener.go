package httpapi

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Lingering after a reply that ends a connection while the peer is still sending:
// if it were closed at once, the peer's system would discard the reply.
const (
	lingerTime  = 2 * time.Second
	lingerBytes = 16 << 20
)

// acceptPause is how long accepting pauses when the system is out of files or
// memory, until open connections free some.
const acceptPause = 100 * time.Millisecond

// listener limits the connections of another listener and tracks them, so that
// shutdown can close them and wait for their servers.
type listener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once

	mu        sync.Mutex
	conns     map[*conn]struct{}
	allClosed chan struct{} // closed once the listener is closed and no connection is left
}

func newListener(inner net.Listener, maxConns int) *listener {
	return &listener{
		Listener: inner, slots: make(chan struct{}, maxConns), closed: make(chan struct{}),
		conns: map[*conn]struct{}{}, allClosed: make(chan struct{}),
	}
}

// Accept waits while there are as many connections as allowed: new ones wait in the
// system's queue.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, io.EOF
	}
	inner, err := l.acceptInner()
	if err != nil {
		<-l.slots
		return nil, err
	}
	c := &conn{Conn: inner, owner: l}
	l.mu.Lock()
	l.conns[c] = struct{}{}
	l.mu.Unlock()
	return c, nil
}

func (l *listener) acceptInner() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err == nil {
			return inner, nil
		}
		pause := time.Duration(0)
		if isTemporary(err) {
			pause = acceptPause
		}
		select {
		case <-l.closed:
			return nil, io.EOF
		case <-time.After(pause):
		}
		if pause == 0 {
			return nil, err
		}
	}
}

// isTemporary reports whether accepting may succeed a moment later.
func isTemporary(err error) bool {
	for _, known := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// Close stops accepting; connections stay open. Closing twice is harmless.
func (l *listener) Close() error {
	var err error
	l.once.Do(func() {
		close(l.closed)
		err = l.Listener.Close()
		l.remove(nil)
	})
	return err
}

// closeAll closes all connections.
func (l *listener) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Conn.Close() // its server gets the error
	}
}

// remove takes a connection off the list; nil: the listener was closed.
func (l *listener) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c != nil {
		delete(l.conns, c)
		<-l.slots
	}
	select {
	case <-l.closed:
	default:
		return
	}
	if len(l.conns) == 0 {
		select {
		case <-l.allClosed:
		default:
			close(l.allClosed)
		}
	}
}

// conn is a connection that its listener tracks.
type conn struct {
	net.Conn
	owner  *listener
	linger atomic.Bool // read on for a moment before closing
	once   sync.Once

	// head is the start of the current request: fasthttp drops it if it can't read
	// the rest. Only the connection's server uses it.
	head []byte
	// ended: nothing more comes. Only the connection's server uses it.
	ended bool
}

// headSize holds a method and the beginning of a path.
const headSize = 64

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.ended = c.ended || err != nil
	if missing := headSize - len(c.head); n > 0 && missing > 0 {
		c.head = append(c.head, p[:min(n, missing)]...)
	}
	return n, err
}

// resetHead records that a request was read to its end.
func (c *conn) resetHead() { c.head = c.head[:0] }

// Close is the last call of the connection's server.
func (c *conn) Close() error {
	var err error
	c.once.Do(func() {
		if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.linger.Load() && half.CloseWrite() == nil {
			_ = c.SetReadDeadline(time.Now().Add(lingerTime))
			_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes) // the connection is closed next, whatever happens here
		}
		err = c.Conn.Close()
		c.owner.remove(c)
	})
	return err
}
