package ratelimit

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// SharedLimiter limits each of many names to one rate, over all nodes together. A
// name with few requests is allowed by the node alone. Beyond that the node takes
// uses out of the shared buckets in chunks and remembers a refusal until it ends,
// so that neither many names nor a flood load the database. It is safe for
// concurrent use.
//
// A node's unused chunk expires when the bucket would have been full again. So a
// name gets at most its rate and burst, plus, for each node, a fiftieth of them
// and a chunk.
//
// A name that has used up its burst gets its uses one by one at the rate's
// interval, and not a chunk at once: bursts would delay others.
type SharedLimiter struct {
	buckets Buckets
	rate    Rate
	chunk   int
	gap     time.Duration // interval between two uses at the rate
	prefix  string
	now     func() time.Time

	mu       sync.Mutex
	names    map[string]*allowance
	maxNames int // above it, idle names are forgotten
}

const (
	// chunksPerBurst is the least number of chunks in a burst: two nodes hold at
	// most a tenth of it outside the bucket.
	chunksPerBurst = 20
	// localShare: a node allows one part in so many of a rate and burst on its own.
	localShare = 50
	// minChunksPerSecond is the least number of chunks a second, so that a use
	// waits at most a tenth of a second within a chunk, and a name in full use
	// costs ten writes a second.
	minChunksPerSecond = 10
	// errorPause is how long a database error is remembered, so that not every
	// request waits for its own.
	errorPause = time.Second
)

// NewSharedLimiter makes a limiter. prefix stands before the names in the shared
// table; now is the node's clock. Idle names are forgotten.
func NewSharedLimiter(rates Buckets, rate Rate, prefix string, now func() time.Time) *SharedLimiter {
	return &SharedLimiter{
		buckets: rates, rate: rate, chunk: rate.chunk(), prefix: prefix, now: now,
		gap:   time.Duration(float64(time.Second) / rate.PerSecond),
		names: map[string]*allowance{}, maxNames: minNames,
	}
}

const (
	minNames  = 1000
	idleAfter = 2 * time.Minute
)

func (r Rate) chunk() int {
	return max(1, int(min(float64(r.Burst/chunksPerBurst), r.PerSecond/minChunksPerSecond)))
}

// allowance is what this node may use of a name's rate.
type allowance struct {
	seen         time.Time     // when it was last used; guarded by the limiter's lock
	local        *rate.Limiter // what the node allows on its own
	lock         chan struct{} // held by the caller that asks the database; the others wait
	left         int
	expiresAt    time.Time // when the rest expires
	blockedUntil time.Time // nothing is left before this time
	paced        bool      // the rest is given out one by one
	nextAt       time.Time // when the next one is due
	err          error     // the database's error, if that was the reason
}

func (m *SharedLimiter) allowanceOf(name string) *allowance {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	a, ok := m.names[name]
	if !ok {
		if len(m.names) >= m.maxNames {
			m.evictIdle(now)
		}
		a = &allowance{lock: make(chan struct{}, 1), local: rate.NewLimiter(rate.Limit(m.rate.PerSecond/localShare), m.rate.Burst/localShare)}
		m.names[name] = a
	}
	a.seen = now
	return a
}

// evictIdle drops names that were not used for as long as any bucket takes to
// fill, or a refusal to end.
func (m *SharedLimiter) evictIdle(now time.Time) {
	for name, a := range m.names {
		if now.Sub(a.seen) > max(idleAfter, m.rate.refillTime()+errorPause) {
			delete(m.names, name)
		}
	}
	m.maxNames = max(minNames, 2*len(m.names))
}

// Take takes one use of a name, and returns when the use may happen: at once, or
// at most a tenth of a second later if the burst is used up. A wait above zero
// means that there is none before that time. An error is the database's, or the
// context's. back returns the use; it is nil if none was taken.
func (m *SharedLimiter) Take(ctx context.Context, name string) (back func(), wait time.Duration, err error) {
	if m.rate.PerSecond == math.MaxFloat64 {
		return func() {}, 0, nil
	}
	a := m.allowanceOf(name)
	if a.local.AllowN(m.now(), 1) {
		return func() {}, 0, nil
	}
	place, wait, err := m.reserve(ctx, a, name)
	if wait > 0 || err != nil {
		return nil, wait, err
	}
	if place > 0 {
		timer := time.NewTimer(place)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			a.giveBack()
			return nil, 0, ctx.Err()
		}
	}
	return a.giveBack, 0, nil
}

// reserve takes a use that may happen after place.
func (m *SharedLimiter) reserve(ctx context.Context, a *allowance, name string) (place, wait time.Duration, err error) {
	select {
	case a.lock <- struct{}{}:
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
	defer func() { <-a.lock }()
	now := m.now()
	if !now.Before(a.expiresAt) {
		a.left = 0
	}
	if a.left == 0 {
		if wait := a.blockedUntil.Sub(now); wait > 0 && wait <= m.rate.refillTime()+errorPause {
			return 0, wait, a.err
		}
		if wait, err := m.leaseChunk(ctx, a, name, now); wait > 0 || err != nil {
			return 0, wait, err
		}
	}
	a.left--
	if a.paced {
		if a.nextAt.Before(now) {
			a.nextAt = now
		}
		place = a.nextAt.Sub(now)
		a.nextAt = a.nextAt.Add(m.gap)
	}
	return place, 0, nil
}

// leaseChunk gets the next chunk.
func (m *SharedLimiter) leaseChunk(ctx context.Context, a *allowance, name string, now time.Time) (time.Duration, error) {
	given, wait, err := m.buckets.TakeRateTokens(ctx, m.prefix+name, m.rate, m.chunk, now)
	if err != nil {
		if ctx.Err() == nil { // the other callers' contexts have not ended
			a.blockedUntil, a.err = m.now().Add(errorPause), err
		}
		return 0, err
	}
	if given == 0 {
		a.blockedUntil, a.err = now.Add(wait), nil
		a.nextAt = a.blockedUntil
		return wait, nil
	}
	// A chunk that is requested right after the last one is all that there is.
	span := time.Duration(m.chunk) * m.gap
	a.paced = m.chunk > 1 && now.Before(a.nextAt.Add(span)) && now.After(a.nextAt.Add(-2*span))
	if given < m.chunk { // the bucket is empty; it has a chunk again after that
		a.blockedUntil, a.err = now.Add(span), nil
	}
	a.left, a.expiresAt = given, now.Add(m.rate.refillTime())
	return 0, nil
}

func (a *allowance) giveBack() {
	a.lock <- struct{}{} // whoever holds it asks the database at most
	a.left++
	<-a.lock
}
