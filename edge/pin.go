package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"galla/shared/secret"
)

// PINError says that a PIN was not accepted.
type PINError struct {
	Left int           // tries left before the counter waits; 0: it waits now
	Wait time.Duration // until the next try is looked at; 0: try at once
}

func (e *PINError) Error() string {
	if e.Wait > 0 {
		return fmt.Sprintf("wrong PIN; wait %s before the next try", e.Wait.Round(time.Second))
	}
	return fmt.Sprintf("wrong PIN; %d tries left", e.Left)
}

// pinTries is how many wrong PINs are looked at before the counter waits; each
// further one doubles the wait, from pinWait up to pinMaxWait.
const (
	pinTries   = 5
	pinWait    = 30 * time.Second
	pinMaxWait = 15 * time.Minute
)

// guard counts wrong PINs. The count is on disk: a restart gives no new tries.
type guard struct {
	queue Queue
	cfg   Config

	mu    sync.Mutex
	count guardCount
}

type guardCount struct {
	Failures int
	Until    time.Time // no PIN is looked at before
}

func newGuard(queue Queue, cfg Config) (*guard, error) {
	g := &guard{queue: queue, cfg: cfg}
	value, _, ok, err := queue.Cached(cacheGuard)
	if err != nil {
		return nil, fmt.Errorf("read the count of wrong PINs: %w", err)
	}
	if ok {
		if err := json.Unmarshal(value, &g.count); err != nil {
			return nil, fmt.Errorf("read the count of wrong PINs: %w", err)
		}
	}
	return g, nil
}

// CheckPIN gives the operator for the right PIN, *PINError for a wrong one, and
// ErrNotFound for an operator who is not at this counter. After five wrong ones
// the counter waits, longer each time.
func (c *Counter) CheckPIN(_ context.Context, operator string, pin secret.OTP) (Operator, error) {
	if operator != AgentID {
		return Operator{}, fmt.Errorf("operator %q: %w", operator, ErrNotFound)
	}
	if err := c.guard.check(pin); err != nil {
		return Operator{}, err
	}
	return Operator{ID: AgentID, Name: c.cfg.Agent, Role: RoleOwner}, nil
}

func (g *guard) check(pin secret.OTP) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.cfg.Now()
	wait := g.count.Until.Sub(now)
	if wait > pinMaxWait { // the clock was set back
		wait = pinMaxWait
	}
	if wait > 0 {
		return &PINError{Wait: wait}
	}
	right, err := g.cfg.VerifyPIN(pin)
	if err != nil {
		return fmt.Errorf("check the PIN: %w", err)
	}
	next, refusal := guardCount{}, (*PINError)(nil)
	if !right {
		next.Failures = g.count.Failures + 1
		refusal = &PINError{Left: max(pinTries-next.Failures, 0)}
		if over := next.Failures - pinTries; over >= 0 {
			refusal.Wait = min(pinWait<<min(over, 5), pinMaxWait)
			next.Until = now.Add(refusal.Wait)
		}
	}
	if next != g.count {
		value, err := json.Marshal(next)
		if err == nil {
			err = g.queue.Cache(cacheGuard, value, now)
		}
		if err != nil && !right {
			return fmt.Errorf("count the wrong PIN: %w", err)
		}
		g.count = next
	}
	if refusal != nil {
		return refusal
	}
	return nil
}
