package uplink

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"galla/edge"
	"galla/shared/wire"
)

// Config sets up a Client. Zero durations take the defaults.
type Config struct {
	// URL of the websocket, as enrolment gave it: wss://…/uplink. ws:// is
	// accepted to this machine only.
	URL string
	// Plain allows ws:// to other machines: for a line that something else
	// encrypts, such as a VPN.
	Plain bool
	// TerminalID and Audience are what enrolment gave.
	TerminalID string
	Audience   string
	// Key is the terminal's Ed25519 key. It is never printed with the Config.
	Key crypto.Signer
	// Version of this program, for people.
	Version string

	// TLS may be nil. DialContext and Proxy too: a plain dial, and no proxy.
	TLS         *tls.Config
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	Proxy       func(*http.Request) (*url.URL, error)

	// MinBackoff and MaxBackoff bound the wait between two attempts; default
	// 0.5 s and 30 s.
	MinBackoff, MaxBackoff time.Duration
	// Knock is how often a revoked terminal tries; default 10 min.
	Knock time.Duration

	// Addresses gives the machine's network addresses; default
	// net.InterfaceAddrs. A change of them tries at once.
	Addresses func() ([]net.Addr, error)
	// OnChange, if set, is called after State has changed. It must not wait.
	OnChange func()

	// Now is the counter's clock, which may be wrong; default time.Now.
	Now func() time.Time
	// Rand gives token ids and jitter. Required.
	Rand io.Reader
	// Logger is required.
	Logger *slog.Logger
}

// Format prints the terminal and the address, and never the key.
func (c Config) Format(s fmt.State, _ rune) {
	fmt.Fprintf(s, "uplink of terminal %s to %s", c.TerminalID, c.URL)
}

// LogValue is what Format prints.
func (c Config) LogValue() slog.Value { return slog.StringValue(fmt.Sprintf("%v", c)) }

