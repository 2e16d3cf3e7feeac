package gateway

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Cause is why a message was refused as not authentic, for logs and metrics.
type Cause string

// Values of Cause. The checks are those of gateway.md, section 5.
const (
	CauseHTTP       Cause = "http"       // HTTP that readers could understand differently
	CauseForm       Cause = "form"       // check 1
	CauseClient     Cause = "client"     // check 2
	CauseExhausted  Cause = "exhausted"  // check 2: the key's uses are used up
	CauseChecksum   Cause = "checksum"   // check 3
	CauseTime       Cause = "time"       // check 4
	CauseReplay     Cause = "replay"     // check 5
	CauseDecryption Cause = "decryption" // check 6
)

// causes lists them all.
func causes() []Cause {
	return []Cause{CauseHTTP, CauseForm, CauseClient, CauseExhausted, CauseChecksum, CauseTime, CauseReplay, CauseDecryption}
}

// counts are the gateway's counters.
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

func (c *counts) add(cause Cause) { c.refused[cause].Add(1) }

// Counts are the gateway's counters since its start.
type Counts struct {
	Messages int64 // all messages
	Limited  int64 // messages of authenticated vendors over their limits
	Refused  map[Cause]int64
	// KeysToReplace are live keys that were used 2^30 times or more: their vendors
	// should get new ones.
	KeysToReplace int
	Keys          int // live keys in memory
	UnopenedKeys  int // live keys that no master key opens: their vendors are refused
}

// Counts returns the counters, for metrics.
func (g *Gateway) Counts() Counts {
	out := Counts{Messages: g.counts.messages.Load(), Limited: g.counts.limited.Load(), Refused: map[Cause]int64{}}
	for cause, n := range g.counts.refused {
		out.Refused[cause] = n.Load()
	}
	out.Keys, out.KeysToReplace, out.UnopenedKeys = g.keys.stats()
	return out
}

// CheckKeys returns how many of the live vendors' keys a master key opens, and how
// many none opens. If there are only the latter, the master key is the wrong one.
func (g *Gateway) CheckKeys(ctx context.Context) (open, shut int, err error) {
	if _, err := g.keys.latest(ctx); err != nil {
		return 0, 0, fmt.Errorf("read the list of vendors' keys: %w", err)
	}
	open, _, shut = g.keys.stats()
	return open, shut, nil
}
