package duty

import (
	"sync"
	"time"
)

// maxThrottled bounds the names that a Throttle tells apart; when all of them are
// busy, the others share one.
const maxThrottled = 20_000

// Throttle bounds a rate for each of many names, on this node alone. It is safe for
// concurrent use.
type Throttle struct {
	perSecond float64
	burst     float64

	mu     sync.Mutex
	by     map[string]*ration
	others ration
	swept  time.Time
}

// ration is what a name has left, and since when it grows.
type ration struct {
	left float64
	at   time.Time
}

// NewThrottle makes one that gives each name perSecond, and burst at once.
func NewThrottle(perSecond float64, burst int) *Throttle {
	return &Throttle{perSecond: perSecond, burst: float64(burst), by: map[string]*ration{}, others: ration{left: float64(burst)}}
}

// Take takes one of a name, if it has one left; else it says when there will be.
func (t *Throttle) Take(name string) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.of(name, time.Now())
	if a.left < 1 {
		return max(time.Millisecond, time.Duration((1-a.left)/t.perSecond*float64(time.Second)))
	}
	a.left--
	return 0
}

// GiveBack gives back what was taken.
func (t *Throttle) GiveBack(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.of(name, time.Now())
	a.left = min(a.left+1, t.burst)
}

func (t *Throttle) of(name string, now time.Time) *ration {
	a, ok := t.by[name]
	if !ok && len(t.by) >= maxThrottled {
		t.sweep(now)
	}
	switch {
	case ok:
	case len(t.by) >= maxThrottled:
		a = &t.others
	default:
		a = &ration{left: t.burst, at: now}
		t.by[name] = a
	}
	t.grow(a, now)
	return a
}

func (t *Throttle) grow(a *ration, now time.Time) {
	if passed := now.Sub(a.at); passed > 0 {
		a.left = min(t.burst, a.left+passed.Seconds()*t.perSecond)
		a.at = now
	}
}

// sweep forgets those who have all of theirs, at most once a second.
func (t *Throttle) sweep(now time.Time) {
	if now.Sub(t.swept) < time.Second {
		return
	}
	t.swept = now
	for name, a := range t.by {
		if t.grow(a, now); a.left >= t.burst {
			delete(t.by, name)
		}
	}
}
