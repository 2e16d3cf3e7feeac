package edge

import (
	"errors"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// pump looks at every operation that is not final and does what is due. Only
// Run calls it, so that an operation is never sent by two.
func (c *Counter) pump() {
	stored, err := c.queue.Unresolved()
	if err != nil {
		c.log.Error("the queue can't be read", "error", err)
	}
	link := c.line.State()
	for _, r := range append(stored, c.memory.unresolved()...) {
		switch r.State {
		case op.Reserved:
			c.expireReserved(r)
		case op.Queued:
			c.trySend(r, link)
		case op.Sent, op.Accepted, op.Unknown:
			c.askAgain(r, link)
		}
	}
}

// reservedLife is how long a form may wait for its finger; it bounds what a
// forgotten page leaves behind.
const reservedLife = 15 * time.Minute

func (c *Counter) expireReserved(r Record) {
	if c.cfg.Now().Sub(r.CreatedAt) < reservedLife {
		return
	}
	if err := c.Abandon(r.ID); err != nil && !errors.Is(err, ErrIllegal) {
		c.log.Error("a reserved operation can't be ended", "operation", r.ID, "error", err)
	}
}

// trySend sends a queued operation if the line is up and its time has not
// passed. The state sent is on disk before the line gets the frame.
func (c *Counter) trySend(r Record, link LinkState) {
	c.mu.Lock()
	w := c.works[r.ID]
	var pid secret.PidData
	if w != nil {
		pid = w.pid
	}
	full := len(c.flying) >= max(link.Window, 1)
	c.mu.Unlock()

	if pid.IsZero() || c.cfg.Now().After(r.Deadline) {
		c.step(r.ID, op.Queued, op.Expired, "The line did not come back in time. Nothing was sent, no money moved.")
		return
	}
	if !link.Up || full {
		return
	}
	body, err := withPidData(r.Body, pid)
	if err != nil {
		c.log.Error("a queued operation can't be sent", "operation", r.ID, "error", err)
		c.step(r.ID, op.Queued, op.Expired, "The stored request can't be read. Nothing was sent, no money moved.")
		return
	}
	sent, err := c.change(r.ID, func(r *Record) error {
		if r.State != op.Queued {
			return errStale
		}
		r.State, r.SentAt = op.Sent, c.cfg.Now()
		return nil
	})
	if err != nil {
		return // noted; it stays queued until its deadline
	}
	c.mu.Lock()
	w.pid = secret.PidData{} // it is never sent again
	c.flying[r.ID] = true
	c.mu.Unlock()
	if err := c.line.Send(c.frame(sent, body)); err != nil {
		c.log.Warn("the line went down while an operation was given to it", "operation", r.ID, "error", err)
		c.lose(r.ID)
	}
}

// step moves an operation on, unless it has moved since.
func (c *Counter) step(id op.ID, from, to op.State, reason string) {
	_, err := c.change(id, func(r *Record) error {
		if r.State != from {
			return errStale
		}
		r.State, r.Reason = to, reason
		return nil
	})
	if err != nil && !errors.Is(err, errStale) {
		c.log.Error("an operation can't take its next step; it is tried again", "operation", id, "to", to, "error", err)
	}
}

// lose is what the loss of the line means to an operation that was on it: an
// enquiry moved nothing and ends; money is unknown until the central says.
func (c *Counter) lose(id op.ID) {
	c.mu.Lock()
	delete(c.flying, id)
	c.mu.Unlock()
	_, err := c.change(id, func(r *Record) error {
		switch {
		case r.State != op.Sent && (r.State != op.Accepted || r.Class != op.Enquiry):
			return errStale
		case r.Class == op.Enquiry:
			r.State, r.Reason = op.NotSent, "The line broke before the answer came. An enquiry moves no money; ask again."
		default:
			r.State, r.Reason = op.Unknown, "The line broke. We ask what became of it."
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStale) {
		c.log.Error("an operation can't be marked unknown; it is tried again", "operation", id, "error", err)
	}
}

// askAgain asks for an operation that has had no outcome for long on a link
// that is up, and ends an enquiry that nobody answers.
func (c *Counter) askAgain(r Record, link LinkState) {
	now := c.cfg.Now()
	if r.Class == op.Enquiry {
		if now.Sub(r.SentAt) > c.cfg.Reply {
			c.step(r.ID, r.State, op.NotSent, "The central did not answer. An enquiry moves no money; ask again.")
		}
		return
	}
	if !link.Up {
		if r.State == op.Sent {
			c.lose(r.ID) // its line is gone, whatever was told
		}
		return
	}
	c.mu.Lock()
	w := c.works[r.ID]
	if w == nil {
		w = &work{}
		c.works[r.ID] = w
	}
	last := w.asked
	if r.SentAt.After(last) && r.State != op.Unknown {
		last = r.SentAt
	}
	due := now.Sub(last) >= c.cfg.Ask
	if due {
		w.asked = now
	}
	c.mu.Unlock()
	if due {
		c.ask(r.ID)
	}
}

func (c *Counter) ask(id op.ID) {
	if err := c.line.Send(wire.Frame{T: wire.TAsk, ID: id}); err != nil && !errors.Is(err, ErrDown) {
		c.log.Warn("an operation can't be asked for; it is tried again", "operation", id, "error", err)
	}
}
