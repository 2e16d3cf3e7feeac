package door

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Bounds of the time after a reply that ends a connection while the peer is
// still sending: closed at once, the peer's system would throw the reply away.
const (
	lingerTime  = 2 * time.Second
	lingerBytes = 16 << 20
)

// acceptPause is how long accepting rests when the system is out of files or
// memory: the connections that are open go on, and free some.
const acceptPause = 100 * time.Millisecond

// listener bounds the connections of the one it wraps, and knows them all, so
// that shutting down can end them and wait for those who serve them.
type listener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	conns map[*conn]struct{}
	empty chan struct{} // closed when the listener is closed and no connection is left
}

func newListener(inner net.Listener, maxConns int) *listener {
	return &listener{
		Listener: inner, slots: make(chan struct{}, maxConns), closed: make(chan struct{}),
		conns: map[*conn]struct{}{}, empty: make(chan struct{}),
	}
}

// Accept waits while there are as many connections as there may be: newcomers
// wait in the system's queue.
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
		if passing(err) {
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

// passing tells whether accepting may succeed a moment later.
func passing(err error) bool {
	for _, known := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// Close stops accepting; connections go on. Closing twice changes nothing.
func (l *listener) Close() error {
	var err error
	l.once.Do(func() {
		close(l.closed)
		err = l.Listener.Close()
		l.forget(nil)
	})
	return err
}

// cut ends all connections under their servers' hands.
func (l *listener) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Conn.Close() // its server meets the error
	}
}

// forget takes a connection off the list; nil: the listener was closed.
func (l *listener) forget(c *conn) {
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
		case <-l.empty:
		default:
			close(l.empty)
		}
	}
}

// conn is a connection that its listener knows.
type conn struct {
	net.Conn
	owner  *listener
	linger atomic.Bool // read on for a moment before closing
	once   sync.Once

	// head is how the request begins that is read at the moment: the HTTP layer
	// forgets it where it can't read the rest. Only the connection's server
	// touches it.
	head []byte
	// ended: nothing comes any more. As head, the server's alone.
	ended bool
}

// headSize is enough for a method and the beginning of a path.
const headSize = 64

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.ended = c.ended || err != nil
	if room := headSize - len(c.head); n > 0 && room > 0 {
		c.head = append(c.head, p[:min(n, room)]...)
	}
	return n, err
}

// whole says that a request was read to its end: what comes next is another.
func (c *conn) whole() { c.head = c.head[:0] }

// Close is what the server of the connection does last.
func (c *conn) Close() error {
	var err error
	c.once.Do(func() {
		if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.linger.Load() && half.CloseWrite() == nil {
			_ = c.SetReadDeadline(time.Now().Add(lingerTime))
			_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes) // whatever ends it, the connection is closed next
		}
		err = c.Conn.Close()
		c.owner.forget(c)
	})
	return err
}
