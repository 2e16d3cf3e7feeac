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
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/shared/envelope"
	"galla/shared/op"
)

// Config sets up a Gateway. Rand and Logger are needed; the others take their
// defaults where they are zero.
type Config struct {
	// Rate and Burst bound each vendor's messages at all nodes together; default 50
	// a second, 4.3 million a day, and 500: what one vendor may take of a central
	// of two cores without its neighbours feeling it (BenchmarkNeighbour). What is
	// above the rate and within the burst is taken, and begins at each node one
	// after the other at the rate's distance.
	Rate  float64
	Burst int
	// UnderWay bounds each vendor's calls at one time on this node; default 256: a quarter
	// of what the engine lets wait for the bank, so that one vendor whose calls
	// all hang leaves the others their share.
	UnderWay int
	// AllUnderWay bounds all vendors' calls at one time; default 1024.
	AllUnderWay int
	// Explain are the keys that Explain works with: a sandbox's, which are
	// public anyway.
	Explain []central.KeyID

	Rand   io.Reader // safe for concurrent use
	Logger *slog.Logger
}

// What Config's zero values stand for.
const (
	DefaultRate     = 50.0
	DefaultBurst    = 500
	DefaultUnderWay = 256
)

func (c Config) withDefaults() Config {
	if c.Rate == 0 {
		c.Rate = DefaultRate
	}
	for _, n := range []struct {
		field *int
		value int
	}{{&c.Burst, DefaultBurst}, {&c.UnderWay, DefaultUnderWay}, {&c.AllUnderWay, 1024}} {
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

// Store is what the gateway keeps and reads; every central.Store is one.
type Store interface {
	central.VendorKeys
	central.Replays
	duty.Rates
}

// Gateway opens sealed messages and seals replies. It is safe for concurrent
// use.
type Gateway struct {
	dispatcher central.Dispatcher
	store      Store
	cfg        Config
	log        *slog.Logger
	now        func() time.Time

	routes  mirror
	ring    *ring
	vendors *vendors
	spent   *spent
	counts  *counts
	explain map[central.KeyID]bool
	refusal central.GatewayReply
}

// New makes a gateway. safe opens the vendors' keys of the store.
func New(dispatcher central.Dispatcher, store Store, safe *Safe, cfg Config) (*Gateway, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuration of the gateway: %w", err)
	}
	ring, err := newRing(store, safe, cfg.Rand, cfg.Logger)
	if err != nil {
		return nil, err
	}
	g := &Gateway{
		dispatcher: dispatcher, store: store, cfg: cfg, log: cfg.Logger, now: time.Now,
		routes: newMirror(op.Table()), ring: ring, counts: newCounts(),
		vendors: newVendors(store, cfg, time.Now), spent: newSpent(), explain: map[central.KeyID]bool{},
	}
	for _, id := range cfg.Explain {
		g.explain[id] = true
	}
	plain := dispatcher.Refusal(central.Refuse(central.Unauthenticated, "Not authenticated"), "")
	g.refusal = central.GatewayReply{HTTP: plain.HTTP, Body: plain.Body, Header: [][2]string{{"WWW-Authenticate", challenge}}}
	return g, nil
}

// challenge names the scheme, as HTTP wants of every 401 (RFC 9110 §15.5.2).
const challenge = `Galla-V1 realm="gateway"`

// flushEvery is how often the moments at which keys were last used are written.
const flushEvery = 10 * time.Second

// flushTime is how long the last such writing may take.
const flushTime = 3 * time.Second

// Run notes when keys are used until ctx ends; messages are served without it,
// too. It returns nil.
func (g *Gateway) Run(ctx context.Context) error {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			g.ring.flush(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
			defer cancel()
			g.ring.flush(last)
			return nil
		}
	}
}

// Serve answers a message. It always has a reply: a panic's is the error
// table's, sealed where the sender is authenticated.
func (g *Gateway) Serve(ctx context.Context, m central.GatewayMessage) (out central.GatewayReply) {
	g.counts.messages.Add(1)
	s := &session{g: g, m: m}
	defer func() {
		if p := recover(); p != nil {
			g.log.Error("panic while a gateway message was served", "request", m.RequestID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			out = s.fail(central.Refuse(central.Internal, ""))
		}
	}()
	defer s.leave()
	reply, err := s.serve(ctx)
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return s.refuse(refused)
	case err != nil:
		return s.fail(err)
	}
	return s.seal(reply)
}

// refuse gives the one answer to what is not authentic. The cause goes to the
// log and a counter, and nowhere else.
func (s *session) refuse(r *refusal) central.GatewayReply {
	s.g.counts.note(r.cause)
	attrs := []any{"request", s.m.RequestID, "cause", string(r.cause)}
	if s.known != nil {
		attrs = append(attrs, "key", string(s.known.id), "vendor", string(s.known.vendor))
	}
	s.g.log.Info("gateway message refused", attrs...)
	return s.g.refusal
}

// fail answers what went wrong on our side, or what an authenticated vendor may
// not do.
func (s *session) fail(err error) central.GatewayReply {
	reply := s.g.dispatcher.Refusal(err, s.m.RequestID)
	if s.proven {
		return s.seal(reply)
	}
	return central.GatewayReply{HTTP: reply.HTTP, Body: reply.Body, Header: extras(reply)}
}

// seal makes the reply's envelope. The sender's key seals it.
func (s *session) seal(r central.Reply) central.GatewayReply {
	h, body, err := s.known.key.SealReply(r.HTTP, s.h.RequestID, s.g.now(), r.Body, s.g.cfg.Rand)
	if err != nil {
		// Without randomness nothing can be sealed, and a reply in plain would
		// show what must not be shown.
		s.g.log.Error("a gateway reply can't be sealed", "request", s.m.RequestID, "error", err)
		plain := s.g.dispatcher.Refusal(central.Refuse(central.Internal, ""), s.m.RequestID)
		return central.GatewayReply{HTTP: plain.HTTP, Body: plain.Body, Authenticated: true}
	}
	header := append([][2]string{
		{envelope.HeaderRequestID, h.RequestID}, {envelope.HeaderTimestamp, h.Timestamp}, {envelope.HeaderIV, h.IV},
		{envelope.HeaderTag, h.Tag}, {envelope.HeaderChecksum, h.Checksum},
	}, extras(r)...)
	return central.GatewayReply{HTTP: r.HTTP, Header: header, Body: body, Authenticated: true}
}

// extras are the headers that say in HTTP what a reply is.
func extras(r central.Reply) (header [][2]string) {
	if r.Replayed {
		header = append(header, [2]string{"Idempotent-Replayed", "true"})
	}
	if r.RetryAfter > 0 {
		header = append(header, [2]string{"Retry-After", strconv.Itoa(int(math.Ceil(r.RetryAfter.Seconds())))})
	}
	return header
}
