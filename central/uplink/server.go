package uplink

import (
	"cmp"
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
	"galla/central/accounts"
	"galla/central/payments"
	"galla/central/ratelimit"
	"galla/shared/op"
	"galla/shared/wsconn"
)

// Store is what the uplink needs from the database.
type Store interface {
	accounts.PresenceStore
	accounts.TerminalKeyStore
	Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error)
	EventsAfter(ctx context.Context, t central.TerminalID, cursor int64, limit int) ([]central.Event, error)
	AcknowledgeEvents(ctx context.Context, t central.TerminalID, cursor int64) error
	Operation(ctx context.Context, id op.ID) (central.Operation, error)
	PaymentOf(ctx context.Context, operation op.ID) (payments.Payment, error)
	ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error)
}

// DefaultGreetings is the default of Config.Greetings: enough that the commits of a group
// follow each other without a gap.
const DefaultGreetings = 256

// Path is the path of the websocket.
const Path = "/uplink"

// Config sets up a Server. Zero values take the defaults.
type Config struct {
	// Audience is the aud of the terminals' tokens: this central, as named at
	// enrolment. Required.
	Audience string
	// Window is how many operations of one terminal may be in progress; default 8.
	Window int
	// OpWait is how long an operation waits for its outcome before 'pending' is
	// sent; default 30 s, longer than the central waits for the bank and shorter
	// than the edge waits for the central.
	OpWait time.Duration
	// Poll is how often it is read which terminals have events or are revoked, without
	// a notification; one read is for up to 1,000 terminals. Default 30 s.
	Poll time.Duration
	// Greetings is how many terminals are authenticated at one time; default
	// DefaultGreetings. How fast others are admitted follows from how long that takes;
	// until then they get a time to come back.
	Greetings int
	// LookupsPerSecond and LookupBurst limit the lookups of terminals whose key is not
	// known here; default 200 a second, 100 at once.
	LookupsPerSecond float64
	LookupBurst      int
	// UnknownPerSecond and UnknownBurst limit invalid tokens by network: beyond
	// them such a token is neither looked up nor logged. Default 10 a second, 200
	// at once. Valid terminals do not count, and connect whatever others in their
	// network do.
	UnknownPerSecond float64
	UnknownBurst     int
	// Network names the network of a request; default the address of its
	// connection, which behind a proxy is the proxy's.
	Network func(*http.Request) string
	// MaxConnections limits the websockets; default 20,000, which is about 200 MiB
	// of memory.
	MaxConnections int
	// MaxOperations limits the operations of all terminals in progress; more get
	// 429. Default 4096.
	MaxOperations int
	// Drain is how long Run waits for terminals to close; default 5 s.
	Drain time.Duration
	// Merchant reads the shop of a terminal, for the welcome; nil: no welcome tells it.
	Merchant func(ctx context.Context, id central.MerchantID) (central.Merchant, error)
	// Log gives terminals checkpoints of the log (transparency.Witnesses); nil: none.
	Log interface {
		PublicKey() string
		Continue(ctx context.Context, kept string) (newest string, proof []string, err error)
	}
	// OtherHandlers serve other paths at the uplink's origin, by prefix, such as
	// /updates/; they have limits of their own. nil: none.
	OtherHandlers map[string]http.Handler

	// Rand is for request ids and the jitter of Retry-After; safe for concurrent
	// use. Required.
	Rand io.Reader
	// Logger is required.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Window = cmp.Or(c.Window, 8)
	c.OpWait = cmp.Or(c.OpWait, 30*time.Second)
	c.Poll = cmp.Or(c.Poll, 30*time.Second)
	c.Greetings = cmp.Or(c.Greetings, DefaultGreetings)
	c.LookupsPerSecond = cmp.Or(c.LookupsPerSecond, 200)
	c.LookupBurst = cmp.Or(c.LookupBurst, 100)
	c.UnknownPerSecond = cmp.Or(c.UnknownPerSecond, 10)
	c.UnknownBurst = cmp.Or(c.UnknownBurst, 200)
	c.MaxConnections = cmp.Or(c.MaxConnections, 20_000)
	c.MaxOperations = cmp.Or(c.MaxOperations, 4096)
	c.Drain = cmp.Or(c.Drain, 5*time.Second)
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
	need(c.Window > 0 && c.Greetings > 0 && c.LookupBurst > 0 && c.LookupsPerSecond > 0 && c.MaxConnections > 0 && c.MaxOperations > 0,
		"window, greetings, lookups and maxima must be positive")
	need(c.UnknownPerSecond > 0 && c.UnknownBurst > 0, "the limits of unknown callers must be positive")
	need(c.OpWait > 0 && c.Poll > 0 && c.Drain > 0, "waits must be positive")
	return errors.Join(errs...)
}

