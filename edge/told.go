package edge

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"galla/shared/op"
)

// cacheTold is the cache key of what people at the counter were told of the payments by UPI.
const cacheTold = "payments told"

// announceWithin is how long after its arrival a payment may still sound: later, whoever
// waited for it has gone.
const announceWithin = 10 * time.Minute

// told is what people at the counter know of a payment, as bits.
type told uint8

const (
	toldShown told = 1 << iota // somebody has seen it
	toldAloud                  // its sound was played
)

// news are the payments by UPI, and their returns, that people at the counter were not told
// of in full. The central tells each counter of the shop; each counter tells its people.
type news struct {
	known   map[op.ID]told      // of the payments in memory, as it is on disk
	arrived map[op.ID]time.Time // of those of this run
	records []Record            // what was not told in full, oldest first
}

// loadNews reads what was told before the start. Where nothing is stored, the payments came
// before there was anything to tell.
func (c *Counter) loadNews() {
	c.news = news{known: map[op.ID]told{}, arrived: map[op.ID]time.Time{}}
	value, _, ok, err := c.queue.GetCache(cacheTold)
	if err == nil && ok {
		err = json.Unmarshal(value, &c.news.known)
	}
	if err != nil {
		c.log.Warn("what was told of payments can't be read: they are shown again", "error", err)
	}
	if !ok && err == nil {
		for _, r := range c.payments {
			c.news.known[r.ID] = toldShown | toldAloud
		}
		c.noteDiskError(c.saveNews(c.news.known))
	}
	c.sortNews()
}

// sortNews finds what was not told in full. The caller holds mu, or is New.
func (c *Counter) sortNews() {
	c.news.records = nil
	for _, r := range c.payments {
		if told := c.news.known[r.ID]; told&toldShown == 0 || told&toldAloud == 0 && c.soundsInTime(r) {
			c.news.records = append(c.news.records, r)
		}
	}
	maps.DeleteFunc(c.news.arrived, func(id op.ID, at time.Time) bool { return c.cfg.Now().Sub(at) > announceWithin })
}

// soundsInTime reports whether the sound of a payment is not too late.
func (c *Counter) soundsInTime(r Record) bool {
	at, ok := c.news.arrived[r.ID]
	if !ok { // it came before this start
		at = r.CreatedAt
	}
	return c.cfg.Now().Sub(at) < announceWithin
}

// fillNews fills in what a page tells of payments. The caller holds mu.
func (c *Counter) fillNews(s *Status) {
	for _, r := range c.news.records {
		told := c.news.known[r.ID]
		if told&toldShown == 0 {
			s.Unshown = append(s.Unshown, r)
		}
		if told&toldAloud == 0 && c.soundsInTime(r) {
			s.Unannounced = append(s.Unannounced, r.ID)
		}
	}
}

// MarkPaymentsShown stores that people at this counter have seen payments, so that no page
// tells of them again. Ids of other operations change nothing.
func (c *Counter) MarkPaymentsShown(ids []op.ID) error {
	_, err := c.tell(toldShown, func(r Record) bool { return slices.Contains(ids, r.ID) })
	return err
}

// ClaimAnnouncement returns the payments whose sound is due, oldest first, and stores that it
// was played: of all windows one gets them. Where the disk is full they may sound again
// after a restart.
func (c *Counter) ClaimAnnouncement() []Record {
	claimed, err := c.tell(toldAloud, c.soundsInTime)
	if err != nil {
		c.log.Error("that payments were announced can't be stored", "error", err)
		return nil
	}
	return claimed
}

// tell stores a bit of the payments that lack it and are chosen, and returns them.
func (c *Counter) tell(bit told, choose func(Record) bool) ([]Record, error) {
	c.newsMu.Lock()
	defer c.newsMu.Unlock()
	c.mu.Lock()
	next := map[op.ID]told{}
	for _, r := range c.payments { // what left the memory is told no more
		if told := c.news.known[r.ID]; told != 0 {
			next[r.ID] = told
		}
	}
	var changed []Record
	for _, r := range c.news.records {
		if next[r.ID]&bit == 0 && choose(r) {
			next[r.ID] |= bit
			changed = append(changed, r)
		}
	}
	c.mu.Unlock()
	if len(changed) == 0 {
		return nil, nil
	}
	err := c.saveNews(next)
	c.noteDiskError(err)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.news.known = next
	c.sortNews()
	c.mu.Unlock()
	c.notifySubscribers()
	return changed, nil
}

func (c *Counter) saveNews(known map[op.ID]told) error {
	value, err := json.Marshal(known, json.Deterministic(true))
	if err == nil {
		err = c.queue.PutCache(cacheTold, value, c.cfg.Now())
	}
	if err != nil {
		return fmt.Errorf("store what was told of payments: %w", err)
	}
	return nil
}
