package people

import (
	"context"
	"fmt"
	"time"

	"galla/edge"
	"galla/shared/secret"
)

// CheckPIN gives the operator for the right PIN, *edge.PINError for a wrong
// one, and edge.ErrNotFound for an operator who does not work here. With the
// right PIN comes ErrPINGiven where another set it: nothing is opened, and the
// operator chooses an own one (ChangePIN). After five wrong ones nothing is looked
// at for a while, longer each time, not even the right PIN: in the browser in which
// they were typed where this operator's right PIN was typed in it before, and else
// in all others (InBrowser).
func (p *People) CheckPIN(ctx context.Context, id string, pin secret.OTP) (edge.Operator, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	o, err := p.check(ctx, id, pin)
	if err == nil && find(p.snapshot(), id).Given {
		err = ErrPINGiven
	}
	return o, err
}

// ChangePIN sets an operator's own PIN. The old one is a try like any other:
// a page that was left open guesses no better than the unlock page. What
// CheckNewPIN refuses, and ErrPINSame, are told before it is looked at.
func (p *People) ChangePIN(ctx context.Context, id string, old, pin secret.OTP) error {
	if err := CheckNewPIN(pin); err != nil {
		return err
	}
	if pin.Equal(old) {
		return ErrPINSame
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	if _, err := p.check(ctx, id, old); err != nil {
		return err
	}
	phc, err := p.newHash(pin)
	if err != nil {
		return err
	}
	list := p.snapshot()
	e := find(list, id)
	e.PIN, e.Given = phc, false
	// Of the browsers, only this one has brought the new PIN.
	return p.keepAll(list, e.remember(p.marks(), hashOf(ctx), p.cfg.Now()))
}

// check is one try; turn is held.
func (p *People) check(ctx context.Context, id string, pin secret.OTP) (edge.Operator, error) {
	list, browsers, hash := p.snapshot(), p.marks(), hashOf(ctx)
	e := find(list, id)
	if e == nil || !e.Working {
		return edge.Operator{}, fmt.Errorf("operator %q: %w", id, edge.ErrNotFound)
	}
	now, here := p.cfg.Now(), e.known(browsers, hash)
	tries := e.tries(here)
	if wait := tries.wait(now); wait > 0 {
		return edge.Operator{}, &edge.PINError{Wait: wait}
	}
	right, err := VerifyPIN(e.PIN, pin)
	if err != nil {
		return edge.Operator{}, fmt.Errorf("check the PIN of %s: %w", e.Name, err)
	}
	if !right {
		refusal := tries.fail(now)
		e.count(here, tries)
		if err := p.keepAll(list, browsers); err != nil {
			return edge.Operator{}, fmt.Errorf("count the wrong PIN: %w", err)
		}
		return edge.Operator{}, refusal
	}
	// One write a day keeps a browser that is used from being forgotten.
	if fresh := hash != "" && (here == nil || now.UnixMilli()-here.Used > 24*time.Hour.Milliseconds()); fresh || tries.Failures != 0 || tries.Until != 0 {
		e.count(here, try{})
		if err := p.keepAll(list, e.remember(browsers, hash, now)); err != nil {
			// The right PIN opens the counter on a full disk too; the old count
			// stands, which is the safe side.
			p.cfg.Logger.Warn("the count of wrong PINs can't be cleared", "error", err)
		}
	}
	return e.operator(), nil
}
