package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"galla/edge/message"
	"galla/shared/op"
	"galla/shared/wire"
)

// Names in the session cache.
const (
	cacheBanks   = "banks"
	cacheSession = "session"
)

// banksAge is how old the bank list may grow while the line is up.
const banksAge = 12 * time.Hour

// loadCache takes over what the last run knew.
func (c *Counter) loadCache() {
	if value, at, ok, err := c.queue.Cached(cacheBanks); err == nil && ok {
		if json.Unmarshal(value, &c.banks) == nil {
			c.banksAt = at
		}
	}
	if value, _, ok, err := c.queue.Cached(cacheSession); err == nil && ok {
		if json.Unmarshal(value, &c.session) != nil {
			c.session = SessionState{}
		}
	}
	if k, ok := c.recall.references[op.LimitsInForce]; ok {
		if limits, err := message.ReadLimits(k.Reply); err == nil {
			c.limits, c.limitsAt, c.sandbox = limits, k.At, message.Sandbox(k.Reply)
		}
	}
}

// Banks gives the bank list and when it was fetched; it is empty until the
// line was up once.
func (c *Counter) Banks() ([]Bank, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.banks, c.banksAt
}

// refresh fetches the session, the bank list where it is old, and the limits,
// in the background.
func (c *Counter) refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life == nil || c.life.Err() != nil {
		return
	}
	old := c.cfg.Now().Sub(c.banksAt).Abs() > banksAge || len(c.banks) == 0
	ctx := c.life
	c.jobs.Go(func() {
		for _, route := range []op.RouteID{op.AuthStatus, op.Banks, op.LimitsInForce} {
			if route == op.Banks && !old {
				continue
			}
			o, err := c.call(ctx, route)
			if err == nil {
				err = c.take(route, o)
			}
			if err != nil && ctx.Err() == nil {
				c.log.Warn("what the counter must know can't be fetched", "route", route, "error", err)
			}
		}
	})
}

// take takes over the reply of a reference, and remembers it.
func (c *Counter) take(route op.RouteID, o op.Outcome) error {
	switch route {
	case op.AuthStatus:
		active, expires, err := message.ReadSession(o.Reply)
		if err != nil {
			return err
		}
		c.setSession(SessionState{Known: true, Active: active, ExpiresAt: expires.Add(-c.line.State().Offset)})
	case op.Banks:
		banks, err := message.ReadBanks(o.Reply)
		if err != nil {
			return err
		}
		c.setBanks(banks)
	case op.LimitsInForce:
		limits, err := message.ReadLimits(o.Reply)
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.limits, c.limitsAt, c.sandbox = limits, c.cfg.Now(), message.Sandbox(o.Reply)
		c.mu.Unlock()
	default:
		return nil
	}
	c.recall.reference(route, o)
	c.ring()
	return nil
}

// authenticated notes a successful agent authentication at once; the central's
// own word on its end follows. Whose finger it was only the counter knows.
func (c *Counter) authenticated(r Record) {
	c.setSession(SessionState{Known: true, Active: true, Operator: r.Operator, By: r.OperatorID, ExpiresAt: c.cfg.Now().Add(24 * time.Hour)})
	c.refresh()
}

func (c *Counter) setSession(s SessionState) {
	c.mu.Lock()
	if s.Active && s.Operator == "" { // the central tells no name
		s.Operator, s.By = c.session.Operator, c.session.By
	}
	c.session = s
	c.mu.Unlock()
	value, err := json.Marshal(s)
	if err == nil {
		err = c.queue.Cache(cacheSession, value, c.cfg.Now())
	}
	if err != nil {
		c.log.Warn("the agent session can't be cached", "error", err)
	}
	c.ring()
}

func (c *Counter) setBanks(banks []Bank) {
	at := c.cfg.Now()
	value, err := json.Marshal(banks)
	if err == nil {
		err = c.queue.Cache(cacheBanks, value, at)
	}
	if err != nil {
		c.log.Warn("the bank list can't be cached", "error", err)
	}
	c.mu.Lock()
	c.banks, c.banksAt = banks, at
	c.mu.Unlock()
}

// call runs a route that moves nothing, for the counter itself.
func (c *Counter) call(ctx context.Context, route op.RouteID) (op.Outcome, error) {
	id, err := op.NewID(c.cfg.Rand)
	if err != nil {
		return op.Outcome{}, err
	}
	ch := make(chan op.Outcome, 1)
	c.mu.Lock()
	c.waiting[id], c.flying[id] = ch, true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
		delete(c.flying, id)
	}()
	if err := c.line.Send(wire.Frame{T: wire.TOp, ID: id, Route: route, Body: []byte("{}")}); err != nil {
		return op.Outcome{}, fmt.Errorf("%s: %w", route, err)
	}
	timer := time.NewTimer(c.cfg.Reply)
	defer timer.Stop()
	select {
	case o, ok := <-ch:
		if !ok {
			return op.Outcome{}, fmt.Errorf("%s: %w", route, ErrDown)
		}
		return o, nil
	case <-timer.C:
		return op.Outcome{}, fmt.Errorf("%s: the central did not answer", route)
	case <-ctx.Done():
		return op.Outcome{}, ctx.Err()
	}
}

// answerOwn hands an outcome to the counter's own call that waits for it.
func (c *Counter) answerOwn(id op.ID, o op.Outcome) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch, ok := c.waiting[id]
	if ok {
		ch <- o
		delete(c.waiting, id)
		delete(c.flying, id)
	}
	return ok
}
