package central

import "sync"

// Notifier wakes the subscribers of a topic, such as a terminal or an operation. A
// notification carries no data: the subscriber reads the table. So a lost one does
// no harm. Its methods are safe for concurrent use.
type Notifier struct {
	mu          sync.Mutex
	subscribers map[string]map[chan struct{}]struct{} // by topic; all of them also under ""
}

// NewNotifier makes a notifier.
func NewNotifier() *Notifier {
	return &Notifier{subscribers: map[string]map[chan struct{}]struct{}{"": {}}}
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
}

// TerminalTopic is notified when a terminal has an event or was revoked.
func TerminalTopic(t TerminalID) string { return "terminal:" + string(t) }
