package send

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/shared/op"
)

const (
	cacheName = "send flows"
	// flowLife is how long a flow that nobody touched is kept: names and
	// account numbers are not for hoarding.
	flowLife = 24 * time.Hour
	// maxFlows bounds the flows that are kept, in one value of some 40 KB: more
	// customers are not left half served in a day. The one that was not touched
	// for longest goes first.
	maxFlows = 40
)

// Cache is the sealed cache of the queue (edge.Queue).
type Cache interface {
	Cached(name string) (value []byte, at time.Time, ok bool, err error)
	Cache(name string, value []byte, at time.Time) error
}

// store keeps the flows. Its lock is held while a step is taken, so that two
// tabs take it one after the other.
type store struct {
	mu    sync.Mutex
	cache Cache
	now   func() time.Time
	flows []flow
}

// openStore reads what the last run kept; what can't be read is left out.
func openStore(cache Cache, now func() time.Time) (*store, error) {
	s := &store{cache: cache, now: now}
	value, _, ok, err := cache.Cached(cacheName)
	if err != nil {
		return s, fmt.Errorf("read the half-finished transfers: %w", err)
	}
	if ok {
		if err := json.Unmarshal(value, &s.flows); err != nil {
			s.flows = nil
			return s, fmt.Errorf("the half-finished transfers can't be read, so they are left out")
		}
	}
	return s, nil
}

// of tells whether an operator leads the flow, whatever the name is now.
func (f flow) of(o edge.Operator) bool {
	return f.By == o.ID || f.By == "" && f.Operator == o.Name
}

// taken is the flow with its operator's id, which each call names: a flow that
// was kept before ids were has none.
func (f flow) taken(o edge.Operator) flow {
	f.By = o.ID
	return f
}

// get gives a flow of an operator. The caller holds the lock.
func (s *store) get(id op.ID, operator edge.Operator) (flow, bool) {
	s.sweep()
	for _, f := range s.flows {
		if f.ID == id && f.of(operator) {
			return f.taken(operator), true
		}
	}
	return flow{}, false
}

// ofTransfer gives an operator's flow that stands at a transfer or its refund.
// The caller holds the lock.
func (s *store) ofTransfer(id op.ID, operator edge.Operator) (flow, bool) {
	s.sweep()
	for _, f := range slices.Backward(s.flows) {
		if !f.of(operator) {
			continue
		}
		switch f.Step {
		case OTP:
			if f.Call == id {
				return f.taken(operator), true
			}
		case Sent, RefundCheck, RefundAsk, RefundCode, Refunded:
			if f.Transfer == id {
				return f.taken(operator), true
			}
		}
	}
	return flow{}, false
}

// of gives an operator's flows, the one touched last first.
func (s *store) of(operator edge.Operator) []flow {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	var out []flow
	for _, f := range slices.Backward(s.flows) {
		if f.of(operator) {
			out = append(out, f)
		}
	}
	return out
}

// put keeps a flow as it is now. The caller holds the lock. After an error the
// flow is as it was.
func (s *store) put(f flow) error {
	s.sweep()
	f.Touched = s.now()
	next := slices.DeleteFunc(slices.Clone(s.flows), func(o flow) bool { return o.ID == f.ID })
	next = append(next, f)
	if over := len(next) - maxFlows; over > 0 {
		next = slices.Delete(next, 0, over)
	}
	return s.write(next)
}

// forget removes a flow. The caller holds the lock.
func (s *store) forget(id op.ID) error {
	return s.write(slices.DeleteFunc(slices.Clone(s.flows), func(o flow) bool { return o.ID == id }))
}

// sweep leaves out flows whose time is over; the next write forgets them on
// disk.
func (s *store) sweep() {
	now := s.now()
	s.flows = slices.DeleteFunc(s.flows, func(f flow) bool { return now.Sub(f.Touched).Abs() >= flowLife })
}

func (s *store) write(flows []flow) error {
	value, err := json.Marshal(flows)
	if err != nil {
		return fmt.Errorf("write the half-finished transfers: %w", err)
	}
	if err := s.cache.Cache(cacheName, value, s.now()); err != nil {
		return fmt.Errorf("keep the half-finished transfers: %w", err)
	}
	s.flows = flows
	return nil
}
