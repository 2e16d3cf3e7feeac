package duty

import (
	"context"
	"errors"
	"math"
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

func (s *table) LeaseRate(_ context.Context, name string, r Rate, want int, now time.Time) (int, time.Duration, error) {
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
	rapid.Check(t, func(t *rapid.T) {
		r := Rate{PerSecond: rapid.Float64Range(0.5, 2000).Draw(t, "rate"), Burst: rapid.IntRange(1, 3000).Draw(t, "burst")}
		start := time.UnixMilli(1_700_000_000_000)
		now, shared := start, &table{}
		type node struct {
			*Meter
			skew time.Duration
		}
		var nodes []node
		for range rapid.IntRange(1, 4).Draw(t, "nodes") {
			skew := time.Duration(rapid.IntRange(-2000, 2000).Draw(t, "skew")) * time.Millisecond
			nodes = append(nodes, node{NewMeter(shared, r, "", func() time.Time { return now.Add(skew) }), skew})
		}
		var skew time.Duration // between the clocks that are furthest apart
		for _, a := range nodes {
			for _, b := range nodes {
				skew = max(skew, a.skew-b.skew)
			}
		}
		taken := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "pause")) * time.Millisecond)
			n := nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, "node")]
			for range rapid.IntRange(1, 4000).Draw(t, "calls") {
				back, wait, err := n.Take(context.Background(), "x")
				if err != nil {
					t.Fatal(err)
				}
				if wait > 0 {
					break
				}
				taken++
				if rapid.IntRange(0, 50).Draw(t, "back") == 0 {
					back()
					taken--
				}
			}
			bound := float64(r.Burst) + now.Sub(start).Seconds()*r.PerSecond + skew.Seconds()*r.PerSecond + float64(len(nodes)*max(1, r.Burst/chunks)) + 1
			if float64(taken) > bound {
				t.Fatalf("%d uses after %v, more than %.1f", taken, now.Sub(start), bound)
			}
		}
	})
}

// TestMetersShareOneRate: two nodes under a flood give out what one would, and
// ask the database seldom.
func TestMetersShareOneRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, r := &table{}, Rate{PerSecond: 100, Burst: 1000}
		meters := []*Meter{NewMeter(shared, r, "v:", time.Now), NewMeter(shared, r, "v:", time.Now)}
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
		if taken < 6900 || taken > 7100 { // the burst, and a minute
			t.Errorf("%d uses in a minute, want 7000", taken)
		}
		if shared.leases > 800 {
			t.Errorf("%d calls asked the database %d times", asked, shared.leases)
		}
	})
}

func TestMeterUsesLapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, r := &table{}, Rate{PerSecond: 10, Burst: 100}
		m := NewMeter(shared, r, "", time.Now)
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
		m := NewMeter(shared, Rate{PerSecond: 10, Burst: 100}, "", time.Now)
		for range 50 {
			if _, _, err := m.Take(t.Context(), "x"); !errors.Is(err, gone) {
				t.Fatal(err)
			}
		}
		if shared.leases != 1 {
			t.Errorf("%d calls for one trouble", shared.leases)
		}
		shared.fails = nil
		time.Sleep(troubled)
		if _, wait, err := m.Take(t.Context(), "x"); wait > 0 || err != nil {
			t.Errorf("after the trouble: %v, %v", wait, err)
		}
		free := NewMeter(shared, Rate{PerSecond: math.MaxFloat64, Burst: 1}, "", time.Now)
		for range 100 {
			if _, wait, err := free.Take(t.Context(), "x"); wait > 0 || err != nil {
				t.Fatal(wait, err)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		m.of("busy").turn <- struct{}{}
		if _, _, err := m.Take(ctx, "busy"); !errors.Is(err, context.Canceled) {
			t.Errorf("a call that has ended waits: %v", err)
		}
	})
}
