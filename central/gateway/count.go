package gateway

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Cause is why a message was refused as not authentic, for the log and for
// metrics.
type Cause string

// The causes.
const (
	CauseHTTP       Cause = "http"       // HTTP that two readers could understand differently
	CauseForm       Cause = "form"       // check 1
	CauseClient     Cause = "client"     // check 2
	CauseWorn       Cause = "worn"       // check 2: the key's uses are used up
	CauseChecksum   Cause = "checksum"   // check 3
	CauseTime       Cause = "time"       // check 4
	CauseReplay     Cause = "replay"     // check 5
	CauseDecryption Cause = "decryption" // check 6
)

// causes lists them all.
func causes() []Cause {
	return []Cause{CauseHTTP, CauseForm, CauseClient, CauseWorn, CauseChecksum, CauseTime, CauseReplay, CauseDecryption}
}

// counts are what the gateway counts.
type counts struct {
	messages atomic.Int64
	limited  atomic.Int64
	refused  map[Cause]*atomic.Int64
}

func newCounts() *counts {
	c := &counts{refused: map[Cause]*atomic.Int64{}}
	for _, cause := range causes() {
		c.refused[cause] = &atomic.Int64{}
	}
	return c
}

func (c *counts) note(cause Cause) { c.refused[cause].Add(1) }

// Counts are what the gateway has counted since its start.
type Counts struct {
	Messages int64 // all that came
	Limited  int64 // of authenticated vendors over their limits
	Refused  map[Cause]int64
	// WornKeys are live keys that were used 2^30 times or more: their vendors
	// should get new ones.
	WornKeys int
	Keys     int // live keys that are held open
	ShutKeys int // live keys that no master key opens: their vendors are refused
}

// Counts gives the counters, for metrics.
func (g *Gateway) Counts() Counts {
	out := Counts{Messages: g.counts.messages.Load(), Limited: g.counts.limited.Load(), Refused: map[Cause]int64{}}
	for cause, n := range g.counts.refused {
		out.Refused[cause] = n.Load()
	}
	out.Keys, out.WornKeys, out.ShutKeys = g.ring.state()
	return out
}

// Keys looks at the list of vendors' keys, and tells how many of the live ones
// a master key opens, and how many none does: where there are only the latter,
// the master key is another one's.
func (g *Gateway) Keys(ctx context.Context) (open, shut int, err error) {
	if _, err := g.ring.newest(ctx); err != nil {
		return 0, 0, fmt.Errorf("read the list of vendors' keys: %w", err)
	}
	open, _, shut = g.ring.state()
	return open, shut, nil
}
