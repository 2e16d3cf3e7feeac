package uplink

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	terminalID = "019bd3a0-0000-7000-8000-00000000000a"
	audience   = "galla-central"
)

func newID() op.ID { return op.ID(uuid.Must(uuid.NewV7()).String()) }

// testServer is a central that a test scripts: one function for each attempt, the
// last one for all that follow.
type testServer struct {
	t       *testing.T
	counter *fakeReceiver
	script  []func(w http.ResponseWriter, r *http.Request)
	conns   chan net.Conn
	closed  chan struct{}
	dialErr error // of every dial, if set

	mu       sync.Mutex
	attempts []time.Time
	tokens   []jwt.RegisteredClaims
}

func (d *testServer) Accept() (net.Conn, error) {
	select {
	case c := <-d.conns:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

func (d *testServer) Close() error   { return nil }
func (d *testServer) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (d *testServer) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if d.dialErr != nil {
		d.recordAttempt(time.Now())
		return nil, d.dialErr
	}
	here, there := net.Pipe()
	select {
	case d.conns <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (d *testServer) recordAttempt(at time.Time) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attempts = append(d.attempts, at)
	return len(d.attempts) - 1
}

// attemptCount is the number of attempts.
func (d *testServer) attemptCount() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.attempts)
}

// gaps are the times between attempts.
func (d *testServer) gaps() []time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []time.Duration
	for i := 1; i < len(d.attempts); i++ {
		out = append(out, d.attempts[i].Sub(d.attempts[i-1]))
	}
	return out
}

func (d *testServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := d.recordAttempt(time.Now())
	var claims jwt.RegisteredClaims
	if text := r.Header.Get("Authorization"); len(text) > 7 {
		token, _, err := jwt.NewParser().ParseUnverified(text[7:], &claims)
		if err != nil || token.Header["kid"] != terminalID || token.Method.Alg() != "EdDSA" {
			d.t.Errorf("token %v, %v", token, err)
		}
	}
	d.mu.Lock()
	d.tokens = append(d.tokens, claims)
	d.mu.Unlock()
	d.script[min(n, len(d.script)-1)](w, r)
}

// peer is the central's end of one connection.
type peer struct {
	t  *testing.T
	ws *websocket.Conn
}

// serveScript makes a step of the script that opens the websocket.
func (d *testServer) serveScript(run func(p *peer)) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		up := websocket.Upgrader{}
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			d.t.Errorf("upgrade: %v", err)
			return
		}
		defer func() { _ = ws.Close() }()
		run(&peer{t: d.t, ws: ws})
	}
}

// next reads a frame, or tells that the counter left.
func (p *peer) next() (wire.Frame, error) {
	_, data, err := p.ws.ReadMessage()
	if err != nil {
		return wire.Frame{}, err
	}
	f, err := wire.Decode(data)
	if err != nil {
		p.t.Errorf("the counter sent %.200s: %v", data, err)
	}
	return f, nil
}

// want reads a frame of a type.
func (p *peer) want(kind wire.Type) wire.Frame {
	f, err := p.next()
	if err != nil || f.T != kind {
		p.t.Errorf("got %v, %v; want %s", f, err, kind)
	}
	return f
}

func (p *peer) send(f wire.Frame) {
	data, err := wire.Encode(f)
	if err != nil {
		p.t.Error(err)
	}
	p.text(string(data))
}

// text sends a message; the counter may be gone.
func (p *peer) text(s string) { _ = p.ws.WriteMessage(websocket.TextMessage, []byte(s)) }

// rest reads until the counter has left, and gives how.
func (p *peer) rest() error {
	for {
		if _, _, err := p.ws.ReadMessage(); err != nil {
			return err
		}
	}
}

func (p *peer) close(code int, words string) {
	_ = p.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, words), time.Now().Add(time.Second))
	_ = p.rest()
}

