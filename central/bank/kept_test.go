package bank

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"galla/central"
)

// answering answers requests until the other end closes, and counts them.
func answering(requests *atomic.Int64, reply string) func(net.Conn) {
	return func(c net.Conn) {
		in := bufio.NewReader(c)
		for readNext(in) {
			requests.Add(1)
			if _, err := io.WriteString(c, reply); err != nil {
				return
			}
		}
	}
}

// readNext reads one request; false: there is none.
func readNext(in *bufio.Reader) bool {
	r, err := http.ReadRequest(in)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, r.Body)
	return err == nil
}

// testTLS is a certificate, and the configurations of both ends.
func testTLS(t testing.TB) (server, client *tls.Config) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: roots}
}

// clientOf makes a client of a listener, with TLS if secure; wrap gives what the
// network uses for a connection.
func clientOf(t *testing.T, secure bool, play func(net.Conn), cfg Config) (*Client, *line) {
	t.Helper()
	if !secure {
		l := listen(t, play)
		cfg.BaseURL = l.url
		return newClient(t, cfg), l
	}
	server, client := testTLS(t)
	l := listen(t, func(c net.Conn) {
		safe := tls.Server(c, server)
		play(safe)
		_ = safe.Close()
	})
	cfg.BaseURL, cfg.TLS = strings.Replace(l.url, "http:", "https:", 1), client
	return newClient(t, cfg), l
}

// both runs a test without and with TLS.
func both(t *testing.T, test func(t *testing.T, secure bool)) {
	t.Run("http", func(t *testing.T) { test(t, false) })
	t.Run("https", func(t *testing.T) { test(t, true) })
}

func mustSend(t *testing.T, c *Client) {
	t.Helper()
	if a, err := c.Send(t.Context(), aRequest(t)); err != nil || a.Status != central.BankApproved {
		t.Fatalf("%+v, %v", a, err)
	}
}

// waitUntilEnded waits until something can be read from the only kept connection.
func waitUntilEnded(t *testing.T, c *Client) {
	t.Helper()
	conn := c.kept.pop()
	if conn == nil {
		t.Fatal("no connection was kept")
	}
	for end := time.Now().Add(time.Minute); conn.isSilent(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the connection is still silent")
		}
	}
	if !c.kept.keep(conn) {
		t.Fatal("the connection was not taken back")
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	both(t, func(t *testing.T, secure bool) {
		var requests atomic.Int64
		c, l := clientOf(t, secure, answering(&requests, signed(200, approvedBody)), Config{})
		for range 10 {
			mustSend(t, c)
		}
		if _, err := c.Enquire(t.Context(), reference); err != nil {
			t.Fatal(err)
		}
		if opened, reused := c.Connections(); opened != 1 || reused != 10 || l.accepted.Load() != 1 || requests.Load() != 11 {
			t.Errorf("%d opened, %d used again, %d accepted, %d requests", opened, reused, l.accepted.Load(), requests.Load())
		}
	})
}

// TestConnectionsThatAreNotUsedAgain: after the first exchange something is wrong
// with its connection. The second is made on a new one, and succeeds.
func TestConnectionsThatAreNotUsedAgain(t *testing.T) {
	good := signed(200, approvedBody)
	after := func(reply string, then func(net.Conn)) func(net.Conn, <-chan struct{}) {
		return func(c net.Conn, over <-chan struct{}) {
			readNext(bufio.NewReader(c))
			_, _ = io.WriteString(c, reply)
			<-over
			then(c)
		}
	}
	holdOpen := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	tests := map[string]struct {
		first func(_ net.Conn, over <-chan struct{})
		ends  bool // the connection was good, and ends while it waits
		fails bool // the first exchange fails
	}{
		"closed at once":     {first: after(good, func(net.Conn) {}), ends: true},
		"closed after bytes": {first: after(good, func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 408 Timeout\r\n\r\n") }), ends: true},
		"a byte, not closed": {first: after(good, func(c net.Conn) { _, _ = c.Write([]byte{0}); holdOpen(c) }), ends: true},
		"half closed": {first: after(good, func(c net.Conn) {
			_ = c.(interface{ CloseWrite() error }).CloseWrite()
			holdOpen(c)
		}), ends: true},
		"reset":                  {first: after(good, reset), ends: true},
		"another reply, as well": {first: after(good+good, holdOpen)},
		"one byte too many":      {first: after(good+"\n", holdOpen)},
		"it says that it closes": {first: after(strings.Replace(good, "\r\n", "\r\nConnection: close\r\n", 1), holdOpen)},
		"HTTP/1.0":               {first: after(strings.Replace(good, "HTTP/1.1", "HTTP/1.0", 1), holdOpen)},
		"as long as it is open": {first: func(c net.Conn, _ <-chan struct{}) {
			readNext(bufio.NewReader(c))
			_, _ = io.WriteString(c, strings.Replace(good, "Content-Length", "X-Length", 1))
		}},
		"a bad checksum": {first: after(strings.Replace(good, "SUCCESS", "success", 1), holdOpen), fails: true},
		"HTTP 503":       {first: after(signed(503, "{}"), holdOpen), fails: true},
		"another STAN":   {first: after(signed(200, strings.Replace(approvedBody, "000042", "000043", 1)), holdOpen), fails: true},
		"duplicate":      {first: after(signed(200, strings.Replace(approvedBody, `"status":"SUCCESS","code":"00"`, `"status":"FAILED","code":"94"`, 1)), holdOpen), fails: true},
	}
	both(t, func(t *testing.T, secure bool) {
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var accepted, requests atomic.Int64
				over := make(chan struct{})
				c, l := clientOf(t, secure, func(c net.Conn) {
					if accepted.Add(1) == 1 {
						tt.first(c, over)
						return
					}
					answering(&requests, good)(c)
				}, Config{})
				_, err := c.Send(t.Context(), aRequest(t))
				close(over)
				if (err != nil) != tt.fails {
					t.Fatalf("first exchange: %v", err)
				}
				if tt.ends {
					waitUntilEnded(t, c)
				}
				mustSend(t, c)
				if l.accepted.Load() != 2 || requests.Load() != 1 {
					t.Errorf("%d connections, %d requests on the second", l.accepted.Load(), requests.Load())
				}
			})
		}
	})
}

