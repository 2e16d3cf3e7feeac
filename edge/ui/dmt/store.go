package dmt

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
	cacheName = "dmt flows"
	// flowTTL is how long an untouched flow is stored: names and account numbers should not
	// accumulate.
	flowTTL = 24 * time.Hour
	// maxFlows bounds the stored flows, in one value of some 40 KB: no counter leaves more
	// customers half served in a day. The least recently used is removed first.
	maxFlows = 40
)

// Cache is the queue's sealed cache (edge.Queue).
type Cache interface {
	GetCache(name string) (value []byte, at time.Time, ok bool, err error)
	PutCache(name string, value []byte, at time.Time) error
}

// flowStore stores the flows. Its lock is held during a step, so that two tabs take steps
// one after the other.
type flowStore struct {
	mu    sync.Mutex
	cache Cache
	now   func() time.Time
	flows []flow
}

// openStore reads the stored flows; those that can't be read are left out.
func openStore(cache Cache, now func() time.Time) (*flowStore, error) {
	s := &flowStore{cache: cache, now: now}
	value, _, ok, err := cache.GetCache(cacheName)
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

// isOwnedBy reports whether the flow belongs to a user, whatever the user's present name.
func (f flow) isOwnedBy(o edge.User) bool {
	return f.OperatorID == o.ID || f.OperatorID == "" && f.Operator == o.Name
}

// withOperator adds the user's id, which each request names, to a flow without one.
func (f flow) withOperator(o edge.User) flow {
	f.OperatorID = o.ID
	return f
}

// get returns a flow of a user. The caller holds the lock.
func (s *flowStore) get(id op.ID, operator edge.User) (flow, bool) {
	s.expire()
	for _, f := range s.flows {
		if f.ID == id && f.isOwnedBy(operator) {
			return f.withOperator(operator), true
		}
	}
	return flow{}, false
}

// byTransfer returns a user's flow of a transfer or its refund. The caller holds the lock.
func (s *flowStore) byTransfer(id op.ID, operator edge.User) (flow, bool) {
	s.expire()
	for _, f := range slices.Backward(s.flows) {
		if !f.isOwnedBy(operator) {
			continue
		}
		switch f.Step {
		case OTP:
			if f.Call == id || f.Transfer == id && f.WrongOTPs > 0 {
				return f.withOperator(operator), true
			}
		case Sent, RefundCheck, RefundAsk, RefundCode, Refunded:
			if f.Transfer == id {
				return f.withOperator(operator), true
			}
		}
	}
	return flow{}, false
}

// list returns a user's flows, the most recently used first.
func (s *flowStore) list(operator edge.User) []flow {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	var out []flow
	for _, f := range slices.Backward(s.flows) {
		if f.isOwnedBy(operator) {
			out = append(out, f)
		}
	}
	return out
}

// save stores a flow. The caller holds the lock. After an error the flow is unchanged.
func (s *flowStore) save(f flow) error {
	s.expire()
	f.Touched = s.now()
	next := slices.DeleteFunc(slices.Clone(s.flows), func(o flow) bool { return o.ID == f.ID })
	next = append(next, f)
	if over := len(next) - maxFlows; over > 0 {
		next = slices.Delete(next, 0, over)
	}
	return s.write(next)
}

// remove removes a flow. The caller holds the lock.
func (s *flowStore) remove(id op.ID) error {
	return s.write(slices.DeleteFunc(slices.Clone(s.flows), func(o flow) bool { return o.ID == id }))
}

// expire removes expired flows; the next write removes them from disk.
func (s *flowStore) expire() {
	now := s.now()
	s.flows = slices.DeleteFunc(s.flows, func(f flow) bool { return now.Sub(f.Touched).Abs() >= flowTTL })
}

func (s *flowStore) write(flows []flow) error {
	value, err := json.Marshal(flows)
	if err != nil {
		return fmt.Errorf("write the half-finished transfers: %w", err)
	}
	if err := s.cache.PutCache(cacheName, value, s.now()); err != nil {
		return fmt.Errorf("keep the half-finished transfers: %w", err)
	}
	s.flows = flows
	return nil
}