func welcome(outcomes ...wire.Frame) wire.Frame {
	return wire.Frame{T: wire.TWelcome, Clock: time.Now().UnixMilli(), Window: 8, Outcomes: outcomes}
}

// greeted answers the hello.
func (p *peer) greeted() wire.Frame {
	h := p.want(wire.THello)
	p.send(welcome())
	return h
}

// fakeReceiver records what the client reports.
type fakeReceiver struct {
	mu       sync.Mutex
	busy     bool // a call is going on
	overlaps int
	log      []string
	frames   []wire.Frame
	lost     []error
	fault    func(call string) error
	onCall   func(call string)
	cursor   int64
	ids      []op.ID
}

func (c *fakeReceiver) call(name string) error {
	c.mu.Lock()
	if c.busy {
		c.overlaps++
	}
	c.busy = true
	c.log = append(c.log, name)
	fault, called := c.fault, c.onCall
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.busy = false
		c.mu.Unlock()
	}()
	if called != nil {
		called(name)
	}
	if fault != nil {
		return fault(name)
	}
	return nil
}

func (c *fakeReceiver) Hello() (wire.Frame, error) {
	return wire.Frame{Cursor: c.cursor, Unresolved: c.ids}, c.call("greet")
}

func (c *fakeReceiver) Welcome(wire.Frame) error { return c.call("welcomed") }

func (c *fakeReceiver) Receive(f wire.Frame) error {
	err := c.call(fmt.Sprintf("receive %s", f.T))
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.frames = append(c.frames, f)
		c.cursor = max(c.cursor, f.Cursor)
	}
	return err
}

func (c *fakeReceiver) Disconnected(cause error) {
	_ = c.call("lost")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = append(c.lost, cause)
}

func (c *fakeReceiver) calls() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.log...)
}

// causes are why connections were lost.
func (c *fakeReceiver) causes() []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]error(nil), c.lost...)
}

// applied are the frames that the counter took.
func (c *fakeReceiver) applied() []wire.Frame {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]wire.Frame(nil), c.frames...)
}

func logger() *slog.Logger {
	if os.Getenv("GALLA_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.NewTextHandler(io.Discard, nil))
}

func key() ed25519.PrivateKey {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return private
}

func config() Config {
	return Config{
		URL: "ws://127.0.0.1:7102/uplink", TerminalID: terminalID, Audience: audience, Key: key(), Version: "test",
		Addresses: func() ([]net.Addr, error) { return nil, errors.New("not known here") },
		Rand:      rand.Reader, Logger: logger(),
	}
}

// play runs a client against a scripted central in virtual time. The test's
// function runs beside them; the client is stopped when it returns.
func play(t *testing.T, change func(*Config), script func(t *testing.T, d *testServer), test func(t *testing.T, d *testServer, c *fakeReceiver, l *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &fakeReceiver{}
		d := &testServer{t: t, counter: c, conns: make(chan net.Conn), closed: make(chan struct{})}
		script(t, d)
		web := &http.Server{Handler: d, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
		var parts sync.WaitGroup
		parts.Go(func() { _ = web.Serve(d) })
		cfg := config()
		cfg.DialContext = d.dial
		if change != nil {
			change(&cfg)
		}
		l, err := New(cfg, c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		parts.Go(func() {
			if err := l.Run(ctx); err != nil {
				t.Errorf("Run = %v", err)
			}
			if l.State().Online {
				t.Error("the terminal is online after Run")
			}
		})
		test(t, d, c, l)
		stop()
		synctest.Wait()
		close(d.closed)
		_ = web.Close()
		parts.Wait()
		time.Sleep(time.Minute) // whatever is left would still do something
		if c.overlaps > 0 {
			t.Errorf("%d calls of the receiver overlapped", c.overlaps)
		}
	})
}

// until waits in virtual time.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 10_000 {
		synctest.Wait()
		if ok() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("it never came to this: %s", what)
}

var _ edge.Link = (*Client)(nil)
