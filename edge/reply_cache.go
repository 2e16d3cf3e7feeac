package edge

import (
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"galla/shared/op"
)

// Replies that are shown while the terminal is offline.
const (
	cacheReply     = "reply " // and the route: its last reply
	cacheRemitters = "remitters"

	// maxRemitters bounds the remitters whose details are stored: those whom an
	// agent may meet again on the same day. The one fetched longest ago goes
	// first.
	maxRemitters = 40
	// maxDetails bounds one remitter's details, in bytes, some thirty
	// beneficiaries; all of them together fit a value of the session cache.
	maxDetails = 16 << 10
	// remitterLife is how long they are stored: they are personal data, and the
	// limits in them are of one day.
	remitterLife = 24 * time.Hour
)

type cachedReply struct {
	Mobile string `json:",omitempty"` // of the remitter
	At     time.Time
	HTTP   int
	Reply  json.RawMessage
}

// replyCache stores replies in the queue's session cache, which seals them.
type replyCache struct {
	queue Queue
	now   func() time.Time
	log   *slog.Logger

	mu         sync.Mutex
	references map[op.RouteID]cachedReply
	remitters  []cachedReply // the latest last
	unsaved    bool          // the cache still holds what was removed here
}

func newReplyCache(queue Queue, now func() time.Time, log *slog.Logger) *replyCache {
	m := &replyCache{queue: queue, now: now, log: log, references: map[op.RouteID]cachedReply{}}
	for _, r := range op.Table() {
		if value, _, ok, err := queue.GetCache(cacheReply + string(r.ID)); r.Class == op.Reference && err == nil && ok {
			var k cachedReply
			if json.Unmarshal(value, &k) == nil {
				m.references[r.ID] = k
			}
		}
	}
	if value, _, ok, err := queue.GetCache(cacheRemitters); err == nil && ok {
		m.unsaved = json.Unmarshal(value, &m.remitters) != nil
	}
	return m
}

func putJSON(queue Queue, name string, v any, at time.Time) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return queue.PutCache(name, value, at)
}

// lookup returns the last reply of a route; of a remitter where the route has one.
func (m *replyCache) lookup(route op.Route, mobile string) (cachedReply, bool) {
	m.removeExpired()
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
	return cachedReply{}, false
}

func (m *replyCache) storeReference(route op.RouteID, o op.Outcome) {
	k := cachedReply{At: m.now(), HTTP: o.HTTP, Reply: o.Reply}
	m.mu.Lock()
	m.references[route] = k
	m.mu.Unlock()
	if err := putJSON(m.queue, cacheReply+string(route), k, k.At); err != nil {
		m.log.Warn("a reply can't be cached", "route", route, "error", err)
	}
}

// storeRemitter stores a remitter's details. Too long ones remove the earlier
// ones.
func (m *replyCache) storeRemitter(mobile string, http int, reply []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remitters = slices.DeleteFunc(m.remitters, func(k cachedReply) bool { return k.Mobile == mobile })
	if len(reply) <= maxDetails {
		m.remitters = append(m.remitters, cachedReply{Mobile: mobile, At: m.now(), HTTP: http, Reply: reply})
	}
	if over := len(m.remitters) - maxRemitters; over > 0 {
		m.remitters = slices.Delete(m.remitters, 0, over)
	}
	m.saveRemitters()
}

// removeExpired removes remitters that are too old, in the cache too. A failed
// write is tried again with the next call.
func (m *replyCache) removeExpired() {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.remitters)
	now := m.now()
	m.remitters = slices.DeleteFunc(m.remitters, func(k cachedReply) bool { return now.Sub(k.At).Abs() >= remitterLife })
	if len(m.remitters) != before || m.unsaved {
		m.saveRemitters()
	}
}

// saveRemitters writes the remitters to the cache; the caller holds the lock.
func (m *replyCache) saveRemitters() {
	err := putJSON(m.queue, cacheRemitters, m.remitters, m.now())
	if err != nil && !m.unsaved {
		m.log.Warn("remitters can't be cached or removed; it is retried", "error", err)
	}
	m.unsaved = err != nil
}
