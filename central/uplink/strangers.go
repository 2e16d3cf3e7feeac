package uplink

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// Limits of those who come too often.
const (
	// knocksPerSecond and knocksAtOnce bound each terminal's own attempts to
	// connect: an edge makes two a second at most, and seldom more than one.
	knocksPerSecond = 1
	knocksAtOnce    = 30
	// maxThrottled bounds the names that a throttle tells apart; when all of them
	// are busy, the others share one.
	maxThrottled = 20_000
	// strangerRetry is the least time that a network with too many bad tokens is
	// told to stay away; up to as much again is added.
	strangerRetry = 10 * time.Second
)

// throttle bounds a rate for each of many names.
type throttle struct {
	perSecond float64
	burst     float64

	mu     sync.Mutex
	by     map[string]*allowance
	others allowance
	swept  time.Time
}

// allowance is what a name has left, and since when it grows.
type allowance struct {
	left float64
	at   time.Time
}

func newThrottle(perSecond float64, burst int) *throttle {
	return &throttle{perSecond: perSecond, burst: float64(burst), by: map[string]*allowance{}, others: allowance{left: float64(burst)}}
}

// take takes one of a name, if it has one left.
func (t *throttle) take(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.of(name, time.Now())
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}

// giveBack gives back what was taken.
func (t *throttle) giveBack(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.of(name, time.Now())
	a.left = min(a.left+1, t.burst)
}

func (t *throttle) of(name string, now time.Time) *allowance {
	a, ok := t.by[name]
	if !ok && len(t.by) >= maxThrottled {
		t.sweep(now)
	}
	switch {
	case ok:
	case len(t.by) >= maxThrottled:
		a = &t.others
	default:
		a = &allowance{left: t.burst, at: now}
		t.by[name] = a
	}
	t.grow(a, now)
	return a
}

func (t *throttle) grow(a *allowance, now time.Time) {
	if passed := now.Sub(a.at); passed > 0 {
		a.left = min(t.burst, a.left+passed.Seconds()*t.perSecond)
		a.at = now
	}
}

// sweep forgets those who have all of theirs, at most once a second.
func (t *throttle) sweep(now time.Time) {
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

// stranger answers a token that proves nothing: 401, or where its network has
// shown too many of them, nothing that costs more.
func (s *Server) stranger(w http.ResponseWriter, r *http.Request, network string, why error) {
	if !s.strangers.take(network) {
		s.refuseStranger(w, r)
		return
	}
	s.unauthenticated(w, r, why, "Not authenticated")
}

// refuseStranger tells a network to stay away for a while. The moments promised
// by the gate are for terminals, so it takes none of them.
func (s *Server) refuseStranger(w http.ResponseWriter, r *http.Request) {
	s.counts.strangers.Add(1)
	s.later(w, r, strangerRetry+s.gate.jitter(strangerRetry), errors.New("too many tokens of this network prove nothing"))
}
