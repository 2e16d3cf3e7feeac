package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
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
	keepHeapFloor()
	collectUntil(t, func() bool { return setGrowth() > minGrowth })
	held := make([]byte, heapFloor)
	collectUntil(t, func() bool { return setGrowth() == minGrowth })
	runtime.KeepAlive(held)
}

// TestGOGCHasItsWay keeps what the environment says.
func TestGOGCHasItsWay(t *testing.T) {
	t.Setenv("GOGC", "100")
	defer debug.SetGCPercent(debug.SetGCPercent(123))
	keepHeapFloor()
	if got := setGrowth(); got != 123 {
		t.Errorf("the growth is %d percent, want 123", got)
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
