package gateway

import (
	"context"
	"sync"
	"time"
)

// atOnce is how many of a vendor's messages begin without a distance between
// them.
const atOnce = 4

// lane is where a vendor's messages begin one after the other, at the distance
// of its rate: what comes in waves holds the other vendors up, for all share the
// database's one writer. How many stand in it is bounded by the vendor's calls
// under way.
type lane struct {
	gap time.Duration
	now func() time.Time

	mu   sync.Mutex
	next time.Time
}

func newLane(perSecond float64, now func() time.Time) *lane {
	return &lane{gap: time.Duration(float64(time.Second) / perSecond), now: now}
}

// pass returns when it is a message's turn, or with the context's error.
func (l *lane) pass(ctx context.Context) error {
	place := l.take()
	if place <= 0 {
		return nil
	}
	timer := time.NewTimer(place)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		l.giveBack()
		return ctx.Err()
	}
}

// take gives the next place: how long until its turn.
func (l *lane) take() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if free := now.Add(-(atOnce - 1) * l.gap); l.next.Before(free) {
		l.next = free
	}
	place := l.next.Sub(now)
	l.next = l.next.Add(l.gap)
	return place
}

// giveBack moves those up who come after.
func (l *lane) giveBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = l.next.Add(-l.gap)
}
