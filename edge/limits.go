package edge

import (
	"time"

	"galla/edge/api"
	"galla/shared/ist"
	"galla/shared/op"
)

// Limits returns the limits in force and when they were received. Both are zero
// until the terminal was online once.
func (c *Counter) Limits() ([]Limit, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limits, c.limitsAt
}

// Bounds returns the bounds of an amount of the route today. The central checks
// limits that count over a day or a month. Amounts paid in cash are whole
// rupees, except in a sandbox.
func (c *Counter) Bounds(route op.RouteID) Bounds {
	limits, received := c.Limits()
	bounds := api.DefaultBounds(route)
	if !received.IsZero() {
		now := c.cfg.Now().Add(c.Status().Link.Offset) // the central's clock
		bounds = api.BoundsOn(limits, route, string(ist.DayOf(now)))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.sandbox { // a sandbox selects scenarios by paise
		bounds = bounds.ForCash(route)
	}
	return bounds
}
