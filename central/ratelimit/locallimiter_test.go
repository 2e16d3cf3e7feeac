package ratelimit

import (
	"crypto/rand"
	"fmt"
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
