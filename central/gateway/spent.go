package gateway

import (
	"sync"
	"time"

	"galla/central"
)

// maxSpent is how many messages each of the two halves of spent remembers: with
// both full some ten megabytes.
const maxSpent = 50_000

// spent remembers the IVs that this node has seen spent, so that a message which
// is sent again and again takes nothing of its vendor's share and costs the
// database nothing. It only spares the question: the database is the truth, and
// what was forgotten here is found there.
type spent struct {
	mu         sync.Mutex
	young, old map[spentIV]time.Time // until when
}

type spentIV struct {
	key central.KeyID
	iv  central.IV
}

func newSpent() *spent { return &spent{young: map[spentIV]time.Time{}} }

func (s *spent) add(key central.KeyID, iv central.IV, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.young) >= maxSpent {
		s.young, s.old = map[spentIV]time.Time{}, s.young
	}
	s.young[spentIV{key, iv}] = until
}

func (s *spent) holds(key central.KeyID, iv central.IV, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, ok := s.young[spentIV{key, iv}]
	if !ok {
		until, ok = s.old[spentIV{key, iv}]
	}
	return ok && now.Before(until)
}
