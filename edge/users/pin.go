package users

import (
	"context"
	"fmt"
	"time"

	"galla/edge"
	"galla/shared/password"
	"galla/shared/secret"
)

// CheckPIN returns the user for the right PIN, *edge.PINError for a wrong one, and
// edge.ErrNotFound for a user who is not enabled. ErrPINMustChange: the PIN is
// right but was set by an owner; the user has to change it (ChangePIN). After five
// wrong ones every PIN is refused for a while, longer each time: in this browser,
// if the user's right PIN was entered in it before, else in all other browsers
// (WithBrowser).
func (p *Service) CheckPIN(ctx context.Context, id string, pin secret.OTP) (edge.User, error) {
	p.stepMu.Lock()
	defer p.stepMu.Unlock()
	o, err := p.tryPIN(ctx, id, pin)
	if err == nil && find(p.snapshot(), id).MustChangePIN {
		err = ErrPINMustChange
	}
	return o, err
}

// ChangePIN sets a user's own PIN. A wrong old PIN counts as a failed attempt.
// What CheckNewPIN refuses, and ErrPINSame, are reported before that.
func (p *Service) ChangePIN(ctx context.Context, id string, old, pin secret.OTP) error {
	if err := CheckNewPIN(pin); err != nil {
		return err
	}
	if pin.Equal(old) {
		return ErrPINSame
	}
	p.stepMu.Lock()
	defer p.stepMu.Unlock()
	if _, err := p.tryPIN(ctx, id, old); err != nil {
		return err
	}
	phc, err := p.hashNewPIN(pin)
	if err != nil {
		return err
	}
	list := p.snapshot()
	e := find(list, id)
	e.PIN, e.MustChangePIN = phc, false
	// Of the browsers, only this one has brought the new PIN.
	return p.saveAll(list, e.addBrowser(p.knownBrowsers(), browserHash(ctx), p.cfg.Now()))
}

// tryPIN is one attempt; the caller holds stepMu.
func (p *Service) tryPIN(ctx context.Context, id string, pin secret.OTP) (edge.User, error) {
	list, browsers, hash := p.snapshot(), p.knownBrowsers(), browserHash(ctx)
	e, err := findEnabled(list, id)
	if err != nil {
		return edge.User{}, err
	}
	now, here := p.cfg.Now(), e.knownBrowser(browsers, hash)
	tries := e.attemptsIn(here)
	if wait := tries.wait(now); wait > 0 {
		return edge.User{}, &edge.PINError{Wait: wait}
	}
	right, err := VerifyPIN(e.PIN, pin)
	if err != nil {
		return edge.User{}, fmt.Errorf("check the PIN of %s: %w", e.Name, err)
	}
	if !right {
		refusal := tries.countFailure(now)
		e.setAttempts(here, tries)
		if err := p.saveAll(list, browsers); err != nil {
			return edge.User{}, fmt.Errorf("count the wrong PIN: %w", err)
		}
		return edge.User{}, refusal
	}
	stronger := p.strengthenHash(e, pin)
	// One write a day keeps the browser known.
	if fresh := hash != "" && (here == nil || now.UnixMilli()-here.Used > 24*time.Hour.Milliseconds()); fresh || stronger || tries.Failures != 0 || tries.Until != 0 {
		e.setAttempts(here, attempts{})
		if err := p.saveAll(list, e.addBrowser(browsers, hash, now)); err != nil {
			// The right PIN unlocks the counter on a full disk too; the old count
			// stays, which is safe.
			p.cfg.Logger.Warn("the count of wrong PINs can't be cleared", "error", err)
		}
	}
	return e.user(), nil
}

// strengthenHash hashes a right PIN anew that was hashed under a lower cost, and reports whether
// it did.
func (p *Service) strengthenHash(e *account, pin secret.OTP) bool {
	if !password.Weaker(e.PIN, p.cost) {
		return false
	}
	phc, err := password.Hash(asToken(pin), p.cfg.Rand, p.cost)
	if err != nil {
		p.cfg.Logger.Warn("the hash of a PIN can't be strengthened; the next right PIN tries it again", "error", err)
		return false
	}
	e.PIN = phc
	return true
}
