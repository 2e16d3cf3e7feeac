package ratelimit

import (
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

// NewLocalLimiter makes one that allows each name perSecond, and burst at once.
func NewLocalLimiter(perSecond float64, burst int) *LocalLimiter {
	return &LocalLimiter{perSecond: perSecond, burst: float64(burst), buckets: map[string]*localBucket{}, others: localBucket{left: float64(burst)}}
}

// Take takes one use of a name, or returns how long to wait for one.
func (l *LocalLimiter) Take(name string) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.bucketOf(name, time.Now())
	if a.left < 1 {
		return max(time.Millisecond, time.Duration((1-a.left)/l.perSecond*float64(time.Second)))
	}
	a.left--
	return 0
}

// GiveBack returns a use.
func (l *LocalLimiter) GiveBack(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.bucketOf(name, time.Now())
	a.left = min(a.left+1, l.burst)
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
