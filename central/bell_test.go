package central

import "testing"

// TestBellOfEverybody: the empty name wakes all who watch anything, and a watch
// that ended leaves nothing behind.
func TestBellOfEverybody(t *testing.T) {
	b := NewBell()
	one, stopOne := b.Watch("one")
	two, stopTwo := b.Watch("two")
	woken := func(ch <-chan struct{}) bool {
		select {
		case <-ch:
			return true
		default:
			return false
		}
	}
	for _, c := range []struct {
		name     string
		one, two bool
	}{{"one", true, false}, {"nobody", false, false}, {"", true, true}} {
		b.Ring(c.name)
		b.Ring(c.name) // falls together with the first
		if gotOne, gotTwo := woken(one), woken(two); gotOne != c.one || gotTwo != c.two {
			t.Errorf("ring %q: one is woken: %t, two: %t", c.name, gotOne, gotTwo)
		}
		if woken(one) || woken(two) {
			t.Errorf("ring %q woke twice", c.name)
		}
	}
	stopOne()
	stopTwo()
	b.Ring("")
	if woken(one) || woken(two) || len(b.watchers) != 1 || len(b.watchers[""]) != 0 {
		t.Errorf("%d names are still watched", len(b.watchers))
	}
	again, stop := b.Watch("one")
	defer stop()
	if b.Ring("one"); !woken(again) {
		t.Error("a name that is watched again is not woken")
	}
}
