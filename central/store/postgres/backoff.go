package postgres

import (
	"context"
	"math/rand/v2"
	"time"
)

// waitUntil waits after attempt n, counted from 0. The pause is random, so that callers that
// collided once don't collide again. It returns false if the deadline is nearer than the
// pause, or ctx has ended.
func waitUntil(ctx context.Context, deadline time.Time, n int) bool {
	most := lastPause
	if n < 6 {
		most = min(firstPause<<n, lastPause)
	}
	wait := rand.N(most + 1)
	if time.Until(deadline) <= wait {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}
