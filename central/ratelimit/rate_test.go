package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// table is the shared buckets, in memory.
type table struct {
	mu      sync.Mutex
	buckets map[string]Bucket
	leases  int
	fails   error
}

func (s *table) RateTokenWait(context.Context, string, Rate, time.Time) (time.Duration, error) {
	return 0, errors.New("a SharedLimiter takes tokens only")
}

func (s *table) TakeRateTokens(_ context.Context, name string, r Rate, want int, now time.Time) (int, time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases++
	if s.fails != nil {
		return 0, 0, s.fails
	}
	if s.buckets == nil {
		s.buckets = map[string]Bucket{}
	}
	left, given, wait := s.buckets[name].Take(r, want, now)
	if given > 0 {
		s.buckets[name] = left
	}
	return given, wait, nil
}

func TestBucket(t *testing.T) {
	start := time.UnixMilli(1_700_000_000_000)
	r := Rate{PerSecond: 100, Burst: 1000}
	var b Bucket
	for _, c := range []struct {
		at    time.Duration
		want  int
		given int
		wait  time.Duration
	}{
		{0, 600, 600, 0},
		{0, 600, 400, 0},
		{0, 50, 0, 500 * time.Millisecond},
		{400 * time.Millisecond, 50, 40, 0},
		{405 * time.Millisecond, 50, 0, 495 * time.Millisecond},
		{500 * time.Millisecond, 50, 10, 0},
		{490 * time.Millisecond, 50, 0, 500 * time.Millisecond}, // a clock that is behind
		{30 * time.Second, 2000, 1000, 0},
		{31 * time.Second, 10, 10, 0},
		{time.Hour, 1000, 1000, 0},                        // a clock that is wrong
		{32 * time.Second, 50, 0, 500 * time.Millisecond}, // is not waited for
		{33 * time.Second, 50, 0, 500 * time.Millisecond}, // nor believed before a use is taken
	} {
		left, given, wait := b.Take(r, c.want, start.Add(c.at))
		if given != c.given || wait != c.wait {
			t.Errorf("after %v %d uses are wanted: %d given, wait %v; want %d, %v", c.at, c.want, given, wait, c.given, c.wait)
		}
		if given > 0 {
			b = left
		}
	}
}

// TestMetersKeepTheRate: whatever nodes do, at whatever skew of their clocks,
// nobody gets more out of them than the burst, the rate and a chunk a node.
func TestMetersKeepTheRate(t *testing.T) {
	type step struct{ pause, node, calls, backs int } // pause in milliseconds; one call in backs is given back
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			rapid.IntRange(0, 3000).Draw(t, "pause"), rapid.IntRange(0, 3).Draw(t, "node"),
			rapid.IntRange(1, 4000).Draw(t, "calls"), rapid.IntRange(1, 50).Draw(t, "backs"),
		}
	}), 1, 60)
	rapid.Check(t, func(rt *rapid.T) {
		r := Rate{PerSecond: rapid.Float64Range(0.5, 2000).Draw(rt, "rate"), Burst: rapid.IntRange(1, 3000).Draw(rt, "burst")}
		skews := rapid.SliceOfN(rapid.IntRange(-2000, 2000), 1, 4).Draw(rt, "skews") // of the nodes' clocks, in milliseconds
		apart := time.Duration(slices.Max(skews)-slices.Min(skews)) * time.Millisecond
		script, broken := steps.Draw(rt, "steps"), ""
		synctest.Test(t, func(t *testing.T) {
			shared, start, taken := &table{}, time.Now(), 0
			var nodes []*SharedLimiter
			for _, skew := range skews {
				nodes = append(nodes, NewSharedLimiter(shared, r, "", func() time.Time { return time.Now().Add(time.Duration(skew) * time.Millisecond) }))
			}
			for _, s := range script {
				time.Sleep(time.Duration(s.pause) * time.Millisecond)
				for call := range s.calls {
					back, wait, err := nodes[s.node%len(nodes)].Take(context.Background(), "x")
					if err != nil {
						t.Fatal(err)
					}
					if wait > 0 {
						break
					}
					taken++
					if call%s.backs == s.backs-1 {
						back()
						taken--
					}
				}
				took := time.Since(start)
				if bound := float64(r.Burst) + (took+apart).Seconds()*r.PerSecond + float64(len(nodes))*(float64(r.chunk()+r.Burst/localShare)+took.Seconds()*r.PerSecond/localShare) + 1; float64(taken) > bound {
					broken = fmt.Sprintf("%d uses after %v, more than %.1f", taken, took, bound)
					return
				}
			}
		})
		if broken != "" {
			rt.Fatal(broken)
		}
	})
}

