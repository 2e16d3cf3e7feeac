package door

import (
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"galla/central"
)

// Bounds of what is remembered of callers.
const (
	maxCallers   = 20_000          // rate limiters at one time
	callerIdle   = 2 * time.Minute // after which a limiter may be forgotten: it is full again by then
	maxFailers   = 10_000          // clients whose failures are remembered, known and unknown each
	maxFailures  = 10              // within failureSpan; then the client waits
	failureSpan  = time.Minute
	sweepAtLeast = time.Second // between two sweeps of a full table
)

// limiter bounds the rate of each caller on this node: it protects the node, and
// what protects it must cost less than a call, so that it asks no database.
// When its table is full of callers that are all active, the newcomers share one
// limiter.
type limiter struct {
	rate  rate.Limit
	burst int

	mu       sync.Mutex
	callers  map[string]*callerRate
	overflow *rate.Limiter
	swept    time.Time
}

type callerRate struct {
	limit *rate.Limiter
	seen  time.Time
}

func newLimiter(r rate.Limit, burst int) *limiter {
	return &limiter{rate: r, burst: burst, callers: map[string]*callerRate{}, overflow: rate.NewLimiter(r, burst)}
}

// allow takes one call of a caller; the error is TooMany, with the time after
// which the next one is taken.
func (l *limiter) allow(caller string, now time.Time) error {
	r := l.of(caller, now).ReserveN(now, 1)
	if !r.OK() {
		return tooMany(time.Second)
	}
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
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

// failures remembers the failed token requests of the last minute by client id
// (interface-decisions.md: ten a minute slow a client down). Unknown ids are
// kept apart, so that a flood of invented ones pushes out no real one.
type failures struct {
	mu       sync.Mutex
	byClient [2]map[string][]time.Time // unknown, known
	swept    [2]time.Time
}

func newFailures() *failures {
	return &failures{byClient: [2]map[string][]time.Time{{}, {}}}
}

func side(known bool) int {
	if known {
		return 1
	}
	return 0
}

// wait tells how long a client has to wait before its next try; 0: not at all.
func (f *failures) wait(client string, known bool, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	recent := f.recent(client, known, now)
	if len(recent) < maxFailures {
		return 0
	}
	return recent[len(recent)-maxFailures].Add(failureSpan).Sub(now)
}

// note remembers a failure.
func (f *failures) note(client string, known bool, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := side(known)
	recent := append(f.recent(client, known, now), now)
	if len(recent) > maxFailures {
		recent = recent[len(recent)-maxFailures:]
	}
	if _, ok := f.byClient[s][client]; !ok && len(f.byClient[s]) >= maxFailers {
		f.sweep(s, now)
		if len(f.byClient[s]) >= maxFailers {
			return
		}
	}
	f.byClient[s][client] = recent
}

// recent gives the failures that still count, oldest first.
func (f *failures) recent(client string, known bool, now time.Time) []time.Time {
	all := f.byClient[side(known)][client]
	for len(all) > 0 && now.Sub(all[0]) >= failureSpan {
		all = all[1:]
	}
	return all
}

func (f *failures) sweep(s int, now time.Time) {
	if now.Sub(f.swept[s]) < sweepAtLeast {
		return
	}
	f.swept[s] = now
	for client, all := range f.byClient[s] {
		if len(all) == 0 || now.Sub(all[len(all)-1]) >= failureSpan {
			delete(f.byClient[s], client)
		}
	}
}
