package telemetry

import (
	"sync"

	"galla/central"
	"galla/shared/op"
)

// labelSet bounds the number of values of a label.
type labelSet struct {
	limit int
	valid func(string) bool

	mu   sync.Mutex
	seen map[string]bool
}

func newLabelSet(limit int, valid func(string) bool) *labelSet {
	return &labelSet{limit: limit, valid: valid, seen: map[string]bool{}}
}

// value returns value, or other if it is not valid or beyond the limit.
func (l *labelSet) value(value string) string {
	if !l.valid(value) {
		return other
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.seen[value] {
		if len(l.seen) >= l.limit {
			return other
		}
		l.seen[value] = true
	}
	return value
}

// isCode reports whether s is a response code: two or three digits or capital letters.
func isCode(s string) bool {
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(s) == 2 || len(s) == 3
}

// maxReferences bounds the references whose operation is remembered: four times the
// operations that an engine runs at one time, so that the oldest ones have ended. If
// one is dropped early, only the spans of its bank requests are lost.
const maxReferences = 4096

// referenceCache maps bank references to operations, for the spans of bank requests.
type referenceCache struct {
	limit int

	mu    sync.Mutex
	ids   map[central.Reference]op.ID
	order []central.Reference // a ring: a new one replaces the oldest
	next  int
}

func newReferenceCache(limit int) *referenceCache {
	return &referenceCache{limit: limit, ids: map[central.Reference]op.ID{}}
}

func (n *referenceCache) add(r central.Reference, id op.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, known := n.ids[r]; known {
		return
	}
	n.ids[r] = id
	if len(n.order) < n.limit {
		n.order = append(n.order, r)
		return
	}
	delete(n.ids, n.order[n.next])
	n.order[n.next] = r
	n.next = (n.next + 1) % n.limit
}

// find returns the operation of a reference; empty: not known.
func (n *referenceCache) find(r central.Reference) op.ID {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ids[r]
}
