package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"galla/central"
	"galla/central/ratelimit"
	"galla/shared/op"
	"galla/shared/secret"
)

// Limits of a request.
const (
	// maxBody is the interface's limit; a face capture alone is 180 KB.
	maxBody = 1 << 20
	// readBuffer limits the request line and the headers together.
	readBuffer = 16 << 10
	// readTimeout is enough for 180 KB at 6 KB a second.
	readTimeout = 30 * time.Second
	// idleTimeout is how long a connection may be idle.
	idleTimeout = 60 * time.Second
	// writeTimeout runs from the end of one reply to the end of the next while the
	// peer waits for '100 Continue', so it covers an idle time and a read, and
	// some more.
	writeTimeout = idleTimeout + readTimeout + 10*time.Second
	// closeTimeout is how long Run waits for the servers of connections that it
	// has closed.
	closeTimeout = 5 * time.Second
)

// Config sets up a Server. Issuer, Audience, Keys, Rates, Rand and Logger are
// required; zero values of the others take their defaults.
type Config struct {
	// Issuer and Audience are the iss and aud of access tokens.
	Issuer, Audience string
	// Keys are the Ed25519 seeds, 32 bytes each, of the keys for tokens: the first
	// signs, all verify.
	Keys []secret.Key
	// TokenLife is how long an access token is valid; default 15 min.
	TokenLife time.Duration

	// CallTimeout is how long a request waits for its reply; then an operation
	// in progress is answered as pending. Default 35 s: the bank's 15 s for an
	// inline agent authentication, 15 s for the transaction, and some more.
	CallTimeout time.Duration
	// Drain is how long Run waits for requests in progress when it ends; default
	// CallTimeout and 5 s.
	Drain time.Duration

	// Rate and Burst limit the requests of each principal, and of each network
	// on routes without authentication; default 500 a second and 1000.
	// math.MaxFloat64: unlimited.
	Rate  float64
	Burst int
	// Rates is where nodes share the rates and the counts of wrong secrets.
	Rates ratelimit.Buckets
	// MaxConns limits the connections at one time; more wait to be accepted.
	// Default 4096.
	MaxConns int
	// MaxUnderWay limits the requests at one time; more get 429. Default 2048:
	// twice as many as may wait for the bank.
	MaxUnderWay int

	// Trusted are the networks of proxies whose X-Forwarded-For is trusted; none
	// by default.
	Trusted []netip.Prefix

	// Pages are fixed pages by path, for everybody.
	Pages map[string]Page
	// Redirects are paths that redirect to another path.
	Redirects map[string]string

	// Sites serve pages for people, by the path below which they are, such as /portal/.
	Sites map[string]http.Handler

	// Gateway serves what comes under /process; nil: no such routes.
	Gateway Gateway
	// Explainer serves POST /gateway/explain; nil, as it must be outside
	// sandboxes: no such route.
	Explainer Explainer
	// UnknownRate and UnknownBurst limit, by network, the messages to the gateway
	// that turn out not to be authentic; over the limit, all messages from that
	// network get 429. Default 2000 a second and 20000: a check takes some ten
	// microseconds, and vendors that share an address block each other.
	// Authentic messages do not count. The limit protects this node's CPU and
	// holds for each node.
	UnknownRate  float64
	UnknownBurst int

	Rand   io.Reader // safe for concurrent use
	Logger *slog.Logger
}

// Defaults of Config.
const (
	DefaultRate         = 500.0
	DefaultBurst        = 1000
	DefaultConns        = 4096
	DefaultUnderWay     = 2048
	DefaultUnknownRate  = 2000.0
	DefaultUnknownBurst = 20_000
)

func (c Config) withDefaults() Config {
	c.TokenLife, c.CallTimeout = cmp.Or(c.TokenLife, 15*time.Minute), cmp.Or(c.CallTimeout, 35*time.Second)
	c.Drain = cmp.Or(c.Drain, c.CallTimeout+5*time.Second)
	c.Rate, c.Burst = cmp.Or(c.Rate, DefaultRate), cmp.Or(c.Burst, DefaultBurst)
	c.UnknownRate, c.UnknownBurst = cmp.Or(c.UnknownRate, DefaultUnknownRate), cmp.Or(c.UnknownBurst, DefaultUnknownBurst)
	c.MaxConns, c.MaxUnderWay = cmp.Or(c.MaxConns, DefaultConns), cmp.Or(c.MaxUnderWay, DefaultUnderWay)
	return c
}

// validate reports everything that is wrong with a configuration at once.
func (c Config) validate() error {
	var wrong []error
	if c.Issuer == "" || c.Audience == "" {
		wrong = append(wrong, errors.New("issuer and audience of tokens are needed"))
	}
	if c.Rand == nil || c.Logger == nil || c.Rates == nil {
		wrong = append(wrong, errors.New("randomness, a logger and shared rates are needed"))
	}
	if c.TokenLife < time.Second || c.CallTimeout < 0 || c.Drain < 0 || c.Rate < 0 || c.Burst < 1 || c.UnknownRate < 0 || c.UnknownBurst < 1 || c.MaxConns < 1 || c.MaxUnderWay < 1 {
		wrong = append(wrong, errors.New("times, rates and bounds must be above zero"))
	}
	return errors.Join(wrong...)
}

