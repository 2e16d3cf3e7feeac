package sim

import (
	"testing"
)

func TestAgain(t *testing.T) {
	dir := scratch(t)
	b := newBase(t, dir)
	same := 0
	const n = 20
	for seed := uint64(1); seed <= n; seed++ {
		one, _ := play(t, seed, b, dir, sceneOf(seed))
		two, _ := play(t, seed, b, dir, sceneOf(seed))
		if one.hash() == two.hash() {
			same++
		} else {
			t.Logf("seed %d differs: %d and %d lines", seed, len(one.lines), len(two.lines))
			for i := range min(len(one.lines), len(two.lines)) {
				if one.lines[i] != two.lines[i] {
					t.Logf("   %s\n   %s", one.lines[i], two.lines[i])
					break
				}
			}
		}
	}
	t.Logf("%d of %d the same", same, n)
}
