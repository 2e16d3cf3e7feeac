package uplink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"galla/central"
	"galla/central/duty"
	"galla/shared/op"
)

// Store is what the uplink needs of the database.
type Store interface {
	duty.Presences
	duty.TerminalKeys
	Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error)
	SpendToken(ctx context.Context, id string, expires time.Time) error
	EventsAfter(ctx context.Context, t central.TerminalID, cursor int64, limit int) ([]central.Event, error)
	Seen(ctx context.Context, t central.TerminalID, cursor int64) error
	Operation(ctx context.Context, id op.ID) (central.Operation, error)
	ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error)
}

// Path is where the websocket is.
const Path = "/uplink"

// Config sets up a Server. Zero values take the defaults.
type Config struct {
	// Audience is the aud of the terminals' tokens: this central, as enrolment
	// names it. Required.
	Audience string
	// Window is how many operations one terminal may have under way; default 8.
	Window int
	// OpWait is how long an operation's goroutine waits for its outcome before
	// it tells 'pending'; default 30 s, longer than the central waits for the
	// bank and shorter than the edge waits for us.
	OpWait time.Duration
	// Poll is how often events and revocation are looked for without a ring;
	// default 30 s.
	Poll time.Duration
	// AdmitPerSecond and AdmitBurst bound the upgrades that are let in; default
	// 200 a second, 100 at once. One costs a signature check and a durable
	// write, so 10,000 terminals are back within a minute.
	AdmitPerSecond float64
	AdmitBurst     int
	// StrangerPerSecond and StrangerBurst bound, by network, the tokens that prove
	// nothing: beyond them such a token is neither looked up nor logged. Default
	// 10 a second, 200 at once. A terminal that proves itself counts for nothing
	// here, and is let in whatever others of its network do.
	StrangerPerSecond float64
	StrangerBurst     int
	// Network names the network that a request comes from; default the address of
	// its connection. Where proxies stand in front, theirs is everybody's.
	Network func(*http.Request) string
	// MaxConnections bounds the websockets; default 20,000, which is about
	// 600 MiB of memory.
	MaxConnections int
	// MaxOperations bounds the operations of all terminals that are waited for;
	// more are told to come back. Default 4096.
	MaxOperations int
	// Drain is how long Run waits for terminals to take leave; default 5 s.
	Drain time.Duration
	// Beside is what else terminals find at the uplink's origin, by the beginning
	// of its path, such as /updates/; it keeps its own bounds. nil: nothing.
	Beside map[string]http.Handler

	// Rand gives request ids and the jitter of Retry-After. Required.
	Rand io.Reader
	// Logger is required.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	number := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	wait := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	number(&c.Window, 8)
	number(&c.AdmitBurst, 100)
	number(&c.StrangerBurst, 200)
	number(&c.MaxConnections, 20_000)
	number(&c.MaxOperations, 4096)
	wait(&c.OpWait, 30*time.Second)
	wait(&c.Poll, 30*time.Second)
	wait(&c.Drain, 5*time.Second)
	if c.AdmitPerSecond == 0 {
		c.AdmitPerSecond = 200
	}
	if c.StrangerPerSecond == 0 {
		c.StrangerPerSecond = 10
	}
	if c.Network == nil {
		c.Network = func(r *http.Request) string { return r.RemoteAddr[:max(0, strings.LastIndexByte(r.RemoteAddr, ':'))] }
	}
	return c
}

func (c Config) validate() error {
	var errs []error
	need := func(ok bool, what string) {
		if !ok {
			errs = append(errs, errors.New("uplink: "+what))
		}
	}
	need(c.Audience != "", "the audience of the terminals' tokens is missing")
	need(c.Rand != nil && c.Logger != nil, "randomness and a logger are needed")
	need(c.Window > 0 && c.AdmitBurst > 0 && c.AdmitPerSecond > 0 && c.MaxConnections > 0 && c.MaxOperations > 0,
		"window, admission and maxima must be positive")
	need(c.StrangerPerSecond > 0 && c.StrangerBurst > 0, "the bounds of strangers must be positive")
	need(c.OpWait > 0 && c.Poll > 0 && c.Drain > 0, "waits must be positive")
	return errors.Join(errs...)
}

