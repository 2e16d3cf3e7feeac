package galla

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"time"
)

// Config is what both clients take. Only BaseURL is needed.
type Config struct {
	BaseURL    string // https://… ; http only for this machine, or with Insecure
	MerchantID string // whom calls act for, where a call has none; vendors need it

	Timeout       time.Duration // of one attempt; 45 s
	Attempts      int           // of one call, all with its key; 4. With 1 nothing is repeated.
	MaxRetryAfter time.Duration // the longest Retry-After that is waited for; 30 s
	Insecure      bool          // allows http to another machine

	Transport http.RoundTripper                          // by default one like http.DefaultTransport
	Now       func() time.Time                           // for tests, as the rest
	Sleep     func(context.Context, time.Duration) error // ends early with the context's error
	Jitter    func() float64                             // from 0 to 1
}

// DirectConfig sets up a DirectClient.
type DirectConfig struct {
	Config
	ClientID, ClientSecret string
}

// Format writes nothing of the secret, for every verb.
func (c DirectConfig) Format(f fmt.State, _ rune) {
	writeName(f, fmt.Sprintf("DirectConfig(%s, %s)", c.BaseURL, c.ClientID))
}

// GatewayConfig sets up a GatewayClient.
type GatewayConfig struct {
	Config
	ClientID string // the API key
	Key      string // the encryption key: 64 hex or 44 base64 characters
}

// Format writes nothing of the key, for every verb.
func (c GatewayConfig) Format(f fmt.State, _ rune) {
	writeName(f, fmt.Sprintf("GatewayConfig(%s, %s)", c.BaseURL, c.ClientID))
}

// DirectClient calls the central directly: for merchants, vendors and aggregators. It may be
// used by several goroutines.
type DirectClient struct{ directRoutes }

// NewDirect makes a client; it sends nothing.
func NewDirect(cfg DirectConfig) (*DirectClient, error) {
	if cfg.ClientID == "" || cfg.ClientSecret == "" {
		return nil, errors.New("galla: ClientID and ClientSecret must be given")
	}
	c, err := newCaller(cfg.Config, fmt.Sprintf("DirectClient(%s, %s)", cfg.BaseURL, cfg.ClientID))
	if err != nil {
		return nil, err
	}
	tokens := &tokens{basic: basic(cfg.ClientID, cfg.ClientSecret), send: c.send, now: c.cfg.Now}
	c.exchange = func(ctx context.Context, one *call) (*reply, error) { return direct(ctx, c, tokens, one) }
	return &DirectClient{directRoutes{gatewayRoutes{c}}}, nil
}

// Format writes address and client id, for every verb.
func (d *DirectClient) Format(f fmt.State, _ rune) { writeName(f, d.c.about) }

// GatewayClient calls the gateway with sealed messages: for vendors. It may be used by
// several goroutines.
type GatewayClient struct{ gatewayRoutes }

// NewGateway makes a client; it sends nothing.
func NewGateway(cfg GatewayConfig) (*GatewayClient, error) {
	if cfg.ClientID == "" || cfg.Key == "" {
		return nil, errors.New("galla: ClientID (the API key) and Key (the encryption key) must be given")
	}
	key, err := ParseKey(cfg.Key)
	if err != nil {
		return nil, fmt.Errorf("galla: %w", err)
	}
	c, err := newCaller(cfg.Config, fmt.Sprintf("GatewayClient(%s, %s)", cfg.BaseURL, cfg.ClientID))
	if err != nil {
		return nil, err
	}
	c.sealed = true
	c.exchange = func(ctx context.Context, one *call) (*reply, error) { return sealed(ctx, c, cfg.ClientID, key, one) }
	return &GatewayClient{gatewayRoutes{c}}, nil
}

// Format writes address and client id, for every verb.
func (g *GatewayClient) Format(f fmt.State, _ rune) { writeName(f, g.c.about) }

// NewKey makes a random idempotency key, a UUID. Store it before the call: a program that
// crashed repeats the call with it.
func NewKey() string {
	var u [16]byte
	if _, err := rand.Read(u[:]); err != nil {
		panic("galla: no randomness: " + err.Error()) // a key that is not random moves money wrongly
	}
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// defaults fills in what a Config leaves out.
func (c Config) defaults() (Config, error) {
	if c.Timeout < 0 || c.Attempts < 0 || c.MaxRetryAfter < 0 {
		return c, errors.New("galla: Timeout, Attempts and MaxRetryAfter must not be negative")
	}
	if c.Timeout == 0 {
		c.Timeout = 45 * time.Second
	}
	if c.Attempts == 0 {
		c.Attempts = 4
	}
	if c.MaxRetryAfter == 0 {
		c.MaxRetryAfter = 30 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Jitter == nil {
		c.Jitter = mathrand.Float64
	}
	if c.Sleep == nil {
		c.Sleep = func(ctx context.Context, d time.Duration) error {
			t := time.NewTimer(d)
			defer t.Stop()
			select {
			case <-t.C:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return c, nil
}
