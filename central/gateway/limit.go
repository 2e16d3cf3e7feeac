package gateway

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"galla/central"
	"galla/central/ratelimit"
)

const (
	// replyDelay delays the reply to a message over its vendor's rate: a program
	// that sends again and again without waiting is slowed down.
	replyDelay = 250 * time.Millisecond
	// maxDelayedReplies limits a vendor's delayed replies; further ones are sent
	// at once.
	maxDelayedReplies = 256
	// busyRetry is the Retry-After of a vendor with too many requests in progress.
	busyRetry = time.Second
)

// vendorLimits holds each vendor to its rate over all nodes together, and to its
// number of requests in progress on this node. Only authenticated vendors get here,
// so the tables are as long as the list of vendors.
type vendorLimits struct {
	cfg    Config
	shared *ratelimit.SharedLimiter

	mu       sync.Mutex
	underWay int // requests in progress
	shares   map[central.VendorID]*share
}

type share struct {
	underWay int
	delayed  int
	// pace starts the vendor's messages one after another, at the interval of its
	// rate: bursts would delay other vendors, since all share the database's one
	// writer. Its error is the context's.
	pace func(context.Context) error
}

// paceBurst is how many of a vendor's messages start without an interval between
// them.
const paceBurst = 4

// ratePrefix stands before vendors in the shared table of rates.
const ratePrefix = "gateway:"

func newVendorLimits(rates ratelimit.Buckets, cfg Config, now func() time.Time) *vendorLimits {
	each := ratelimit.Rate{PerSecond: cfg.Rate, Burst: cfg.Burst}
	return &vendorLimits{cfg: cfg, shared: ratelimit.NewSharedLimiter(rates, each, ratePrefix, now), shares: map[central.VendorID]*share{}}
}

// acquire counts a vendor's message. leave ends its request; cancel also returns its
// use of the rate, for a message that turns out not to be the vendor's. The error is
// TooMany, or the database's.
func (v *vendorLimits) acquire(ctx context.Context, vendor central.VendorID) (leave, cancel func(), err error) {
	s, ok := v.reserve(vendor)
	if !ok {
		return nil, nil, central.NewTooMany(busyRetry)
	}
	cancel, wait, err := v.shared.Take(ctx, string(vendor))
	if err != nil {
		v.release(s)
		return nil, nil, storeError(err)
	}
	if wait > 0 {
		v.release(s)
		v.delayReply(ctx, s)
		return nil, nil, central.NewTooMany(wait)
	}
	if s.pace(ctx) != nil { // the caller has gone, or will have
		cancel()
		v.release(s)
		return nil, nil, central.NewTooMany(busyRetry)
	}
	return func() { v.release(s) }, cancel, nil
}

// reserve counts one more request in progress, if there may be one.
func (v *vendorLimits) reserve(vendor central.VendorID) (*share, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s, ok := v.shares[vendor]
	if !ok {
		s = &share{pace: rate.NewLimiter(rate.Limit(v.cfg.Rate), paceBurst).Wait}
		v.shares[vendor] = s
	}
	if s.underWay >= v.cfg.UnderWay || v.underWay >= v.cfg.AllUnderWay {
		return nil, false
	}
	s.underWay++
	v.underWay++
	return s, true
}

func (v *vendorLimits) release(s *share) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s.underWay--
	v.underWay--
}

// delayReply delays a reply, unless too many are delayed.
func (v *vendorLimits) delayReply(ctx context.Context, s *share) {
	v.mu.Lock()
	if s.delayed >= maxDelayedReplies {
		v.mu.Unlock()
		return
	}
	s.delayed++
	v.mu.Unlock()
	timer := time.NewTimer(replyDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	s.delayed--
}
