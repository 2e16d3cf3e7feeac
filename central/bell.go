package central

import "sync"

// Bell wakes those who watch a name, such as a terminal's id or an operation's.
// A ring says 'look', never what happened: the table is the truth, and a ring
// nobody hears is lost without harm.
type Bell struct {
	mu       sync.Mutex
	watchers map[string]map[chan struct{}]struct{} // all of them once more under ""
}

// NewBell makes a bell.
func NewBell() *Bell {
	return &Bell{watchers: map[string]map[chan struct{}]struct{}{"": {}}}
}

// Watch gives a channel that receives after each ring of the name; rings that
// come faster than they are read fall together. The returned function ends the
// watch.
func (b *Bell) Watch(name string) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watchers[name] == nil {
		b.watchers[name] = map[chan struct{}]struct{}{}
	}
	b.watchers[name][ch], b.watchers[""][ch] = struct{}{}, struct{}{}
	return ch, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers[""], ch)
		if delete(b.watchers[name], ch); len(b.watchers[name]) == 0 && name != "" {
			delete(b.watchers, name)
		}
	}
}

// Ring wakes all who watch the name; "" wakes everybody: rings may be missed.
func (b *Bell) Ring(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ch := range b.watchers[name] {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// TerminalBell is the name that rings when a terminal has an event or was
// revoked.
func TerminalBell(t TerminalID) string { return "terminal:" + string(t) }
