package operator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/shared/password"
	"galla/shared/secret"
)

// Known is a person whose password and second factor are known beforehand: a
// sandbox's, whose secrets are public.
type Known struct {
	Login    string
	Name     string
	Role     Role
	Password secret.Token
	Factor   secret.Key // 20 bytes
}

// NewFactor gives the second factor of a known secret.
func NewFactor(login string, key secret.Key) Factor { return Factor{login, key} }

// Put records a known person who is not there, ready to sign in. Nodes may do it
// at the same time; whoever was put out stays so.
func (d *Desk) Put(ctx context.Context, k Known, by Actor) error {
	r, _, err := d.renew(k.Login)
	if err != nil {
		return err
	}
	r.Name, r.Role, r.CreatedAt, r.CreatedBy = k.Name, k.Role, time.Now(), by.name()
	if r.Sealed, err = d.safe.seal(k.Factor.Reveal(), factorPlace, k.Login); err != nil {
		return fmt.Errorf("seal the second factor of %s: %w", k.Login, err)
	}
	e, err := d.entry(by, ActAdd, k.Login, Done)
	if err != nil {
		return err
	}
	e.Became = string(k.Role)
	err = d.store.AddOperator(ctx, r, e)
	if errors.Is(err, central.ErrTaken) {
		was, err := d.store.Operator(ctx, k.Login)
		if err != nil || was.Ready || !was.DisabledAt.IsZero() {
			return err
		}
		// A former start ended between the two steps.
		if err := d.store.RenewOperator(ctx, r, e); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if r.Password, err = password.Hash(k.Password, d.cfg.Rand, d.cfg.Cost); err != nil {
		return err
	}
	_, err = d.open(by, func(s Session) error {
		s.Login = k.Login
		s.OpenedAt, s.SeenAt = s.OpenedAt.Add(-Longest), s.SeenAt.Add(-Longest) // over: nobody has the token
		e, err := d.entry(by, ActEnrol, k.Login, Done)
		if err != nil {
			return err
		}
		return d.store.EnrolOperator(ctx, r, s, e)
	})
	if errors.Is(err, central.ErrState) {
		return nil // another node was first
	}
	return err
}
