package bank

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"galla/central/bank/network"
)

// Reasons for which an exchange has no reply.
var (
	errBusy     = errors.New("too many exchanges with the bank network are under way")
	errConnect  = errors.New("no connection")
	errNoReply  = errors.New("no complete reply")
	errChecksum = errors.New("the reply's checksum is wrong")
	errLarge    = errors.New("the reply is too large")
)

// exchange is one request and what its reply must be.
type exchange struct {
	path     string
	about    network.Transaction // of an enquiry only the reference
	check    func(about *network.Transaction, a network.Answer) error
	deadline time.Time
	body     []byte // the request's
	request  []byte // as it is written, in one piece
}

// begin gives an exchange whose memory was used before. free ends its use.
func (c *Client) begin(path string, about network.Transaction, check func(*network.Transaction, network.Answer) error) *exchange {
	x := c.exchanges.Get().(*exchange)
	x.path, x.about, x.check = path, about, check
	return x
}

// maxKeptRequest is the largest buffer that is used again: PidData has a few KiB.
const maxKeptRequest = 64 << 10

// free ends the use of an exchange. What is used again has nothing of the request,
// which has secrets in clear.
func (c *Client) free(x *exchange) {
	clear(x.body[:cap(x.body)])
	clear(x.request[:cap(x.request)])
	*x = exchange{body: x.body[:0], request: x.request[:0]}
	if cap(x.request) <= maxKeptRequest {
		c.exchanges.Put(x)
	}
}

// do writes a request and reads the reply, which must pass the check. wrote
// tells whether a byte of the request can have left this machine; it is false
// for every failure before the first write.
//
// The request is written by hand and not by net/http's client: that one repeats
// requests on its own, which is exactly what must not happen here.
func (c *Client) do(ctx context.Context, x *exchange) (a network.Answer, wrote bool, err error) {
	x.deadline = time.Now().Add(c.cfg.Timeout)
	if end, ok := ctx.Deadline(); ok && end.Before(x.deadline) {
		x.deadline = end
	}
	if err := c.enter(ctx, x.deadline); err != nil {
		return a, false, fmt.Errorf("%w: %w", errBusy, err)
	}
	defer func() { <-c.slots }()
	if conn, ok := c.takeKept(ctx); ok {
		a, wrote, err = c.doOn(ctx, conn, x)
		if err == nil || wrote || ctx.Err() != nil {
			return a, wrote, err
		}
		// Nothing was sent: the connection ended after it was looked at.
	}
	conn, err := c.connect(ctx, x.deadline)
	if err != nil {
		return a, false, fmt.Errorf("%w to %s: %w", errConnect, c.address, timeoutError(ctx, err))
	}
	c.opened.Add(1)
	return c.doOn(ctx, conn, x)
}

// enter takes a place among the exchanges under way.
func (c *Client) enter(ctx context.Context, deadline time.Time) error {
	select {
	case c.slots <- struct{}{}:
		return nil
	default:
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// takeKept gives a connection of an earlier exchange, if there is one that is
// good, and the context has not ended.
func (c *Client) takeKept(ctx context.Context) (*connection, bool) {
	if ctx.Err() != nil {
		return nil, false // connecting says so
	}
	conn, ok := c.kept.take()
	if ok {
		c.reused.Add(1)
	}
	return conn, ok
}

// doOn makes an exchange on a connection, which it keeps or closes. It is kept
// only after a complete reply that passed every check in time, with nothing
// behind it, by a network that does not say that it closes.
func (c *Client) doOn(ctx context.Context, conn *connection, x *exchange) (a network.Answer, wrote bool, err error) {
	keep := false
	defer func() {
		if keep {
			c.kept.put(conn)
		} else {
			_ = conn.Close()
		}
	}()
	if err := conn.SetDeadline(x.deadline); err != nil {
		return a, false, err
	}
	// The end of the context ends a read or a write.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(inThePast) })
	defer stop()
	if err := ctx.Err(); err != nil {
		return a, false, err
	}

	began := time.Now()
	before := conn.counted.written.Load()
	_, err = conn.Write(x.request)
	wrote = conn.counted.written.Load() > before
	if err != nil {
		return a, wrote, fmt.Errorf("write the request: %w", timeoutError(ctx, err))
	}
	a, last, err := c.read(ctx, conn, x.about.Reference)
	if err == nil {
		err = x.check(&x.about, a)
	}
	if c.log.Enabled(ctx, slog.LevelDebug) {
		c.log.Debug("exchange with the bank network", "path", x.path, "reference", x.about.Reference,
			"status", a.Status, "code", a.Code, "took", time.Since(began), "answered", err == nil)
	}
	// Where stop comes too late, the deadline passes at any time.
	keep = err == nil && !last && conn.in.Buffered() == 0 && stop()
	return a, true, err
}

// complete makes the request of its body.
func (c *Client) complete(x *exchange) {
	b := append(x.request, "POST "...)
	b = append(append(b, x.path...), c.headers...)
	b = append(strconv.AppendInt(b, int64(len(x.body)), 10), "\r\n"+network.HeaderChecksum+": "...)
	b = c.checksums.AppendRequest(b, http.MethodPost, x.path, x.body)
	b = append(b, "\r\n\r\n"...)
	x.request = append(b, x.body...)
}

// requestHeaders are those of every request, from the end of its path to the value of
// Content-Length.
func (c *Client) requestHeaders() string {
	last := ""
	if c.kept.maxIdle < 0 {
		last = "Connection: close\r\n"
	}
	return " HTTP/1.1\r\nHost: " + c.host + "\r\nUser-Agent: galla-central\r\n" + last +
		"Accept: " + network.ContentType + "\r\nContent-Type: " + network.ContentType + "\r\nContent-Length: "
}

// read reads one reply and checks everything about it but what it says; last
// tells whether the network closes the connection after it.
func (c *Client) read(ctx context.Context, conn *connection, reference string) (a network.Answer, last bool, err error) {
	conn.beginReply()
	reply, err := http.ReadResponse(conn.in, nil)
	if err != nil {
		return a, false, fmt.Errorf("%w: %w", errNoReply, readError(ctx, conn, err))
	}
	defer func() { _ = reply.Body.Close() }()
	if reply.StatusCode != http.StatusOK {
		return a, false, errHTTP(reply.StatusCode)
	}
	conn.body, err = network.AppendBody(conn.body[:0], reply.Body, network.MaxReply)
	if errors.Is(err, network.ErrTooLarge) {
		return a, false, errLarge
	}
	if err != nil {
		return a, false, fmt.Errorf("%w: %w", errNoReply, readError(ctx, conn, err))
	}
	if got := reply.Header.Values(network.HeaderChecksum); len(got) != 1 || !c.checksums.IsReply(got[0], reply.StatusCode, reference, conn.body) {
		return a, false, errChecksum
	}
	a, err = network.DecodeAnswer(conn.body)
	return a, reply.Close, err
}

// timeoutError puts what ended the exchange in the place of the time-out that it
// caused on the connection: the end of the context, or the deadline.
func timeoutError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return context.DeadlineExceeded
	}
	return err
}

// readError is why a reply could not be read. Errors of net/http's parser quote
// what they met, so only those of the connection are kept.
func readError(ctx context.Context, conn *connection, err error) error {
	if conn.failed != nil {
		err = conn.failed
	}
	err = timeoutError(ctx, err)
	var op *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe):
		return errors.New("the network ended the connection")
	case errors.As(err, &op):
		return op
	}
	return errors.New("it is not HTTP")
}
