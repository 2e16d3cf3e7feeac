package duty

import (
	"context"
	"math"
	"sync"
	"time"
)

// Meter holds many names to one rate each, together with the other nodes. It
// takes uses out of the shared buckets a chunk at a time and remembers a
// refusal until it ends, so that a flood costs the database next to nothing. It
// is safe for concurrent use.
//
// A node's chunk that is not used up goes by when the bucket would have been
// full again. So a name has at most its burst and a chunk for each node, and
// over time no more than its rate.
type Meter struct {
	rates  Rates
	rate   Rate
	chunk  int
	prefix string
	now    func() time.Time

	mu    sync.Mutex
	names map[string]*allowance
}

const (
	// chunks is how many of them a burst has: two nodes hold at most a tenth of
	// it beside the bucket, and a name in full use costs one write for a
	// twentieth of its burst.
	chunks = 20
	// troubled is how long a failure of the database is remembered, so that not
	// every call waits for its own.
	troubled = time.Second
)

// NewMeter makes a meter. prefix stands before the names in the shared table;
// now is the node's clock. The number of names is the caller's to bound.
func NewMeter(rates Rates, rate Rate, prefix string, now func() time.Time) *Meter {
	return &Meter{
		rates: rates, rate: rate, chunk: max(1, rate.Burst/chunks), prefix: prefix, now: now,
		names: map[string]*allowance{},
	}
}

// allowance is what this node may use of a name's rate.
type allowance struct {
	turn  chan struct{} // of whoever looks; only he waits for the database
	left  int
	ends  time.Time // of what is left
	until time.Time // there is nothing before
	err   error     // why, where it was the database
}

func (m *Meter) of(name string) *allowance {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.names[name]
	if !ok {
		a = &allowance{turn: make(chan struct{}, 1)}
		m.names[name] = a
	}
	return a
}

// Take takes one use of a name. A wait above zero says that there is none, and
// when there may be one. An error is the database's, or the context's. back
// gives the use back; it is nil where none was taken.
func (m *Meter) Take(ctx context.Context, name string) (back func(), wait time.Duration, err error) {
	if m.rate.PerSecond == math.MaxFloat64 {
		return func() {}, 0, nil
	}
	a := m.of(name)
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	defer func() { <-a.turn }()
	now := m.now()
	if !now.Before(a.ends) {
		a.left = 0
	}
	if a.left == 0 {
		if wait := a.until.Sub(now); wait > 0 && wait <= m.rate.fill()+troubled {
			return nil, wait, a.err
		}
		if wait, err := m.lease(ctx, a, name, now); wait > 0 || err != nil {
			return nil, wait, err
		}
	}
	a.left--
	return func() { a.giveBack() }, 0, nil
}

// lease gets the next chunk.
func (m *Meter) lease(ctx context.Context, a *allowance, name string, now time.Time) (time.Duration, error) {
	given, wait, err := m.rates.LeaseRate(ctx, m.prefix+name, m.rate, m.chunk, now)
	if err != nil {
		if ctx.Err() == nil { // the others' calls have not ended
			a.until, a.err = m.now().Add(troubled), err
		}
		return 0, err
	}
	if given == 0 {
		a.until, a.err = now.Add(wait), nil
		return wait, nil
	}
	a.left, a.ends = given, now.Add(m.rate.fill())
	return 0, nil
}

func (a *allowance) giveBack() {
	a.turn <- struct{}{} // whoever has it looks at the database at most
	a.left++
	<-a.turn
}
