package edge

import (
	"time"

	"galla/edge/message"
	"galla/shared/op"
)

// Limits gives the limits in force and when they were told; none, and the zero
// time, until the line was up once.
func (c *Counter) Limits() ([]Limit, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limits, c.limitsAt
}

// Bounds gives what an amount of the route must keep today. Limits that count
// over a day or a month are the central's to judge. What is paid in cash is in
// whole rupees, but in a sandbox.
func (c *Counter) Bounds(route op.RouteID) Bounds {
	limits, told := c.Limits()
	bounds := message.FirstBounds(route)
	if !told.IsZero() {
		now := c.cfg.Now().Add(c.Status().Link.Offset) // the central's clock
		bounds = message.BoundsOn(limits, route, now.In(india()).Format(time.DateOnly))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.sandbox { // only there paise play scenarios
		bounds = bounds.InCash(route)
	}
	return bounds
}

// india is Indian Standard Time, which has no summer time; the zone's own data
// may be missing on a shop's computer.
func india() *time.Location { return time.FixedZone("IST", 5*3600+1800) }
