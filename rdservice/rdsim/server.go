package rdsim

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of the server. A real service has one client; a test has a few.
const (
	maxConnections  = 64               // further clients wait
	readWait        = 10 * time.Second // for a whole request: it is under 1 KiB
	writeWait       = maxHang + 2*maxTimeout
	maxHeader       = 16 << 10
	shutdownPatient = 2 * time.Second // for answers under way when the program ends
)

// Serve serves on a listener that is there already, which it closes, until ctx
// ends; then it returns nil, after every request has ended.
func (d *Device) Serve(ctx context.Context, l net.Listener) error { return d.serve(ctx, l, false) }

func (d *Device) serve(ctx context.Context, l net.Listener, secure bool) error {
	// Captures that wait end with this context; requests that are being
	// answered get a moment more.
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var busy sync.WaitGroup
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			busy.Add(1)
			defer busy.Done()
			d.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: readWait,
		ReadTimeout:       readWait,
		WriteTimeout:      writeWait,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(d.log.Handler(), slog.LevelDebug),
	}
	server.SetKeepAlivesEnabled(false)
	l = limit(l)
	if secure {
		l = tls.NewListener(l, d.tls) // outermost, so that requests know that they came by TLS
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving at %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	patient, done := context.WithTimeout(context.WithoutCancel(ctx), shutdownPatient)
	defer done()
	cut()
	err := server.Shutdown(patient)
	if err != nil {
		err = server.Close()
	}
	if served := <-served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	busy.Wait()
	return err
}

// limitedListener lets so many connections in at a time.
type limitedListener struct {
	net.Listener
	slots chan struct{}
	done  chan struct{}
	once  sync.Once
}

func limit(l net.Listener) *limitedListener {
	return &limitedListener{Listener: l, slots: make(chan struct{}, maxConnections), done: make(chan struct{})}
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{Conn: conn, release: sync.OnceFunc(func() { <-l.slots })}, nil
}

func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	release func()
}

func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
