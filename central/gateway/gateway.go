package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"galla/central"
	"galla/central/cache"
	"galla/central/keys"
	"galla/central/ratelimit"
	"galla/shared/envelope"
	"galla/shared/op"
)

// Config sets up a Gateway. Rand and Logger are required; zero values of the others
// take their defaults.
type Config struct {
	// Rate and Burst limit each vendor's messages at all nodes together; default 50
	// a second, 4.3 million a day, and 500: as much as one vendor may use of a
	// central with two cores without slowing others (BenchmarkNeighbour). Messages
	// above the rate and within the burst start one after another at each node, at
	// the rate's interval.
	Rate  float64
	Burst int
	// UnderWay limits each vendor's requests at one time on this node; default 256:
	// a quarter of what may wait for the bank, so that one vendor whose requests
	// all hang leaves the others their share.
	UnderWay int
	// AllUnderWay limits all vendors' requests at one time; default 1024.
	AllUnderWay int
	// Explain are the keys that Explain works with: a sandbox's, which are public
	// anyway.
	Explain []central.KeyID

	Rand   io.Reader // safe for concurrent use
	Logger *slog.Logger
}

// Defaults of Config.
const (
	DefaultRate     = 50.0
	DefaultBurst    = 500
	DefaultUnderWay = 256

	DefaultAllUnderWay = 1024
)

func (c Config) withDefaults() Config {
	if c.Rate == 0 {
		c.Rate = DefaultRate
	}
	for _, n := range []struct {
		field *int
		value int
	}{{&c.Burst, DefaultBurst}, {&c.UnderWay, DefaultUnderWay}, {&c.AllUnderWay, DefaultAllUnderWay}} {
		if *n.field == 0 {
			*n.field = n.value
		}
	}
	return c
}

// validate reports everything that is wrong with a configuration at once.
func (c Config) validate() error {
	var wrong []error
	if c.Rand == nil || c.Logger == nil {
		wrong = append(wrong, errors.New("randomness and a logger are needed"))
	}
	if c.Rate < 0 || c.Burst < 1 || c.UnderWay < 1 || c.AllUnderWay < 1 {
		wrong = append(wrong, errors.New("rates and bounds must be above zero"))
	}
	return errors.Join(wrong...)
}

// Store is what the gateway reads and writes.
type Store interface {
	central.VendorKeys
	central.ReplayProtection
	ratelimit.Buckets
}

// Gateway opens sealed messages and seals replies. It is safe for concurrent use.
type Gateway struct {
	handler central.Handler
	store   Store
	cfg     Config
	log     *slog.Logger
	now     func() time.Time

	routes  routeTable
	keys    *keyCache
	limits  *vendorLimits
	replays *replayCache
	counts  *counts
	spent   atomic.Bool // an IV was spent since expired ones were last forgotten
	explain map[central.KeyID]bool
	refusal central.GatewayReply
}

// New makes a gateway. opener opens the vendors' keys of the store, and watch tells when
// they change.
func New(handler central.Handler, store Store, opener *keys.VendorKeys, watch *cache.Watch, cfg Config) (*Gateway, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuration of the gateway: %w", err)
	}
	known, err := newKeyCache(store, opener, watch, cfg.Rand, cfg.Logger)
	if err != nil {
		return nil, err
	}
	g := &Gateway{
		handler: handler, store: store, cfg: cfg, log: cfg.Logger, now: time.Now,
		routes: newRouteTable(op.Table()), keys: known, counts: newCounts(),
		limits: newVendorLimits(store, cfg, time.Now), replays: newReplayCache(), explain: map[central.KeyID]bool{},
	}
	for _, id := range cfg.Explain {
		g.explain[id] = true
	}
	plain := handler.ErrorReply(central.NewError(central.Unauthenticated, "Not authenticated"), "")
	g.refusal = central.GatewayReply{HTTP: plain.HTTP, Body: plain.Body, Header: [][2]string{{"WWW-Authenticate", challenge}}}
	return g, nil
}

// challenge names the scheme, which every 401 must do (RFC 9110 §15.5.2).
const challenge = `Galla-V1 realm="gateway"`

// flushEvery is how often the times of last use of keys are written.
const flushEvery = 10 * time.Second

// flushTimeout limits the last such write.
const flushTimeout = 3 * time.Second

// Run writes when keys were used and deletes expired messages, until ctx ends. Messages
// are served without it, too. It returns nil.
func (g *Gateway) Run(ctx context.Context) error {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			g.keys.flushUsage(ctx)
			g.forgetExpired(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
			defer cancel()
			g.keys.flushUsage(last)
			return nil
		}
	}
}

