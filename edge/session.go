package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"galla/edge/api"
	"galla/shared/op"
	"galla/shared/wire"
)

// Names of values in the session cache.
const (
	cacheSession = "session"
	cacheShop    = "shop"
)

// maxBanksAge is how old the bank list may grow while the terminal is online.
const maxBanksAge = 12 * time.Hour

func (c *Counter) loadCache() {
	if value, _, ok, err := c.queue.GetCache(cacheSession); err == nil && ok {
		if json.Unmarshal(value, &c.session) != nil {
			c.session = SessionState{}
		}
	}
	if value, _, ok, err := c.queue.GetCache(cacheShop); err == nil && ok {
		if json.Unmarshal(value, &c.shop) != nil {
			c.shop = Shop{} // the next welcome tells it
		}
	}
	for route, k := range c.replies.references {
		if err := c.applyReference(route, k.Reply, k.At); err != nil {
			c.log.Warn("cached reference data can't be read", "route", route, "error", err)
		}
	}
}

// Banks returns the bank list and when it was fetched. Both are empty until the
// terminal was online once.
func (c *Counter) Banks() ([]Bank, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.banks, c.banksAt
}

// refreshReferences fetches the session, an old bank list, and the limits, in the
// background.
func (c *Counter) refreshReferences() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runCtx == nil || c.runCtx.Err() != nil {
		return
	}
	old := c.cfg.Now().Sub(c.banksAt).Abs() > maxBanksAge || len(c.banks) == 0
	ctx := c.runCtx
	c.jobs.Go(func() {
		for _, route := range []op.RouteID{op.AuthStatus, op.Banks, op.LimitsInForce} {
			if route == op.Banks && !old {
				continue
			}
			o, err := c.callRoute(ctx, route)
			if err == nil {
				err = c.storeReference(route, o)
			}
			if err != nil && ctx.Err() == nil {
				c.log.Warn("reference data can't be fetched", "route", route, "error", err)
			}
		}
	})
}

func (c *Counter) storeReference(route op.RouteID, o op.Outcome) error {
	switch route {
	case op.AuthStatus:
		active, expires, err := api.ParseSession(o.Reply)
		if err != nil {
			return err
		}
		c.setSession(SessionState{Known: true, Active: active, ExpiresAt: expires.Add(-c.uplink.State().Offset)})
	case op.Banks, op.LimitsInForce:
		if err := c.applyReference(route, o.Reply, c.cfg.Now()); err != nil {
			return err
		}
	default:
		return nil
	}
	c.replies.storeReference(route, o)
	c.notifySubscribers()
	return nil
}

// applyReference applies the bank list or the limits, as received at a time.
func (c *Counter) applyReference(route op.RouteID, reply []byte, at time.Time) error {
	switch route {
	case op.Banks:
		banks, err := api.ParseBanks(reply)
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.banks, c.banksAt = banks, at
	case op.LimitsInForce:
		limits, err := api.ParseLimits(reply)
		if err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.limits, c.limitsAt, c.sandbox = limits, at, api.IsSandbox(reply)
	}
	return nil
}

// startSession records a successful agent authentication at once; the central
// reports its end later. Only the counter knows whose finger it was.
func (c *Counter) startSession(r Record) {
	c.setSession(SessionState{Known: true, Active: true, User: r.User, UserID: r.UserID, ExpiresAt: c.cfg.Now().Add(24 * time.Hour)})
	c.refreshReferences()
}

func (c *Counter) setSession(s SessionState) {
	c.mu.Lock()
	if s.Active && s.User == "" { // the central reports no name
		s.User, s.UserID = c.session.User, c.session.UserID
	}
	c.session = s
	c.mu.Unlock()
	if err := putJSON(c.queue, cacheSession, s, c.cfg.Now()); err != nil {
		c.log.Warn("the agent session can't be cached", "error", err)
	}
	c.notifySubscribers()
}

// setShop stores what the central told of the shop, for receipts that are printed offline.
func (c *Counter) setShop(s Shop) {
	c.mu.Lock()
	known := c.shop == s
	c.shop = s
	c.mu.Unlock()
	if known {
		return
	}
	if err := putJSON(c.queue, cacheShop, s, c.cfg.Now()); err != nil {
		c.log.Warn("the shop's address can't be cached", "error", err)
	}
}

// callRoute runs an enquiry or reference route for the counter itself.
func (c *Counter) callRoute(ctx context.Context, route op.RouteID) (op.Outcome, error) {
	id, err := op.NewID(c.cfg.Rand)
	if err != nil {
		return op.Outcome{}, err
	}
	ch := make(chan op.Outcome, 1)
	c.mu.Lock()
	c.ownCalls[id], c.inFlight[id] = ch, true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.ownCalls, id)
		delete(c.inFlight, id)
	}()
	if err := c.uplink.Send(wire.Frame{T: wire.TOp, ID: id, Route: route, Body: []byte("{}")}); err != nil {
		return op.Outcome{}, fmt.Errorf("%s: %w", route, err)
	}
	timer := time.NewTimer(replyTimeout)
	defer timer.Stop()
	select {
	case o, ok := <-ch:
		if !ok {
			return op.Outcome{}, fmt.Errorf("%s: %w", route, ErrOffline)
		}
		return o, nil
	case <-timer.C:
		return op.Outcome{}, fmt.Errorf("%s: the central did not answer", route)
	case <-ctx.Done():
		return op.Outcome{}, ctx.Err()
	}
}

// deliverOwnReply passes an outcome to the counter's own request that waits for it.
func (c *Counter) deliverOwnReply(id op.ID, o op.Outcome) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch, ok := c.ownCalls[id]
	if ok {
		ch <- o
		delete(c.ownCalls, id)
		delete(c.inFlight, id)
	}
	return ok
}
