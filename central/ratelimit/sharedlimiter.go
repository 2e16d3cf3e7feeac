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

func (l *SharedLimiter) allowanceOf(name string) *allowance {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a, ok := l.names[name]
	if !ok {
		if len(l.names) >= l.maxNames {
			l.evictIdle(now)
		}
		a = &allowance{lock: make(chan struct{}, 1), local: rate.NewLimiter(rate.Limit(l.rate.PerSecond/localShare), l.rate.Burst/localShare)}
		l.names[name] = a
	}
	a.seen = now
	return a
}

// evictIdle drops names that were not used for as long as any bucket takes to
// fill, or a refusal to end.
func (l *SharedLimiter) evictIdle(now time.Time) {
	for name, a := range l.names {
		if now.Sub(a.seen) > max(idleAfter, l.rate.refillTime()+errorPause) {
			delete(l.names, name)
		}
	}
	l.maxNames = max(minNames, 2*len(l.names))
}

// Take takes one use of a name, and returns when the use may happen: at once, or
// at most a tenth of a second later if the burst is used up. A wait above zero
// means that there is none before that time. An error is the database's, or the
// context's. back returns the use; it is nil if none was taken.
func (l *SharedLimiter) Take(ctx context.Context, name string) (back func(), wait time.Duration, err error) {
	if l.rate.PerSecond == math.MaxFloat64 {
		return func() {}, 0, nil
	}
	a := l.allowanceOf(name)
	if a.local.AllowN(l.now(), 1) {
		return func() {}, 0, nil
	}
	place, wait, err := l.reserve(ctx, a, name)
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
func (l *SharedLimiter) reserve(ctx context.Context, a *allowance, name string) (place, wait time.Duration, err error) {
	select {
	case a.lock <- struct{}{}:
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
	defer func() { <-a.lock }()
	now := l.now()
	if !now.Before(a.expiresAt) {
		a.left = 0
	}
	if a.left == 0 {
		if wait := a.blockedUntil.Sub(now); wait > 0 && wait <= l.rate.refillTime()+errorPause {
			return 0, wait, a.err
		}
		if wait, err := l.leaseChunk(ctx, a, name, now); wait > 0 || err != nil {
			return 0, wait, err
		}
	}
	a.left--
	if a.paced {
		if a.nextAt.Before(now) {
			a.nextAt = now
		}
		place = a.nextAt.Sub(now)
		a.nextAt = a.nextAt.Add(l.gap)
	}
	return place, 0, nil
}

// leaseChunk gets the next chunk.
func (l *SharedLimiter) leaseChunk(ctx context.Context, a *allowance, name string, now time.Time) (time.Duration, error) {
	given, wait, err := l.buckets.TakeRateTokens(ctx, l.prefix+name, l.rate, l.chunk, now)
	if err != nil {
		if ctx.Err() == nil { // the other callers' contexts have not ended
			a.blockedUntil, a.err = l.now().Add(errorPause), err
		}
		return 0, err
	}
	if given == 0 {
		a.blockedUntil, a.err = now.Add(wait), nil
		a.nextAt = a.blockedUntil
		return wait, nil
	}
	// A chunk that is requested right after the last one is all that there is.
	span := time.Duration(l.chunk) * l.gap
	a.paced = l.chunk > 1 && now.Before(a.nextAt.Add(span)) && now.After(a.nextAt.Add(-2*span))
	if given < l.chunk { // the bucket is empty; it has a chunk again after that
		a.blockedUntil, a.err = now.Add(span), nil
	}
	a.left, a.expiresAt = given, now.Add(l.rate.refillTime())
	return 0, nil
}

func (a *allowance) giveBack() {
	a.lock <- struct{}{} // whoever holds it asks the database at most
	a.left++
	<-a.lock
}
