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
	// Plain allows ws:// to other machines: for a network that something
	// else encrypts, such as a VPN.
	Plain bool
	// TerminalID and Audience are what enrolment gave.
	TerminalID string
	Audience   string
	// Key is the terminal's Ed25519 key. It is never printed with the Config.
	Key crypto.Signer
	// Version of this program.
	Version string

	// TLS may be nil. DialContext too: a plain dial. No proxy is used.
	TLS         *tls.Config
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)

	// MinBackoff and MaxBackoff bound the wait between two attempts where the central
	// says nothing of it; default 0.5 s and 30 s. It doubles up to 4 s, and then it is
	// up to an eighth of the time since the connection was lost: a terminal is back
	// soon after a short absence of the central, and does not hammer at a long one.
	MinBackoff, MaxBackoff time.Duration
	// RevokedRetry is how often a revoked terminal tries; default 10 min.
	RevokedRetry time.Duration

	// Addresses returns the machine's network addresses; default
	// net.InterfaceAddrs. The client reconnects at once when they change.
	Addresses func() ([]net.Addr, error)
	// InUse reports whether somebody may look at the counter or waits for an outcome: then
	// a central that hangs is noticed within 8 s, for a ping every few seconds. Nil: never.
	// It must not wait.
	InUse func() bool
	// OnChange, if set, is called after State has changed. It must not wait.
	OnChange func()

	// Now is the counter's clock, which may be wrong; default time.Now.
	Now func() time.Time
	// Rand is the source of token ids and jitter. Required.
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
	wait(&c.RevokedRetry, 10*time.Minute)
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
		c.DialContext = (&net.Dialer{Timeout: connectWait}).DialContext
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
	need(c.MinBackoff > 0 && c.MaxBackoff >= c.MinBackoff && c.RevokedRetry > 0, "waits must be positive, and the longest backoff not below the shortest")
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
		return fmt.Errorf("uplink: the address %q sends Aadhaar numbers unencrypted: use wss://", c.URL)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// Client is the uplink. It implements edge.Link; its methods are safe for
// concurrent use.
type Client struct {
	cfg      Config
	receiver edge.Receiver
	dialer   websocket.Dialer
	log      *slog.Logger
	wake     chan struct{}

	// linkMu is held for reading while a frame is sent, and for writing while the
	// connection changes.
	linkMu sync.RWMutex
	link   *link

	mu    sync.Mutex
	state edge.LinkState
	clock clockCheck

	// Of Run only.
	skew      time.Duration // the central's clock minus ours, for tokens
	corrected bool          // the last attempt was refused, and skew changed
	attempts  int           // since the last good connection
	since     time.Time     // of the first of these attempts
}

// New makes a client. Nothing happens before Run.
func New(cfg Config, receiver edge.Receiver) (*Client, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if receiver == nil {
		return nil, errors.New("uplink: the receiver is missing")
	}
	return &Client{
		cfg: cfg, receiver: receiver, log: cfg.Logger, wake: make(chan struct{}, 1),
		dialer: websocket.Dialer{TLSClientConfig: cfg.TLS, HandshakeTimeout: dialWait},
		state:  edge.LinkState{Since: cfg.Now(), Problem: edge.LinkConnecting},
	}, nil
}

// State implements edge.Link. If the counter's clock was set, the terminal is
// offline: the offset no longer holds, and the hello measures it again.
func (c *Client) State() edge.LinkState {
	c.mu.Lock()
	state, jumped := c.state, c.state.Online && c.clock.jumped(c.cfg.Now())
	c.mu.Unlock()
	if jumped {
		c.disconnect(errClockSet)
		state.Online, state.Problem = false, edge.LinkClockSet
	}
	return state
}

func (c *Client) disconnect(why error) {
	c.linkMu.RLock()
	defer c.linkMu.RUnlock()
	if c.link != nil {
		c.link.end(why)
	}
}

// Send implements edge.Link. It waits up to sendWait on a slow connection; after
// that it disconnects, and nothing of this frame was sent.
func (c *Client) Send(f wire.Frame) error {
	data, err := wire.Encode(f)
	if err != nil {
		return fmt.Errorf("send a frame: %w", err)
	}
	c.linkMu.RLock()
	defer c.linkMu.RUnlock()
	if c.link == nil {
		return edge.ErrOffline
	}
	return c.link.enqueue(data)
}

