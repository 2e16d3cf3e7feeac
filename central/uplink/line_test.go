package uplink

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/shared/wire"
)

// arrival is when a simulated terminal was admitted, and after how many attempts.
type arrival struct {
	after    time.Duration
	attempts int
}

// stampede lets terminals come to a line at their times; each comes back when it is told.
// The node greets with so many processors, each of which takes so long for one.
func stampede(l *line, terminals, processors int, greeting time.Duration, comes func() time.Duration) []arrival {
	working := make(chan struct{}, processors)
	begun := time.Now()
	var mu sync.Mutex
	var arrivals []arrival
	var all sync.WaitGroup
	for n := range terminals {
		at := comes()
		all.Go(func() {
			time.Sleep(at)
			for attempt := 1; ; attempt++ {
				release, wait := l.enter(context.Background(), central.TerminalID(fmt.Sprint(n)))
				if release == nil {
					time.Sleep(wait + mathrand.N(50*time.Millisecond)) // the jitter of an edge
					continue
				}
				working <- struct{}{}
				time.Sleep(greeting)
				<-working
				release()
				mu.Lock()
				arrivals = append(arrivals, arrival{time.Since(begun), attempt})
				mu.Unlock()
				return
			}
		})
	}
	all.Wait()
	slices.SortFunc(arrivals, func(a, b arrival) int { return int(a.after - b.after) })
	return arrivals
}

// TestStampede: terminals that come together are admitted in little more than the time
// that is needed, whatever a greeting takes, with few attempts and in an even stream.
func TestStampede(t *testing.T) {
	const terminals = 10_000
	for name, c := range map[string]struct {
		processors int
		greeting   time.Duration
		within     time.Duration // in which they come
	}{
		"all at one moment":                   {2, 800 * time.Microsecond, time.Millisecond},
		"over the backoff of a short absence": {2, 800 * time.Microsecond, 4 * time.Second},
		"a slow node":                         {2, 4 * time.Millisecond, time.Second},
		"a fast node":                         {8, 500 * time.Microsecond, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLine(DefaultGreetings, rand.Reader)
				arrivals := stampede(l, terminals, c.processors, c.greeting, func() time.Duration { return mathrand.N(c.within) })
				needed := max(terminals*c.greeting/time.Duration(c.processors), c.within)
				took, attempts := arrivals[terminals-1].after, 0
				perSecond := map[int]int{}
				for _, a := range arrivals {
					attempts += a.attempts
					perSecond[int(a.after/time.Second)]++
				}
				t.Logf("needed %v: half are admitted after %v, 95 %% after %v, all after %v, with %.2f attempts each", needed,
					arrivals[terminals/2].after, arrivals[terminals*95/100].after, took, float64(attempts)/terminals)
				if took > needed*3/2+2*time.Second {
					t.Errorf("%v were needed, it took %v", needed, took)
				}
				if attempts > 3*terminals {
					t.Errorf("%d terminals made %d attempts", terminals, attempts)
				}
				l.mu.Lock()
				defer l.mu.Unlock()
				if len(l.places) != 0 || l.waiting != 0 || len(l.slots) != 0 {
					t.Errorf("left over: %d places, %d who wait, %d slots", len(l.places), l.waiting, len(l.slots))
				}
			})
		})
	}
}

// TestPlaces: a terminal keeps its place, is admitted at it before those that have none,
// and loses it if it does not come.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(1, rand.Reader)
		ctx := t.Context()
		release, _ := l.enter(ctx, "greeted")
		second := make(chan func())
		for n := range room {
			go func() {
				release, _ := l.enter(ctx, central.TerminalID(fmt.Sprint("inside-", n)))
				second <- release
			}()
		}
		synctest.Wait()
		_, wait := l.enter(ctx, "a")
		_, later := l.enter(ctx, "b")
		if wait < minRetry || later <= wait {
			t.Errorf("the waits are %v and %v", wait, later)
		}
		time.Sleep(wait / 2)
		if _, again := l.enter(ctx, "a"); again != wait-wait/2 {
			t.Errorf("who comes too early is told %v, not %v", again, wait-wait/2)
		}
		release()
		release() // counts once
		for range room {
			inside := <-second
			inside()
		}
		time.Sleep(wait - wait/2)
		if release, new := l.enter(ctx, "c"); release != nil || new < later-wait {
			t.Errorf("who has no place goes first: %v", new)
		}
		release, _ = l.enter(ctx, "a")
		if release == nil {
			t.Fatal("at its place a terminal is not admitted")
		}
		release()
		time.Sleep(2*placeLife + maxRetry)
		release, _ = l.enter(ctx, "d")
		if release == nil || len(l.places) != 0 || len(l.order) != 0 {
			t.Errorf("places of terminals that did not come: %d", len(l.places))
		}
		// Nobody waits inside for ever.
		begun := time.Now()
		if other, wait := l.enter(ctx, "e"); other != nil || wait < minRetry || time.Since(begun) != roomWait {
			t.Errorf("told %v after %v", wait, time.Since(begun))
		}
		release()
	})
}

// TestFarPlaces: a wait is bounded, and beyond that bound waits differ.
func TestFarPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(1, rand.Reader)
		l.took = time.Second
		waits := map[time.Duration]bool{}
		for n := range 200 {
			l.mu.Lock()
			wait := l.give(central.TerminalID(fmt.Sprint(n)), time.Now())
			l.mu.Unlock()
			if wait < minRetry || wait > maxRetry {
				t.Errorf("a wait of %v", wait)
			}
			waits[wait] = true
		}
		if len(waits) < 190 || len(l.places) > 60*haste {
			t.Errorf("%d different waits, %d places", len(waits), len(l.places))
		}
	})
}

// TestHellosShareCommits: terminals that come while the store commits are authenticated
// and recorded together.
func TestHellosShareCommits(t *testing.T) {
	const terminals = 400
	bubble(t, nil, func(t *testing.T, h *system) {
		var enrolled []terminal
		for range terminals {
			enrolled = append(enrolled, h.enrol())
		}
		h.knowsAll()
		h.store.mu.Lock()
		h.store.commit = 20 * time.Millisecond
		before := h.store.recorded + h.store.spending + h.store.checked
		h.store.mu.Unlock()
		var all sync.WaitGroup
		for _, x := range enrolled {
			all.Go(func() {
				for {
					ws, resp, err := h.open(bearer(x.token(claims())))
					if err == nil {
						l := &testConn{t: t, ws: ws, frames: make(chan wire.Frame, 10)}
						t.Cleanup(func() { _ = ws.Close() })
						go l.read()
						l.send(hello(x, 0))
						l.next(wire.TWelcome)
						return
					}
					wait, _ := strconv.Atoi(resp.Header.Get(wire.RetryAfterHeader))
					if resp.StatusCode != 503 || wait <= 0 {
						t.Errorf("HTTP %d, come back in %d ms", resp.StatusCode, wait)
						return
					}
					time.Sleep(time.Duration(wait) * time.Millisecond)
				}
			})
		}
		all.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		h.store.mu.Lock()
		defer h.store.mu.Unlock()
		calls := h.store.recorded + h.store.spending + h.store.checked - before
		if calls > terminals/2 || len(h.store.saw) != terminals {
			t.Errorf("%d hellos of %d terminals took %d calls of the store", len(h.store.saw), terminals, calls)
		}
		t.Logf("%d hellos took %d calls of the store", terminals, calls)
	})
}