// Stats counts since the start.
type Stats struct {
	Admitted        int64 // upgrades that were admitted
	Unauthenticated int64 // answered 401
	TurnedAway      int64 // answered 503
	Unknown         int64 // answered 503: too many invalid tokens from their network
	Replaced        int64 // connections ended by the terminal's next one
	Overrun         int64 // connections ended because the terminal read too slowly
	Panics          int64 // goroutines that panicked and recovered
	LogFaults       int64 // terminals whose checkpoint the log does not continue
}

type counters struct {
	admitted, unauthenticated, turnedAway, unknown, replaced, overrun, panics, logFaults atomic.Int64
}

// Server serves the terminals' websockets. Its methods may be called from many
// goroutines.
type Server struct {
	handler       central.Handler
	store         Store
	notifier      *central.Notifier
	cfg           Config
	log           *slog.Logger
	rand          io.Reader
	line          *line
	keys          *keyring
	unknownTokens *ratelimit.LocalLimiter // invalid tokens, by network
	lookups       *ratelimit.LocalLimiter // lookups of terminals that are not in the keyring, all together
	attempts      *ratelimit.LocalLimiter // attempts of each valid terminal
	upgrader      websocket.Upgrader
	counts        counters
	watcher       *watcher
	presence      *presenceRecorder
	authenticator chan *attempt

	conns sync.WaitGroup // admitted handlers
	ops   sync.WaitGroup // operations; they outlive their connections
	under atomic.Int64   // operations in progress

	mu       sync.Mutex
	baseCtx  context.Context // of operations and sessions; set by Run
	running  bool
	open     int // connections, including upgrades in progress
	sessions map[*session]struct{}
	current  map[central.TerminalID]*session
}

// New makes a server. It admits nobody before Run.
func New(handler central.Handler, store Store, notifier *central.Notifier, cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	return &Server{
		watcher: newWatcher(), presence: newPresenceRecorder(), authenticator: make(chan *attempt),
		handler: handler, store: store, notifier: notifier, cfg: cfg, log: cfg.Logger, rand: cfg.Rand,
		line: newLine(cfg.Greetings, cfg.Rand), keys: newKeyring(),
		unknownTokens: ratelimit.NewLocalLimiter(cfg.UnknownPerSecond, cfg.UnknownBurst),
		lookups:       ratelimit.NewLocalLimiter(cfg.LookupsPerSecond, cfg.LookupBurst),
		attempts:      ratelimit.NewLocalLimiter(attemptsPerSecond, attemptBurst),
		// The Origin header was checked before; errors are answered with an envelope.
		upgrader: websocket.Upgrader{
			HandshakeTimeout: wsconn.WriteStall, CheckOrigin: func(*http.Request) bool { return true },
			ReadBufferSize: readBuffer, WriteBufferSize: writeBuffer, WriteBufferPool: &sync.Pool{},
		},
		sessions: map[*session]struct{}{}, current: map[central.TerminalID]*session{},
	}, nil
}

// UnderWay is the number of operations in progress.
func (s *Server) UnderWay() int { return int(s.under.Load()) }

