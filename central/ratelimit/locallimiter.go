package ratelimit

import (
	"math"
	"sync"
	"time"
)

// maxLocalNames limits the names that a LocalLimiter counts separately. If all of
// them are in use, the others share one.
const maxLocalNames = 20_000

// LocalLimiter limits a rate for each of many names, on this node only. It is safe
// for concurrent use.
type LocalLimiter struct {
	perSecond float64
	burst     float64

	mu        sync.Mutex
	buckets   map[string]*localBucket
	others    localBucket
	evictedAt time.Time
}

// localBucket is how much a name has left, and since when it refills.
type localBucket struct {
	left float64
	at   time.Time
}

// NewLocalLimiter makes one that allows each name perSecond, and burst at once. A
// perSecond of math.MaxFloat64 is unlimited.
func NewLocalLimiter(perSecond float64, burst int) *LocalLimiter {
	return &LocalLimiter{perSecond: perSecond, burst: float64(burst), buckets: map[string]*localBucket{}, others: localBucket{left: float64(burst)}}
}

// Take takes one use of a name, or returns how long to wait for one.
func (l *LocalLimiter) Take(name string) (wait time.Duration) { return l.take(name, 1) }

// Wait returns how long to wait for a use of a name, without taking one; 0 means now.
func (l *LocalLimiter) Wait(name string) time.Duration { return l.take(name, 0) }

// Charge takes uses of a name that have happened, or as many as are left.
func (l *LocalLimiter) Charge(name string, uses int) { l.take(name, float64(uses)) }

// GiveBack returns a use.
func (l *LocalLimiter) GiveBack(name string) { l.take(name, -1) }

// take takes up to some uses, or returns how long to wait if there is not one left.
func (l *LocalLimiter) take(name string, uses float64) (wait time.Duration) {
	if l.perSecond == math.MaxFloat64 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.bucketOf(name, time.Now())
	if a.left < 1 && uses >= 0 {
		return max(time.Millisecond, time.Duration((1-a.left)/l.perSecond*float64(time.Second)))
	}
	a.left = min(max(0, a.left-uses), l.burst)
	return 0
}

func (l *LocalLimiter) bucketOf(name string, now time.Time) *localBucket {
	a, ok := l.buckets[name]
	if !ok && len(l.buckets) >= maxLocalNames {
		l.evictFull(now)
	}
	switch {
	case ok:
	case len(l.buckets) >= maxLocalNames:
		a = &l.others
	default:
		a = &localBucket{left: l.burst, at: now}
		l.buckets[name] = a
	}
	l.refill(a, now)
	return a
}

func (l *LocalLimiter) refill(a *localBucket, now time.Time) {
	if passed := now.Sub(a.at); passed > 0 {
		a.left = min(l.burst, a.left+passed.Seconds()*l.perSecond)
		a.at = now
	}
}

// evictFull forgets names whose bucket is full, at most once a second.
func (l *LocalLimiter) evictFull(now time.Time) {
	if now.Sub(l.evictedAt) < time.Second {
		return
	}
	l.evictedAt = now
	for name, a := range l.buckets {
		if l.refill(a, now); a.left >= l.burst {
			delete(l.buckets, name)
		}
	}
}
