package simbank

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of the two servers.
const (
	// maxConnections bounds the callers of each listener: the central keeps at
	// most 1200 exchanges under way, and people are few. More wait unaccepted.
	maxConnections = 1500
	// headerTimeout and readTime bound a slow sender.
	headerTimeout = 5 * time.Second
	readTimeout   = 20 * time.Second
	// idleTimeout is how long a connection may wait for its next request.
	idleTimeout = time.Minute
	// publicTimeout bounds the answer to a person or a test.
	publicTimeout = time.Minute
	// maxHead is the most that a request's headers may have.
	maxHead = 16 << 10
	// shutdownTimeout is how long a stopping bank lets answers be written.
	shutdownTimeout = 2 * time.Second
)

// Run serves the public address and the network, resolves what is due, and tells the
// central of payments, until ctx ends or a listener fails. It returns when everything it started has ended.
// It may be called once.
func (b *Bank) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	public, err := b.cfg.ListenPublic(ctx)
	if err != nil {
		return fmt.Errorf("sandbox bank: listen for books, inbox and control: %w", err)
	}
	listener, err := b.cfg.ListenNetwork(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("sandbox bank: listen for the network: %w", err), public.Close())
	}
	b.setRunning(true)
	defer b.setRunning(false)

	parts := []func() error{
		func() error { return b.servePublic(ctx, public) },
		func() error { return b.serveNetwork(ctx, listener) },
		func() error { b.Resolve(ctx); return nil },
	}
	if b.notifier != nil {
		parts = append(parts, func() error { b.notifier.Run(ctx); return nil })
	}
	errs := make([]error, len(parts))
	var running sync.WaitGroup
	for i, part := range parts {
		running.Go(func() {
			defer cancel() // one that ends ends all
			errs[i] = part()
		})
	}
	running.Wait()
	b.gate.drain()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sandbox bank: %w", err)
	}
	return nil
}

// serving is a server at work on a listener.
type serving struct {
	server *http.Server
	ended  chan error // gets the server's end, once
}

// serve sets a server to work, whose handlers end with ctx. Answers must be
// written within write, if that is not zero.
func (b *Bank) serve(ctx context.Context, l net.Listener, h http.Handler, write time.Duration) *serving {
	s := &serving{ended: make(chan error, 1), server: &http.Server{
		Handler: h, BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: write, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHead,
		ErrorLog: slog.NewLogLogger(b.log.Handler(), slog.LevelDebug),
	}}
	go func() { s.ended <- s.server.Serve(limitConnections(l, maxConnections)) }()
	return s
}

// stop ends the server: first it lets answers be written, then it cuts.
func (s *serving) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		s.cut()
		return
	}
	<-s.ended
}

// cut ends the server, its listener and its connections at once.
func (s *serving) cut() {
	_ = s.server.Close() // it closes what it can, and there is nothing else to do
	<-s.ended
}

func (b *Bank) servePublic(ctx context.Context, l net.Listener) error {
	s := b.serve(ctx, l, b.PublicHandler(), publicTimeout)
	select {
	case <-ctx.Done():
		s.stop()
		return nil
	case err := <-s.ended:
		s.ended <- err
		s.cut()
		return fmt.Errorf("serve books, inbox and control: %w", err)
	}
}

// listenerCommand tells the network's listener to close or to open.
type listenerCommand struct {
	down bool
	done chan error
}

// serveNetwork serves the network on a listener: while it is down there is
// no listener, so that connections are refused by the system itself.
func (b *Bank) serveNetwork(ctx context.Context, l net.Listener) error {
	s := b.serve(ctx, l, b.NetworkHandler(), 0)
	for {
		var ended chan error // of a server at work; a nil channel is never ready
		if s != nil {
			ended = s.ended
		}
		select {
		case <-ctx.Done():
			if s != nil {
				s.stop()
			}
			return nil
		case err := <-ended:
			s.ended <- err
			s.cut()
			return fmt.Errorf("serve the network: %w", err)
		case o := <-b.listenerCommands:
			var err error
			switch {
			case o.down && s != nil:
				s.cut()
				s = nil
			case !o.down && s == nil:
				if l, err = b.cfg.ListenNetwork(ctx); err == nil {
					s = b.serve(ctx, l, b.NetworkHandler(), 0)
				}
			}
			o.done <- err
		}
	}
}

// gate counts handlers, so that Run can wait for those whose connection was
// cut while they were at work.
type gate struct {
	mu     sync.Mutex
	inside int
	empty  chan struct{} // set by drain; closed by the last to leave
}

// enter reports false once drain has begun.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty != nil {
		return false
	}
	g.inside++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 && g.empty != nil {
		close(g.empty)
	}
}

// drain lets nobody in any more and waits until all have left.
func (g *gate) drain() {
	g.mu.Lock()
	g.empty = make(chan struct{})
	if g.inside == 0 {
		close(g.empty)
	}
	empty := g.empty
	g.mu.Unlock()
	<-empty
}

// limitConnections bounds the connections of a listener; further ones wait unaccepted.
func limitConnections(l net.Listener, n int) net.Listener {
	return &limitedListener{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

type limitedListener struct {
	net.Listener
	places chan struct{}
	once   sync.Once
	closed chan struct{}
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	leave func()
}

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
