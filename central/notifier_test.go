package central

import (
	"slices"
	"testing"
)

// TestNotifyAll: the empty topic wakes all subscribers, and an ended subscription
// leaves nothing behind.
func TestNotifyAll(t *testing.T) {
	b := NewNotifier()
	one, stopOne := b.Subscribe("one")
	two, stopTwo := b.Subscribe("two")
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
		b.Notify(c.name)
		b.Notify(c.name) // becomes one with the first
		if gotOne, gotTwo := woken(one), woken(two); gotOne != c.one || gotTwo != c.two {
			t.Errorf("notify %q: one is woken: %t, two: %t", c.name, gotOne, gotTwo)
		}
		if woken(one) || woken(two) {
			t.Errorf("notify %q woke twice", c.name)
		}
	}
	stopOne()
	stopTwo()
	b.Notify("")
	if woken(one) || woken(two) || len(b.subscribers) != 1 || len(b.subscribers[""]) != 0 {
		t.Errorf("%d topics still have subscribers", len(b.subscribers))
	}
	again, stop := b.Subscribe("one")
	defer stop()
	if b.Notify("one"); !woken(again) {
		t.Error("a topic that is subscribed again is not notified")
	}
}

// TestWatchTerminals: one function hears of all terminals, and of lost notifications.
func TestWatchTerminals(t *testing.T) {
	b := NewNotifier()
	var heard []TerminalID
	stop := b.WatchTerminals(func(id TerminalID) { heard = append(heard, id) })
	for _, topic := range []string{TerminalTopic("a"), "operation:x", "", TerminalTopic("b")} {
		b.Notify(topic)
	}
	stop()
	b.Notify(TerminalTopic("c"))
	if want := []TerminalID{"a", "", "b"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}
