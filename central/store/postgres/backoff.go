package postgres

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"
)

// backoff returns random pauses before a retry, so that callers that collided once don't
// collide again.
type backoff struct {
	mu     sync.Mutex
	source *rand.Rand
}

func newBackoff(cfg Config) *backoff {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(cfg.Node)) // nodes must differ
	return &backoff{source: rand.New(rand.NewPCG(sum.Sum64(), 0))}
}

// next returns the pause after attempt n, counted from 0.
func (p *backoff) next(n int) time.Duration {
	most := firstPause
	for range n {
		if most *= 2; most >= lastPause {
			most = lastPause
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Duration(p.source.Int64N(int64(most) + 1))
}

// pause waits after attempt n, or until ctx ends.
func (p *backoff) pause(ctx context.Context, n int) {
	_ = p.waitUntil(ctx, time.Now().Add(2*lastPause), n) // the caller checks ctx
}

// waitUntil waits after attempt n. It returns false if the deadline is nearer than the
// pause, or ctx has ended.
func (p *backoff) waitUntil(ctx context.Context, deadline time.Time, n int) bool {
	wait := p.next(n)
	if time.Until(deadline) <= wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
