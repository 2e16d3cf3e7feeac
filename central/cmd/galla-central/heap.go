package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// heapFloor is what the heap may grow to before it is collected. What a central with few
// terminals holds is so little that Go alone would collect it many times a second under load.
const heapFloor = 128 << 20

// Go's own growth in percent, and the most that is set.
const (
	minGrowth = 100
	maxGrowth = 1500
)

// keepHeapFloor has the heap collected only above heapFloor or, where more is in use, at twice
// that, as Go does by itself. GOGC in the environment has its way, and so has GOMEMLIMIT.
func keepHeapFloor() {
	if os.Getenv("GOGC") == "" {
		followHeap(minGrowth)
	}
}

// followHeap sets the growth of the heap by what the last collection found in use, now and after
// each further one. percent is what is set.
func followHeap(percent int) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if next := heapGrowth(live[0].Value.Uint64()); next != percent {
		debug.SetGCPercent(next)
		percent = next
	}
	unused := new([64]byte) // the next collection finds it
	runtime.AddCleanup(unused, followHeap, percent)
}

// heapGrowth is by how many percent a heap of so many bytes in use may grow: in steps, so that
// it is seldom set.
func heapGrowth(live uint64) int {
	const step = 25
	free := (heapFloor - min(live, heapFloor)) * 100 / max(live, 1)
	return max(minGrowth, min(maxGrowth, int(free/step*step)))
}
