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
// over a day or a month are the central's to judge.
func (c *Counter) Bounds(route op.RouteID) Bounds {
	limits, told := c.Limits()
	if told.IsZero() {
		return message.FirstBounds(route)
	}
	now := c.cfg.Now().Add(c.Status().Link.Offset) // the central's clock
	return message.BoundsOn(limits, route, now.In(india()).Format(time.DateOnly))
}

// india is Indian Standard Time, which has no summer time; the zone's own data
// may be missing on a shop's computer.
func india() *time.Location { return time.FixedZone("IST", 5*3600+1800) }
