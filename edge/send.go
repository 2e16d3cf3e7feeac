package edge

import (
	"errors"
	"slices"
	"time"

	"galla/edge/api"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// pump checks every operation that is not final and does what is due. Only Run
// calls it, so that no operation is sent by two goroutines.
func (c *Counter) pump() {
	var stored []Record
	if c.queue.UnresolvedCount() > 0 {
		var err error
		if stored, err = c.queue.Unresolved(); err != nil {
			c.log.Error("the queue can't be read", "error", err)
		}
	}
	c.replies.removeExpired()
	link := c.uplink.State()
	held := false // a change of a record without an outcome blocks the next one
	for _, r := range append(stored, c.enquiries.unresolved()...) {
		switch r.State {
		case op.Reserved:
			if c.capturedOf(r.ID) == nil {
				c.expireReserved(r)
			} else {
				c.trySend(r, link, held && isOrdered(r))
			}
		case op.Queued:
			c.trySend(r, link, held && isOrdered(r))
		case op.Sent, op.Accepted, op.Unknown:
			c.askIfDue(r, link)
		case op.Pending:
			if !isVolatile(r.Class) {
				c.askIfDue(r, link)
			}
		}
		held = held || c.blocksLaterRecords(r)
	}
}

// pendingBlock is how long a pending change of a record blocks the next one:
// longer than the bank may still start it.
const pendingBlock = 2 * time.Minute

// isOrdered reports whether an operation has its place among changes of records.
func isOrdered(r Record) bool { return r.Class == op.Record && !api.SpecOf(r.Route).Present }

// blocksLaterRecords reports whether an operation blocks later changes of
// records, so that the central gets them in the order in which they were made.
func (c *Counter) blocksLaterRecords(r Record) bool {
	if !isOrdered(r) {
		return false
	}
	if r.State == op.Queued || r.State == op.Reserved { // trySend may have changed it
		now, err := c.queue.Get(r.ID)
		return err != nil || !now.State.Final()
	}
	return r.State != op.Pending || c.cfg.Now().Sub(r.SentAt).Abs() < pendingBlock
}

// reservedLife is how long an operation may wait for its finger: an abandoned
// page must not hold a customer's data for longer.
const reservedLife = 10 * time.Minute

// expireReserved ends an operation that has waited too long for its finger. The
// wait counts from its creation or from when this program first saw it, so that
// a clock set back does not prolong it.
func (c *Counter) expireReserved(r Record) {
	now := c.cfg.Now()
	c.mu.Lock()
	w := c.pendingOf(r.ID)
	if w.waitingSince.IsZero() {
		w.waitingSince = now
	}
	age := max(now.Sub(r.CreatedAt), now.Sub(w.waitingSince))
	c.mu.Unlock()
	if age < reservedLife {
		return
	}
	if err := c.expire(r.ID, ReasonNoFinger); err != nil && !errors.Is(err, ErrIllegal) {
		c.log.Error("a reserved operation can't be expired", "operation", r.ID, "error", err)
	}
}

// trySend sends a queued or a captured operation if the terminal is online, no other
// operation blocks it and its deadline has not passed. The state sent is on disk
// before the frame is sent. A captured one that can't be sent yet is queued.
func (c *Counter) trySend(r Record, link LinkState, held bool) {
	c.mu.Lock()
	w := c.pending[r.ID]
	var pid secret.PidData
	var otp secret.OTP
	var captured *captureFacts
	if w != nil {
		pid, otp = w.pid, w.otp
		if r.State == op.Reserved {
			captured = w.captured
		}
	}
	full := len(c.inFlight) >= max(link.Window, 1)
	c.mu.Unlock()

	if captured != nil {
		captured.setIn(&r)
	}
	s := api.SpecOf(r.Route)
	switch {
	case s.Finger && pid.IsZero(), s.OTP && otp.IsZero(), c.cfg.Now().After(r.Deadline):
		c.end(r, op.Expired, ReasonTooLate)
		return
	case !link.Online && isVolatile(r.Class) && !s.Finger:
		c.end(r, op.Expired, ReasonOffline)
		return
	case !link.Online, full, held:
		if captured != nil {
			c.queueCaptured(r.ID, captured)
		}
		return
	}
	body, err := api.WithSecrets(r.Body, pid, otp)
	if err != nil {
		c.log.Error("a queued operation can't be sent", "operation", r.ID, "error", err)
		c.end(r, op.Expired, ReasonUnreadable)
		return
	}
	c.setSending(r.ID)
	defer c.setSending("")
	sent, err := c.change(r.ID, func(now *Record) error {
		if now.State != r.State {
			return errStale
		}
		if captured != nil {
			captured.setIn(now)
		}
		now.State, now.SentAt = op.Sent, c.cfg.Now()
		return nil
	})
	if err != nil { // logged; a queued one stays so until its deadline
		if captured != nil {
			c.dropUnrecorded(r.ID, err)
		}
		return
	}
	frame := c.operationFrame(sent, body)
	c.mu.Lock()
	if w != nil {
		w.captured, w.pid, w.otp = nil, secret.PidData{}, secret.OTP{} // it is never sent again
	}
	c.inFlight[r.ID] = true
	c.mu.Unlock()
	if err := c.uplink.Send(frame); err != nil {
		c.log.Warn("uplink disconnected while an operation was sent", "operation", r.ID, "error", err)
		c.markLinkLost(r.ID)
	}
}

// setSending records the operation whose frame is being sent. From the change of
// its state to the end of Send the counter must not ask for it: an enquiry that
// overtakes its operation makes the central create a tombstone.
func (c *Counter) setSending(id op.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sendingID = id
}

// isBeingSent reports whether an operation was sent on the current connection,
// or is about to be: its outcome arrives without an enquiry.
func (c *Counter) isBeingSent(id op.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inFlight[id] || c.sendingID == id
}

// moveState changes the state of an operation, unless it has left the states from
// which the change is meant.
func (c *Counter) moveState(id op.ID, to op.State, reason Reason, from ...op.State) error {
	_, err := c.change(id, func(r *Record) error {
		if !slices.Contains(from, r.State) {
			return errStale
		}
		r.State, r.Reason = to, reason
		return nil
	})
	return ignoreStale(err)
}

// end ends an operation that was not sent or needs no outcome; the pump tries again
// where it fails.
func (c *Counter) end(r Record, to op.State, reason Reason) {
	if err := c.moveState(r.ID, to, reason, r.State); err != nil {
		c.log.Error("the state of an operation can't be changed; it is retried", "operation", r.ID, "to", to, "error", err)
	}
}

// markLinkLost handles an operation whose connection was lost: an enquiry moved
// no money and ends; anything else is unknown until the central reports it.
func (c *Counter) markLinkLost(id op.ID) {
	c.mu.Lock()
	delete(c.inFlight, id)
	c.mu.Unlock()
	_, err := c.change(id, func(r *Record) error {
		switch {
		case r.State == op.Accepted && r.markCashKept(): // the central goes on
		case r.State != op.Sent && (r.State != op.Accepted || !isVolatile(r.Class)):
			return errStale
		case isVolatile(r.Class):
			r.State, r.Reason = op.NotSent, ReasonLinkLost
		default:
			r.State, r.Reason = op.Unknown, ReasonLinkLost
			r.markCashKept()
		}
		return nil
	})
	if err = ignoreStale(err); err != nil {
		c.log.Error("an operation can't be marked unknown; it is retried", "operation", id, "error", err)
	}
}

// pendingAskInterval is how long a pending operation may wait for its event
// before the counter asks for it: an event that arrives after a later one is
// skipped.
const pendingAskInterval = 5 * time.Minute

// askIfDue asks for an operation that has had no outcome for too long while the
// terminal is online, and ends an enquiry without an answer.
func (c *Counter) askIfDue(r Record, link LinkState) {
	now := c.cfg.Now()
	if isVolatile(r.Class) {
		if now.Sub(r.SentAt) > replyTimeout {
			c.end(r, op.NotSent, ReasonNoReply)
		}
		return
	}
	if !link.Online {
		if r.State == op.Sent {
			c.markLinkLost(r.ID) // its connection is gone
		}
		return
	}
	c.mu.Lock()
	w := c.pendingOf(r.ID)
	last := w.askedAt
	if r.SentAt.After(last) && !r.SentAt.After(now) && r.State != op.Unknown {
		last = r.SentAt
	}
	wait := askInterval
	if r.State == op.Pending {
		wait = pendingAskInterval
	}
	due := now.Sub(last) >= wait || last.After(now) // a clock that was set back does not put it off
	if due {
		w.askedAt = now
	}
	c.mu.Unlock()
	if due {
		c.ask(r.ID)
	}
}

func (c *Counter) ask(id op.ID) {
	f := wire.Frame{T: wire.TAsk, ID: id}
	if err := c.uplink.Send(f); err != nil && !errors.Is(err, ErrOffline) {
		c.log.Warn("an enquiry can't be sent; it is retried", "operation", id, "error", err)
	}
}