// forgetExpired deletes expired messages, if any came. An idle node writes nothing; the
// last messages are left to package retention.
func (g *Gateway) forgetExpired(ctx context.Context) {
	for more := g.spent.Swap(false); more; {
		var err error
		if more, err = g.store.ForgetIVs(ctx, g.now()); err != nil {
			g.log.Warn("expired gateway messages can't be deleted", "error", err)
			return
		}
	}
}

// Serve answers a message. It always returns a reply: after a panic that of the
// error table, sealed if the sender is authenticated.
func (g *Gateway) Serve(ctx context.Context, m central.GatewayMessage) (out central.GatewayReply) {
	g.counts.messages.Add(1)
	s := &exchange{g: g, m: m}
	defer func() {
		if p := recover(); p != nil {
			g.log.Error("panic while a gateway message was handled", "request", m.RequestID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			if out = s.errorReply(central.NewError(central.Internal, "")); s.isReplayAfterPanic(ctx) {
				out = s.refuse(&refusal{cause: CauseReplay})
			}
		}
	}()
	defer s.close()
	reply, err := s.process(ctx)
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return s.refuse(refused)
	case err != nil:
		return s.errorReply(err)
	}
	return s.seal(reply)
}

// isReplayAfterPanic spends a message that no operation has spent, if that can be done.
func (s *exchange) isReplayAfterPanic(ctx context.Context) bool {
	defer func() {
		if p := recover(); p != nil {
			s.g.log.Error("panic while a gateway message was spent", "request", s.m.RequestID, "panic", fmt.Sprint(p))
		}
	}()
	if s.message == nil {
		return false
	}
	err := s.spend(ctx)
	var replay *refusal
	if errors.As(err, &replay) {
		return true
	}
	if err != nil {
		s.g.log.Error("a gateway message can't be spent after a panic", "request", s.m.RequestID, "error", err)
	}
	return false
}

// refuse is the one reply to messages that are not authentic. The cause goes to the
// log and a counter only.
func (s *exchange) refuse(r *refusal) central.GatewayReply {
	s.g.counts.add(r.cause)
	attrs := []any{"request", s.m.RequestID, "cause", string(r.cause)}
	if s.vendorKey != nil {
		attrs = append(attrs, "key", string(s.vendorKey.id), "vendor", string(s.vendorKey.vendor))
	}
	s.g.log.Info("gateway message refused", attrs...)
	return s.g.refusal
}

// errorReply is the reply to errors of ours, and to what an authenticated vendor may
// not do.
func (s *exchange) errorReply(err error) central.GatewayReply {
	reply := s.g.handler.ErrorReply(err, s.m.RequestID)
	if s.authenticated {
		return s.seal(reply)
	}
	return central.GatewayReply{HTTP: reply.HTTP, Body: reply.Body, Header: replyHeaders(reply)}
}

// seal makes the reply's envelope, under the sender's key.
func (s *exchange) seal(r central.Reply) central.GatewayReply {
	h, body, err := s.vendorKey.key.SealReply(r.HTTP, s.h.RequestID, s.g.now(), r.Body, s.g.cfg.Rand)
	if err != nil {
		// Without randomness nothing can be sealed, and a plain reply would show
		// its content.
		s.g.log.Error("a gateway reply can't be sealed", "request", s.m.RequestID, "error", err)
		plain := s.g.handler.ErrorReply(central.NewError(central.Internal, ""), s.m.RequestID)
		return central.GatewayReply{HTTP: plain.HTTP, Body: plain.Body, Authenticated: true}
	}
	header := append([][2]string{
		{envelope.HeaderRequestID, h.RequestID}, {envelope.HeaderTimestamp, h.Timestamp}, {envelope.HeaderIV, h.IV},
		{envelope.HeaderTag, h.Tag}, {envelope.HeaderChecksum, h.Checksum},
	}, replyHeaders(r)...)
	return central.GatewayReply{HTTP: r.HTTP, Header: header, Body: body, Authenticated: true}
}

// replyHeaders are a reply's properties that go into HTTP headers.
func replyHeaders(r central.Reply) (header [][2]string) {
	if r.Replayed {
		header = append(header, [2]string{"Idempotent-Replayed", "true"})
	}
	if r.RetryAfter > 0 {
		header = append(header, [2]string{"Retry-After", strconv.Itoa(int(math.Ceil(r.RetryAfter.Seconds())))})
	}
	return header
}