// Stats returns the counters.
func (s *Server) Stats() Stats {
	return Stats{
		Admitted: s.counts.admitted.Load(), Unauthenticated: s.counts.unauthenticated.Load(),
		TurnedAway: s.counts.turnedAway.Load(), Unknown: s.counts.unknown.Load(), Replaced: s.counts.replaced.Load(),
		Overrun: s.counts.overrun.Load(), Panics: s.counts.panics.Load(), LogFaults: s.counts.logFaults.Load(),
	}
}

// Buffers of a websocket, in bytes. A connection keeps the one for reading, which has to
// hold no more than a control frame, since larger parts of a message pass it by. The one
// for writing is only borrowed for a message.
const (
	readBuffer  = 256
	writeBuffer = 4 << 10
)

// Limits of plain HTTP on the listener: the only request is a small GET.
const (
	headerWait   = 10 * time.Second // for the request's header
	idleWait     = 30 * time.Second // between two requests on one connection
	maxHeader    = 16 << 10         // bytes; a token has under 1 KiB
	handshakes   = 1024             // sockets above MaxConnections that may be in their handshake
	shutdownWait = 2 * time.Second  // for requests that are no websockets
)

// Run serves the listener until ctx ends. It then closes every terminal's connection
// with 1001, waits up to Config.Drain for them to close, cuts the rest, and returns
// when the last goroutine has ended. A server runs once.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s.mu.Lock()
	if s.baseCtx != nil {
		s.mu.Unlock()
		return errors.New("uplink: Run was called twice")
	}
	s.baseCtx, s.running = life, true
	s.mu.Unlock()

	var only http.Protocols
	only.SetHTTP1(true)
	web := &http.Server{
		Handler: s.Handler(), Protocols: &only,
		ReadHeaderTimeout: headerWait, ReadTimeout: headerWait, WriteTimeout: wsconn.WriteStall, IdleTimeout: idleWait,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	var here, recording sync.WaitGroup
	reader := &keyReader{store: s.store, keys: s.keys}
	failed := s.refreshKeys(life, reader, false)
	here.Go(func() { s.announceNode(life) })
	here.Go(func() { s.pollKeys(life, reader, failed) })
	here.Go(func() { s.authenticateTogether(life) })
	here.Go(func() { s.watchTerminals(life) })
	here.Go(func() { s.pingQuiet(life) })
	recording.Go(func() { s.recordPresence(life) })
	served := make(chan error, 1)
	go func() { served <- web.Serve(newLimitedListener(l, s.cfg.MaxConnections+handshakes)) }()

	var err error
	select {
	case err = <-served:
		err = fmt.Errorf("uplink: serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	// Who is told to connect again must not come to a door that only tells it to wait.
	_ = l.Close()
	s.stop(web)
	if err == nil {
		<-served
	}
	s.presence.close()
	recording.Wait()
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
			_ = session.conn.Close() // this ends its reader
		}
	})
	defer cut.Stop()

	ctx, cancel := context.WithTimeout(context.Background(), shutdownWait)
	defer cancel()
	if web.Shutdown(ctx) != nil {
		_ = web.Close() // what still waits had its time
	}
	s.conns.Wait()
}

// Reasons of close frames that end a good connection.
const (
	goingAway = "the central is stopping; connect again"
	replaced  = "this terminal connected again; only its latest connection is served"
	revoked   = "this terminal was revoked; enrol it again"
	tooSlow   = "the terminal reads too slowly"
)

// reserveConnection reserves one connection, until releaseConnection.
func (s *Server) reserveConnection() error {
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

func (s *Server) releaseConnection() {
	s.mu.Lock()
	s.open--
	s.mu.Unlock()
	s.conns.Done()
}

// register makes the session the terminal's only one.
func (s *Server) register(x *session) {
	s.mu.Lock()
	s.sessions[x] = struct{}{}
	old := s.current[x.terminal]
	s.current[x.terminal] = x
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
	if s.current[x.terminal] == x {
		delete(s.current, x.terminal)
	}
}
