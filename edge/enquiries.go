package edge

import (
	"sync"
	"time"

	"galla/shared/op"
)

// maxVolatile bounds the enquiries in memory; the oldest finished one is dropped
// first. A counter makes some hundreds a day, and a page shows one.
const maxVolatile = 200

// enquiryStore stores enquiries in memory, with the queue's rules: they move no
// money, and a restart may lose them.
type enquiryStore struct {
	now func() time.Time

	mu      sync.Mutex
	records map[op.ID]Record
	known   map[op.ID]time.Time // when a cached reply was received
	order   []op.ID
}

func newEnquiryStore(now func() time.Time) *enquiryStore {
	return &enquiryStore{now: now, records: map[op.ID]Record{}, known: map[op.ID]time.Time{}}
}

func (m *enquiryStore) add(r Record) error {
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

func (m *enquiryStore) change(id op.ID, change func(*Record) error) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[id]
	if !ok {
		return Record{}, ErrNotFound
	}
	r, err := r.Changed(change, m.now)
	if err == nil {
		m.records[id] = r
	}
	return r, err
}

func (m *enquiryStore) get(id op.ID) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[id]
	if !ok {
		return Record{}, ErrNotFound
	}
	return r, nil
}

// setKnownAt records when the cached reply of an enquiry was received.
func (m *enquiryStore) setKnownAt(id op.ID, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[id] = at
}

func (m *enquiryStore) knownAt(id op.ID) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[id]
}

// unresolved returns the enquiries that are not final, oldest first.
func (m *enquiryStore) unresolved() []Record {
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

// Enquiries returns the enquiries of this run, newest first, at most some hundreds:
// they are in memory only.
func (c *Counter) Enquiries() []View {
	records := c.enquiries.recent("", maxVolatile)
	out := make([]View, len(records))
	for i, r := range records {
		out[i] = c.view(r, true)
	}
	return out
}

// recent returns the newest enquiries first, older than before.
func (m *enquiryStore) recent(before op.ID, limit int) []Record {
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
