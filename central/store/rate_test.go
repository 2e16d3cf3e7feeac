package store

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central/ratelimit"
)

// TestRates: whoever leases at the same time, no more is given than the bucket
// has.
func TestRates(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		r := ratelimit.Rate{PerSecond: 10, Burst: 1000}
		var given atomic.Int64
		var leasing sync.WaitGroup
		for range 40 {
			leasing.Go(func() {
				n, wait, err := s.TakeRateTokens(background, "vendor:one", r, 50, t0)
				if err != nil || (n == 0) != (wait == 5*time.Second) {
					t.Errorf("%d given, wait %v, %v", n, wait, err)
				}
				given.Add(int64(n))
			})
		}
		leasing.Wait()
		if given.Load() != 1000 {
			t.Errorf("%d given of 1000", given.Load())
		}
		n, wait, err := s.TakeRateTokens(background, "vendor:two", r, 50, t0)
		if err != nil || n != 50 || wait != 0 {
			t.Errorf("a neighbour: %d given, wait %v, %v", n, wait, err)
		}
		n, _, err = s.TakeRateTokens(background, "vendor:one", r, 50, t0.Add(3*time.Second))
		if err != nil || n != 30 {
			t.Errorf("three seconds later: %d given, %v", n, err)
		}
		for _, c := range []struct {
			name string
			at   time.Duration
			wait time.Duration
		}{
			{"vendor:one", 3 * time.Second, 100 * time.Millisecond}, {"vendor:one", 3100 * time.Millisecond, 0},
			{"vendor:one", 3100 * time.Millisecond, 0}, {"vendor:two", 0, 0}, {"nobody", 0, 0},
		} {
			if wait, err := s.RateTokenWait(background, c.name, r, t0.Add(c.at)); err != nil || wait != c.wait {
				t.Errorf("a look at %s after %v: wait %v, %v; want %v", c.name, c.at, wait, err, c.wait)
			}
		}
		err = s.write(background, func(c conn) error {
			_, err := c.exec(`UPDATE rates SET level = -1 WHERE name = 'vendor:one'`)
			return err
		})
		if err == nil {
			t.Error("a bucket was overdrawn")
		}
	})
}
