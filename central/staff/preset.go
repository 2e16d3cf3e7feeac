package staff

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/shared/password"
	"galla/shared/secret"
)

// Preset is an account whose password and second factor are known: the sandbox's,
// whose secrets are public.
type Preset struct {
	Login    string
	Name     string
	Role     Role
	Password secret.Token
	Factor   secret.Key // 20 bytes
}

// NewFactor returns the second factor with a given secret.
func NewFactor(login string, key secret.Key) Factor { return Factor{login, key} }

// EnsurePreset records a preset account where it does not exist, ready to sign in.
// Several nodes may do it at the same time. A disabled account stays disabled.
func (s *Service) EnsurePreset(ctx context.Context, k Preset, by Actor) error {
	r, _, err := s.newSetup(k.Login)
	if err != nil {
		return err
	}
	r.Name, r.Role, r.CreatedAt, r.CreatedBy = k.Name, k.Role, time.Now(), by.displayName()
	if r.Sealed, err = s.vault.seal(k.Factor.Reveal(), factorPurpose, k.Login); err != nil {
		return fmt.Errorf("seal the second factor of %s: %w", k.Login, err)
	}
	e, err := s.newEntry(by, ActAdd, k.Login, OutcomeDone)
	if err != nil {
		return err
	}
	e.Became = string(k.Role)
	err = s.store.AddMember(ctx, r, e)
	if errors.Is(err, central.ErrTaken) {
		was, err := s.store.MemberAccount(ctx, k.Login)
		if err != nil || was.Ready || !was.DisabledAt.IsZero() {
			return err
		}
		// An earlier start ended between AddMember and EnrolMember.
		if err := s.store.ResetMember(ctx, r, e); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if r.Password, err = password.Hash(k.Password, s.cfg.Rand, s.cfg.Cost); err != nil {
		return err
	}
	_, err = s.newSession(by, ActEnrol, k.Login, func(session Session, e AuditEntry) error {
		session.OpenedAt, session.SeenAt = session.OpenedAt.Add(-SessionLifetime), session.SeenAt.Add(-SessionLifetime) // ended: nobody has the token
		return s.store.EnrolMember(ctx, r, session, e)
	})
	if errors.Is(err, central.ErrState) {
		return nil // another node was first
	}
	return err
}