// reset ends a connection without its orderly end.
func reset(c net.Conn) {
	if safe, ok := c.(*tls.Conn); ok {
		c = safe.NetConn()
	}
	_ = c.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

// TestARequestOnAKeptConnectionIsNeverSentAgain: the network got the second
// request, on the connection of the first, and the connection fails then. That is
// pending, and nobody sends it again.
func TestARequestOnAKeptConnectionIsNeverSentAgain(t *testing.T) {
	good := signed(200, approvedBody)
	for name, fail := range map[string]func(net.Conn){
		"closed":           func(net.Conn) {},
		"reset":            reset,
		"half a reply":     func(c net.Conn) { _, _ = io.WriteString(c, good[:len(good)/2]) },
		"one byte of it":   func(c net.Conn) { _, _ = io.WriteString(c, "H") },
		"says nothing":     func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
		"408 without need": func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 408 Request Timeout\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, secure bool) {
				t.Parallel()
				var accepted, requests atomic.Int64
				c, l := clientOf(t, secure, func(c net.Conn) {
					if accepted.Add(1) > 1 {
						answering(&requests, good)(c)
						return
					}
					in := bufio.NewReader(c)
					if readNext(in) {
						requests.Add(1)
					}
					_, _ = io.WriteString(c, good)
					if readNext(in) {
						requests.Add(1)
					}
					fail(c)
				}, Config{Timeout: time.Minute})
				mustSend(t, c)
				if name == "says nothing" {
					c.cfg.Timeout = time.Second // it needs no new connection
				}
				if _, err := c.Send(t.Context(), aRequest(t)); err == nil || central.NotSent(err) {
					t.Errorf("%v, want an error that is pending", err)
				}
				if l.accepted.Load() != 1 || requests.Load() != 2 {
					t.Errorf("%d connections, %d requests; want 1 and 2", l.accepted.Load(), requests.Load())
				}
				c.cfg.Timeout = time.Minute
				mustSend(t, c)
				if l.accepted.Load() != 2 || requests.Load() != 3 {
					t.Errorf("%d connections, %d requests; want 2 and 3", l.accepted.Load(), requests.Load())
				}
			})
		})
	}
}

// TestALateReplyIsNobodys: the first exchange ends before its reply comes. The
// second must not read it.
func TestALateReplyIsNobodys(t *testing.T) {
	both(t, func(t *testing.T, secure bool) {
		late, arrived := make(chan struct{}), make(chan struct{})
		var accepted, requests atomic.Int64
		c, l := clientOf(t, secure, func(c net.Conn) {
			if accepted.Add(1) > 2 {
				answering(&requests, signed(200, approvedBody))(c)
				return
			}
			readNext(bufio.NewReader(c))
			arrived <- struct{}{}
			<-late
			_, _ = io.WriteString(c, signed(200, strings.Replace(approvedBody, "632512345678", "632500000000", 1)))
		}, Config{Timeout: time.Minute})
		short, stop := context.WithTimeout(t.Context(), 2*time.Second)
		defer stop()
		cancelled, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			<-arrived
			cancel()
		}()
		if _, err := c.Send(short, aRequest(t)); !errors.Is(err, context.DeadlineExceeded) || central.NotSent(err) {
			t.Errorf("over the deadline: %v", err)
		}
		if _, err := c.Send(cancelled, aRequest(t)); !errors.Is(err, context.Canceled) || central.NotSent(err) {
			t.Errorf("cancelled: %v", err)
		}
		close(late)
		if a, err := c.Send(t.Context(), aRequest(t)); err != nil || a.RRN != "632512345678" {
			t.Errorf("the third exchange: %+v, %v", a, err)
		}
		if l.accepted.Load() != 3 || requests.Load() != 1 {
			t.Errorf("%d connections, %d requests on the third", l.accepted.Load(), requests.Load())
		}
	})
}

