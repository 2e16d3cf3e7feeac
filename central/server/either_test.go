package server

import (
	"context"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// piped is a listener whose connections a test makes.
type piped struct {
	conns chan net.Conn
	fails chan error
	once  sync.Once
	over  chan struct{}
}

func (p *piped) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case err := <-p.fails:
		return nil, err
	case <-p.over:
		return nil, net.ErrClosed
	}
}
func (p *piped) Close() error   { p.once.Do(func() { close(p.over) }); return nil }
func (p *piped) Addr() net.Addr { return &net.TCPAddr{} }

// TestSilenceKeepsNobodyOut: connections that say nothing, however many, hold up
// no probe, and each of them is ended.
func TestSilenceKeepsNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		l := &piped{conns: make(chan net.Conn), over: make(chan struct{})}
		e, plain, _ := newEither(l, nil)
		var running sync.WaitGroup
		running.Go(func() { e.run(ctx) })
		begun := time.Now()
		var silent []net.Conn
		for range 3 * maxHellos {
			far, near := net.Pipe()
			silent = append(silent, far)
			l.conns <- near
		}
		far, near := net.Pipe()
		l.conns <- near
		running.Go(func() { _, _ = far.Write([]byte("G")) })
		conn, err := plain.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("a probe waits %v for those that are silent", waited)
		}
		for i, c := range silent {
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Errorf("silent connection %d is not ended", i)
			}
		}
		if waited := time.Since(begun); waited > helloWait {
			t.Errorf("the last silent connection lasts %v", waited)
		}
		_ = conn.Close()
		stop()
		running.Wait()
	})
}

// TestTooManyFiles: an address that can take no connection for a moment is open
// afterwards, and the central runs on.
func TestTooManyFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		l := &piped{conns: make(chan net.Conn), fails: make(chan error), over: make(chan struct{})}
		e, plain, _ := newEither(l, nil)
		var running sync.WaitGroup
		running.Go(func() { e.run(ctx) })
		for _, err := range []error{syscall.EMFILE, syscall.ENFILE} {
			l.fails <- &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
		}
		far, near := net.Pipe()
		running.Go(func() {
			select {
			case l.conns <- near:
				_, _ = far.Write([]byte("G"))
			case <-l.over:
			}
		})
		conn, err := plain.Accept()
		if err != nil {
			t.Fatalf("the address is not open any more: %v", err)
		}
		_ = conn.Close()
		stop()
		running.Wait()
	})
}
