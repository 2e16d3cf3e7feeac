package bank

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"galla/central/bank/network"
)

// maxHead is the most that a reply's status line and headers may have; ours
// have 200 bytes.
const maxHead = 16 << 10

// Reasons for which an exchange has no reply.
var (
	errBusy     = errors.New("too many exchanges with the bank network are under way")
	errConnect  = errors.New("no connection")
	errNoReply  = errors.New("no complete reply")
	errChecksum = errors.New("the reply's checksum is wrong")
	errLarge    = errors.New("the reply is too large")
)

// exchange writes one request on a connection of its own and reads the reply.
// wrote tells whether a byte of the request can have left this machine; it is
// false for every failure before the first write.
//
// The request is written by hand and not by net/http's client: what that one
// dials, reuses and repeats on its own is exactly what must not happen here.
func (c *Client) exchange(ctx context.Context, path, reference string, body []byte) (a network.Answer, wrote bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return a, false, fmt.Errorf("%w: %w", errBusy, ctx.Err())
	}
	conn, sent, err := c.connect(ctx)
	if err != nil {
		return a, false, fmt.Errorf("%w to %s: %w", errConnect, c.address, err)
	}
	defer func() { _ = conn.Close() }()
	// The end of the context ends a read or a write.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := ctx.Err(); err != nil {
		return a, false, err
	}

	began := time.Now()
	before := sent.Load()
	err = c.write(conn, path, body)
	wrote = sent.Load() > before
	if err != nil {
		return a, wrote, fmt.Errorf("write the request: %w", contextError(ctx, err))
	}
	a, err = c.read(ctx, conn, reference)
	c.log.Debug("exchange with the bank network", "path", path, "reference", reference,
		"status", a.Status, "code", a.Code, "took", time.Since(began), "answered", err == nil)
	return a, true, err
}

// connect gives a connection and the count of bytes that were written to it,
// below TLS where there is TLS.
func (c *Client) connect(ctx context.Context) (net.Conn, *atomic.Int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	raw, err := c.cfg.DialContext(ctx, "tcp", c.address)
	if err != nil {
		return nil, nil, err
	}
	counted := &countedConn{Conn: raw}
	if !c.secure {
		return counted, &counted.written, nil
	}
	cfg := new(tls.Config)
	if c.cfg.TLS != nil {
		cfg = c.cfg.TLS.Clone()
	}
	if cfg.ServerName == "" {
		cfg.ServerName, _, _ = net.SplitHostPort(c.address)
	}
	cfg.NextProtos = nil // HTTP/1.1 and nothing else
	safe := tls.Client(counted, cfg)
	if err := safe.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, nil, fmt.Errorf("TLS: %w", err)
	}
	return safe, &counted.written, nil
}

// countedConn counts what its connection took.
type countedConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// write sends the request, in one piece where the connection allows it.
func (c *Client) write(conn net.Conn, path string, body []byte) error {
	var b bytes.Buffer
	b.Grow(len(body) + 512)
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: galla-central\r\nConnection: close\r\nAccept: %s\r\n",
		path, c.host, network.ContentType)
	fmt.Fprintf(&b, "Content-Type: %s\r\nContent-Length: %d\r\n%s: %s\r\n\r\n", network.ContentType, len(body),
		network.HeaderChecksum, network.RequestChecksum(c.cfg.Key, http.MethodPost, path, body))
	b.Write(body)
	_, err := conn.Write(b.Bytes())
	return err
}

// read reads one reply and checks everything about it.
func (c *Client) read(ctx context.Context, conn net.Conn, reference string) (network.Answer, error) {
	// The bound on the connection holds for heads, chunk lines and trailers
	// alike.
	in := bufio.NewReader(io.LimitReader(conn, maxHead+network.MaxReply+1))
	reply, err := http.ReadResponse(in, &http.Request{Method: http.MethodPost})
	if err != nil {
		return network.Answer{}, fmt.Errorf("%w: %w", errNoReply, readError(ctx, err))
	}
	defer func() { _ = reply.Body.Close() }()
	if reply.StatusCode != http.StatusOK {
		return network.Answer{}, errHTTP(reply.StatusCode)
	}
	body, err := network.ReadBody(reply.Body, network.MaxReply)
	if errors.Is(err, network.ErrTooLarge) {
		return network.Answer{}, errLarge
	}
	if err != nil {
		return network.Answer{}, fmt.Errorf("%w: %w", errNoReply, readError(ctx, err))
	}
	want := network.ReplyChecksum(c.cfg.Key, reply.StatusCode, reference, body)
	if got := reply.Header.Values(network.HeaderChecksum); len(got) != 1 || !network.SameChecksum(got[0], want) {
		return network.Answer{}, errChecksum
	}
	return network.DecodeAnswer(body)
}

// contextError puts the end of the context in the place of the time-out that it
// caused on the connection.
func contextError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// readError is why a reply could not be read. Errors of net/http's parser quote
// what they met, so only those of the connection are kept.
func readError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var op *net.OpError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe):
		return errors.New("the network ended the connection")
	case errors.As(err, &op):
		return op
	}
	return errors.New("it is not HTTP")
}
