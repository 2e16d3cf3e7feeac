package door

import (
	"context"
	"hash/fnv"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"galla/central"
	"galla/central/duty"
)

// Bounds of what is remembered of callers.
const (
	maxCallers   = 20_000          // rate limiters at one time
	callerIdle   = 2 * time.Minute // after which a limiter may be forgotten: it is full again by then
	sweepAtLeast = time.Second     // between two sweeps of a full table
)

// What callers and clients are called in the table that nodes share.
const (
	callerPrefix  = "direct:"
	networkPrefix = "open:" // before "network:…", on routes without authentication
	guessPrefix   = "secret:"
	unknownPrefix = "secret-unknown:"
)

// limiter bounds the rate of each caller. On this node it does so in memory: that
// protects the node, and costs less than a call. Where it has a meter, the rate
// holds for all nodes together; while the database of that can't be asked, for
// each of them. When its table is full of callers that are all active, the
// newcomers share one limiter.
type limiter struct {
	rate   rate.Limit
	burst  int
	shared *duty.Meter // nil: on this node only

	mu       sync.Mutex
	callers  map[string]*callerRate
	overflow *rate.Limiter
	swept    time.Time
}

type callerRate struct {
	limit *rate.Limiter
	seen  time.Time
}

func newLimiter(r rate.Limit, burst int, shared *duty.Meter) *limiter {
	return &limiter{rate: r, burst: burst, shared: shared, callers: map[string]*callerRate{}, overflow: rate.NewLimiter(r, burst)}
}

// allow takes one call of a caller; the error is TooMany, with the time after
// which the next one is taken.
func (l *limiter) allow(ctx context.Context, caller string, now time.Time) error {
	r := l.of(caller, now).ReserveN(now, 1)
	if !r.OK() {
		return tooMany(time.Second)
	}
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		return tooMany(wait)
	}
	if l.shared == nil {
		return nil
	}
	if _, wait, err := l.shared.Take(ctx, caller); err == nil && wait > 0 {
		r.CancelAt(now) // refused, so not made: this node's count is not the shorter for it
		return tooMany(wait)
	}
	return nil
}

// spare tells whether a caller has a call left, without taking it. The error is
// TooMany.
func (l *limiter) spare(caller string, now time.Time) error {
	if l.of(caller, now).TokensAt(now) < 1 {
		return tooMany(time.Second)
	}
	return nil
}

func (l *limiter) of(caller string, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.callers[caller]
	if !ok {
		if len(l.callers) >= maxCallers {
			l.sweep(now)
		}
		if len(l.callers) >= maxCallers {
			return l.overflow
		}
		c = &callerRate{limit: rate.NewLimiter(l.rate, l.burst)}
		l.callers[caller] = c
	}
	c.seen = now
	return c.limit
}

func (l *limiter) sweep(now time.Time) {
	if now.Sub(l.swept) < sweepAtLeast {
		return
	}
	l.swept = now
	for name, c := range l.callers {
		if now.Sub(c.seen) >= callerIdle {
			delete(l.callers, name)
		}
	}
}

func tooMany(wait time.Duration) error {
	return &central.Error{Fault: central.TooMany, Message: "Too many calls; try again later", RetryAfter: wait}
}

// network gives the name under which calls from an address are counted where
// nobody is authenticated: the address, or the /64 of an IPv6 address, since
// one caller has all of that.
func network(ip net.IP) string {
	if ip.To4() == nil && len(ip) == net.IPv6len {
		ip = ip.Mask(net.CIDRMask(64, 128))
	}
	return "network:" + ip.String()
}

// guessing is how many wrong secrets a client may have, at all nodes together:
// ten a minute slow it down (interface-decisions.md).
var guessing = duty.Rate{PerSecond: 10. / 60, Burst: 10}

// guesses counts wrong secrets by client id. A client that does not exist is
// answered as one that does, at the same cost; of those, many share a count, so
// that a flood of invented ids has no place to fill.
type guesses struct{ rates duty.Rates }

const unknownCounts = 10_000

func (guesses) name(client string, known bool) string {
	if known {
		return guessPrefix + client
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(client))
	return unknownPrefix + strconv.Itoa(int(h.Sum32()%unknownCounts))
}

// allow sees that a client may have another try. The error is TooMany, or the
// database's.
func (g guesses) allow(ctx context.Context, client string, known bool) error {
	wait, err := g.rates.SpareRate(ctx, g.name(client, known), guessing, time.Now())
	if err == nil && wait > 0 {
		return &central.Error{Fault: central.TooMany, Message: "Too many failed token requests of this client; try again later", RetryAfter: wait}
	}
	return err
}

// note counts a failure.
func (g guesses) note(ctx context.Context, client string, known bool) error {
	_, _, err := g.rates.LeaseRate(ctx, g.name(client, known), guessing, 1, time.Now())
	return err
}