func (c Config) withDefaults() Config {
	wait := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	wait(&c.MinBackoff, 500*time.Millisecond)
	wait(&c.MaxBackoff, 30*time.Second)
	wait(&c.Knock, 10*time.Minute)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Addresses == nil {
		c.Addresses = net.InterfaceAddrs
	}
	if c.OnChange == nil {
		c.OnChange = func() {}
	}
	if c.DialContext == nil {
		c.DialContext = (&net.Dialer{}).DialContext
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
	need(c.TerminalID != "" && c.Audience != "", "terminal id and audience are missing: enrol the counter")
	need(c.Key != nil && isEd25519(c.Key), "the terminal's Ed25519 key is missing: enrol the counter")
	need(c.Rand != nil && c.Logger != nil, "randomness and a logger are needed")
	need(c.MinBackoff > 0 && c.MaxBackoff >= c.MinBackoff && c.Knock > 0, "waits must be positive, and the longest backoff not below the shortest")
	return errors.Join(append(errs, c.validateURL())...)
}

func isEd25519(key crypto.Signer) bool {
	public, ok := key.Public().(ed25519.PublicKey)
	return ok && len(public) == ed25519.PublicKeySize
}

func (c Config) validateURL() error {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || u.User != nil || (u.Scheme != "ws" && u.Scheme != "wss"):
		return fmt.Errorf("uplink: the address %q is no websocket address: it must read wss://host/uplink", c.URL)
	case u.Scheme == "ws" && !c.Plain && !isLoopback(u.Hostname()):
		return fmt.Errorf("uplink: the address %q would carry Aadhaar numbers in the clear: use wss://", c.URL)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// Client is the line. It implements edge.Line; its methods may be called from
// many goroutines.
type Client struct {
	cfg      Config
	receiver edge.Receiver
	dialer   websocket.Dialer
	log      *slog.Logger
	wake     chan struct{}

	// giving is held for reading while a frame is given to the line, and for
	// writing while the line is put up or taken away.
	giving sync.RWMutex
	link   *link

	mu    sync.Mutex
	state edge.LinkState
	meter meter

	// Of Run only.
	skew      time.Duration // the central's clock minus ours, for tokens
	corrected bool          // the last attempt was refused, and skew changed
	attempts  int           // since the last good line
}

// New makes a line. Nothing happens before Run.
func New(cfg Config, receiver edge.Receiver) (*Client, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if receiver == nil {
		return nil, errors.New("uplink: nobody receives what the central says")
	}
	return &Client{
		cfg: cfg, receiver: receiver, log: cfg.Logger, wake: make(chan struct{}, 1),
		dialer: websocket.Dialer{TLSClientConfig: cfg.TLS, Proxy: cfg.Proxy, HandshakeTimeout: dialWait},
		state:  edge.LinkState{Since: cfg.Now(), Problem: connecting},
	}, nil
}

// State implements edge.Line. A line under which the counter's clock was set
// is down: its offset no longer holds, and the hello measures it again.
func (c *Client) State() edge.LinkState {
	c.mu.Lock()
	state, jumped := c.state, c.state.Up && c.meter.jumped(c.cfg.Now())
	c.mu.Unlock()
	if jumped {
		c.cut(errClockSet)
		state.Up, state.Problem = false, clockSet
	}
	return state
}

// cut ends the line that is up, if one is.
func (c *Client) cut(why error) {
	c.giving.RLock()
	defer c.giving.RUnlock()
	if c.link != nil {
		c.link.end(why)
	}
}

// Send implements edge.Line. It waits up to sendWait where the line is slow;
// after that the line is cut, and nothing of this frame was given.
func (c *Client) Send(f wire.Frame) error {
	data, err := wire.Encode(f)
	if err != nil {
		return fmt.Errorf("give a frame to the line: %w", err)
	}
	c.giving.RLock()
	defer c.giving.RUnlock()
	if c.link == nil {
		return edge.ErrDown
	}
	return c.link.give(data)
}

// Wake makes the line try at once instead of waiting out its backoff; a line
// that is up is probed. It does not shorten what the central asked for, nor the
// knocking of a revoked terminal.
func (c *Client) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Run keeps the line up until ctx ends. When it returns the line is down, the
// receiver has been told, and no goroutine is left.
func (c *Client) Run(ctx context.Context) error {
	var watch sync.WaitGroup
	watch.Go(func() { c.watchAddresses(ctx) })
	defer watch.Wait()
	for ctx.Err() == nil {
		t := c.once(ctx)
		if ctx.Err() != nil {
			break
		}
		if c.isRevoked() && t.pace != paceNow {
			// Until a welcome says otherwise, whatever else is in the way.
			t.words, t.pace, t.revoked = wasRevoked, paceKnock, true
		}
		c.down(t)
		wait, wakeable := c.delay(t)
		c.log.Info("the line to the central is down", "cause", t.cause, "problem", t.words, "retryIn", wait)
		c.wait(ctx, wait, wakeable)
	}
	c.down(&trouble{words: stopped})
	return nil
}

// once makes one attempt and serves the line to its end.
func (c *Client) once(ctx context.Context) *trouble {
	ws, t := c.connect(ctx)
	if t != nil {
		return t
	}
	l := newLink(c, ws)
	begun := time.Now()
	t = l.run(ctx)
	if l.welcomed && time.Since(begun) >= goodLine {
		c.attempts = 0
	}
	return t
}

// goodLine is how long a line must hold so that the next backoff starts anew:
// one that breaks right after each welcome must not be knocked at at full
// speed.
const goodLine = 10 * time.Second

// maxRetryAfter bounds what a Retry-After may ask for.
const maxRetryAfter = 10 * time.Minute

// delay is how long to wait after a trouble, and whether Wake shortens it.
func (c *Client) delay(t *trouble) (time.Duration, bool) {
	switch t.pace {
	case paceNow:
		return 0, true
	case paceAsked:
		asked := min(t.after, maxRetryAfter)
		return asked + c.jitter(max(asked/8, time.Second)), false
	case paceKnock:
		return c.cfg.Knock - c.jitter(c.cfg.Knock/8), false
	case paceSlow:
		return c.cfg.MaxBackoff/2 + c.jitter(c.cfg.MaxBackoff/2), true
	}
	limit := c.cfg.MinBackoff
	for range c.attempts {
		if limit *= 2; limit >= c.cfg.MaxBackoff {
			limit = c.cfg.MaxBackoff
			break
		}
	}
	c.attempts++
	return c.jitter(limit), true
}

// wait waits, or until it is woken.
func (c *Client) wait(ctx context.Context, d time.Duration, wakeable bool) {
	wake := c.wake
	if !wakeable {
		wake = nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
		c.attempts = 0
	}
}

// up makes the line the counter's.
func (c *Client) up(l *link, offset time.Duration, m meter, window int) {
	c.giving.Lock()
	c.link = l
	c.giving.Unlock()
	c.skew = offset
	c.mu.Lock()
	c.state = edge.LinkState{Up: true, Since: c.cfg.Now(), Offset: offset, Window: window}
	c.meter = m
	c.mu.Unlock()
	c.cfg.OnChange()
}

// take takes the line away: when it returns, every Send has returned that was
// given something.
func (c *Client) take() {
	c.giving.Lock()
	c.link = nil
	c.giving.Unlock()
}

func (c *Client) isRevoked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Revoked
}

// down notes why the line is down.
func (c *Client) down(t *trouble) {
	c.mu.Lock()
	old := c.state
	if c.state.Up {
		c.state.Since = c.cfg.Now()
	}
	c.state.Up, c.state.Problem = false, t.words
	c.state.Revoked = c.state.Revoked || t.revoked
	changed := c.state != old
	c.mu.Unlock()
	if changed {
		c.cfg.OnChange()
	}
}
