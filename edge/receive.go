package edge

import (
	"errors"
	"fmt"
	"time"

	"galla/edge/api"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// Hello implements Receiver. Its Log is sent whole: the central looks whether it is fresh.
func (c *Counter) Hello() (wire.Frame, error) {
	cursor, err := c.queue.Cursor()
	if err != nil {
		return wire.Frame{}, fmt.Errorf("read the event cursor: %w", err)
	}
	left, err := c.queue.Unresolved()
	if err != nil {
		c.log.Error("some stored operations can't be read", "error", err)
	}
	hello := wire.Frame{Cursor: cursor, Log: c.keptCheckpoint()}
	for _, r := range left {
		switch r.State {
		case op.Sent, op.Accepted, op.Unknown, op.Pending:
			if len(hello.Unresolved) < wire.MaxUnresolved {
				hello.Unresolved = append(hello.Unresolved, r.ID)
			}
		}
	}
	return hello, nil
}

// Welcome implements Receiver: it applies the outcomes that the central knew and
// asks for the rest.
func (c *Counter) Welcome(welcome wire.Frame) error {
	known := map[op.ID]bool{}
	for _, f := range welcome.Outcomes {
		known[f.ID] = true
		if err := c.ignoreImpossible(f, c.saveOutcome(f.ID, f.Outcome())); err != nil {
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
			// A pending operation may still be in progress at the central, and no
			// event reports its end then. A queued one may have been sent since
			// the terminal came online.
			if !known[r.ID] && !c.isBeingSent(r.ID) {
				c.markAsked(r.ID)
				c.ask(r.ID)
			}
		}
	}
	c.keepCheckpoint(welcome)
	if welcome.Shop != nil {
		c.setShop(Shop{Address: welcome.Shop.Address, Phone: welcome.Shop.Phone})
	}
	c.refreshReferences()
	c.Notify()
	return nil
}

func (c *Counter) markAsked(id op.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pendingOf(id).askedAt = c.cfg.Now()
}

// Receive implements Receiver.
func (c *Counter) Receive(f wire.Frame) error {
	switch f.T {
	case wire.TAccepted:
		return c.moveState(f.ID, op.Accepted, ReasonNone, op.Sent, op.Unknown)
	case wire.TOutcome:
		if c.deliverOwnReply(f.ID, f.Outcome()) {
			return nil
		}
		return c.ignoreImpossible(f, c.saveOutcome(f.ID, f.Outcome()))
	case wire.TUnseen:
		return c.moveState(f.ID, op.NotSent, ReasonNeverArrived, op.Sent, op.Unknown)
	case wire.TEvent:
		return c.applyEvent(f)
	}
	return fmt.Errorf("unexpected frame %q from the central", f.T)
}

// Disconnected implements Receiver.
func (c *Counter) Disconnected(cause error) {
	c.log.Info("uplink disconnected", "cause", cause)
	c.mu.Lock()
	inFlight := c.inFlight
	c.inFlight = map[op.ID]bool{}
	for id, ch := range c.ownCalls {
		close(ch)
		delete(c.ownCalls, id)
	}
	c.mu.Unlock()
	for id := range inFlight {
		c.markLinkLost(id)
	}
	c.Notify()
}

// ignoreImpossible logs and ignores a report of the central that contradicts
// the operation's state: a reconnect would only repeat it.
func (c *Counter) ignoreImpossible(f wire.Frame, err error) error {
	if !errors.Is(err, ErrIllegal) {
		return err
	}
	c.log.Error("the central reported an impossible state; the operation is unchanged", "operation", f.ID, "reported", f.State, "error", err)
	return nil
}

// ignoreStale returns nil for operations that have changed meanwhile or are not
// here.
func ignoreStale(err error) error {
	if errors.Is(err, errStale) || errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

func (c *Counter) saveOutcome(id op.ID, o op.Outcome) error {
	otp := c.usedOTPOf(id)
	mobile := "" // erased with the body
	r, err := c.change(id, func(r *Record) error {
		if r.Route == op.RemitterDetails {
			mobile = api.BodyField(r.Body, api.FieldMobile)
		}
		return applyOutcome(r, o, otp)
	})
	c.mu.Lock()
	delete(c.inFlight, id)
	c.mu.Unlock()
	c.wakePump() // the window has room for another
	if err == nil && r.State == op.Succeeded {
		c.learnFromReply(r, mobile)
	}
	return ignoreStale(err)
}

// usedOTPOf returns the OTP that the reply to an operation must not repeat.
func (c *Counter) usedOTPOf(id op.ID) secret.OTP {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.pending[id]; w != nil {
		return w.usedOTP
	}
	return secret.OTP{}
}

// learnFromReply stores what the counter itself needs from a successful reply.
func (c *Counter) learnFromReply(r Record, mobile string) {
	switch {
	case r.Route == op.ReqAuth:
		c.startSession(r)
	case r.Class == op.Reference:
		if err := c.storeReference(r.Route, op.Outcome{State: r.State, HTTP: r.HTTP, Reply: r.Reply}); err != nil {
			c.log.Warn("a reference reply can't be stored", "route", r.Route, "error", err)
		}
	case r.Route == op.RemitterDetails && r.Result.StatusCode == "00":
		c.replies.storeRemitter(mobile, r.HTTP, r.Reply)
	}
}

// applyOutcome changes the record to what the central reported. A final record
// never changes.
func applyOutcome(r *Record, o op.Outcome, otp secret.OTP) error {
	o.Reply = api.RemoveSecrets(r.Body, o.Reply, otp)
	state, reason := o.State, ReasonNone
	switch state {
	case op.Succeeded, op.Failed, op.Reversed:
	case op.Pending:
		reason = ReasonBankSilent
		r.markCashKept()
	case op.Refused:
		state, reason = op.NotSent, ReasonRefused
	default:
		return fmt.Errorf("operation %s: the central reported state %q, which is no outcome: %w", r.ID, o.State, ErrIllegal)
	}
	if r.State.Final() || r.State == state {
		return errStale
	}
	if !CanBecome(r.State, state) {
		return fmt.Errorf("operation %s: the central reported %s, the operation is %s: %w", r.ID, state, r.State, ErrIllegal)
	}
	r.State, r.Reason, r.HTTP, r.Reply, r.Result = state, reason, o.HTTP, o.Reply, api.ParseResult(o.HTTP, o.Reply)
	if p, err := money.Parse(r.ReplyValue(api.FieldAmount)); err == nil && r.Route == op.Refund && r.Amount == 0 {
		r.Amount = p // the request has no amount
	}
	return nil
}

// applyEvent applies an event and its cursor in one transaction.
func (c *Counter) applyEvent(f wire.Frame) error {
	if f.Kind == wire.EventPayment {
		return c.applyPayment(f)
	}
	var id op.ID
	if f.Kind == wire.EventOutcome {
		id = f.ID
	}
	if _, err := c.enquiries.get(id); err == nil { // an enquiry is not on disk, the cursor is
		if err := c.ignoreImpossible(f, c.saveOutcome(id, f.Outcome())); err != nil {
			return err
		}
		id = ""
	}
	stale := false
	otp := c.usedOTPOf(id)
	r, err := c.queue.ApplyEvent(f.Cursor, id, func(r *Record) error {
		err := applyOutcome(r, f.Outcome(), otp)
		stale = err != nil
		if errors.Is(err, errStale) {
			return nil // the cursor changes in any case
		}
		return c.ignoreImpossible(f, err)
	})
	c.noteDiskError(err)
	if err != nil {
		return fmt.Errorf("apply event %d: %w", f.Cursor, err)
	}
	if !stale && id != "" {
		c.afterChange(r)
		c.wakePump() // a change of a record may wait for it
	}
	if f.Kind == wire.EventBanks {
		c.mu.Lock()
		c.banksAt = time.Time{} // fetch the list again
		c.mu.Unlock()
	}
	if f.Kind == wire.EventBanks || f.Kind == wire.EventSettings {
		c.refreshReferences()
	}
	return nil
}