// Stats counts what happened since the start.
type Stats struct {
	Admitted        int64 // upgrades that were let in
	Unauthenticated int64 // answered 401
	TurnedAway      int64 // answered 503
	Strangers       int64 // answered 503 since their network had shown too many bad tokens
	Replaced        int64 // connections ended by the terminal's next one
	Overrun         int64 // connections ended because the terminal read too slowly
	Panics          int64 // goroutines that panicked and were caught
}

type counters struct {
	admitted, unauthenticated, turnedAway, strangers, replaced, overrun, panics atomic.Int64
}

// Server is the terminals' end of the central. Its methods may be called from
// many goroutines.
type Server struct {
	dispatcher central.Dispatcher
	store      Store
	bell       *central.Bell
	cfg        Config
	log        *slog.Logger
	random     *locked
	gate       *gate
	keys       *keyring
	strangers  *duty.Throttle // tokens that prove nothing, by network
	lookups    *duty.Throttle // of terminals that the keyring does not have, all together
	knocks     *duty.Throttle // of each terminal that proved itself
	upgrader   websocket.Upgrader
	counts     counters

	conns sync.WaitGroup // handlers that were let in
	ops   sync.WaitGroup // operations; they outlive their connections
	under atomic.Int64   // operations that are waited for

	mu       sync.Mutex
	life     context.Context // of operations and sessions; set by Run
	running  bool
	open     int // connections, those in their upgrade included
	sessions map[*session]struct{}
	current  map[central.TerminalID]*session
}

// New makes a server. It lets nobody in before Run.
func New(dispatcher central.Dispatcher, store Store, bell *central.Bell, cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	random := &locked{r: cfg.Rand}
	return &Server{
		dispatcher: dispatcher, store: store, bell: bell, cfg: cfg, log: cfg.Logger, random: random,
		gate: newGate(cfg.AdmitPerSecond, cfg.AdmitBurst, random), keys: newKeyring(),
		strangers: duty.NewThrottle(cfg.StrangerPerSecond, cfg.StrangerBurst),
		lookups:   duty.NewThrottle(cfg.AdmitPerSecond, cfg.AdmitBurst),
		knocks:    duty.NewThrottle(knocksPerSecond, knocksAtOnce),
		// The origin is judged before, and errors are answered with an envelope.
		upgrader: websocket.Upgrader{HandshakeTimeout: writeStall, CheckOrigin: func(*http.Request) bool { return true }},
		sessions: map[*session]struct{}{}, current: map[central.TerminalID]*session{},
	}, nil
}

// Connected is the number of terminals that are connected.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.current)
}

// UnderWay is the number of operations that are waited for.
func (s *Server) UnderWay() int { return int(s.under.Load()) }

// Stats gives the counters.
func (s *Server) Stats() Stats {
	return Stats{
		Admitted: s.counts.admitted.Load(), Unauthenticated: s.counts.unauthenticated.Load(),
		TurnedAway: s.counts.turnedAway.Load(), Strangers: s.counts.strangers.Load(), Replaced: s.counts.replaced.Load(),
		Overrun: s.counts.overrun.Load(), Panics: s.counts.panics.Load(),
	}
}

// Limits of plain HTTP on the listener: the only request is a small GET.
const (
	headerWait   = 10 * time.Second // for the request's header
	idleWait     = 30 * time.Second // between two requests on one connection
	maxHeader    = 16 << 10         // bytes; a token has under 1 KiB
	handshakes   = 1024             // sockets beyond MaxConnections that may be in their handshake
	shutdownWait = 2 * time.Second  // for requests that are no websockets
)

