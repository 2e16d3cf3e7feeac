package edge

import (
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"galla/shared/op"
)

// What is remembered for a line that is down.
const (
	cacheReply     = "reply " // and the route: the last reply of a reference
	cacheRemitters = "remitters"

	// maxRemitters bounds the remitters whose details are kept: those whom an
	// agent may meet again on the same day. The one who was asked for longest
	// ago goes first.
	maxRemitters = 40
	// maxDetails bounds one remitter's details, in bytes, some thirty
	// beneficiaries; all of them together fit a value of the session cache.
	maxDetails = 16 << 10
	// remitterLife is how long they are kept: names and account numbers are not
	// for hoarding, and the limits in them are the day's.
	remitterLife = 24 * time.Hour
)

// known is a reply that was told earlier.
type known struct {
	Mobile string `json:",omitempty"` // of the remitter
	At     time.Time
	HTTP   int
	Reply  json.RawMessage
}

// recall remembers replies in the queue's session cache, which seals them.
type recall struct {
	queue Queue
	now   func() time.Time
	log   *slog.Logger

	mu         sync.Mutex
	references map[op.RouteID]known
	remitters  []known // the latest last
	unwritten  bool    // the cache holds what was forgotten here
}

func newRecall(queue Queue, now func() time.Time, log *slog.Logger) *recall {
	m := &recall{queue: queue, now: now, log: log, references: map[op.RouteID]known{}}
	for _, r := range op.Table() {
		if value, _, ok, err := queue.Cached(cacheReply + string(r.ID)); r.Class == op.Reference && err == nil && ok {
			var k known
			if json.Unmarshal(value, &k) == nil {
				m.references[r.ID] = k
			}
		}
	}
	if value, _, ok, err := queue.Cached(cacheRemitters); err == nil && ok {
		m.unwritten = json.Unmarshal(value, &m.remitters) != nil
	}
	return m
}

// reply gives what a route told last, of a remitter where the route has one.
func (m *recall) reply(route op.Route, mobile string) (known, bool) {
	m.sweep()
	m.mu.Lock()
	defer m.mu.Unlock()
	if route.Class == op.Reference {
		k, ok := m.references[route.ID]
		return k, ok
	}
	if route.ID == op.RemitterDetails {
		for _, k := range m.remitters {
			if k.Mobile == mobile {
				return k, true
			}
		}
	}
	return known{}, false
}

// reference remembers the reply of a reference.
func (m *recall) reference(route op.RouteID, o op.Outcome) {
	k := known{At: m.now(), HTTP: o.HTTP, Reply: o.Reply}
	m.mu.Lock()
	m.references[route] = k
	m.mu.Unlock()
	value, err := json.Marshal(k)
	if err == nil {
		err = m.queue.Cache(cacheReply+string(route), value, k.At)
	}
	if err != nil {
		m.log.Warn("a reply can't be cached", "route", route, "error", err)
	}
}

// remitter remembers a remitter's details; too long ones replace what was known
// by nothing.
func (m *recall) remitter(mobile string, http int, reply []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remitters = slices.DeleteFunc(m.remitters, func(k known) bool { return k.Mobile == mobile })
	if len(reply) <= maxDetails {
		m.remitters = append(m.remitters, known{Mobile: mobile, At: m.now(), HTTP: http, Reply: reply})
	}
	if over := len(m.remitters) - maxRemitters; over > 0 {
		m.remitters = slices.Delete(m.remitters, 0, over)
	}
	m.write()
}

// sweep forgets remitters whose time is over, in the cache too. What can't be
// written is tried again with the next sweep.
func (m *recall) sweep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.remitters)
	now := m.now()
	m.remitters = slices.DeleteFunc(m.remitters, func(k known) bool { return now.Sub(k.At).Abs() >= remitterLife })
	if len(m.remitters) != before || m.unwritten {
		m.write()
	}
}

// write puts the remitters into the cache; the caller holds the lock.
func (m *recall) write() {
	value, err := json.Marshal(m.remitters)
	if err == nil {
		err = m.queue.Cache(cacheRemitters, value, m.now())
	}
	if err != nil && !m.unwritten {
		m.log.Warn("remitters can't be cached or forgotten; it is tried again", "error", err)
	}
	m.unwritten = err != nil
}
