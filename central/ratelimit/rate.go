package ratelimit

import (
	"context"
	"math"
	"net/netip"
	"time"
)

// Rate is how often something may be used: PerSecond over time, and Burst at once
// above that. A PerSecond of math.MaxFloat64 is unlimited.
type Rate struct {
	PerSecond float64
	Burst     int
}

// refillTime is how long an empty bucket takes to become full.
func (r Rate) refillTime() time.Duration {
	return time.Duration(float64(r.Burst) / r.PerSecond * float64(time.Second))
}

// Network is what an address counts as in rates: the address, or the /64 of an IPv6
// address, since one caller has all of that.
func Network(from netip.Addr) string {
	from = from.Unmap().WithZone("")
	if from.Is6() {
		from = netip.PrefixFrom(from, 64).Masked().Addr()
	}
	return from.String()
}

// unitsPerUse is the resolution of a bucket: millionths of a use.
const unitsPerUse = 1_000_000

// Bucket is what nodes share of a rate: how many uses were left, and when. The zero
// value is full.
type Bucket struct {
	Level int64 // millionths of a use
	At    time.Time
}

// maxSkew is how far a bucket's time may be ahead of this node's clock. Beyond it
// the other node's clock was wrong, and nobody waits for it.
const maxSkew = time.Minute

// Take takes up to want uses out of a bucket and returns the bucket after that. If
// less than one is left, it takes none and returns the time until there are want
// of them, so that a caller over its rate comes back once for several uses.
func (b Bucket) Take(r Rate, want int, now time.Time) (left Bucket, given int, wait time.Duration) {
	full := int64(r.Burst) * unitsPerUse
	now = now.Truncate(time.Millisecond)
	switch elapsed := now.Sub(b.At); {
	case b.At.IsZero() || elapsed >= r.refillTime():
		b.Level = full
	case elapsed > 0:
		b.Level += int64(elapsed.Seconds() * r.PerSecond * unitsPerUse)
	case elapsed < -maxSkew:
	default:
		now = b.At // another node's clock is a little ahead
	}
	b.Level, b.At = min(b.Level, full), now
	if given = int(min(b.Level/unitsPerUse, int64(want))); given > 0 {
		b.Level -= int64(given) * unitsPerUse
		return b, given, 0
	}
	lacks := float64(int64(want)*unitsPerUse-b.Level) / unitsPerUse
	return b, 0, time.Duration(math.Ceil(lacks / r.PerSecond * float64(time.Second)))
}

// Buckets stores what is left of rates, shared by all nodes.
type Buckets interface {
	// TakeRateTokens takes up to want uses out of the named bucket; see
	// Bucket.Take. It writes one row if it takes some, and none otherwise.
	TakeRateTokens(ctx context.Context, name string, rate Rate, want int, now time.Time) (given int, wait time.Duration, err error)
	// RateTokenWait returns, without taking anything, how long until the named
	// bucket has a use left: 0 means now.
	RateTokenWait(ctx context.Context, name string, rate Rate, now time.Time) (wait time.Duration, err error)
}
