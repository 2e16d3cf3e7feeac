package door

import (
	"context"
	"net"
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
	callerPrefix    = "direct:"
	networkPrefix   = "open:" // before "network:…", on routes without authentication
	guessPrefix     = "secret:"
	latePrefix      = "secret-late:"
	strangersPrefix = "secret-strangers:"
	anyPrefix       = "secret-any:"
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

// charge takes n calls of a caller, or all that it has left.
func (l *limiter) charge(caller string, n int, now time.Time) {
	of := l.of(caller, now)
	if !of.AllowN(now, n) {
		of.AllowN(now, max(1, min(n, int(of.TokensAt(now)))))
	}
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
