package operator

import (
	"context"
	"errors"
	"time"

	"galla/central"
	"galla/shared/password"
	"galla/shared/secret"
)

// Descent is who an account's access comes from, by login: everybody who added,
// reset or approved it, and everybody whom those descend from, as they stood then.
// What was done at the machine has no person and begins a descent anew.
type Descent struct {
	All map[string]bool
	// Alone are those of them who could have brought the account about without
	// anybody else: whoever handed the code out where nobody had to approve it, and
	// of an approved one only who stands behind both.
	Alone map[string]bool
}

// Apart tells whether two people are two in a decision by four eyes. They are not
// where either descends from the other, or both from one admin alone: whoever makes
// an account could be the one who uses it, and the ones that it makes.
func (d *Desk) Apart(ctx context.Context, one, other string) (bool, error) {
	if one == other {
		return false, nil
	}
	of, err := d.store.Descent(ctx, one)
	if err != nil {
		return false, err
	}
	than, err := d.store.Descent(ctx, other)
	if err != nil {
		return false, err
	}
	if of.All[other] || than.All[one] {
		return false, nil
	}
	for login := range of.Alone {
		if than.Alone[login] {
			return false, nil
		}
	}
	return true, nil
}

// Approve does what an admin asked for and can't do alone: another admin says yes,
// or whoever has the machine. ErrNotAsked, ErrNotSecond, central.ErrNotFound.
func (d *Desk) Approve(ctx context.Context, login string, by Actor) error {
	was, err := d.person(ctx, login)
	if err != nil {
		return err
	}
	if was.Asked == AskNothing {
		return ErrNotAsked
	}
	change := Change{What: ActApprove, Subject: was.Login, Was: string(was.Asked) + " asked by " + was.AskedBy, Became: "approved"}
	if by.Login != "" {
		second := by.Login != was.Login
		if second {
			if second, err = d.Apart(ctx, by.Login, was.AskedBy); err != nil {
				return err
			}
		}
		if !second {
			return errors.Join(ErrNotSecond, d.note(ctx, by, change, Refused))
		}
	}
	e, err := d.entry(by, change.What, change.Subject, Done)
	if err != nil {
		return err
	}
	e.Was, e.Became = change.Was, change.Became
	if err := d.store.ApproveOperator(ctx, was, e); errors.Is(err, central.ErrState) {
		return ErrNotAsked
	} else if err != nil {
		return err
	}
	return nil
}

// StepUpLife is how long a code that was typed for a privileged act counts for more
// of them, in its session: for what is done in one go, and not for a desk that was
// left.
const StepUpLife = 5 * time.Minute

// skew is how far another node's clock may be ahead.
const skew = 5 * time.Second

// Proven tells whether the session may do privileged acts now: somebody who has the
// second factor typed a code in it, after the sign-in and not long ago.
func (s Session) Proven(now time.Time) bool {
	since := now.Sub(s.ProvenAt)
	return !s.ProvenAt.IsZero() && since > -skew && since < StepUpLife
}

// StepUp proves the second factor again, in a session, by a code that was not used
// before. *WaitError, ErrCode, ErrNoSession. Wrong codes of a session's person wait
// apart from wrong sign-ins, which strangers make, too.
func (d *Desk) StepUp(ctx context.Context, in SignedIn, code secret.OTP) (SignedIn, error) {
	by := in.Actor()
	name := by.Login + " step-up" // no login has a space
	wait, err := d.store.TryOperator(ctx, name, time.Now(), password.Wait)
	if err != nil {
		return in, err
	}
	if wait > 0 {
		return in, &WaitError{wait}
	}
	r, err := d.store.Operator(ctx, by.Login)
	if err != nil {
		return in, err
	}
	if r.Sealed == nil || !r.DisabledAt.IsZero() {
		return in, ErrNoSession
	}
	f, err := d.factor(r)
	if err != nil {
		return in, err
	}
	now := time.Now()
	step, err := d.proofs.code(f, code, now, r.Step)
	if err != nil {
		return in, err
	}
	if step == 0 {
		return in, errors.Join(ErrCode, d.note(ctx, by, Change{What: ActStepUp, Subject: by.Login}, Refused))
	}
	e, err := d.entry(by, ActStepUp, by.Login, Done)
	if err != nil {
		return in, err
	}
	s := in.Session
	s.Tried = name
	if err := d.store.ProveOperatorSession(ctx, s, step, now, e); errors.Is(err, central.ErrState) {
		return in, ErrCode
	} else if err != nil {
		return in, err
	}
	in.ProvenAt = now
	return in, nil
}
