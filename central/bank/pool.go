package bank

import (
	"sync"
	"time"
)

// pool holds the connections that wait for their next exchange. Each was good a
// moment ago; whether it still is, is looked at when it is taken.
type pool struct {
	maxIdle time.Duration // how long one may have waited; none is kept if it is not positive
	maxLife time.Duration // how long one is used after it was dialled
	bound   int           // how many may wait

	mu      sync.Mutex
	waiting []*connection // the one that waits longest first
	timer   *time.Timer   // ends those that waited too long; nil before the first wait
	armed   bool
	closed  bool
}

// take gives the connection that was used last, if it is silent. Those that it
// meets and that are not good any more are closed.
func (p *pool) take() (*connection, bool) {
	for {
		c := p.pop()
		if c == nil {
			return nil, false
		}
		if now := time.Now(); p.recent(c, now) && c.isSilent() {
			return c, true
		}
		_ = c.Close() // there is nobody to tell
	}
}

func (p *pool) pop() *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.waiting) - 1
	if last < 0 {
		return nil
	}
	c := p.waiting[last]
	p.waiting[last] = nil
	p.waiting = p.waiting[:last]
	return c
}

// recent tells whether a connection has neither waited nor lived too long.
func (p *pool) recent(c *connection, now time.Time) bool {
	return now.Sub(c.idle) < p.maxIdle && now.Sub(c.born) < p.maxLife
}

// put keeps a connection whose exchange ended well, or closes it. The caller
// does not use it any more.
func (p *pool) put(c *connection) {
	c.release(time.Now())
	if !p.keep(c) {
		_ = c.Close()
	}
}

func (p *pool) keep(c *connection) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.waiting) >= p.bound || !p.recent(c, c.idle) {
		return false
	}
	p.waiting = append(p.waiting, c)
	if !p.armed {
		p.arm(p.maxIdle)
	}
	return true
}

// arm has expire called after a while. The pool is locked.
func (p *pool) arm(after time.Duration) {
	p.armed = true
	if p.timer == nil {
		p.timer = time.AfterFunc(after, p.expire)
		return
	}
	p.timer.Reset(after)
}

// expire closes the connections that waited too long.
func (p *pool) expire() {
	p.mu.Lock()
	now, n := time.Now(), 0
	for n < len(p.waiting) && now.Sub(p.waiting[n].idle) >= p.maxIdle {
		n++
	}
	over := append([]*connection(nil), p.waiting[:n]...)
	left := copy(p.waiting, p.waiting[n:])
	clear(p.waiting[left:])
	p.waiting = p.waiting[:left]
	p.armed = false
	if left > 0 {
		p.arm(p.maxIdle - now.Sub(p.waiting[0].idle))
	}
	p.mu.Unlock()
	for _, c := range over {
		_ = c.Close()
	}
}

// close closes what waits, and keeps nothing from here on.
func (p *pool) close() {
	p.mu.Lock()
	over := p.waiting
	p.waiting, p.closed = nil, true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	for _, c := range over {
		_ = c.Close()
	}
}
