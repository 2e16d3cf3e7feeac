package edge

import (
	"errors"
	"fmt"
	"time"

	"galla/edge/message"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// Greet implements Receiver.
func (c *Counter) Greet() (int64, []op.ID, error) {
	cursor, err := c.queue.Cursor()
	if err != nil {
		return 0, nil, fmt.Errorf("read the event cursor: %w", err)
	}
	left, err := c.queue.Unresolved()
	if err != nil {
		c.log.Error("some stored operations can't be read", "error", err)
	}
	var ids []op.ID
	for _, r := range left {
		switch r.State {
		case op.Sent, op.Accepted, op.Unknown, op.Pending:
			if len(ids) < wire.MaxUnresolved {
				ids = append(ids, r.ID)
			}
		}
	}
	return cursor, ids, nil
}

// Welcomed implements Receiver: it applies the outcomes that the central knew
// and asks for the rest.
func (c *Counter) Welcomed(welcome wire.Frame) error {
	known := map[op.ID]bool{}
	for _, f := range welcome.Outcomes {
		known[f.ID] = true
		if err := c.possible(f, c.apply(f.ID, f.Outcome())); err != nil {
			return err
		}
	}
	left, err := c.queue.Unresolved()
	if err != nil {
		c.log.Error("some stored operations can't be read", "error", err)
	}
	for _, r := range left {
		switch r.State {
		case op.Sent, op.Accepted, op.Unknown, op.Pending:
			// One that is pending here may still be under way there, and then no
			// event tells of its end. One that was queued may have been sent since
			// the line came up.
			if !known[r.ID] && !c.onItsWay(r.ID) {
				c.noteAsked(r.ID)
				c.ask(r.ID)
			}
		}
	}
	c.refresh()
	c.Changed()
	return nil
}

func (c *Counter) noteAsked(id op.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.works[id] == nil {
		c.works[id] = &work{}
	}
	c.works[id].asked = c.cfg.Now()
}

// Receive implements Receiver.
func (c *Counter) Receive(f wire.Frame) error {
	switch f.T {
	case wire.TAccepted:
		return c.accepted(f.ID)
	case wire.TOutcome:
		if c.answerOwn(f.ID, f.Outcome()) {
			return nil
		}
		return c.possible(f, c.apply(f.ID, f.Outcome()))
	case wire.TUnseen:
		return c.unseen(f.ID)
	case wire.TEvent:
		return c.event(f)
	}
	return fmt.Errorf("the central sent a frame %q that a counter does not take", f.T)
}

// Lost implements Receiver.
func (c *Counter) Lost(cause error) {
	c.log.Info("the line went down", "cause", cause)
	c.mu.Lock()
	flying := c.flying
	c.flying = map[op.ID]bool{}
	for id, ch := range c.waiting {
		close(ch)
		delete(c.waiting, id)
	}
	c.mu.Unlock()
	for id := range flying {
		c.lose(id)
	}
	c.Changed()
}

// possible passes over a word of the central that can't be true of where the
// operation stands: cutting the line for it would only bring it again.
func (c *Counter) possible(f wire.Frame, err error) error {
	if !errors.Is(err, ErrIllegal) {
		return err
	}
	c.log.Error("the central tells what can't be; the operation stays as it is, call support", "operation", f.ID, "told", f.State, "error", err)
	return nil
}

// settled is what an error means to the receiver: an operation that has moved
// on, or that is not here, needs nothing.
func settled(err error) error {
	if errors.Is(err, errStale) || errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

func (c *Counter) accepted(id op.ID) error {
	_, err := c.change(id, func(r *Record) error {
		if r.State != op.Sent && r.State != op.Unknown {
			return errStale
		}
		r.State, r.Reason = op.Accepted, ""
		return nil
	})
	return settled(err)
}

// apply writes an outcome that the central told.
func (c *Counter) apply(id op.ID, o op.Outcome) error {
	otp := c.word(id)
	mobile := "" // erased with the body
	r, err := c.change(id, func(r *Record) error {
		if r.Route == op.RemitterDetails {
			mobile = message.Recall(r.Body, message.Mobile)
		}
		return applyOutcome(r, o, otp)
	})
	c.mu.Lock()
	delete(c.flying, id)
	c.mu.Unlock()
	c.nudge() // the window has a place
	if err == nil && r.State == op.Succeeded {
		c.learn(r, mobile)
	}
	return settled(err)
}

// word is the OTP that the reply to an operation must not repeat.
func (c *Counter) word(id op.ID) secret.OTP {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.works[id]; w != nil {
		return w.word
	}
	return secret.OTP{}
}

// learn takes over what a success tells the counter itself.
func (c *Counter) learn(r Record, mobile string) {
	switch {
	case r.Route == op.ReqAuth:
		c.authenticated(r)
	case r.Class == op.Reference:
		if err := c.take(r.Route, op.Outcome{State: r.State, HTTP: r.HTTP, Reply: r.Reply}); err != nil {
			c.log.Warn("the reply of a reference can't be kept", "route", r.Route, "error", err)
		}
	case r.Route == op.RemitterDetails && r.Result.StatusCode == "00":
		c.recall.remitter(mobile, r.HTTP, r.Reply)
	}
}

// applyOutcome alters the record to what the central says. What is final stays
// as it is, whoever says otherwise.
func applyOutcome(r *Record, o op.Outcome, otp secret.OTP) error {
	o.Reply = message.Clean(r.Body, o.Reply, otp)
	state, reason := o.State, ""
	switch state {
	case op.Succeeded, op.Failed, op.Reversed:
	case op.Pending:
		reason = "The bank has not answered. We ask it again by ourselves."
		r.keepCash()
	case op.Refused:
		state = op.NotSent
		reason = message.ReadResult(o.HTTP, o.Reply).Message
	default:
		return fmt.Errorf("operation %s: the central tells state %q, which is no outcome: %w", r.ID, o.State, ErrIllegal)
	}
	if r.State.Final() || r.State == state {
		return errStale
	}
	if !CanBecome(r.State, state) {
		return fmt.Errorf("operation %s: the central tells %s of what is %s: %w", r.ID, state, r.State, ErrIllegal)
	}
	r.State, r.Reason, r.HTTP, r.Reply, r.Result = state, reason, o.HTTP, o.Reply, message.ReadResult(o.HTTP, o.Reply)
	if p, err := money.Parse(r.Value(message.Amount)); err == nil && r.Route == op.Refund && r.Amount == 0 {
		r.Amount = p // the request names none
	}
	return nil
}

func (c *Counter) unseen(id op.ID) error {
	_, err := c.change(id, func(r *Record) error {
		if r.State != op.Unknown && r.State != op.Sent {
			return errStale
		}
		r.State, r.Reason = op.NotSent, "It never reached the central, and will be refused if it still arrives. No money moved."
		if r.Class == op.Record {
			r.Reason = "It never reached the central, and will be refused if it still arrives. Nothing was changed; do it again."
		}
		return nil
	})
	return settled(err)
}

// event applies an event and its cursor in one transaction.
func (c *Counter) event(f wire.Frame) error {
	var id op.ID
	if f.Kind == wire.EventOutcome {
		id = f.ID
	}
	if _, err := c.memory.get(id); err == nil { // an enquiry: only the cursor is on disk
		if err := c.possible(f, c.apply(id, f.Outcome())); err != nil {
			return err
		}
		id = ""
	}
	stale := false
	otp := c.word(id)
	r, err := c.queue.Apply(f.Cursor, id, func(r *Record) error {
		err := applyOutcome(r, f.Outcome(), otp)
		stale = err != nil
		if errors.Is(err, errStale) {
			return nil // the cursor moves all the same
		}
		return c.possible(f, err)
	})
	c.noteTrouble(err)
	if err != nil {
		return fmt.Errorf("apply event %d: %w", f.Cursor, err)
	}
	if !stale && id != "" {
		c.changed(r)
		c.nudge() // a change of a record may have waited for it
	}
	if f.Kind == wire.EventBanks {
		c.mu.Lock()
		c.banksAt = time.Time{} // the list is old, whenever it was fetched
		c.mu.Unlock()
	}
	if f.Kind == wire.EventBanks || f.Kind == wire.EventSettings {
		c.refresh()
	}
	return nil
}
