package sim

import (
	"runtime"
	"testing"
)

// TestSeedsRepeat plays seeds twice. What a seed draws is the same each time: who comes
// when and wants what, and every action of the adversary, to the millisecond. The
// results are the same in most plays, but not in all: of goroutines that are ready in
// one moment of virtual time the scheduler takes any, as select does, and the first to
// draw from a part's randomness, to commit or to write decides what follows. So `make
// sim SEED=n` plays a failed seed many times.
func TestSeedsRepeat(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	dir := scratch(t)
	b := newSnapshot(t, dir)
	const plays = 10
	same := 0
	for seed := uint64(1); seed <= plays; seed++ {
		one, _ := runStory(t, seed, b, dir, setupOf(seed))
		two, _ := runStory(t, seed, b, dir, setupOf(seed))
		if hash(one.planned) != hash(two.planned) {
			t.Errorf("seed %d drew two stories: %d lines and %d", seed, len(one.planned), len(two.planned))
		}
		if hash(one.lines) == hash(two.lines) {
			same++
		} else {
			diff(t, one.lines, two.lines)
		}
	}
	t.Logf("%d of %d seeds happened the same way to the end", same, plays)
}

// diff gives the first difference of two plays.
func diff(t *testing.T, one, two []string) {
	for i := range min(len(one), len(two)) {
		if one[i] != two[i] {
			t.Logf("one play has %s, the other %s", one[i], two[i])
			return
		}
	}
}