// Run serves the listener until ctx ends. It then tells every terminal that
// the central goes away (1001), waits up to Config.Drain for them to leave,
// cuts the rest, and returns when the last goroutine has ended. A server runs
// once.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s.mu.Lock()
	if s.life != nil {
		s.mu.Unlock()
		return errors.New("uplink: Run was called twice")
	}
	s.life, s.running = life, true
	s.mu.Unlock()

	var only http.Protocols
	only.SetHTTP1(true)
	web := &http.Server{
		Handler: s.Handler(), Protocols: &only,
		ReadHeaderTimeout: headerWait, ReadTimeout: headerWait, WriteTimeout: writeStall, IdleTimeout: idleWait,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	var here sync.WaitGroup
	reader := &keyReader{store: s.store, keys: s.keys}
	failed := s.readKeys(life, reader, false)
	here.Go(func() { s.sayHere(life) })
	here.Go(func() { s.followKeys(life, reader, failed) })
	served := make(chan error, 1)
	go func() { served <- web.Serve(newBounded(l, s.cfg.MaxConnections+handshakes)) }()

	var err error
	select {
	case err = <-served:
		err = fmt.Errorf("uplink: serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	s.stop(web)
	if err == nil {
		<-served
	}
	end()
	s.ops.Wait()
	here.Wait()
	return err
}

// stop ends all connections and joins them.
func (s *Server) stop(web *http.Server) {
	s.mu.Lock()
	s.running = false
	var all []*session
	for session := range s.sessions {
		all = append(all, session)
	}
	s.mu.Unlock()
	s.log.Info("uplink stops", "connections", len(all))
	for _, session := range all {
		session.end(websocket.CloseGoingAway, goingAway)
	}
	cut := time.AfterFunc(s.cfg.Drain, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for session := range s.sessions {
			_ = session.ws.Close() // its reader and writer end by that
		}
	})
	defer cut.Stop()

	ctx, cancel := context.WithTimeout(context.Background(), shutdownWait)
	defer cancel()
	if web.Shutdown(ctx) != nil {
		_ = web.Close() // what still waits has been given its time
	}
	s.conns.Wait()
}

// Words of close frames that end a good connection.
const (
	goingAway = "the central is stopping; connect again"
	replaced  = "this terminal connected again; only its latest connection is served"
	revoked   = "this terminal was revoked; enrol it again"
	tooSlow   = "the terminal reads too slowly"
)

// enter takes a place for one connection. It is given back by leave.
func (s *Server) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.running:
		return errors.New("the central is starting or stopping")
	case s.open >= s.cfg.MaxConnections:
		return fmt.Errorf("%d connections are open, which is the maximum", s.open)
	}
	s.open++
	s.conns.Add(1)
	return nil
}

func (s *Server) leave() {
	s.mu.Lock()
	s.open--
	s.mu.Unlock()
	s.conns.Done()
}

// register makes the session the terminal's only one.
func (s *Server) register(x *session) {
	s.mu.Lock()
	s.sessions[x] = struct{}{}
	old := s.current[x.terminal.ID]
	s.current[x.terminal.ID] = x
	running := s.running
	s.mu.Unlock()
	if old != nil {
		s.counts.replaced.Add(1)
		old.end(closeReplaced, replaced)
	}
	if !running {
		x.end(websocket.CloseGoingAway, goingAway)
	}
}

func (s *Server) unregister(x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, x)
	if s.current[x.terminal.ID] == x {
		delete(s.current, x.terminal.ID)
	}
}

// locked makes a source of randomness safe for many goroutines.
type locked struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *locked) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(p)
}

// bounded is a listener that closes at once what comes beyond its limit, so
// that silent sockets can't use up the process's files.
type bounded struct {
	net.Listener
	slots chan struct{}
}

func newBounded(l net.Listener, limit int) *bounded {
	return &bounded{Listener: l, slots: make(chan struct{}, limit)}
}

func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case b.slots <- struct{}{}:
			return &socket{Conn: c, free: sync.OnceFunc(func() { <-b.slots })}, nil
		default:
			_ = c.Close()
		}
	}
}

// socket gives its slot back when it is closed.
type socket struct {
	net.Conn
	free func()
}

func (s *socket) Close() error {
	defer s.free()
	return s.Conn.Close()
}
