package gateway

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"galla/central"
)

// TestPacerSpreads: of a hundred messages at once four begin, and the others one
// after the other at the rate; a canceled one frees its turn.
func TestPacerSpreads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := rate.NewLimiter(50, paceBurst)
		began := time.Now()
		var mu sync.Mutex
		var places []time.Duration
		wave := func(n int) {
			places = nil
			var all sync.WaitGroup
			for range n {
				all.Go(func() {
					if err := l.Wait(t.Context()); err != nil {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					places = append(places, time.Since(began).Round(time.Microsecond))
				})
			}
			all.Wait()
			slices.Sort(places)
		}
		for _, pause := range []time.Duration{0, time.Hour} { // a pause earns no more than the four
			time.Sleep(pause)
			began = time.Now()
			wave(100)
			for i, at := range places {
				if want := max(0, i-(paceBurst-1)) * int(20*time.Millisecond); at != time.Duration(want) {
					t.Fatalf("message %d begins after %v, want %v", i, at, time.Duration(want))
				}
			}
		}
		// Below the rate nobody waits.
		for range 20 {
			time.Sleep(20 * time.Millisecond)
			at := time.Now()
			if err := l.Wait(t.Context()); err != nil || time.Since(at) != 0 {
				t.Fatalf("waited %v (%v) below the rate", time.Since(at), err)
			}
		}
		time.Sleep(time.Minute)
		for range paceBurst {
			if err := l.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, leave)
		if err := l.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("a caller who left: %v", err)
		}
		if place := l.Reserve().Delay().Round(time.Microsecond); place != 19*time.Millisecond {
			t.Errorf("the next one waits %v: the place of the one who left is not free", place)
		}
	})
}

// TestReplayCache: what was seen spent is known until its time, and the memory is
// bounded.
func TestReplayCache(t *testing.T) {
	s, now := newReplayCache(), time.Unix(1_800_000_000, 0)
	iv := func(n int) (iv central.IV) {
		binary.BigEndian.PutUint64(iv[:], uint64(n))
		return iv
	}
	s.add("k1", iv(1), now.Add(time.Minute))
	for _, c := range []struct {
		key  central.KeyID
		iv   int
		at   time.Duration
		want bool
	}{
		{"k1", 1, 0, true}, {"k1", 1, time.Minute - 1, true}, {"k1", 1, time.Minute, false},
		{"k2", 1, 0, false}, {"k1", 2, 0, false},
	} {
		if got := s.contains(c.key, iv(c.iv), now.Add(c.at)); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	for n := range 3 * maxReplays {
		s.add("k1", iv(1+n), now.Add(time.Minute))
	}
	if len(s.current)+len(s.previous) > 2*maxReplays {
		t.Errorf("%d are remembered", len(s.current)+len(s.previous))
	}
	if !s.contains("k1", iv(3*maxReplays), now) || !s.contains("k1", iv(2*maxReplays), now) || s.contains("k1", iv(1), now) {
		t.Error("the oldest is what is forgotten")
	}
}

// TestReplayIsKnownWithoutTheDatabase: the second message with an IV needs
// no database, takes no turn of its vendor, and is answered like any replay.
func TestReplayIsKnownWithoutTheDatabase(t *testing.T) {
	h := startGateway(t, nil)
	m := h.seal(t, "GET", "/process/aeps/banks", "{}")
	sealedAs(t, "first", h.do(t, m), 200, "00")
	h.limits.shares[v1].pace = func(context.Context) error {
		t.Error("a replay takes a turn of its vendor")
		return nil
	}
	must(t, h.db.Close())
	for range 3 {
		refusedPlain(t, "again", h.do(t, m))
	}
	if got := h.Counts().Refused[CauseReplay]; got != 3 {
		t.Errorf("%d replays are counted", got)
	}
}
