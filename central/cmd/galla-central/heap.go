package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
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
// that, as Go does by itself. When the central gets quiet, it gives the system back what was
// in use, until ctx ends. GOGC in the environment has its way, and so has GOMEMLIMIT.
func keepHeapFloor(ctx context.Context) {
	if os.Getenv("GOGC") == "" {
		followHeap(minGrowth)
		go returnMemory(ctx)
	}
}

const (
	// quietTurn is how often is looked whether the central is quiet.
	quietTurn = 5 * time.Second
	// quietBytes is what a quiet central allocates in one turn at most: 10,000 idle
	// terminals take a third of it.
	quietBytes = 8 << 20
	// quietTurns is how many turns in a row make a quiet central: where shops come and go,
	// memory is needed again at once.
	quietTurns = 3
)

// returnMemory gives memory back each time that the central gets quiet, until ctx ends.
func returnMemory(ctx context.Context) {
	turn := time.NewTicker(quietTurn)
	defer turn.Stop()
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	var q quietHeap
	for {
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
		metrics.Read(allocated)
		if q.returnDue(allocated[0].Value.Uint64()) {
			debug.FreeOSMemory()
		}
	}
}

// quietHeap notices when a busy central gets quiet.
type quietHeap struct {
	allocated uint64 // bytes since the start, at the last turn
	quiet     int    // turns in a row
}

// returnDue tells, once a turn, whether memory is to be given back now.
func (q *quietHeap) returnDue(allocated uint64) bool {
	made := allocated - q.allocated
	q.allocated = allocated
	if made > quietBytes {
		q.quiet = 0
		return false
	}
	q.quiet++
	return q.quiet == quietTurns
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
