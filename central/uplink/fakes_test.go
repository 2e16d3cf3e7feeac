package uplink

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"galla/central"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pipeListener is a listener whose connections are pipes in memory.
type pipeListener struct {
	closing func() // before it is closed; nil: nothing
	conns   chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (n *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *pipeListener) Close() error {
	n.once.Do(func() {
		if n.closing != nil {
			n.closing()
		}
		close(n.closed)
	})
	return nil
}
func (n *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (n *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case n.conns <- there:
		return here, nil
	case <-n.closed:
		return nil, errors.New("nobody listens")
	}
}

// system is a server that runs, with what is around it.
type system struct {
	t        *testing.T
	store    *memoryStore
	handler  *fakeHandler
	notifier *central.Notifier
	server   *Server
	url      string
	dialer   websocket.Dialer
	stop     context.CancelFunc
	ended    chan error
}

const audience = "galla-central"

func newSystem(t *testing.T, l net.Listener, change func(*Config)) *system {
	t.Helper()
	return newSystemOver(t, newMemoryStore(), l, change)
}

func newSystemOver(t *testing.T, store *memoryStore, l net.Listener, change func(*Config)) *system {
	t.Helper()
	h := &system{t: t, store: store, handler: &fakeHandler{}, notifier: central.NewNotifier(), ended: make(chan error, 1)}
	cfg := Config{Audience: audience, Rand: rand.Reader, Logger: logger()}
	if change != nil {
		change(&cfg)
	}
	var err error
	if h.server, err = New(h.handler, h.store, h.notifier, cfg); err != nil {
		t.Fatal(err)
	}
	h.url = "ws://" + l.Addr().String() + Path
	if n, ok := l.(*pipeListener); ok {
		h.url = "ws://central" + Path
		h.dialer.NetDialContext = n.dial
	}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	go func() { h.ended <- h.server.Run(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-h.ended; err != nil {
			t.Errorf("Run = %v", err)
		}
		if n := h.server.Stats().Panics; n != 0 {
			t.Errorf("%d goroutines panicked", n)
		}
	})
	for h.server.reserveConnection() != nil { // until Run has begun
		time.Sleep(time.Millisecond)
	}
	h.server.releaseConnection()
	return h
}

func logger() *slog.Logger {
	if os.Getenv("GALLA_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.NewTextHandler(io.Discard, nil))
}
