package door

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"golang.org/x/time/rate"

	"galla/central"
	"galla/central/duty"
	"galla/shared/op"
	"galla/shared/secret"
)

// Bounds of a request.
const (
	// maxBody is the interface's limit; a face capture alone is 180 KB.
	maxBody = 1 << 20
	// readBuffer bounds the request line and the headers together.
	readBuffer = 16 << 10
	// readTimeout lets 180 KB through a line of 6 KB a second.
	readTimeout = 30 * time.Second
	// idleTimeout is how long a connection may be kept without a request.
	idleTimeout = 60 * time.Second
	// writeTimeout runs from the end of one reply to the end of the next where
	// the peer waits for '100 Continue', so it covers an idle time, a read and
	// some room.
	writeTimeout = idleTimeout + readTimeout + 10*time.Second
	// partingTime is how long Run waits for the servers of connections that it
	// has cut.
	partingTime = 5 * time.Second
)

// Config sets up a Door. Issuer, Audience, Keys, Rand and Logger are needed;
// the others take their defaults where they are zero.
type Config struct {
	// Issuer and Audience are the iss and aud of access tokens.
	Issuer, Audience string
	// Keys are the Ed25519 seeds, 32 bytes each, of the keys that tokens are
	// signed with: the first signs, all verify.
	Keys []secret.Key
	// TokenLife is how long an access token is valid; default 15 min.
	TokenLife time.Duration

	// CallTimeout is how long a call waits for its reply; then an operation
	// that is under way is answered as pending. Default 35 s: the bank's 15 s
	// for an inline agent authentication, 15 s for the transaction, and room.
	CallTimeout time.Duration
	// Drain is how long Run waits for calls under way when it is ended;
	// default CallTimeout and 5 s.
	Drain time.Duration

	// Rate and Burst bound the calls of each principal, and of each network
	// on routes without authentication; default 500 a second and 1000.
	// rate.Inf: no bound.
	Rate  rate.Limit
	Burst int
	// Rates is where nodes share them, and the count of wrong client secrets;
	// needed.
	Rates duty.Rates
	// MaxConns bounds the connections at one time; more wait to be accepted.
	// Default 4096.
	MaxConns int
	// MaxUnderWay bounds the calls at one time; more are told to come back.
	// Default 2048: twice what the engine lets wait for the bank.
	MaxUnderWay int

	// Trusted are the networks of proxies whose X-Forwarded-For is believed;
	// none: nobody's is.
	Trusted []netip.Prefix

	// Pages are fixed pages by their path, which everybody may read.
	Pages map[string]Page
	// Redirects are paths that lead to another one, which follows them.
	Redirects map[string]string

	// Gateway serves what comes under /process; nil: no such routes.
	Gateway Gateway
	// Explainer serves POST /gateway/explain; nil, as it must be outside
	// sandboxes: no such route.
	Explainer Explainer
	// StrangerRate and StrangerBurst bound, by network, the messages to the
	// gateway that turn out not to be authentic; when they are used up, whoever
	// comes from there is told to come back. Default 2000 a second and 20000:
	// a check takes some ten microseconds, and vendors that share an address
	// suffer for each other. Authentic messages count for nothing here. They
	// protect this node's processors, and hold for each node.
	StrangerRate  rate.Limit
	StrangerBurst int

	Rand   io.Reader // safe for concurrent use
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	c.TokenLife, c.CallTimeout = cmp.Or(c.TokenLife, 15*time.Minute), cmp.Or(c.CallTimeout, 35*time.Second)
	c.Drain = cmp.Or(c.Drain, c.CallTimeout+5*time.Second)
	c.Rate, c.Burst = cmp.Or(c.Rate, 500), cmp.Or(c.Burst, 1000)
	c.StrangerRate, c.StrangerBurst = cmp.Or(c.StrangerRate, 2000), cmp.Or(c.StrangerBurst, 20_000)
	c.MaxConns, c.MaxUnderWay = cmp.Or(c.MaxConns, 4096), cmp.Or(c.MaxUnderWay, 2048)
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
	if c.TokenLife < time.Second || c.CallTimeout < 0 || c.Drain < 0 || c.Rate < 0 || c.Burst < 1 || c.StrangerRate < 0 || c.StrangerBurst < 1 || c.MaxConns < 1 || c.MaxUnderWay < 1 {
		wrong = append(wrong, errors.New("times, rates and bounds must be above zero"))
	}
	return errors.Join(wrong...)
}

func (c Config) meter(prefix string) *duty.Meter {
	return duty.NewMeter(c.Rates, duty.Rate{PerSecond: float64(c.Rate), Burst: c.Burst}, prefix, time.Now)
}

// Door serves the direct routes over HTTP.
type Door struct {
	dispatcher central.Dispatcher
	directory  central.Directory
	cfg        Config
	log        *slog.Logger

	app        *fiber.App
	routed     fasthttp.RequestHandler
	tokens     *tokens
	checker    *checker
	guesses    *guesses
	clients    *clients
	rates      *limiter
	networks   *limiter
	strangers  *limiter // at the gateway
	enrolments *duty.Tries
	underWay   chan struct{}
	long       chan struct{} // messages beyond sealedBody that are read

	leaving atomic.Bool // replies ask clients to connect elsewhere

	life context.Context // of calls; ends when Run stops waiting for them
	end  context.CancelFunc
}

