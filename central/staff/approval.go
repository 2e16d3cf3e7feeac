package staff

import (
	"context"
	"errors"
	"time"

	"galla/central"
	"galla/shared/secret"
)

// Ancestry is from whom an account got its access, by login: everybody who added,
// reset or approved it, and the ancestors of those at that time. A step from the
// command line has no person and clears the ancestry.
type Ancestry struct {
	All map[string]bool
	// Sole are those of them who could have made the account without anybody else:
	// whoever gave out a code that nobody had to approve, and of an approved account
	// those who are ancestors of both the requester and the approver.
	Sole map[string]bool
}

// Independent reports whether two members count as two people in a decision. They do
// not where one got the access from the other, or both from one admin alone: whoever
// makes an account may also be the one who uses it.
func (s *Service) Independent(ctx context.Context, one, other string) (bool, error) {
	if one == other {
		return false, nil
	}
	first, err := s.store.MemberAncestry(ctx, one)
	if err != nil {
		return false, err
	}
	second, err := s.store.MemberAncestry(ctx, other)
	if err != nil {
		return false, err
	}
	if first.All[other] || second.All[one] {
		return false, nil
	}
	for login := range first.Sole {
		if second.Sole[login] {
			return false, nil
		}
	}
	return true, nil
}

// Approve does what an admin requested and can't do alone. It takes another,
// independent admin or a command. ErrNothingToApprove, ErrNotIndependent,
// central.ErrNotFound.
func (s *Service) Approve(ctx context.Context, login string, by Actor) error {
	was, err := s.account(ctx, login)
	if err != nil {
		return err
	}
	if was.Approval == ApprovalNone {
		return ErrNothingToApprove
	}
	change := Change{What: ActApprove, Subject: was.Login, Was: string(was.Approval) + " requested by " + was.RequestedBy, Became: "approved"}
	if by.Login != "" {
		independent := by.Login != was.Login
		if independent {
			if independent, err = s.Independent(ctx, by.Login, was.RequestedBy); err != nil {
				return err
			}
		}
		if !independent {
			return errors.Join(ErrNotIndependent, s.write(ctx, by, change, OutcomeRefused))
		}
	}
	err = s.withEntry(by, change.What, change.Subject, func(e AuditEntry) error {
		e.Was, e.Became = change.Was, change.Became
		return s.store.ApproveMember(ctx, was, e)
	})
	if errors.Is(err, central.ErrState) {
		return ErrNothingToApprove
	}
	return err
}

// StepUpLife is how long a code that was typed for a privileged action is enough for
// further ones in its session: for a row of them, not for a session that was left
// open.
const StepUpLife = 5 * time.Minute

// clockSkew is how far another node's clock may be ahead.
const clockSkew = 5 * time.Second

// SteppedUp reports whether the session may take privileged actions now: a code was
// typed in it, after the sign-in, within StepUpLife.
func (s Session) SteppedUp(now time.Time) bool {
	since := now.Sub(s.SteppedUpAt)
	return !s.SteppedUpAt.IsZero() && since > -clockSkew && since < StepUpLife
}

// StepUp proves the second factor again in a session, with an unused code. Wrong codes
// are counted separately from wrong sign-ins, which unknown callers can cause.
// *WaitError, ErrCode, ErrNoSession.
func (s *Service) StepUp(ctx context.Context, in SignedIn, code secret.OTP) (SignedIn, error) {
	by := in.Actor()
	name := by.Login + " step-up" // no login has a space
	if err := s.countAttempt(ctx, name); err != nil {
		return in, err
	}
	r, err := s.store.MemberAccount(ctx, by.Login)
	if err != nil {
		return in, err
	}
	if r.Sealed == nil || !r.DisabledAt.IsZero() {
		return in, ErrNoSession
	}
	f, err := s.openFactor(r)
	if err != nil {
		return in, err
	}
	now := time.Now()
	step, err := s.verifiers.code(f, code, now, r.Step)
	if err != nil {
		return in, err
	}
	if step == 0 {
		return in, errors.Join(ErrCode, s.write(ctx, by, Change{What: ActStepUp, Subject: by.Login}, OutcomeRefused))
	}
	session := in.Session
	session.AttemptName = name
	err = s.withEntry(by, ActStepUp, by.Login, func(e AuditEntry) error { return s.store.StepUpStaffSession(ctx, session, step, now, e) })
	if errors.Is(err, central.ErrState) {
		return in, ErrCode
	}
	if err != nil {
		return in, err
	}
	in.SteppedUpAt = now
	return in, nil
}
