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
func (t *LocalLimiter) Take(name string) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.bucketOf(name, time.Now())
	if a.left < 1 {
		return max(time.Millisecond, time.Duration((1-a.left)/t.perSecond*float64(time.Second)))
	}
	a.left--
	return 0
}

// GiveBack returns a use.
func (t *LocalLimiter) GiveBack(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.bucketOf(name, time.Now())
	a.left = min(a.left+1, t.burst)
}

func (t *LocalLimiter) bucketOf(name string, now time.Time) *localBucket {
	a, ok := t.buckets[name]
	if !ok && len(t.buckets) >= maxLocalNames {
		t.evictFull(now)
	}
	switch {
	case ok:
	case len(t.buckets) >= maxLocalNames:
		a = &t.others
	default:
		a = &localBucket{left: t.burst, at: now}
		t.buckets[name] = a
	}
	t.refill(a, now)
	return a
}

func (t *LocalLimiter) refill(a *localBucket, now time.Time) {
	if passed := now.Sub(a.at); passed > 0 {
		a.left = min(t.burst, a.left+passed.Seconds()*t.perSecond)
		a.at = now
	}
}

// evictFull forgets names whose bucket is full, at most once a second.
func (t *LocalLimiter) evictFull(now time.Time) {
	if now.Sub(t.evictedAt) < time.Second {
		return
	}
	t.evictedAt = now
	for name, a := range t.buckets {
		if t.refill(a, now); a.left >= t.burst {
			delete(t.buckets, name)
		}
	}
}
