package gateway

import (
	"sync"
	"time"

	"galla/central"
)

// maxReplays is how many messages each of the two halves remembers: both full use
// some ten megabytes.
const maxReplays = 50_000

// replayCache remembers IVs that this node has seen spent, so that a message that is
// sent again and again costs neither its vendor's share nor a query. It only saves
// work: the database decides, and finds what was forgotten here.
type replayCache struct {
	mu                sync.Mutex
	current, previous map[spentIV]time.Time // until when
}

type spentIV struct {
	key central.KeyID
	iv  central.IV
}

func newReplayCache() *replayCache { return &replayCache{current: map[spentIV]time.Time{}} }

func (c *replayCache) add(key central.KeyID, iv central.IV, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.current) >= maxReplays {
		c.current, c.previous = map[spentIV]time.Time{}, c.current
	}
	c.current[spentIV{key, iv}] = until
}

func (c *replayCache) contains(key central.KeyID, iv central.IV, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	until, ok := c.current[spentIV{key, iv}]
	if !ok {
		until, ok = c.previous[spentIV{key, iv}]
	}
	return ok && now.Before(until)
}