// Server serves the direct routes over HTTP.
type Server struct {
	handler   central.Handler
	directory central.Directory
	cfg       Config
	log       *slog.Logger

	app           *fiber.App
	router        fasthttp.RequestHandler
	tokens        *tokens
	secrets       *secretChecker
	attempts      *secretAttempts
	clients       Clients
	callerLimits  *limiter
	networkLimits *limiter
	unknownLimits *ratelimit.LocalLimiter // of the gateway
	enrolAttempts *ratelimit.AttemptLimiter
	underWay      chan struct{}
	streams       chan struct{} // held while a reply is written that is sent meanwhile
	longBodies    chan struct{} // messages over maxSealedBody that are being read

	draining atomic.Bool // replies close connections, so that clients connect elsewhere

	baseCtx    context.Context // of requests; ends when Run stops waiting for them
	cancelBase context.CancelFunc
}

// New makes a Server. clients are read for every request; directory is read for access
// tokens. Nothing is served before Run.
func New(handler central.Handler, directory central.Directory, clients Clients, cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuration of the HTTP API: %w", err)
	}
	tokens, err := newTokens(cfg.Issuer, cfg.Audience, cfg.TokenLife, cfg.Keys, cfg.Rand)
	if err != nil {
		return nil, fmt.Errorf("configuration of the HTTP API: %w", err)
	}
	checker, err := newSecretChecker(cfg.Rand)
	if err != nil {
		return nil, fmt.Errorf("prepare the check of secrets: %w", err)
	}
	s := &Server{
		handler: handler, directory: directory, cfg: cfg, log: cfg.Logger,
		tokens: tokens, secrets: checker, attempts: newSecretAttempts(cfg.Rates, directory, cfg.Keys[0]), clients: clients,
		callerLimits: newLimiter(cfg, callerPrefix), networkLimits: newLimiter(cfg, networkPrefix),
		unknownLimits: ratelimit.NewLocalLimiter(cfg.UnknownRate, cfg.UnknownBurst), enrolAttempts: ratelimit.NewAttemptLimiter(cfg.Rates, enrolRate, enrolPrefix),
		underWay: make(chan struct{}, cfg.MaxUnderWay), streams: make(chan struct{}, maxStreams), longBodies: make(chan struct{}, maxLongBodies),
	}
	s.baseCtx, s.cancelBase = context.WithCancel(context.Background())
	s.app = fiber.New(fiber.Config{
		Immutable: true, CaseSensitive: true, StrictRouting: true,
		// The handlers read the bodies, each with its own limit (readBody).
		StreamRequestBody: true, BodyLimit: maxBody, ReadBufferSize: readBuffer,
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		// The listener limits the connections; a worker may outlive its own for a moment.
		Concurrency:                  2 * cfg.MaxConns,
		DisablePreParseMultipartForm: true,
		DisableStartupMessage:        true,
		ErrorHandler:                 s.handleRouterError,
	})
	s.app.Add(fiber.MethodPost, "/oauth/token", s.serveToken)
	s.addRoute(fiber.MethodGet, "/.well-known/jwks.json", s.serveJWKS)
	if cfg.Explainer != nil {
		s.app.Add(fiber.MethodPost, "/gateway/explain", s.explain)
	}
	for _, route := range op.Table() {
		if route.Entrances&op.Direct != 0 {
			s.addRoute(route.Method, route.Path, func(c *fiber.Ctx) error { return s.handleRoute(c, route) })
		}
	}
	if err := s.addPages(); err != nil {
		return nil, fmt.Errorf("configuration of the HTTP API: %w", err)
	}
	for root, site := range cfg.Sites {
		s.addSite(root, site)
	}
	s.router = s.app.Handler()
	s.app.Server().Handler = s.serveHTTP
	s.app.Server().CloseOnShutdown = true
	s.app.Server().SecureErrorLogMessage = true // errors would quote headers, tokens included
	return s, nil
}

// addRoute serves a path by a method, and by HEAD if the method is GET.
func (s *Server) addRoute(method, path string, handler fiber.Handler) {
	s.app.Add(method, path, handler)
	if method == fiber.MethodGet {
		s.app.Add(fiber.MethodHead, path, handler)
	}
}

// AnnounceShutdown announces that Run will end soon: requests are still served, but
// each reply closes its connection, so that the client's next request goes to
// another node.
func (s *Server) AnnounceShutdown() { s.draining.Store(true) }

// Run serves the listener until ctx ends, and closes it. Requests in progress then
// have Config.Drain to finish; connections that are still open after that are
// closed. Run returns when no connection is served any more. A Server runs once.
func (s *Server) Run(ctx context.Context, inner net.Listener) error {
	defer s.cancelBase()
	l := newListener(inner, s.cfg.MaxConns)
	served := make(chan error, 1)
	go func() { served <- s.app.Listener(l) }()

	var failed error
	select {
	case err := <-served:
		failed = fmt.Errorf("serve HTTP on %s: %w", inner.Addr(), errors.Join(err, errStopped))
	case <-ctx.Done():
		s.shutdown(ctx, l)
		<-served
	}
	_ = l.Close() // it may be closed already
	s.cancelBase()
	l.closeAll()
	select {
	case <-l.allClosed:
	case <-time.After(closeTimeout):
		s.log.Error("connections are still open after shutdown", "seconds", closeTimeout.Seconds())
	}
	return failed
}

// errStopped says that the server stopped on its own.
var errStopped = errors.New("the listener stopped accepting")

// shutdown stops accepting and lets requests in progress finish.
func (s *Server) shutdown(ctx context.Context, l *listener) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Drain)
	defer cancel()
	if err := s.app.ShutdownWithContext(ctx); err != nil {
		s.log.Warn("connections are closed: requests did not finish in time", "seconds", s.cfg.Drain.Seconds(), "error", err)
	}
	// If the server had not begun to serve, its shutdown does nothing.
	_ = l.Close()
}
