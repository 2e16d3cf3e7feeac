package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"testing/synctest"
	"time"
)

func TestHeapGrowth(t *testing.T) {
	for live, want := range map[uint64]int{
		0: maxGrowth, 1 << 20: maxGrowth, 16 << 20: 700, 32 << 20: 300, 60 << 20: minGrowth, 64 << 20: minGrowth, 128 << 20: minGrowth, 1 << 40: minGrowth,
	} {
		if got := heapGrowth(live); got != want {
			t.Errorf("%d bytes in use: %d percent, want %d", live, got, want)
		}
	}
}

// setGrowth is what the collector has now.
func setGrowth() uint64 {
	now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(now)
	return now[0].Value.Uint64()
}

// TestHeapFloorIsKept: what is set follows what is in use, at each collection.
func TestHeapFloorIsKept(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(minGrowth))
	keepHeapFloor(t.Context())
	collectUntil(t, func() bool { return setGrowth() > minGrowth })
	held := make([]byte, heapFloor)
	collectUntil(t, func() bool { return setGrowth() == minGrowth })
	runtime.KeepAlive(held)
}

// TestGOGCHasItsWay keeps what the environment says.
func TestGOGCHasItsWay(t *testing.T) {
	t.Setenv("GOGC", "100")
	defer debug.SetGCPercent(debug.SetGCPercent(123))
	keepHeapFloor(t.Context())
	if got := setGrowth(); got != 123 {
		t.Errorf("the growth is %d percent, want 123", got)
	}
}

// TestMemoryIsReturnedWhenQuiet: once, after each time that was busy.
func TestMemoryIsReturnedWhenQuiet(t *testing.T) {
	const little, much = 1 << 20, 100 << 20
	q, allocated := quietHeap{}, uint64(0)
	for turn, x := range []struct {
		made uint64
		due  bool
	}{
		{much, false}, {little, false}, {little, false}, {little, true}, {0, false}, {0, false}, {0, false}, {0, false},
		{much, false}, {little, false}, {quietBytes, false}, {quietBytes + 1, false}, {quietBytes, false}, {0, false}, {0, true},
	} {
		allocated += x.made
		if due := q.returnDue(allocated); due != x.due {
			t.Errorf("turn %d: %t, want %t", turn, due, x.due)
		}
	}
}

// TestReturnMemory: what nobody uses any more goes back to the system within a few turns.
func TestReturnMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(maxGrowth))
	held := make([]byte, 64<<20)
	for i := 0; i < len(held); i += 4096 {
		held[i] = 1
	}
	released := func() uint64 {
		now := []metrics.Sample{{Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(now)
		return now[0].Value.Uint64()
	}
	before := released()
	runtime.KeepAlive(held)
	held = nil
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		go returnMemory(ctx)
		time.Sleep((1+quietTurns)*quietTurn + time.Second) // the first turn had the allocation
		stop()
		synctest.Wait()
	})
	if got := released(); got < before+32<<20 {
		t.Errorf("%d bytes were given back", got-before)
	}
}

func collectUntil(t *testing.T, done func() bool) {
	t.Helper()
	for !done() {
		if t.Context().Err() != nil {
			t.Fatal("the test ended first")
		}
		runtime.GC()
	}
}
