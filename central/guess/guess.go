// Package guess remembers for some minutes which one-time password the bank
// refused, so that a client that repeats a call is told the same again and does
// not use up its customer's tries.
//
// It promises that no password leaves it, and that it keeps them in memory only:
// OTPs never touch a disk, not even as hashes, which six digits are soon tried
// against; each ends by itself after five minutes. Nothing depends on what it
// remembers. Where it has forgotten, at another node or after a restart, a repeat
// is another attempt, one for each memory, and the bank refuses that as well.
//
// Names and passwords enter; the id of the attempt leaves that was refused.
package guess

import (
	"sync"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
)

// Bounds of the memory. The bank's OTPs last for three minutes, so that a longer
// one would serve nobody.
const (
	life = 5 * time.Minute
	most = 4096
)

// Memory is of the newest refused attempt of each name. Its methods may be
// called by many goroutines at once.
type Memory struct {
	mu   sync.Mutex
	last map[string]guess
}

type guess struct {
	id  op.ID
	otp secret.OTP
	end *time.Timer // forgets it
}

// Name is what attempts of one party have in common: the caller's own reference,
// or the transfer that they would refund; empty where there is neither.
func Name(party, callerRef, refunds string) string {
	if callerRef+refunds == "" {
		return ""
	}
	return party + "\n" + callerRef + "\n" + refunds
}

// New makes an empty memory.
func New() *Memory { return &Memory{last: map[string]guess{}} }

// Note remembers that an attempt under a name was refused for its OTP. Where the
// memory is full, all of it is forgotten. No name is no attempt.
func (m *Memory) Note(name string, id op.ID, otp secret.OTP) {
	if name == "" || otp.IsZero() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	last, known := m.last[name]
	switch {
	case known:
		last.end.Stop()
	case len(m.last) >= most:
		for _, g := range m.last {
			g.end.Stop()
		}
		clear(m.last)
	}
	m.last[name] = guess{id, otp, time.AfterFunc(life, func() { m.forget(name, id) })}
}

// forget ends what is remembered of an attempt, unless a newer one has its place.
func (m *Memory) forget(name string, id op.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last[name].id == id {
		delete(m.last, name)
	}
}

// Find gives the attempt under a name that was refused for this very OTP.
func (m *Memory) Find(name string, otp secret.OTP) (op.ID, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last, known := m.last[name]
	return last.id, known && last.otp.Equal(otp)
}

// Is tells whether an attempt under a name was refused for this very OTP, as far
// as is known.
func (m *Memory) Is(name string, id op.ID, otp secret.OTP) bool {
	found, known := m.Find(name, otp)
	return known && found == id
}