// failingConn takes some bytes of a write and then fails, from its nth write on.
type failingConn struct {
	net.Conn
	fails atomic.Bool
	takes int
}

func (c *failingConn) Write(p []byte) (int, error) {
	if !c.fails.Load() {
		return c.Conn.Write(p)
	}
	n, _ := c.Conn.Write(p[:min(c.takes, len(p))])
	return n, os.ErrClosed
}

// TestAFailedWriteOnAKeptConnection: a new connection is opened, once, only if
// the kept one took no byte.
func TestAFailedWriteOnAKeptConnection(t *testing.T) {
	for name, tt := range map[string]struct {
		takes, dials int
		second       bool // the new connection fails as well
		ok, notSent  bool
	}{
		"nothing was taken":       {takes: 0, dials: 2, ok: true},
		"nothing, and once again": {takes: 0, dials: 2, second: true, notSent: true},
		"one byte was taken":      {takes: 1, dials: 1},
		"all was taken":           {takes: 1 << 20, dials: 1},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, secure bool) {
				var requests atomic.Int64
				var dialled []*failingConn
				c, _ := clientOf(t, secure, answering(&requests, signed(200, approvedBody)), Config{})
				dial := c.cfg.DialContext
				c.cfg.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := dial(ctx, network, address)
					f := &failingConn{Conn: conn, takes: tt.takes}
					dialled = append(dialled, f)
					if len(dialled) == 2 && tt.second && !secure {
						f.fails.Store(true)
					}
					if len(dialled) == 2 && tt.second && secure { // it would fail in the handshake
						return nil, errors.Join(os.ErrClosed, conn.Close())
					}
					return f, err
				}
				mustSend(t, c)
				dialled[0].fails.Store(true)
				_, err := c.Send(t.Context(), aRequest(t))
				if (err == nil) != tt.ok || central.NotSent(err) != tt.notSent {
					t.Errorf("error %v", err)
				}
				if len(dialled) != tt.dials {
					t.Errorf("%d connections, want %d", len(dialled), tt.dials)
				}
			})
		})
	}
}

// TestConnectionCloseIsAskedFor: without kept connections, the network is told.
func TestConnectionCloseIsAskedFor(t *testing.T) {
	for maxIdle, want := range map[time.Duration]bool{0: false, -1: true} {
		asked := make(chan bool, 1)
		s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Close }))
		c := newClient(t, Config{BaseURL: s.URL, MaxIdle: maxIdle})
		_, _ = c.Send(t.Context(), aRequest(t)) // the reply has no checksum
		if got := <-asked; got != want {
			t.Errorf("MaxIdle %s: Connection: close is %t", maxIdle, got)
		}
		s.Close()
	}
}

// corkedConn holds back what is written, while it is corked.
type corkedConn struct {
	net.Conn
	corked bool
	held   []byte
}

func (c *corkedConn) Write(p []byte) (int, error) {
	if c.corked {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// TestARecordBehindTheReply: TLS reads it together with the reply, so that the
// socket shows nothing of it.
func TestARecordBehindTheReply(t *testing.T) {
	server, client := testTLS(t)
	var accepted, requests atomic.Int64
	l := listen(t, func(raw net.Conn) {
		corked := &corkedConn{Conn: raw}
		c := tls.Server(corked, server)
		if accepted.Add(1) > 1 {
			answering(&requests, signed(200, approvedBody))(c)
			return
		}
		readNext(bufio.NewReader(c))
		corked.corked = true
		_, _ = io.WriteString(c, signed(200, approvedBody))
		_, _ = io.WriteString(c, signed(200, approvedBody))
		_, _ = raw.Write(corked.held)
		_, _ = io.Copy(io.Discard, raw)
	})
	c := newClient(t, Config{BaseURL: strings.Replace(l.url, "http:", "https:", 1), TLS: client})
	mustSend(t, c)
	mustSend(t, c)
	if l.accepted.Load() != 2 || requests.Load() != 1 {
		t.Errorf("%d connections, %d requests on the second", l.accepted.Load(), requests.Load())
	}
}

// TestTLSSessionsAreResumed: a connection after the first needs no full handshake.
func TestTLSSessionsAreResumed(t *testing.T) {
	var resumed, requests atomic.Int64
	c, l := clientOf(t, true, func(c net.Conn) {
		answering(&requests, signed(200, approvedBody))(c)
		if c.(*tls.Conn).ConnectionState().DidResume {
			resumed.Add(1)
		}
	}, Config{MaxIdle: -1})
	for range 3 {
		mustSend(t, c)
	}
	for end := time.Now().Add(time.Minute); resumed.Load() != 2 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if l.accepted.Load() != 3 || resumed.Load() != 2 {
		t.Errorf("%d connections, %d resumed; want 3 and 2", l.accepted.Load(), resumed.Load())
	}
}
