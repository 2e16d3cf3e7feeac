package webhook

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"galla/central"

	"galla/shared/secret"
)

// Bounds of the delivery.
const (
	// attemptTime bounds an attempt, from the resolver to the end of the reply, as
	// Standard Webhooks recommends.
	attemptTime = 15 * time.Second
	// connectTime bounds each of name resolution, connection and handshake.
	connectTime = 5 * time.Second
	// shutdownGrace is the time that an attempt has when its node stops.
	shutdownGrace = 3 * time.Second
	// claimLease is the duration of a claim: an attempt, its record, and clocks that differ.
	claimLease = 2 * time.Minute
	// maxInFlight bounds a node's concurrent attempts, most of which wait for a receiver.
	maxInFlight = 64
	// maxPerReceiver is a receiver's share of them.
	maxPerReceiver = 4
	// maxReply bounds the bytes of a reply that are read and dropped, so that the
	// connection can be reused.
	maxReply = 16 << 10
	// maxReplyHeader bounds a reply's headers, in bytes.
	maxReplyHeader = 16 << 10
	// idleTime is how long an idle connection stays open.
	idleTime = 30 * time.Second
	// maxIdle bounds the idle connections.
	maxIdle = 128
	// defaultPoll is the default of Config.Poll.
	defaultPoll = time.Second
)

// Config configures a Deliverer. Zero values mean the defaults.
type Config struct {
	// Sandbox allows http, and receivers on this machine.
	Sandbox bool
	// Poll is the period of claims; default 1 s.
	Poll time.Duration
	// Resolver resolves the receivers' names; nil: the system's.
	Resolver *net.Resolver

	Rand   io.Reader    // needed: jitter
	Logger *slog.Logger // needed
}

// Counts counts a Deliverer's attempts since its start, by result.
type Counts struct {
	Delivered, Failed, GivenUp, Gone int64
}

// Deliverer delivers callbacks. Its methods are safe for concurrent use.
type Deliverer struct {
	store  DeliveryStore
	vault  *Vault
	client *http.Client
	cfg    Config
	log    *slog.Logger

	mu       sync.Mutex
	inFlight map[Receiver]int

	delivered, failed, givenUp, gone atomic.Int64
}

// New returns a Deliverer. Its Job must have ended before Close.
func New(store DeliveryStore, vault *Vault, cfg Config) (*Deliverer, error) {
	if store == nil || vault == nil || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("callbacks need a store, a vault, a source of randomness and a logger")
	}
	if cfg.Poll == 0 {
		cfg.Poll = defaultPoll
	}
	return &Deliverer{
		store: store, vault: vault, client: newClient(cfg), cfg: cfg, log: cfg.Logger,
		inFlight: map[Receiver]int{},
	}, nil
}

// newClient creates the HTTP client of all callbacks.
func newClient(cfg Config) *http.Client {
	dialer := &net.Dialer{Timeout: connectTime, Control: dialControl(cfg.Sandbox), Resolver: cfg.Resolver}
	return &http.Client{
		Timeout: attemptTime,
		Transport: &http.Transport{
			Proxy:                  nil, // dialControl could not check the addresses behind a proxy
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    connectTime,
			ResponseHeaderTimeout:  attemptTime,
			IdleConnTimeout:        idleTime,
			MaxIdleConns:           maxIdle,
			MaxIdleConnsPerHost:    maxPerReceiver,
			MaxResponseHeaderBytes: maxReplyHeader,
			DisableCompression:     true, // so that maxReply bounds the decoded body, too
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Close closes idle connections.
func (t *Deliverer) Close() { t.client.CloseIdleConnections() }

// Counts returns the present counts.
func (t *Deliverer) Counts() Counts {
	return Counts{Delivered: t.delivered.Load(), Failed: t.failed.Load(), GivenUp: t.givenUp.Load(), Gone: t.gone.Load()}
}

// Job returns the delivery as a job.
func (t *Deliverer) Job() central.Job {
	return central.Job{Name: "callbacks", Poll: t.cfg.Poll, Batch: maxInFlight, Lease: claimLease, Claim: t.claim}
}

// claim claims due callbacks, at most maxPerReceiver of a receiver at one time.
func (t *Deliverer) claim(ctx context.Context, now, until time.Time, n int) ([]central.Task, error) {
	limits := ClaimLimits{Now: now, Until: until, Limit: n, PerReceiver: maxPerReceiver, InFlight: map[Receiver]int{}}
	t.mu.Lock()
	for r, taken := range t.inFlight {
		limits.InFlight[r] = taken
	}
	t.mu.Unlock()
	due, err := t.store.ClaimCallbacks(ctx, limits)
	if err != nil {
		return nil, err
	}
	tasks := make([]central.Task, len(due))
	for i, c := range due {
		t.addInFlight(c.Receiver(), 1)
		tasks[i] = central.Task{Name: MessageID(c.Operation), Do: func(ctx context.Context) {
			defer t.addInFlight(c.Receiver(), -1)
			t.attempt(ctx, c)
		}}
	}
	return tasks, nil
}

// addInFlight changes the count of a receiver's attempts under way.
func (t *Deliverer) addInFlight(r Receiver, change int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inFlight[r] += change; t.inFlight[r] == 0 {
		delete(t.inFlight, r)
	}
}

// signingKeys opens an endpoint's secrets. A secret that can't be opened is logged and left
// out.
func (t *Deliverer) signingKeys(e Endpoint) (keys []secret.Key) {
	for _, x := range e.Secrets {
		key, err := t.vault.open(x)
		if err != nil {
			t.log.Error("a callback secret can't be opened; callbacks are not signed with it", "receiver", e.Receiver, "error", err)
			continue
		}
		keys = append(keys, key)
	}
	return keys
}
