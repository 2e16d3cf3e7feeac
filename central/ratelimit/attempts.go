package ratelimit

import (
	"context"
	"time"
)

// AttemptLimiter limits the wrong attempts of each name, at all nodes together. It
// also counts attempts in progress on this node, so that many at once are no more
// than one after another.
type AttemptLimiter struct {
	local   *LocalLimiter
	buckets Buckets
	rate    Rate
	prefix  string
}

// NewAttemptLimiter makes one whose names have a prefix in the shared table.
func NewAttemptLimiter(rates Buckets, rate Rate, prefix string) *AttemptLimiter {
	return &AttemptLimiter{local: NewLocalLimiter(rate.PerSecond, rate.Burst), buckets: rates, rate: rate, prefix: prefix}
}

// Begin starts an attempt of a name, or returns how long to wait for one. The
// caller must report to ended whether the attempt was wrong; a right one does not
// count. Errors are the database's.
func (l *AttemptLimiter) Begin(ctx context.Context, name string) (ended func(wrong bool) error, wait time.Duration, err error) {
	if wait := l.local.Take(name); wait > 0 {
		return nil, wait, nil
	}
	wait, err = l.buckets.RateTokenWait(ctx, l.prefix+name, l.rate, time.Now())
	if err != nil || wait > 0 {
		l.local.GiveBack(name)
		return nil, wait, err
	}
	return func(wrong bool) error {
		if !wrong {
			l.local.GiveBack(name)
			return nil
		}
		_, _, err := l.buckets.TakeRateTokens(ctx, l.prefix+name, l.rate, 1, time.Now())
		return err
	}, 0, nil
}