// New makes a door. Nothing is served before Run.
func New(dispatcher central.Dispatcher, directory central.Directory, cfg Config) (*Door, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuration of the door: %w", err)
	}
	tokens, err := newTokens(cfg.Issuer, cfg.Audience, cfg.TokenLife, cfg.Keys, cfg.Rand)
	if err != nil {
		return nil, fmt.Errorf("configuration of the door: %w", err)
	}
	checker, err := newChecker(cfg.Rand)
	if err != nil {
		return nil, fmt.Errorf("prepare the check of secrets: %w", err)
	}
	d := &Door{
		dispatcher: dispatcher, directory: directory, cfg: cfg, log: cfg.Logger,
		tokens: tokens, checker: checker, guesses: newGuesses(cfg.Rates, directory, cfg.Keys[0]), clients: newClients(directory),
		rates: newLimiter(cfg.Rate, cfg.Burst, cfg.meter(callerPrefix)), networks: newLimiter(cfg.Rate, cfg.Burst, cfg.meter(networkPrefix)),
		strangers: newLimiter(cfg.StrangerRate, cfg.StrangerBurst, nil), enrolments: duty.NewTries(cfg.Rates, enrolling, enrolPrefix),
		underWay: make(chan struct{}, cfg.MaxUnderWay), long: make(chan struct{}, longSealed),
	}
	d.life, d.end = context.WithCancel(context.Background())
	d.app = fiber.New(fiber.Config{
		Immutable: true, CaseSensitive: true, StrictRouting: true,
		// The handlers read the bodies, each to its own limit (readBody).
		StreamRequestBody: true, BodyLimit: maxBody, ReadBufferSize: readBuffer,
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		// The listener bounds the connections; a worker may outlive its own for a moment.
		Concurrency:                  2 * cfg.MaxConns,
		DisablePreParseMultipartForm: true,
		DisableStartupMessage:        true,
		ErrorHandler:                 d.refuseRequest,
	})
	d.app.Add(fiber.MethodPost, "/oauth/token", d.issue)
	d.add(fiber.MethodGet, "/.well-known/jwks.json", d.keys)
	if cfg.Explainer != nil {
		d.app.Add(fiber.MethodPost, "/gateway/explain", d.explain)
	}
	for _, route := range op.Table() {
		if route.Doors&op.Direct != 0 {
			d.add(route.Method, route.Path, d.direct(route))
		}
	}
	if err := d.addPages(); err != nil {
		return nil, fmt.Errorf("configuration of the door: %w", err)
	}
	d.routed = d.app.Handler()
	d.app.Server().Handler = d.serve
	d.app.Server().CloseOnShutdown = true
	d.app.Server().SecureErrorLogMessage = true // errors would quote headers, tokens included
	return d, nil
}

// add serves a path by a method, and by HEAD where the method is GET.
func (d *Door) add(method, path string, handler fiber.Handler) {
	d.app.Add(method, path, handler)
	if method == fiber.MethodGet {
		d.app.Add(fiber.MethodHead, path, handler)
	}
}

// Leave says that Run is about to end: calls are taken as before, but each reply
// ends its connection, so that the next call of that client finds another
// central.
func (d *Door) Leave() { d.leaving.Store(true) }

// Handler serves one request without a listener.
func (d *Door) Handler() fasthttp.RequestHandler { return d.serve }

// Run serves the listener until ctx ends; it closes it. Calls under way then
// have Config.Drain to finish, and what is still open after that is cut. Run
// returns when nobody serves a connection any more. A door runs once.
func (d *Door) Run(ctx context.Context, inner net.Listener) error {
	defer d.end()
	l := newListener(inner, d.cfg.MaxConns)
	served := make(chan error, 1)
	go func() { served <- d.app.Listener(l) }()

	var failed error
	select {
	case err := <-served:
		failed = fmt.Errorf("serve HTTP on %s: %w", inner.Addr(), errors.Join(err, errStopped))
	case <-ctx.Done():
		d.drain(ctx, l)
		<-served
	}
	_ = l.Close() // its error says that it was closed before
	d.end()
	l.cut()
	select {
	case <-l.empty:
	case <-time.After(partingTime):
		d.log.Error("connections are still served after shutdown", "seconds", partingTime.Seconds())
	}
	return failed
}

// errStopped says that the server ended by itself.
var errStopped = errors.New("the listener stopped accepting")

// drain stops accepting and lets calls under way finish.
func (d *Door) drain(ctx context.Context, l *listener) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.cfg.Drain)
	defer cancel()
	if err := d.app.ShutdownWithContext(ctx); err != nil {
		d.log.Warn("connections are cut: calls did not end in time", "seconds", d.cfg.Drain.Seconds(), "error", err)
	}
	// Where the server had not begun to serve, its shutdown does nothing.
	_ = l.Close()
}
