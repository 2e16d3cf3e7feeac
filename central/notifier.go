package central

import (
	"strings"
	"sync"
)

// Notifier wakes the subscribers of a topic, such as a terminal or an operation. A
// notification carries no data: the subscriber reads the table. So a lost one does
// no harm. Its methods are safe for concurrent use.
type Notifier struct {
	mu          sync.Mutex
	subscribers map[string]map[chan struct{}]struct{} // by topic; all of them also under ""
	terminals   map[*func(TerminalID)]struct{}        // of WatchTerminals
}

// NewNotifier makes a notifier.
func NewNotifier() *Notifier {
	return &Notifier{subscribers: map[string]map[chan struct{}]struct{}{"": {}}, terminals: map[*func(TerminalID)]struct{}{}}
}

// Subscribe gives a channel that receives after each notification of the topic.
// Notifications that come faster than they are read become one. The returned
// function ends the subscription.
func (n *Notifier) Subscribe(topic string) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.subscribers[topic] == nil {
		n.subscribers[topic] = map[chan struct{}]struct{}{}
	}
	n.subscribers[topic][ch], n.subscribers[""][ch] = struct{}{}, struct{}{}
	return ch, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.subscribers[""], ch)
		if delete(n.subscribers[topic], ch); len(n.subscribers[topic]) == 0 && topic != "" {
			delete(n.subscribers, topic)
		}
	}
}

// Notify wakes the subscribers of a topic. "" wakes all: use it when notifications
// may have been lost.
func (n *Notifier) Notify(topic string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for ch := range n.subscribers[topic] {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
	if terminal, ok := strings.CutPrefix(topic, terminalTopic); ok || topic == "" {
		for look := range n.terminals {
			(*look)(TerminalID(terminal))
		}
	}
}

// WatchTerminals calls look with the terminal of each TerminalTopic that is notified, and
// with "" when notifications of any terminal may have been lost. look must neither wait
// nor call the Notifier. The returned function ends that.
func (n *Notifier) WatchTerminals(look func(TerminalID)) (stop func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.terminals[&look] = struct{}{}
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.terminals, &look)
	}
}

const terminalTopic = "terminal:"

// TerminalTopic is notified when a terminal has an event or was revoked.
func TerminalTopic(t TerminalID) string { return terminalTopic + string(t) }