// TestMetersShareOneRate: two nodes under a flood give out what one would, and
// ask the database seldom.
func TestMetersShareOneRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, r := &table{}, Rate{PerSecond: 100, Burst: 1000}
		meters := []*SharedLimiter{NewSharedLimiter(shared, r, "v:", time.Now), NewSharedLimiter(shared, r, "v:", time.Now)}
		taken, asked, begun := 0, 0, time.Now()
		for time.Since(begun) < time.Minute {
			for _, m := range meters {
				for range 5 {
					asked++
					back, wait, err := m.Take(t.Context(), "vendor")
					if err != nil || (wait > 0) != (back == nil) {
						t.Fatal(back == nil, wait, err)
					}
					if wait == 0 {
						taken++
					}
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
		if taken < 7100 || taken > 7350 { // the burst and a minute, and a fiftieth of it for each node
			t.Errorf("%d uses in a minute, want 7000", taken)
		}
		if shared.leases > 1400 {
			t.Errorf("%d calls asked the database %d times", asked, shared.leases)
		}
	})
}

// TestMeterSpreads: a burst is given at once, and what comes after it one by one.
func TestMeterSpreads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewSharedLimiter(&table{}, Rate{PerSecond: 100, Burst: 200}, "", time.Now)
		var mu sync.Mutex
		given := map[time.Duration]int{} // by 50 ms
		begun := time.Now()
		var flood sync.WaitGroup
		for range 64 {
			flood.Go(func() {
				for time.Since(begun) < 10*time.Second {
					_, wait, err := m.Take(t.Context(), "x")
					if err != nil {
						t.Error(err)
					}
					if wait > 0 {
						time.Sleep(min(wait, 250*time.Millisecond))
						continue
					}
					mu.Lock()
					given[time.Since(begun)/(50*time.Millisecond)]++
					mu.Unlock()
				}
			})
		}
		flood.Wait()
		if given[0] < 200 {
			t.Errorf("%d of a burst of 200 at once", given[0])
		}
		total := 0
		for slot, n := range given {
			if slot > 0 {
				total += n
			}
			if slot > 2 && n > 7 { // 5, and what the node gives out by itself
				t.Errorf("%d uses in 50 ms, after %v", n, slot*50*time.Millisecond)
			}
		}
		if total < 950 || total > 1050 {
			t.Errorf("%d uses in ten seconds at 100 a second", total)
		}
	})
}

// TestMeterAsksSeldom: many who call now and then cost the database nothing, and
// are forgotten.
func TestMeterAsksSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &table{}
		m := NewSharedLimiter(shared, Rate{PerSecond: 500, Burst: 1000}, "", time.Now)
		for minute := range 10 {
			for n := range 5 * minNames {
				if _, wait, err := m.Take(t.Context(), fmt.Sprint(minute, n)); wait > 0 || err != nil {
					t.Fatal(wait, err)
				}
			}
			time.Sleep(time.Minute)
		}
		if shared.leases != 0 || len(m.names) > 30*minNames {
			t.Errorf("%d leases, %d names", shared.leases, len(m.names))
		}
	})
}

func TestMeterUsesLapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, r := &table{}, Rate{PerSecond: 10, Burst: 40}
		m := NewSharedLimiter(shared, r, "", time.Now)
		for range 3 { // far apart: each takes a chunk anew
			if _, wait, err := m.Take(t.Context(), "x"); wait > 0 || err != nil {
				t.Fatal(wait, err)
			}
			time.Sleep(10 * time.Second)
		}
		if shared.leases != 3 {
			t.Errorf("%d leases", shared.leases)
		}
	})
}

func TestMeterRemembersTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("the database is gone")
		shared := &table{fails: gone}
		m := NewSharedLimiter(shared, Rate{PerSecond: 10, Burst: 40}, "", time.Now)
		for range 50 {
			if _, _, err := m.Take(t.Context(), "x"); !errors.Is(err, gone) {
				t.Fatal(err)
			}
		}
		if shared.leases != 1 {
			t.Errorf("%d calls for one trouble", shared.leases)
		}
		shared.fails = nil
		time.Sleep(errorPause)
		if _, wait, err := m.Take(t.Context(), "x"); wait > 0 || err != nil {
			t.Errorf("after the trouble: %v, %v", wait, err)
		}
		free := NewSharedLimiter(shared, Rate{PerSecond: math.MaxFloat64, Burst: 1}, "", time.Now)
		for range 100 {
			if _, wait, err := free.Take(t.Context(), "x"); wait > 0 || err != nil {
				t.Fatal(wait, err)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		m.allowanceOf("busy").lock <- struct{}{}
		if _, _, err := m.Take(ctx, "busy"); !errors.Is(err, context.Canceled) {
			t.Errorf("a call that has ended waits: %v", err)
		}
	})
}
