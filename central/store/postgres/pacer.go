package postgres

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"
)

// pacer draws the pauses before something is run again, so that those who met
// once do not meet again.
type pacer struct {
	mu     sync.Mutex
	source *rand.Rand
}

func newPacer(cfg Config) *pacer {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(cfg.Node)) // nodes must differ; nothing else hangs on it
	return &pacer{source: rand.New(rand.NewPCG(sum.Sum64(), 0))}
}

// draw gives the pause after attempt n, counted from 0.
func (p *pacer) draw(n int) time.Duration {
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
func (p *pacer) pause(ctx context.Context, n int) {
	_ = p.before(ctx, time.Now().Add(2*lastPause), n) // ctx's end is the caller's to see
}

// before waits after attempt n unless the deadline is nearer than that; false:
// it is, or ctx has ended.
func (p *pacer) before(ctx context.Context, deadline time.Time, n int) bool {
	wait := p.draw(n)
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
