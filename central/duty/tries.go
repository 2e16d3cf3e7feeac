package duty

import (
	"context"
	"time"
)

// Tries bounds the wrong tries of each name, at all nodes together. On this node
// it counts those under way, too, so that many at once are no more than one after
// the other.
type Tries struct {
	here   *Throttle
	rates  Rates
	rate   Rate
	prefix string
}

// NewTries makes one that keeps its names in the shared table under a prefix.
func NewTries(rates Rates, rate Rate, prefix string) *Tries {
	return &Tries{here: NewThrottle(rate.PerSecond, rate.Burst), rates: rates, rate: rate, prefix: prefix}
}

// Begin takes a try of a name, or says how long to wait for one. ended must be
// told whether the try was wrong; a right one counts for nothing. Errors are the
// database's.
func (t *Tries) Begin(ctx context.Context, name string) (ended func(wrong bool) error, wait time.Duration, err error) {
	if wait := t.here.Take(name); wait > 0 {
		return nil, wait, nil
	}
	wait, err = t.rates.SpareRate(ctx, t.prefix+name, t.rate, time.Now())
	if err != nil || wait > 0 {
		t.here.GiveBack(name)
		return nil, wait, err
	}
	return func(wrong bool) error {
		if !wrong {
			t.here.GiveBack(name)
			return nil
		}
		_, _, err := t.rates.LeaseRate(ctx, t.prefix+name, t.rate, 1, time.Now())
		return err
	}, 0, nil
}
