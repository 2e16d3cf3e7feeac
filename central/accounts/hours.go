package accounts

import (
	"context"
	"sync"
	"time"

	"galla/shared/op"
)

// hourCache is what was read of a day, hour by hour. An hour that is over gets no more
// operations, a final operation never changes, and one that is not final only moves forward.
// So the sums of such an hour are right as long as its operations that are not final are as
// many in each state as before: these are few, and counted by an index. Only the other hours
// are read again. The mutex is held meanwhile, so that they are read once for all who ask.
type hourCache[T hourRow[T]] struct {
	mu    sync.Mutex
	at    time.Time // when it was last compared with the database
	hours [24]hourRead[T]
}

// hourRow is a row of sums that belongs to an hour.
type hourRow[T any] interface {
	hour() int
	// later returns the row of an hour that is later by so many.
	later(hours int) T
}

// hourRead is one hour as it was read.
type hourRead[T any] struct {
	at         time.Time // zero: never
	unfinished unfinished
	rows       []T
}

// unfinished counts the operations of an hour that are not final.
type unfinished struct{ received, sent, pending int }

func (u *unfinished) add(c HourCount) {
	switch c.State {
	case op.Received:
		u.received += c.Count
	case op.Sent:
		u.sent += c.Count
	case op.Pending:
		u.pending += c.Count
	}
}

// counter and reader read rows of the hours of a period; the first hour is 0.
type (
	counter         func(ctx context.Context, from, to time.Time) ([]HourCount, error)
	reader[T any]   func(ctx context.Context, from, to time.Time) ([]T, error)
	hoursOfDay      = [24]unfinished
	staleHoursOfDay = [24]bool
)

// refresh returns the rows of the day from one time to another and when they were read, at
// most dayCacheTTL ago.
func (c *hourCache[T]) refresh(ctx context.Context, from, to time.Time, count counter, read reader[T]) ([]T, time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.at.IsZero() || now.Sub(c.at) >= dayCacheTTL {
		if err := c.compare(ctx, now, from, to, count, read); err != nil {
			return nil, time.Time{}, err
		}
	}
	return c.all(), c.at, nil
}

// compare reads the hours of which something may have changed.
func (c *hourCache[T]) compare(ctx context.Context, now, from, to time.Time, count counter, read reader[T]) error {
	// Counted first: what ends in between is in the sums already, and the next comparison
	// reads the hour once more than needed.
	list, err := count(ctx, from, to)
	if err != nil {
		return err
	}
	var open hoursOfDay
	for _, x := range list {
		if x.Hour >= 0 && x.Hour < len(open) {
			open[x.Hour].add(x)
		}
	}
	stale := c.stale(from, now, open)
	for first := 0; first < len(stale); first++ {
		if !stale[first] {
			continue
		}
		end := first + 1
		for end < len(stale) && stale[end] {
			end++
		}
		rows, err := read(ctx, from.Add(time.Duration(first)*time.Hour), from.Add(time.Duration(end)*time.Hour))
		if err != nil {
			return err
		}
		c.keep(rows, first, end, now, open)
		first = end
	}
	c.at = now
	return nil
}

// stale tells which hours have to be read: those that were not read since they were over,
// those of which an operation has changed its state, and the one that was read longest ago
// where that is too long.
func (c *hourCache[T]) stale(from, now time.Time, open hoursOfDay) (stale staleHoursOfDay) {
	oldest := -1
	for h, x := range c.hours {
		over := from.Add(time.Duration(h+1)*time.Hour + hourMargin)
		stale[h] = x.at.Before(over) || x.unfinished != open[h]
		if !stale[h] && now.Sub(x.at) >= hourCacheTTL && (oldest < 0 || x.at.Before(c.hours[oldest].at)) {
			oldest = h
		}
	}
	if oldest >= 0 {
		stale[oldest] = true
	}
	return stale
}

// keep replaces the hours from first until end.
func (c *hourCache[T]) keep(rows []T, first, end int, now time.Time, open hoursOfDay) {
	for h := first; h < end; h++ {
		c.hours[h] = hourRead[T]{at: now, unfinished: open[h]}
	}
	for _, x := range rows {
		if h := first + x.hour(); h >= first && h < end {
			c.hours[h].rows = append(c.hours[h].rows, x.later(first))
		}
	}
}

// all are the rows of all hours.
func (c *hourCache[T]) all() (list []T) {
	for _, x := range c.hours {
		list = append(list, x.rows...)
	}
	return list
}

func (c HourCount) hour() int                       { return c.Hour }
func (c HourCount) later(hours int) HourCount       { c.Hour += hours; return c }
func (c LatencyCount) hour() int                    { return c.Hour }
func (c LatencyCount) later(hours int) LatencyCount { c.Hour += hours; return c }
