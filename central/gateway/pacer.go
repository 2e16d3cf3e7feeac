package gateway

import (
	"context"
	"sync"
	"time"
)

// paceBurst is how many of a vendor's messages start without an interval between
// them.
const paceBurst = 4

// pacer starts a vendor's messages one after another, at the interval of its rate:
// bursts would delay other vendors, since all share the database's one writer. The
// vendor's requests in progress limit how many wait in it.
type pacer struct {
	interval time.Duration
	now      func() time.Time

	mu   sync.Mutex
	next time.Time
}

func newPacer(perSecond float64, now func() time.Time) *pacer {
	return &pacer{interval: time.Duration(float64(time.Second) / perSecond), now: now}
}

// wait returns when a message may start, or with the context's error.
func (p *pacer) wait(ctx context.Context) error {
	place := p.reserve()
	if place <= 0 {
		return nil
	}
	timer := time.NewTimer(place)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		p.cancel()
		return ctx.Err()
	}
}

// reserve takes the next turn and returns how long until then.
func (p *pacer) reserve() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if free := now.Add(-(paceBurst - 1) * p.interval); p.next.Before(free) {
		p.next = free
	}
	place := p.next.Sub(now)
	p.next = p.next.Add(p.interval)
	return place
}

// cancel moves the later ones forward.
func (p *pacer) cancel() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = p.next.Add(-p.interval)
}
