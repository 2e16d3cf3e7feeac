package gateway

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"galla/central"
)

const (
	// penalty is how long the answer to a message over its vendor's rate is held
	// back: a program that calls again and again without waiting is slowed
	// to a pace that costs the others nothing.
	penalty = 250 * time.Millisecond
	// maxPenalties bounds a vendor's answers that are held back at one time;
	// further ones go out at once.
	maxPenalties = 256
	// busyRetry is what a vendor is told whose calls under way are all its share.
	busyRetry = time.Second
)

// vendors holds each vendor to its share. Only authenticated vendors get here,
// so the table is as long as the list of vendors.
type vendors struct {
	cfg Config
	mu  sync.Mutex
	all int // calls under way
	by  map[central.VendorID]*share
}

type share struct {
	limit    *rate.Limiter
	underWay int
	held     int
}

func newVendors(cfg Config) *vendors {
	return &vendors{cfg: cfg, by: map[central.VendorID]*share{}}
}

// enter takes a vendor's message on. leave ends its call; cancel gives its place
// in the rate back, too, for a message that turns out not to be the vendor's
// doing. The error is TooMany.
func (v *vendors) enter(ctx context.Context, vendor central.VendorID, now time.Time) (leave, cancel func(), err error) {
	v.mu.Lock()
	s, ok := v.by[vendor]
	if !ok {
		s = &share{limit: rate.NewLimiter(rate.Limit(v.cfg.Rate), v.cfg.Burst)}
		v.by[vendor] = s
	}
	if s.underWay >= v.cfg.UnderWay || v.all >= v.cfg.AllUnderWay {
		v.mu.Unlock()
		return nil, nil, tooMany(busyRetry)
	}
	r := s.limit.ReserveN(now, 1)
	if wait := r.DelayFrom(now); !r.OK() || wait > 0 {
		r.CancelAt(now)
		hold := s.held < maxPenalties
		if hold {
			s.held++
		}
		v.mu.Unlock()
		if hold {
			v.hold(ctx, s)
		}
		return nil, nil, tooMany(wait)
	}
	s.underWay++
	v.all++
	v.mu.Unlock()
	leave = func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		s.underWay--
		v.all--
	}
	return leave, func() { r.CancelAt(now) }, nil
}

// hold waits out the penalty.
func (v *vendors) hold(ctx context.Context, s *share) {
	timer := time.NewTimer(penalty)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	s.held--
}

func tooMany(wait time.Duration) error {
	return &central.Error{Fault: central.TooMany, Message: "Too many calls; try again later", RetryAfter: wait}
}
