package callback

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
	"galla/central/duty"
	"galla/central/worker"
	"galla/shared/secret"
)

// Bounds of the delivery.
const (
	// attemptTime bounds an attempt, from the resolver to the end of the reply:
	// what the specification advises.
	attemptTime = 15 * time.Second
	// connectTime bounds name, connection and handshake of it, each.
	connectTime = 5 * time.Second
	// stopTime is what an attempt has left when its node is being stopped.
	stopTime = 3 * time.Second
	// lease is how long a claim holds: an attempt, its note, and clocks that
	// differ.
	lease = 2 * time.Minute
	// underWay is how many attempts a node makes at one time: most of them wait
	// for a receiver.
	underWay = 64
	// perMerchant is a merchant's share of them.
	perMerchant = 4
	// maxReply bounds what is read of a reply, to be dropped: enough that the
	// connection of a decent receiver can be used again.
	maxReply = 16 << 10
	// maxReplyHeader bounds a reply's headers.
	maxReplyHeader = 16 << 10
	// idleTime is how long a connection is kept for the next callback.
	idleTime = 30 * time.Second
	// maxIdle bounds the connections that are kept.
	maxIdle = 128
	// poll is how often the table is looked at by default.
	poll = time.Second
)

// Config sets up a Teller. Zero values take the defaults.
type Config struct {
	// Sandbox allows http, and receivers on this machine.
	Sandbox bool
	// Poll is how often the table is looked at; default 1 s.
	Poll time.Duration
	// Resolver finds the receivers' addresses; nil: the system's.
	Resolver *net.Resolver

	Rand   io.Reader    // needed: jitter
	Logger *slog.Logger // needed
}

// Counts tells what a Teller has done since its start.
type Counts struct {
	Delivered, Failed, GivenUp, Gone int64 // attempts, by what they came to
}

// Teller delivers callbacks. Its methods may be called by many goroutines at
// once.
type Teller struct {
	store  duty.Callbacks
	safe   *Safe
	client *http.Client
	cfg    Config
	log    *slog.Logger

	mu       sync.Mutex
	underWay map[central.MerchantID]int

	delivered, failed, givenUp, gone atomic.Int64
}

// New makes a Teller; its duty is for the worker. Close when the worker has
// ended.
func New(store duty.Callbacks, safe *Safe, cfg Config) (*Teller, error) {
	if store == nil || safe == nil || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("callbacks need a store, a safe, randomness and a logger")
	}
	if cfg.Poll == 0 {
		cfg.Poll = poll
	}
	return &Teller{
		store: store, safe: safe, client: newClient(cfg), cfg: cfg, log: cfg.Logger,
		underWay: map[central.MerchantID]int{},
	}, nil
}

// newClient makes the client that all callbacks go through.
func newClient(cfg Config) *http.Client {
	dialer := &net.Dialer{Timeout: connectTime, Control: control(cfg.Sandbox), Resolver: cfg.Resolver}
	return &http.Client{
		Timeout: attemptTime,
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would be the one who is dialled, and nobody would see to whom it goes
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    connectTime,
			ResponseHeaderTimeout:  attemptTime,
			IdleConnTimeout:        idleTime,
			MaxIdleConns:           maxIdle,
			MaxIdleConnsPerHost:    perMerchant,
			MaxResponseHeaderBytes: maxReplyHeader,
			DisableCompression:     true, // a small reply stays small
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Close closes the connections that are kept for further callbacks.
func (t *Teller) Close() { t.client.CloseIdleConnections() }

// Counts tells what it has done.
func (t *Teller) Counts() Counts {
	return Counts{Delivered: t.delivered.Load(), Failed: t.failed.Load(), GivenUp: t.givenUp.Load(), Gone: t.gone.Load()}
}

// Duty is the delivery as a duty of the worker.
func (t *Teller) Duty() worker.Duty {
	return worker.Duty{Name: "callbacks", Poll: t.cfg.Poll, Batch: underWay, Lease: lease, Claim: t.claim}
}

// claim takes callbacks that are due, no more than a merchant's share at one
// time.
func (t *Teller) claim(ctx context.Context, now, until time.Time, n int) ([]worker.Task, error) {
	bounds := duty.ClaimBounds{Now: now, Until: until, Limit: n, PerMerchant: perMerchant, UnderWay: map[central.MerchantID]int{}}
	t.mu.Lock()
	for m, taken := range t.underWay {
		bounds.UnderWay[m] = taken
	}
	t.mu.Unlock()
	due, err := t.store.ClaimCallbacks(ctx, bounds)
	if err != nil {
		return nil, err
	}
	tasks := make([]worker.Task, len(due))
	for i, c := range due {
		t.count(c.Merchant, 1)
		tasks[i] = worker.Task{Name: MessageID(c.Operation), Do: func(ctx context.Context) {
			defer t.count(c.Merchant, -1)
			t.attempt(ctx, c)
		}}
	}
	return tasks, nil
}

// count notes a merchant's attempts under way.
func (t *Teller) count(m central.MerchantID, change int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.underWay[m] += change; t.underWay[m] == 0 {
		delete(t.underWay, m)
	}
}

// keys opens an endpoint's secrets. One that does not open is left out, as long
// as another does.
func (t *Teller) keys(e duty.Endpoint) (keys []secret.Key) {
	for _, x := range e.Secrets {
		key, err := t.safe.open(x)
		if err != nil {
			t.log.Error("a callback secret does not open; callbacks are not signed with it", "merchant", e.Merchant, "error", err)
			continue
		}
		keys = append(keys, key)
	}
	return keys
}
