package bank

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"galla/central/bank/network"
)

// maxHead is the most that a reply's status line and headers may have; ours
// have 200 bytes.
const maxHead = 16 << 10

// maxKeptBody is the largest buffer for a reply's body that stays with its
// connection; only records of remitters are larger.
const maxKeptBody = 16 << 10

// tlsSessions is how many TLS sessions are remembered. The network has one name.
const tlsSessions = 8

// inThePast is a deadline that has passed.
var inThePast = time.Unix(1, 0)

// connection is a connection to the network. One exchange at a time uses it.
type connection struct {
	net.Conn // with TLS where there is TLS
	counted  *countedConn
	silence  *silence // of the socket; nil: there is none, such as in memory
	secure   bool
	in       *bufio.Reader
	left     int64  // bytes that the reply under way may still have
	failed   error  // of the latest read
	body     []byte // for the reply's body
	probe    [1]byte
	born     time.Time // when it was dialled
	idle     time.Time // when its latest exchange ended
}

// countedConn counts the bytes that its connection took.
type countedConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// connect opens a connection, until the deadline.
func (c *Client) connect(ctx context.Context, deadline time.Time) (*connection, error) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw, err := c.cfg.DialContext(ctx, "tcp", c.address)
	if err != nil {
		return nil, err
	}
	counted := &countedConn{Conn: raw}
	out := &connection{Conn: counted, counted: counted, silence: newSilence(raw), secure: c.tls != nil, born: time.Now()}
	if c.tls != nil {
		safe := tls.Client(counted, c.tls)
		if err := safe.HandshakeContext(ctx); err != nil {
			_ = raw.Close()
			return nil, fmt.Errorf("TLS: %w", err)
		}
		out.Conn = safe
	}
	out.in = bufio.NewReader(boundedReader{out})
	return out, nil
}

// tlsConfig is the configuration of all TLS connections to a host. Sessions are
// resumed; nothing is sent before a handshake ended (crypto/tls has no 0-RTT
// for clients), since such bytes could be replayed.
func tlsConfig(given *tls.Config, host string) *tls.Config {
	cfg := new(tls.Config)
	if given != nil {
		cfg = given.Clone()
	}
	if cfg.ServerName == "" {
		cfg.ServerName = host
	}
	if cfg.ClientSessionCache == nil {
		cfg.ClientSessionCache = tls.NewLRUClientSessionCache(tlsSessions)
	}
	cfg.NextProtos = nil // HTTP/1.1 and nothing else
	return cfg
}

// boundedReader reads a connection up to the bound of the reply under way. The
// bound holds for heads, chunk lines and trailers alike.
type boundedReader struct{ c *connection }

func (b boundedReader) Read(p []byte) (int, error) {
	if b.c.left <= 0 {
		return 0, io.EOF
	}
	n, err := b.c.Conn.Read(p[:min(int64(len(p)), b.c.left)])
	b.c.left -= int64(n)
	b.c.failed = err
	return n, err
}

// beginReply sets the bound of the reply that is read next.
func (c *connection) beginReply() { c.left, c.failed = maxHead+network.MaxReply+1, nil }

// isSilent tells whether nothing can be read from a connection that waited: no
// byte, no end, no reset. It costs at most one system call and never waits. Its
// deadlines are gone afterwards.
func (c *connection) isSilent() bool {
	if c.in.Buffered() > 0 {
		return false
	}
	if c.secure || c.silence == nil {
		// TLS may have read more than it gave, which the socket does not show.
		// The deadline keeps the read from the socket.
		if c.SetReadDeadline(inThePast) != nil {
			return false
		}
		if n, err := c.Read(c.probe[:]); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return false
		}
	}
	if c.SetDeadline(time.Time{}) != nil {
		return false
	}
	return c.silence == nil || c.silence.holds()
}

// release prepares a connection for the wait until its next exchange.
func (c *connection) release(now time.Time) {
	c.idle = now
	if cap(c.body) > maxKeptBody {
		c.body = nil
	}
}
