package httpapi

import (
	"context"
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"galla/central"
	"galla/central/ratelimit"
)

// Limits of the table of callers.
const (
	maxCallers   = 20_000          // rate limiters at one time
	callerIdle   = 2 * time.Minute // then a limiter is full again and may be forgotten
	sweepAtLeast = time.Second     // between two sweeps of a full table
)

// Prefixes of callers and clients in the shared table of rates.
const (
	callerPrefix        = "direct:"
	networkPrefix       = "open:" // before "network:…", on routes without authentication
	secretPrefix        = "secret:"
	secretDelayedPrefix = "secret-delayed:"
	secretClientPrefix  = "secret-client:"
	secretNetworkPrefix = "secret-network:"
)

// limiter limits the rate of each caller. On this node it counts in memory: that
// protects the node and costs less than a request. With a SharedLimiter, the rate
// holds for all nodes together; while its database fails, for each node. If its
// table is full of active callers, new callers share one limiter.
type limiter struct {
	rate   rate.Limit
	burst  int
	shared *ratelimit.SharedLimiter // nil: on this node only

	mu       sync.Mutex
	callers  map[string]*callerRate
	overflow *rate.Limiter
	swept    time.Time
}

type callerRate struct {
	limit *rate.Limiter
	seen  time.Time
}

func newLimiter(r rate.Limit, burst int, shared *ratelimit.SharedLimiter) *limiter {
	return &limiter{rate: r, burst: burst, shared: shared, callers: map[string]*callerRate{}, overflow: rate.NewLimiter(r, burst)}
}

// allow counts one request of a caller; the error is TooMany, with the time after
// which the next one is allowed.
func (l *limiter) allow(ctx context.Context, caller string, now time.Time) error {
	r := l.entry(caller, now).ReserveN(now, 1)
	if !r.OK() {
		return central.NewTooMany(time.Second)
	}
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		return central.NewTooMany(wait)
	}
	if l.shared == nil {
		return nil
	}
	if _, wait, err := l.shared.Take(ctx, caller); err == nil && wait > 0 {
		r.CancelAt(now) // it was refused, so this node does not count it
		return central.NewTooMany(wait)
	}
	return nil
}

// charge counts n requests of a caller, or as many as it has left.
func (l *limiter) charge(caller string, n int, now time.Time) {
	of := l.entry(caller, now)
	if !of.AllowN(now, n) {
		of.AllowN(now, max(1, min(n, int(of.TokensAt(now)))))
	}
}

// available checks whether a caller has a request left, without counting one. The
// error is TooMany.
func (l *limiter) available(caller string, now time.Time) error {
	if l.entry(caller, now).TokensAt(now) < 1 {
		return central.NewTooMany(time.Second)
	}
	return nil
}

func (l *limiter) entry(caller string, now time.Time) *rate.Limiter {
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

// networkName is the name under which requests without authentication are counted:
// the address, or the /64 of an IPv6 address, since one caller has all of that.
func networkName(ip net.IP) string {
	if ip.To4() == nil && len(ip) == net.IPv6len {
		ip = ip.Mask(net.CIDRMask(64, 128))
	}
	return "network:" + ip.String()
}
