package people

import (
	"context"
	"fmt"
	"time"

	"galla/edge"
	"galla/shared/password"
	"galla/shared/secret"
)

// wait is until a PIN is looked at again.
func (e *person) wait(now time.Time) time.Duration {
	if e.Until == 0 {
		return 0
	}
	// A clock that was set back must not keep anybody out for long.
	return min(max(time.UnixMilli(e.Until).Sub(now), 0), password.LongestWait)
}

// CheckPIN gives the operator for the right PIN, *edge.PINError for a wrong
// one, and edge.ErrNotFound for an operator who does not work here. With the
// right PIN comes ErrPINGiven where another set it: nothing is opened, and the
// operator chooses an own one (ChangePIN). After five wrong ones the operator waits, longer each time; while waiting even the right
// PIN is not looked at.
func (p *People) CheckPIN(_ context.Context, id string, pin secret.OTP) (edge.Operator, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	o, err := p.check(id, pin)
	if err == nil && find(p.snapshot(), id).Given {
		err = ErrPINGiven
	}
	return o, err
}

// ChangePIN sets an operator's own PIN. The old one is a try like any other:
// a page that was left open guesses no better than the unlock page. What
// CheckNewPIN refuses, and ErrPINSame, are told before it is looked at.
func (p *People) ChangePIN(_ context.Context, id string, old, pin secret.OTP) error {
	if err := CheckNewPIN(pin); err != nil {
		return err
	}
	if pin.Equal(old) {
		return ErrPINSame
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	if _, err := p.check(id, old); err != nil {
		return err
	}
	phc, err := p.newHash(pin)
	if err != nil {
		return err
	}
	list := p.snapshot()
	e := find(list, id)
	e.PIN, e.Given = phc, false
	return p.keep(list)
}

// check is one try; turn is held.
func (p *People) check(id string, pin secret.OTP) (edge.Operator, error) {
	list := p.snapshot()
	e := find(list, id)
	if e == nil || !e.Working {
		return edge.Operator{}, fmt.Errorf("operator %q: %w", id, edge.ErrNotFound)
	}
	now := p.cfg.Now()
	if wait := e.wait(now); wait > 0 {
		return edge.Operator{}, &edge.PINError{Wait: wait}
	}
	right, err := VerifyPIN(e.PIN, pin)
	if err != nil {
		return edge.Operator{}, fmt.Errorf("check the PIN of %s: %w", e.Name, err)
	}
	if !right {
		refusal := e.fail(now)
		if err := p.keep(list); err != nil {
			return edge.Operator{}, fmt.Errorf("count the wrong PIN: %w", err)
		}
		return edge.Operator{}, refusal
	}
	if e.Failures != 0 || e.Until != 0 {
		e.Failures, e.Until = 0, 0
		if err := p.keep(list); err != nil {
			// The right PIN opens the counter on a full disk too; the old count
			// stands, which is the safe side.
			p.cfg.Logger.Warn("the count of wrong PINs can't be cleared", "error", err)
		}
	}
	return e.operator(), nil
}

// fail counts a wrong PIN.
func (e *person) fail(now time.Time) *edge.PINError {
	e.Failures++
	refusal := &edge.PINError{Left: max(password.Tries-e.Failures, 0), Wait: password.Wait(e.Failures)}
	if refusal.Wait > 0 {
		e.Until = now.Add(refusal.Wait).UnixMilli()
	}
	return refusal
}
