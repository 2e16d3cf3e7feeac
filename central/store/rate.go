package store

import (
	"context"
	"errors"
	"time"

	"galla/central"
	"galla/central/ratelimit"
)

func bucketOf(c conn, name, lock string) (b ratelimit.Bucket, err error) {
	err = c.one(`SELECT level, at FROM rates WHERE name = $1`+lock, []any{name}, &b.Level, &b.At)
	return b, err
}

// RateTokenWait implements ratelimit.Buckets.
func (s Jobs) RateTokenWait(ctx context.Context, name string, rate ratelimit.Rate, now time.Time) (time.Duration, error) {
	return query(ctx, s.task("read the rate of %s", name), func(c conn) (time.Duration, error) {
		was, err := bucketOf(c, name, "")
		if errors.Is(err, central.ErrNotFound) {
			return 0, nil
		}
		_, _, wait := was.Take(rate, 1, now)
		return wait, err
	})
}

// TakeRateTokens implements ratelimit.Buckets. Calls at the same time wait for the row.
func (s Jobs) TakeRateTokens(ctx context.Context, name string, rate ratelimit.Rate, want int, now time.Time) (given int, wait time.Duration, err error) {
	err = s.task("take tokens of the rate of %s", name).change(ctx, func(c conn) error {
		given, wait = 0, 0
		was, err := bucketOf(c, name, c.dialect.forUpdate)
		if errors.Is(err, central.ErrNotFound) {
			// A level of 0 in 1970 is full now. Another node may add the row first.
			if _, err := c.exec(`INSERT INTO rates (name, level, at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING`, name, 0, 0); err != nil {
				return err
			}
			was, err = bucketOf(c, name, c.dialect.forUpdate)
		}
		if err != nil {
			return err
		}
		var left ratelimit.Bucket
		if left, given, wait = was.Take(rate, want, now); given == 0 {
			return nil
		}
		_, err = c.exec(`UPDATE rates SET level = $1, at = $2 WHERE name = $3`, left.Level, left.At, name)
		return err
	})
	return given, wait, err
}
