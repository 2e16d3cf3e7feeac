package duty

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Meter holds many names to one rate each, together with the other nodes. Who
// calls seldom is let through on the node's own word; beyond that it takes uses
// out of the shared buckets a chunk at a time and remembers a refusal until it
// ends, so that neither the many nor a flood cost the database anything to speak
// of. It is safe for concurrent use.
//
// A node's chunk that is not used up goes by when the bucket would have been
// full again. So a name has at most its rate and burst, and for each node a
// fiftieth of them and a chunk.
//
// Who has used up his burst gets his uses one after the other, at the rate's own
// distance, and not a chunk at once: what comes in waves holds others up.
type Meter struct {
	rates  Rates
	rate   Rate
	chunk  int
	gap    time.Duration // between two uses at the rate
	prefix string
	now    func() time.Time

	mu    sync.Mutex
	names map[string]*allowance
	room  int // for names, before those are forgotten that are idle
}

const (
	// chunks is how many of them a burst has at least: two nodes hold at most a
	// tenth of it beside the bucket.
	chunks = 20
	// light is which part of a rate and of its burst a node gives out by itself.
	light = 50
	// perSecond is how many chunks the rate gives in a second at least, so that a
	// use that waits for its place in a chunk waits a tenth of a second at most,
	// and a name in full use costs ten writes a second.
	perSecond = 10
	// troubled is how long a failure of the database is remembered, so that not
	// every call waits for its own.
	troubled = time.Second
)

// NewMeter makes a meter. prefix stands before the names in the shared table;
// now is the node's clock. A name that is idle is forgotten.
func NewMeter(rates Rates, rate Rate, prefix string, now func() time.Time) *Meter {
	return &Meter{
		rates: rates, rate: rate, chunk: rate.chunk(), prefix: prefix, now: now,
		gap:   time.Duration(float64(time.Second) / rate.PerSecond),
		names: map[string]*allowance{}, room: minRoom,
	}
}

const (
	minRoom = 1000
	idle    = 2 * time.Minute
)

func (r Rate) chunk() int {
	return max(1, int(min(float64(r.Burst/chunks), r.PerSecond/perSecond)))
}

// allowance is what this node may use of a name's rate.
type allowance struct {
	seen  time.Time     // when it was last asked for; under the meter's lock
	light *rate.Limiter // what the node gives out by itself
	turn  chan struct{} // of whoever looks; only he waits for the database
	left  int
	ends  time.Time // of what is left
	until time.Time // there is nothing before
	paced bool      // what is left is given out one by one
	next  time.Time // when the next one is
	err   error     // why, where it was the database
}

func (m *Meter) of(name string) *allowance {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	a, ok := m.names[name]
	if !ok {
		if len(m.names) >= m.room {
			m.forget(now)
		}
		a = &allowance{turn: make(chan struct{}, 1), light: rate.NewLimiter(rate.Limit(m.rate.PerSecond/light), m.rate.Burst/light)}
		m.names[name] = a
	}
	a.seen = now
	return a
}

// forget drops what has not been asked for as long as it takes any bucket to
// fill, or a refusal to end.
func (m *Meter) forget(now time.Time) {
	for name, a := range m.names {
		if now.Sub(a.seen) > max(idle, m.rate.fill()+troubled) {
			delete(m.names, name)
		}
	}
	m.room = max(minRoom, 2*len(m.names))
}

// Take takes one use of a name, and returns when it is that use's time: at once,
// or where the burst is used up a tenth of a second later at most. A wait above
// zero says that there is none, and when there may be one. An error is the
// database's, or the context's. back gives the use back; it is nil where none
// was taken.
func (m *Meter) Take(ctx context.Context, name string) (back func(), wait time.Duration, err error) {
	if m.rate.PerSecond == math.MaxFloat64 {
		return func() {}, 0, nil
	}
	a := m.of(name)
	if a.light.AllowN(m.now(), 1) {
		return func() {}, 0, nil
	}
	place, wait, err := m.reserve(ctx, a, name)
	if wait > 0 || err != nil {
		return nil, wait, err
	}
	if place > 0 {
		timer := time.NewTimer(place)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			a.giveBack()
			return nil, 0, ctx.Err()
		}
	}
	return a.giveBack, 0, nil
}

// reserve takes a use, whose time is a while from now.
func (m *Meter) reserve(ctx context.Context, a *allowance, name string) (place, wait time.Duration, err error) {
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
	defer func() { <-a.turn }()
	now := m.now()
	if !now.Before(a.ends) {
		a.left = 0
	}
	if a.left == 0 {
		if wait := a.until.Sub(now); wait > 0 && wait <= m.rate.fill()+troubled {
			return 0, wait, a.err
		}
		if wait, err := m.lease(ctx, a, name, now); wait > 0 || err != nil {
			return 0, wait, err
		}
	}
	a.left--
	if a.paced {
		if a.next.Before(now) {
			a.next = now
		}
		place = a.next.Sub(now)
		a.next = a.next.Add(m.gap)
	}
	return place, 0, nil
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
		a.next = a.until
		return wait, nil
	}
	// A chunk that is asked for as soon as there was one is all that there is.
	span := time.Duration(m.chunk) * m.gap
	a.paced = m.chunk > 1 && now.Before(a.next.Add(span)) && now.After(a.next.Add(-2*span))
	if given < m.chunk { // the bucket is empty, and has a chunk again after that
		a.until, a.err = now.Add(span), nil
	}
	a.left, a.ends = given, now.Add(m.rate.fill())
	return 0, nil
}

func (a *allowance) giveBack() {
	a.turn <- struct{}{} // whoever has it looks at the database at most
	a.left++
	<-a.turn
}
