package uplink

import (
	"net"
	"sync/atomic"
)

// limitedListener closes new connections above its limit at once, so that silent
// sockets can't use up the process's files.
type limitedListener struct {
	net.Listener
	slots chan struct{}
}

func newLimitedListener(l net.Listener, limit int) *limitedListener {
	return &limitedListener{Listener: l, slots: make(chan struct{}, limit)}
}

func (b *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case b.slots <- struct{}{}:
			return &limitedConn{Conn: c, slots: b.slots}, nil
		default:
			_ = c.Close()
		}
	}
}

// limitedConn gives its slot back when it is closed.
type limitedConn struct {
	net.Conn
	slots  chan struct{}
	closed atomic.Bool
}

func (c *limitedConn) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		defer func() { <-c.slots }()
	}
	return c.Conn.Close()
}
