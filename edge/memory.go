package edge

import (
	"sync"
	"time"

	"galla/shared/op"
)

// maxVolatile bounds the enquiries kept in memory; the oldest ended one goes
// first. A counter makes some hundreds a day, and a page shows one.
const maxVolatile = 200

// memory keeps enquiries under the queue's rules, without the disk: they move
// nothing, and a restart may forget them.
type memory struct {
	now func() time.Time

	mu      sync.Mutex
	records map[op.ID]Record
	known   map[op.ID]time.Time // when a reply was told that was given from memory
	order   []op.ID
}

func newMemory(now func() time.Time) *memory {
	return &memory{now: now, records: map[op.ID]Record{}, known: map[op.ID]time.Time{}}
}

func (m *memory) add(r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.records[r.ID]; ok {
		return ErrExists
	}
	m.records[r.ID] = r
	m.order = append(m.order, r.ID)
	for i := 0; len(m.order) > maxVolatile && i < len(m.order); {
		if id := m.order[i]; m.records[id].State.Final() {
			delete(m.records, id)
			delete(m.known, id)
			m.order = append(m.order[:i], m.order[i+1:]...)
			continue
		}
		i++
	}
	return nil
}

func (m *memory) change(id op.ID, change func(*Record) error) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[id]
	if !ok {
		return Record{}, ErrNotFound
	}
	before := r.State
	if err := change(&r); err != nil {
		return Record{}, err
	}
	if r.State != before && !CanBecome(before, r.State) {
		return Record{}, ErrIllegal
	}
	r.Version++
	if r.State.Final() {
		r.Body = nil
		if r.EndedAt.IsZero() {
			r.EndedAt = m.now()
		}
	}
	m.records[id] = r
	return r, nil
}

func (m *memory) get(id op.ID) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[id]
	if !ok {
		return Record{}, ErrNotFound
	}
	return r, nil
}

// age notes when the reply of an enquiry was told, if not by its own call.
func (m *memory) age(id op.ID, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[id] = at
}

func (m *memory) knownAt(id op.ID) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[id]
}

// unresolved gives the enquiries that are not final, oldest first.
func (m *memory) unresolved() []Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Record
	for _, id := range m.order {
		if r := m.records[id]; !r.State.Final() {
			out = append(out, r)
		}
	}
	return out
}

// recent gives the newest enquiries first, older than before.
func (m *memory) recent(before op.ID, limit int) []Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Record
	for i := len(m.order) - 1; i >= 0 && len(out) < limit; i-- {
		if id := m.order[i]; before == "" || id < before {
			out = append(out, m.records[id])
		}
	}
	return out
}
