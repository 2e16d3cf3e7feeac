package watch

import (
	"sync"

	"galla/central"
	"galla/shared/op"
)

// labels lets a bounded number of foreign values through.
type labels struct {
	limit int
	valid func(string) bool

	mu   sync.Mutex
	seen map[string]bool
}

func newLabels(limit int, valid func(string) bool) *labels {
	return &labels{limit: limit, valid: valid, seen: map[string]bool{}}
}

// of gives a value, or other where it is not valid or one too many.
func (l *labels) of(value string) string {
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

// isCode tells a response code: two or three digits or capital letters.
func isCode(s string) bool {
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(s) == 2 || len(s) == 3
}

// maxNames bounds the references whose operation is remembered: four times what
// an engine may have under way, so that what is forgotten has ended long since.
// One that is forgotten early loses the spans of its bank calls and nothing
// else.
const maxNames = 4096

// names remembers which operation a reference at the bank belongs to, so that
// what the bank is asked can be told of the operation.
type names struct {
	limit int

	mu    sync.Mutex
	of    map[central.Reference]op.ID
	order []central.Reference // a ring: the oldest makes room
	next  int
}

func newNames(limit int) *names {
	return &names{limit: limit, of: map[central.Reference]op.ID{}}
}

func (n *names) note(r central.Reference, id op.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, known := n.of[r]; known {
		return
	}
	n.of[r] = id
	if len(n.order) < n.limit {
		n.order = append(n.order, r)
		return
	}
	delete(n.of, n.order[n.next])
	n.order[n.next] = r
	n.next = (n.next + 1) % n.limit
}

// find gives the operation of a reference; empty: not known.
func (n *names) find(r central.Reference) op.ID {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.of[r]
}