// Wake makes the client connect at once instead of waiting for its backoff, or
// probe the connection. It does not shorten a Retry-After, nor the pace of a
// revoked terminal.
func (c *Client) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Run stays connected until ctx ends. When it returns, the client is
// disconnected, the receiver was informed, and no goroutine is left.
func (c *Client) Run(ctx context.Context) error {
	var watch sync.WaitGroup
	watch.Go(func() { c.watchAddresses(ctx) })
	defer watch.Wait()
	for ctx.Err() == nil {
		t := c.connectOnce(ctx)
		if ctx.Err() != nil {
			break
		}
		if c.isRevoked() && t.pace != paceNow {
			// Revoked until a welcome, whatever else fails.
			t.problem, t.detail, t.pace, t.revoked = edge.LinkRevoked, "", paceRevoked, true
		}
		c.setOffline(t)
		wait, wakeable := c.delay(t)
		c.log.Info("uplink disconnected", "cause", t.cause, "reason", t.problem, "retryIn", wait)
		c.wait(ctx, wait, wakeable)
	}
	c.setOffline(&failure{problem: edge.LinkStopped})
	return nil
}

// connectOnce makes one attempt and serves the connection until it ends.
func (c *Client) connectOnce(ctx context.Context) *failure {
	ws, t := c.connect(ctx)
	if t != nil {
		return t
	}
	l := newLink(c, ws)
	begun := time.Now()
	t = l.run(ctx)
	if l.welcomed && time.Since(begun) >= stableAfter {
		c.attempts = 0
	}
	return t
}

// stableAfter is how long a connection must last so that the backoff starts again
// from the shortest: one that breaks right after each welcome must not be retried
// at full speed.
const stableAfter = 10 * time.Second

const maxRetryAfter = 10 * time.Minute

const (
	// shortBackoff is up to where the backoff doubles; later it is a part of the time
	// that the central is away.
	shortBackoff = 4 * time.Second
	backoffPart  = 8
	// turnJitter is the jitter of a turn that the central gave: turns differ already.
	turnJitter = 50 * time.Millisecond
)

// delay returns how long to wait after a failure, and whether Wake shortens it.
func (c *Client) delay(t *failure) (time.Duration, bool) {
	switch t.pace {
	case paceNow:
		return 0, true
	case paceTurn:
		return min(t.after, maxRetryAfter) + c.jitter(turnJitter), false
	case paceAsked:
		asked := min(t.after, maxRetryAfter)
		return asked + c.jitter(max(asked/8, time.Second)), false
	case paceRevoked:
		return c.cfg.RevokedRetry - c.jitter(c.cfg.RevokedRetry/8), false
	case paceSlow:
		return c.cfg.MaxBackoff/2 + c.jitter(c.cfg.MaxBackoff/2), true
	}
	if c.attempts == 0 {
		c.since = time.Now()
	}
	longest := min(max(shortBackoff, time.Since(c.since)/backoffPart), c.cfg.MaxBackoff)
	limit := c.cfg.MinBackoff
	for range c.attempts {
		if limit *= 2; limit >= longest {
			limit = max(longest, c.cfg.MinBackoff)
			break
		}
	}
	c.attempts++
	return c.jitter(limit), true
}

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

func (c *Client) setOnline(l *link, offset time.Duration, m clockCheck, window int) {
	c.linkMu.Lock()
	c.link = l
	c.linkMu.Unlock()
	c.skew = offset
	c.mu.Lock()
	c.state = edge.LinkState{Online: true, Since: c.cfg.Now(), Offset: offset, Window: window}
	c.clock = m
	c.mu.Unlock()
	c.cfg.OnChange()
}

// detach removes the connection: when it returns, every Send on it has returned.
func (c *Client) detach() {
	c.linkMu.Lock()
	c.link = nil
	c.linkMu.Unlock()
}

func (c *Client) isRevoked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Revoked
}

func (c *Client) setOffline(t *failure) {
	c.mu.Lock()
	old := c.state
	if c.state.Online {
		c.state.Since = c.cfg.Now()
	}
	c.state.Online, c.state.Problem, c.state.Detail = false, t.problem, t.detail
	c.state.Revoked = c.state.Revoked || t.revoked
	changed := c.state != old
	c.mu.Unlock()
	if changed {
		c.cfg.OnChange()
	}
}
