package sim

import (
	"runtime"
	"testing"
)

// TestAgain plays seeds twice. What a seed draws is the same each time: who
// comes when and wants what, and every deed of the adversary, to the
// millisecond. What becomes of it is the same in most plays and can't be in
// all: of goroutines that are ready in one moment of virtual time the scheduler
// takes any, as select does of its cases, and which of them is first to draw
// from a part's randomness, to commit or to write decides what comes after.
// A seed that failed is therefore played many times by 'make sim SEED=n'.
func TestAgain(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	dir := scratch(t)
	b := newBase(t, dir)
	const plays = 10
	same := 0
	for seed := uint64(1); seed <= plays; seed++ {
		one, _ := play(t, seed, b, dir, sceneOf(seed))
		two, _ := play(t, seed, b, dir, sceneOf(seed))
		if hash(one.script) != hash(two.script) {
			t.Errorf("seed %d drew two stories: %d lines and %d", seed, len(one.script), len(two.script))
		}
		if hash(one.lines) == hash(two.lines) {
			same++
		} else {
			diff(t, one.lines, two.lines)
		}
	}
	t.Logf("%d of %d seeds happened the same way to the end", same, plays)
}

// diff tells where two plays part.
func diff(t *testing.T, one, two []string) {
	for i := range min(len(one), len(two)) {
		if one[i] != two[i] {
			t.Logf("one play has %s, the other %s", one[i], two[i])
			return
		}
	}
}
