package uplink

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"galla/central"
	server "galla/central/uplink"
	client "galla/edge/uplink"
	"galla/shared/op"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// network joins the two ends. cut sees every write and says how much of it passes
// before the connection breaks; negative: all of it, and the connection stays.
type network struct {
	mu    sync.Mutex
	conns chan net.Conn
	open  map[net.Conn]bool
	down  bool
	cut   func(n int) int
}

var errDown = errors.New("no route to host")

func newNetwork() *network { return &network{open: map[net.Conn]bool{}} }

// listen makes a listener; the one before it must be closed.
func (n *network) listen() *listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = make(chan net.Conn)
	return &listener{n: n, conns: n.conns, closed: make(chan struct{})}
}

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	n.mu.Lock()
	conns, down := n.conns, n.down
	n.mu.Unlock()
	if down || conns == nil {
		return nil, errDown
	}
	a, b := net.Pipe()
	here, there := &breakableConn{Conn: a, n: n, other: b}, &breakableConn{Conn: b, n: n, other: a}
	timer := time.NewTimer(time.Second) // nobody accepts: refused
	defer timer.Stop()
	select {
	case conns <- there:
	case <-timer.C:
		return nil, errDown
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.open[here] = true
	return here, nil
}

// breakAll cuts every connection, and takes the network down if down.
func (n *network) breakAll(down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
	for c := range n.open {
		_ = c.Close()
		delete(n.open, c)
	}
}

// breakableConn is one end of a connection that can break in the middle of a write.
type breakableConn struct {
	net.Conn
	n     *network
	other net.Conn
}

func (w *breakableConn) Write(p []byte) (int, error) {
	w.n.mu.Lock()
	passes := -1
	if w.n.cut != nil {
		passes = w.n.cut(len(p))
	}
	w.n.mu.Unlock()
	if passes < 0 {
		return w.Conn.Write(p)
	}
	n, _ := w.Conn.Write(p[:passes])
	_, _ = w.Conn.Close(), w.other.Close()
	return n, io.ErrClosedPipe
}

type listener struct {
	n      *network
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

const audience = "galla-central"

func logger() *slog.Logger {
	if os.Getenv("GALLA_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.DiscardHandler)
}

// start runs a part until the returned function, or the end of the test, stops
// it.
func start(t *testing.T, run func(ctx context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// serve starts a central over the fake central.
func serve(t *testing.T, n *network, d *fakeCentral, change func(*server.Config)) (s *server.Server, stop func()) {
	t.Helper()
	cfg := server.Config{Audience: audience, Rand: d, Logger: logger()}
	if change != nil {
		change(&cfg)
	}
	var err error
	s, err = server.New(d, d, d.notifier, cfg)
	if err != nil {
		t.Fatal(err)
	}
	l := n.listen()
	return s, start(t, func(ctx context.Context) error { return s.Run(ctx, l) })
}

// counter is an enrolled terminal with its fake counter and its connection.
type counter struct {
	*fakeCounter
	id   central.TerminalID
	line *client.Client
}

func newCounter(t *testing.T, n *network, d *fakeCentral, change func(*client.Config)) *counter {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	id := newID()
	d.enrol(central.TerminalID(id), public)
	return attach(t, n, d, string(id), private, change)
}

// attach starts a program for an enrolled terminal.
func attach(t *testing.T, n *network, d *fakeCentral, id string, key ed25519.PrivateKey, change func(*client.Config)) *counter {
	t.Helper()
	c := &counter{fakeCounter: newFakeCounter(id), id: central.TerminalID(id)}
	cfg := client.Config{
		URL: "ws://127.0.0.1/uplink", TerminalID: id, Audience: audience, Key: key, Version: "test", DialContext: n.dial,
		Addresses: func() ([]net.Addr, error) { return nil, nil }, Rand: d, Logger: logger(),
	}
	if change != nil {
		change(&cfg)
	}
	line, err := client.New(cfg, c.fakeCounter)
	if err != nil {
		t.Fatal(err)
	}
	c.line, c.fakeCounter.line = line, line
	start(t, line.Run)
	stop := make(chan struct{})
	var pump sync.WaitGroup
	pump.Go(func() { c.fakeCounter.work(stop) })
	t.Cleanup(func() { close(stop); pump.Wait() })
	return c
}

func newID() op.ID { return op.ID(uuid.Must(uuid.NewV7()).String()) }

// until waits in virtual time, up to three hours of it.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 3 * 60 * 60 * 2 {
		synctest.Wait()
		if ok() {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Fatalf("it never came to this: %s", what)
}

// check compares a counter with the bank.
func check(t *testing.T, d *fakeCentral, c *counter) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.faults {
		t.Error(f)
	}
	did := d.executions(c.id)
	for id, s := range c.states {
		switch n := did[id]; {
		case n > 1:
			t.Errorf("%s ran %d times", id, n)
		case (s == op.Succeeded) != (n == 1):
			t.Errorf("%s is %s at the counter and ran %d times at the bank", id, s, n)
		}
	}
	for id := range did {
		if _, known := c.states[id]; !known {
			t.Errorf("the bank ran %s, which the counter does not know", id)
		}
	}
}

func keyOf(c client.Config) ed25519.PrivateKey {
	key, _ := c.Key.(ed25519.PrivateKey)
	return key
}
