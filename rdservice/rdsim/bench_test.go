package rdsim

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"galla/rdservice"
)

// memory is a listener without a network, for virtual time.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newMemory() *memory { return &memory{conns: make(chan net.Conn), done: make(chan struct{})} }

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.done) })
	return nil
}

func (m *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 11100} }

func (m *memory) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if !strings.HasSuffix(address, ":11100") {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
	}
	near, far := net.Pipe()
	select {
	case m.conns <- far:
		return near, nil
	case <-m.done:
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// bench is a device and its clients in a bubble of virtual time.
type bench struct {
	*Device
	memory *memory
	client *rdservice.Client
	stop   func()
}

func (b bench) newClient(t *testing.T) *rdservice.Client {
	t.Helper()
	client, err := rdservice.New(rdservice.Config{Dial: b.memory.dial})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func inBubble(t *testing.T, cfg Config, do func(t *testing.T, b bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := bench{Device: newDevice(t, cfg, io.Discard), memory: newMemory()}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.Serve(ctx, b.memory) }()
		b.client = b.newClient(t)
		b.stop = sync.OnceFunc(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		do(t, b)
		b.stop()
	})
}

func (b bench) script(t *testing.T, text string) {
	t.Helper()
	list, faults := readScript([]byte(text))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Device.script = list
}
