package ratelimit

import (
	"crypto/rand"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLocalLimiter(0.5, 2)
		for i, want := range []time.Duration{0, 0, 2 * time.Second} {
			if wait := l.Take("a"); wait != want {
				t.Errorf("take %d: wait %v", i, wait)
			}
		}
		if wait := l.Take("b"); wait != 0 {
			t.Errorf("another name waits %v", wait)
		}
		l.GiveBack("a")
		if wait := l.Take("a"); wait != 0 {
			t.Errorf("what was given back: wait %v", wait)
		}
		time.Sleep(2 * time.Second)
		if wait := l.Take("a"); wait != 0 {
			t.Errorf("two seconds later: wait %v", wait)
		}
	})
}

// TestCharge: what has happened is taken, at most what is left, and asking takes
// nothing.
func TestCharge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLocalLimiter(1, 10)
		l.Charge("a", 9)
		for range 3 {
			if wait := l.Wait("a"); wait != 0 {
				t.Fatalf("one of ten is left: wait %v", wait)
			}
		}
		l.Charge("a", 50)
		if wait := l.Wait("a"); wait != time.Second {
			t.Errorf("nothing is left: wait %v", wait)
		}
		free := NewLocalLimiter(math.MaxFloat64, 1)
		for range 1000 {
			if wait := free.Take("a"); wait != 0 {
				t.Fatalf("unlimited: wait %v", wait)
			}
		}
		if none := NewLocalLimiter(1, 0); none.Take("a") == 0 {
			t.Error("a burst of none lets a call through")
		}
	})
}

func TestThrottleForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLocalLimiter(1, 2)
		var raw [8]byte
		for range maxLocalNames + 5 {
			_, _ = rand.Read(raw[:])
			l.Take(fmt.Sprintf("%x", raw))
		}
		if len(l.buckets) != maxLocalNames || l.others.left >= 2 {
			t.Errorf("%d names, %g left for the others", len(l.buckets), l.others.left)
		}
		time.Sleep(2 * time.Second)
		if l.Take("new"); len(l.buckets) != 1 {
			t.Errorf("%d names after all of them have theirs again", len(l.buckets))
		}
	})
}
