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
func (d *Service) EnsurePreset(ctx context.Context, k Preset, by Actor) error {
	r, _, err := d.newSetup(k.Login)
	if err != nil {
		return err
	}
	r.Name, r.Role, r.CreatedAt, r.CreatedBy = k.Name, k.Role, time.Now(), by.displayName()
	if r.Sealed, err = d.vault.seal(k.Factor.Reveal(), factorPurpose, k.Login); err != nil {
		return fmt.Errorf("seal the second factor of %s: %w", k.Login, err)
	}
	e, err := d.newEntry(by, ActAdd, k.Login, OutcomeDone)
	if err != nil {
		return err
	}
	e.Became = string(k.Role)
	err = d.store.AddMember(ctx, r, e)
	if errors.Is(err, central.ErrTaken) {
		was, err := d.store.MemberAccount(ctx, k.Login)
		if err != nil || was.Ready || !was.DisabledAt.IsZero() {
			return err
		}
		// An earlier start ended between AddMember and EnrolMember.
		if err := d.store.ResetMember(ctx, r, e); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if r.Password, err = password.Hash(k.Password, d.cfg.Rand, d.cfg.Cost); err != nil {
		return err
	}
	_, err = d.newSession(by, func(s Session) error {
		s.Login = k.Login
		s.OpenedAt, s.SeenAt = s.OpenedAt.Add(-SessionLifetime), s.SeenAt.Add(-SessionLifetime) // ended: nobody has the token
		e, err := d.newEntry(by, ActEnrol, k.Login, OutcomeDone)
		if err != nil {
			return err
		}
		return d.store.EnrolMember(ctx, r, s, e)
	})
	if errors.Is(err, central.ErrState) {
		return nil // another node was first
	}
	return err
}
