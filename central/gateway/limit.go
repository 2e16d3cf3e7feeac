package gateway

import (
	"context"
	"sync"
	"time"

	"galla/central"
	"galla/central/duty"
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

// vendors holds each vendor to its share: to its rate over all nodes together,
// and to its calls under way on this one. Only authenticated vendors get here,
// so the tables are as long as the list of vendors.
type vendors struct {
	cfg   Config
	meter *duty.Meter
	now   func() time.Time

	mu  sync.Mutex
	all int // calls under way
	by  map[central.VendorID]*share
}

type share struct {
	underWay int
	held     int
	lane     *lane
}

// ratePrefix is what the vendors' rates are called in the shared table.
const ratePrefix = "gateway:"

func newVendors(rates duty.Rates, cfg Config, now func() time.Time) *vendors {
	each := duty.Rate{PerSecond: cfg.Rate, Burst: cfg.Burst}
	return &vendors{cfg: cfg, now: now, meter: duty.NewMeter(rates, each, ratePrefix, now), by: map[central.VendorID]*share{}}
}

// enter takes a vendor's message on. leave ends its call; cancel gives its place
// in the rate back, too, for a message that turns out not to be the vendor's
// doing. The error is TooMany, or the database's.
func (v *vendors) enter(ctx context.Context, vendor central.VendorID) (leave, cancel func(), err error) {
	s, ok := v.begin(vendor)
	if !ok {
		return nil, nil, tooMany(busyRetry)
	}
	cancel, wait, err := v.meter.Take(ctx, string(vendor))
	if err != nil {
		v.end(s)
		return nil, nil, inStore(err)
	}
	if wait > 0 {
		v.end(s)
		v.penalise(ctx, s)
		return nil, nil, tooMany(wait)
	}
	if s.lane.pass(ctx) != nil { // its caller is gone
		cancel()
		v.end(s)
		return nil, nil, tooMany(busyRetry)
	}
	return func() { v.end(s) }, cancel, nil
}

// begin takes a place among the calls under way, if there is one.
func (v *vendors) begin(vendor central.VendorID) (*share, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s, ok := v.by[vendor]
	if !ok {
		s = &share{lane: newLane(v.cfg.Rate, v.now)}
		v.by[vendor] = s
	}
	if s.underWay >= v.cfg.UnderWay || v.all >= v.cfg.AllUnderWay {
		return nil, false
	}
	s.underWay++
	v.all++
	return s, true
}

func (v *vendors) end(s *share) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s.underWay--
	v.all--
}

// penalise holds an answer back, unless too many are.
func (v *vendors) penalise(ctx context.Context, s *share) {
	v.mu.Lock()
	if s.held >= maxPenalties {
		v.mu.Unlock()
		return
	}
	s.held++
	v.mu.Unlock()
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
