package duty

import (
	"context"
	"math"
	"time"
)

// Rate is how fast something may be used: PerSecond over time, and Burst at
// once above that. A PerSecond of math.MaxFloat64 is no bound.
type Rate struct {
	PerSecond float64
	Burst     int
}

// fill is how long an empty bucket takes until it is full.
func (r Rate) fill() time.Duration {
	return time.Duration(float64(r.Burst) / r.PerSecond * float64(time.Second))
}

// unit is how finely a bucket counts: in millionths of a use.
const unit = 1_000_000

// Bucket is what nodes share of a rate: how many uses are left, and when that
// was. The zero value is full.
type Bucket struct {
	Level int64 // millionths of a use
	At    time.Time
}

// maxSkew is how far ahead of this node's clock a bucket's moment is believed.
// Beyond it the clock of the node that wrote it was wrong, and nobody has to
// wait for it.
const maxSkew = time.Minute

// Take gives up to want uses out of a bucket, and the bucket as it then is.
// Where not one is left, it gives none, and the time after which there are
// want of them: who is over the rate comes back for as many as are worth the
// way to the database.
func (b Bucket) Take(r Rate, want int, now time.Time) (left Bucket, given int, wait time.Duration) {
	full := int64(r.Burst) * unit
	now = now.Truncate(time.Millisecond)
	switch elapsed := now.Sub(b.At); {
	case b.At.IsZero() || elapsed >= r.fill():
		b.Level = full
	case elapsed > 0:
		b.Level += int64(elapsed.Seconds() * r.PerSecond * unit)
	case elapsed < -maxSkew:
	default:
		now = b.At // another node's clock is a little ahead
	}
	b.Level, b.At = min(b.Level, full), now
	if given = int(min(b.Level/unit, int64(want))); given > 0 {
		b.Level -= int64(given) * unit
		return b, given, 0
	}
	lacks := float64(int64(want)*unit-b.Level) / unit
	return b, 0, time.Duration(math.Ceil(lacks / r.PerSecond * float64(time.Second)))
}

// Rates is where nodes share what is left of rates.
type Rates interface {
	// LeaseRate takes up to want uses out of the named bucket for the node that
	// calls; see Bucket.Take. One row is changed where some are given, and none
	// otherwise.
	LeaseRate(ctx context.Context, name string, rate Rate, want int, now time.Time) (given int, wait time.Duration, err error)
	// SpareRate tells, without taking anything, when the named bucket has a use
	// left: 0, at once.
	SpareRate(ctx context.Context, name string, rate Rate, now time.Time) (wait time.Duration, err error)
}
