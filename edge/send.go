package edge

import (
	"errors"
	"time"

	"galla/edge/message"
	"galla/shared/bug"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// pump looks at every operation that is not final and does what is due. Only
// Run calls it, so that an operation is never sent by two.
func (c *Counter) pump() {
	var stored []Record
	if c.queue.Depth() > 0 {
		var err error
		if stored, err = c.queue.Unresolved(); err != nil {
			c.log.Error("the queue can't be read", "error", err)
		}
	}
	c.recall.sweep()
	link := c.line.State()
	held := false // a change of a record has no outcome yet: the next one waits for it
	for _, r := range append(stored, c.memory.unresolved()...) {
		switch r.State {
		case op.Reserved:
			c.expireReserved(r)
		case op.Queued:
			c.trySend(r, link, held && r.Class == op.Record)
		case op.Sent, op.Accepted, op.Unknown:
			c.askAgain(r, link)
		case op.Pending:
			if !volatile(r.Class) {
				c.askAgain(r, link)
			}
		}
		held = held || c.holds(r)
	}
}

// pendingHold is how long a change of a record that the bank has not answered
// holds up the next one: longer than the bank may still begin it.
const pendingHold = 2 * time.Minute

// holds tells whether an operation keeps later changes of records waiting, so
// that the central meets them in the order in which they were made.
func (c *Counter) holds(r Record) bool {
	if r.Class != op.Record {
		return false
	}
	if r.State == op.Queued { // trySend may have moved it
		now, err := c.queue.Get(r.ID)
		return err != nil || !now.State.Final()
	}
	return r.State != op.Pending || c.cfg.Now().Sub(r.SentAt).Abs() < pendingHold
}

// reservedLife is how long an operation may wait for its finger: what a forgotten
// page holds of a customer ends with it.
const reservedLife = 10 * time.Minute

// expireReserved ends an operation whose finger was never taken. It has waited since
// its record was made, or since this program first looked: a clock that is set back
// keeps nothing open.
func (c *Counter) expireReserved(r Record) {
	now := c.cfg.Now()
	c.mu.Lock()
	w := c.work(r.ID)
	if w.waits.IsZero() {
		w.waits = now
	}
	age := max(now.Sub(r.CreatedAt), now.Sub(w.waits))
	c.mu.Unlock()
	if age < reservedLife {
		return
	}
	if err := c.giveUp(r.ID, "No finger was taken in 10 minutes. Nothing was sent, no money moved."); err != nil && !errors.Is(err, ErrIllegal) {
		c.log.Error("a reserved operation can't be ended", "operation", r.ID, "error", err)
	}
}

// trySend sends a queued operation if the line is up, no other holds it up and
// its time has not passed. The state sent is on disk before the line gets the
// frame.
func (c *Counter) trySend(r Record, link LinkState, held bool) {
	c.mu.Lock()
	w := c.works[r.ID]
	var pid secret.PidData
	var otp secret.OTP
	if w != nil {
		pid, otp = w.pid, w.otp
	}
	full := len(c.flying) >= max(link.Window, 1)
	c.mu.Unlock()

	s := message.ShapeOf(r.Route)
	switch {
	case s.Finger && pid.IsZero(), s.OTP && otp.IsZero(), c.cfg.Now().After(r.Deadline):
		c.step(r.ID, op.Queued, op.Expired, tooLate(r.Class))
		return
	case !link.Up && volatile(r.Class) && !s.Finger:
		c.step(r.ID, op.Queued, op.Expired, "The line went down before it was asked. Nothing was asked; try again when it is back.")
		return
	case !link.Up, full, held:
		return
	}
	body, err := message.WithSecrets(r.Body, pid, otp)
	if err != nil {
		c.log.Error("a queued operation can't be sent", "operation", r.ID, "error", err)
		c.step(r.ID, op.Queued, op.Expired, "The stored request can't be read. Nothing was sent, no money moved.")
		return
	}
	c.hand(r.ID)
	defer c.hand("")
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
	frame := c.frame(sent, body)
	c.mu.Lock()
	if w != nil {
		w.pid, w.otp = secret.PidData{}, secret.OTP{} // it is never sent again
	}
	if w != nil && bug.RetryOnTimeout {
		w.given = frame
	}
	c.flying[r.ID] = true
	c.mu.Unlock()
	if err := c.line.Send(frame); err != nil {
		c.log.Warn("the line went down while an operation was given to it", "operation", r.ID, "error", err)
		c.lose(r.ID)
	}
}

// hand notes the operation whose frame is being given to the line. From the
// write of its state to the end of Send nobody may ask for it: a question that
// overtakes its operation makes the central forswear it.
func (c *Counter) hand(id op.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handed = id
}

// onItsWay tells whether an operation is on the line that is up, or about to
// be: its outcome comes by itself.
func (c *Counter) onItsWay(id op.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.flying[id] || c.handed == id
}

// tooLate is why an operation of a class ended before it was sent.
func tooLate(class op.Class) string {
	switch class {
	case op.Money:
		return "The line did not come back in time. Nothing was sent, no money moved."
	case op.Record:
		return "The line did not come back in time. Nothing was sent, nothing was changed; do it again."
	}
	return "It could not be asked in time. Nothing was asked; try again."
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
		case r.State == op.Accepted && r.keepCash(): // the central asks on without us
		case r.State != op.Sent && (r.State != op.Accepted || !volatile(r.Class)):
			return errStale
		case volatile(r.Class):
			r.State, r.Reason = op.NotSent, "The line broke before the answer came. An enquiry moves no money; ask again."
		default:
			r.State, r.Reason = op.Unknown, "The line broke. We ask what became of it."
			r.keepCash()
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStale) {
		c.log.Error("an operation can't be marked unknown; it is tried again", "operation", id, "error", err)
	}
}

// pendingAsk is how long a pending operation may wait for its event before it is
// asked for: events that come out of order pass the earlier one over.
const pendingAsk = 5 * time.Minute

// askAgain asks for an operation that has had no outcome for long on a link
// that is up, and ends an enquiry that nobody answers.
func (c *Counter) askAgain(r Record, link LinkState) {
	now := c.cfg.Now()
	if volatile(r.Class) {
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
	w := c.work(r.ID)
	last := w.asked
	if r.SentAt.After(last) && r.State != op.Unknown {
		last = r.SentAt
	}
	wait := c.cfg.Ask
	if r.State == op.Pending {
		wait = pendingAsk
	}
	due := now.Sub(last) >= wait
	if due {
		w.asked = now
	}
	c.mu.Unlock()
	if due {
		c.ask(r.ID)
	}
}

func (c *Counter) ask(id op.ID) {
	f := wire.Frame{T: wire.TAsk, ID: id}
	if bug.RetryOnTimeout {
		c.mu.Lock()
		if w := c.works[id]; w != nil && w.given.T == wire.TOp {
			f = w.given
		}
		c.mu.Unlock()
	}
	if err := c.line.Send(f); err != nil && !errors.Is(err, ErrDown) {
		c.log.Warn("an operation can't be asked for; it is tried again", "operation", id, "error", err)
	}
}
