package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/operator"
)

var _ operator.People = (*DB)(nil)

// operatorColumns are the columns of an operator, in the order in which
// scanOperator takes them.
const operatorColumns = `login, name, role, password, sealed, step, setup_hash, setup_ends, created_at, created_by, disabled_at, asked, asked_by`

func scanOperator(row row) (r operator.Record, err error) {
	var hash []byte
	err = row.Scan(&r.Login, &r.Name, &r.Role, &r.Password, &r.Sealed, &r.Step, &hash, moment{&r.SetupEnds},
		moment{&r.CreatedAt}, &r.CreatedBy, moment{&r.DisabledAt}, &r.Asked, &r.AskedBy)
	copy(r.SetupHash[:], hash)
	r.Ready = r.Password != ""
	return r, err
}

// operators reads all operators of a statement that selects operatorColumns.
func (c conn) operators(statement string, args ...any) (list []operator.Record, err error) {
	err = c.each(statement, args, func(row row) error {
		r, err := scanOperator(row)
		list = append(list, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// operatorOf reads the only operator of such a statement.
func (c conn) operatorOf(statement string, args ...any) (operator.Record, error) {
	list, err := c.operators(statement, args...)
	if err == nil && len(list) == 0 {
		err = central.ErrNotFound
	}
	if err != nil {
		return operator.Record{}, err
	}
	return list[0], nil
}

// holdOperator reads an operator whom nobody else changes meanwhile.
func holdOperator(c conn, login string) (operator.Record, error) {
	return c.operatorOf(`SELECT `+operatorColumns+` FROM operators WHERE login = $1`+c.dialect.hold, login)
}

// Operator implements operator.People.
func (s *DB) Operator(ctx context.Context, login string) (r operator.Record, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		r, err = c.operatorOf(`SELECT `+operatorColumns+` FROM operators WHERE login = $1`, login)
		return err
	})
	if err != nil {
		return operator.Record{}, fmt.Errorf("read operator %s: %w", login, err)
	}
	return r, nil
}

// Operators implements operator.People.
func (s *DB) Operators(ctx context.Context) (list []operator.Person, err error) {
	err = s.read(ctx, func(c conn) error {
		found, err := c.operators(`SELECT `+operatorColumns+` FROM operators ORDER BY login LIMIT $1`, operator.MaxPeople)
		list = make([]operator.Person, len(found))
		for i, r := range found {
			list[i] = r.Person
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the operators: %w", err)
	}
	return list, nil
}

// AddOperator implements operator.People.
func (s *DB) AddOperator(ctx context.Context, r operator.Record, e operator.Entry) error {
	err := s.write(ctx, func(c conn) error {
		var all int
		if err := c.one(`SELECT count(*) FROM operators`, nil, &all); err != nil {
			return err
		}
		if all >= operator.MaxPeople {
			return operator.ErrTooMany
		}
		taken, err := c.exists(`SELECT 1 FROM operators WHERE login = $1`, r.Login)
		if err != nil {
			return err
		}
		if taken {
			return central.ErrTaken
		}
		if _, err := c.exec(`INSERT INTO operators (login, name, role, password, sealed, setup_hash, setup_ends, created_at, created_by, asked, asked_by)
			VALUES ($1, $2, $3, '', $4, $5, $6, $7, $8, $9, $10)`, r.Login, r.Name, string(r.Role), r.Sealed, r.SetupHash[:], ms(r.SetupEnds),
			ms(r.CreatedAt), r.CreatedBy, string(r.Asked), r.AskedBy); err != nil {
			return err
		}
		if err := descend(c, r.Login, e.Person); err != nil {
			return err
		}
		return addTrail(c, e)
	})
	if err != nil {
		return fmt.Errorf("record operator %s: %w", r.Login, err)
	}
	return nil
}

// alterOperator changes a person who is held, ends the sessions, opens the given
// ones and writes the trail. What depends on how the person is now is decided in do,
// which also completes the entry.
func (s *DB) alterOperator(ctx context.Context, login string, e operator.Entry, do func(c conn, was heldPerson, e *operator.Entry) error, opened ...operator.Session) error {
	err := s.write(ctx, func(c conn) error {
		was, err := holdPerson(c, login)
		if err != nil {
			return err
		}
		did := e // a transaction may be tried again
		if err := do(c, was, &did); err != nil {
			return err
		}
		if _, err := c.exec(`DELETE FROM operator_sessions WHERE login = $1`, login); err != nil {
			return err
		}
		for _, in := range opened {
			if err := openOperatorSession(c, in); err != nil {
				return err
			}
		}
		return addTrail(c, did)
	})
	if err != nil {
		return fmt.Errorf("%s of %s: %w", e.Action, login, err)
	}
	return nil
}

// heldPerson is a person who is about to change, and how many other admins there
// are.
type heldPerson struct {
	operator.Record
	admins int
}

// holdPerson reads a person and all admins who may sign in, whom nobody else changes meanwhile.
// They are held in one order: two admins who put each other out wait, and do not
// block each other.
func holdPerson(c conn, login string) (was heldPerson, err error) {
	list, err := c.operators(`SELECT `+operatorColumns+` FROM operators
		WHERE login = $1 OR role = 'admin' AND disabled_at IS NULL AND asked NOT IN ('add', 'reset') ORDER BY login`+c.dialect.hold, login)
	if err != nil {
		return heldPerson{}, err
	}
	found := false
	for _, r := range list {
		if r.Login == login {
			was.Record, found = r, true
		} else {
			was.admins++
		}
	}
	if !found {
		err = central.ErrNotFound
	}
	return was, err
}

// keepsAnAdmin refuses to take the last admin away.
func (was heldPerson) keepsAnAdmin() error {
	if was.Role == operator.Admin && was.DisabledAt.IsZero() && was.admins == 0 {
		return operator.ErrLastAdmin
	}
	return nil
}

// SetOperatorRole implements operator.People.
func (s *DB) SetOperatorRole(ctx context.Context, login string, role operator.Role, e operator.Entry) error {
	return s.alterOperator(ctx, login, e, func(c conn, was heldPerson, e *operator.Entry) error {
		is, err := was.Become(role, e)
		if err != nil {
			return err
		}
		if is.Role != operator.Admin {
			if err := was.keepsAnAdmin(); err != nil {
				return err
			}
		}
		_, err = c.exec(`UPDATE operators SET role = $1, asked = $2, asked_by = $3 WHERE login = $4`, string(is.Role), string(is.Asked), is.AskedBy, login)
		return err
	})
}

// DisableOperator implements operator.People.
func (s *DB) DisableOperator(ctx context.Context, login string, e operator.Entry) error {
	return s.alterOperator(ctx, login, e, func(c conn, was heldPerson, _ *operator.Entry) error {
		if !was.DisabledAt.IsZero() {
			return fmt.Errorf("is put out already: %w", central.ErrState)
		}
		if err := was.keepsAnAdmin(); err != nil {
			return err
		}
		_, err := c.exec(`UPDATE operators SET password = '', sealed = NULL, setup_hash = NULL, setup_ends = NULL, asked = '', asked_by = '', disabled_at = $1 WHERE login = $2`, ms(e.At), login)
		return err
	})
}

// RenewOperator implements operator.People.
func (s *DB) RenewOperator(ctx context.Context, r operator.Record, e operator.Entry) error {
	return s.alterOperator(ctx, r.Login, e, func(c conn, was heldPerson, e *operator.Entry) error {
		if !was.DisabledAt.IsZero() {
			e.Was, e.Became = "disabled", "enabled"
		}
		if _, err := c.exec(`UPDATE operators SET password = '', sealed = $1, step = 0, setup_hash = $2, setup_ends = $3, disabled_at = NULL, asked = $4, asked_by = $5
			WHERE login = $6`, r.Sealed, r.SetupHash[:], ms(r.SetupEnds), string(r.Asked), r.AskedBy, r.Login); err != nil {
			return err
		}
		return descend(c, r.Login, e.Person)
	})
}

// EnrolOperator implements operator.People.
func (s *DB) EnrolOperator(ctx context.Context, r operator.Record, in operator.Session, e operator.Entry) error {
	return s.alterOperator(ctx, r.Login, e, func(c conn, was heldPerson, _ *operator.Entry) error {
		if was.SetupHash != r.SetupHash || was.SetupEnds.IsZero() || !e.At.Before(was.SetupEnds) || was.Closed() {
			return fmt.Errorf("the set-up was used or replaced, or has ended: %w", central.ErrState)
		}
		if _, err := c.exec(`UPDATE operators SET password = $1, step = $2, setup_hash = NULL, setup_ends = NULL WHERE login = $3`, r.Password, r.Step, r.Login); err != nil {
			return err
		}
		return forgetTries(c, r.Login)
	}, in)
}

// SetOperatorPassword implements operator.People.
func (s *DB) SetOperatorPassword(ctx context.Context, was, is operator.Record, in operator.Session, e operator.Entry) error {
	return s.alterOperator(ctx, is.Login, e, func(c conn, now heldPerson, _ *operator.Entry) error {
		if now.Password != was.Password || now.Step >= is.Step || !now.DisabledAt.IsZero() {
			return fmt.Errorf("the password or the second factor was used meanwhile: %w", central.ErrState)
		}
		if _, err := c.exec(`UPDATE operators SET password = $1, step = $2 WHERE login = $3`, is.Password, is.Step, is.Login); err != nil {
			return err
		}
		return forgetTries(c, is.Login)
	}, in)
}

// ResealOperator implements operator.People.
func (s *DB) ResealOperator(ctx context.Context, login string, was, is []byte) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE operators SET sealed = $1 WHERE login = $2 AND sealed = $3`, is, login, was)
		if err == nil && changed == 0 {
			err = central.ErrState
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("seal the second factor of %s anew: %w", login, err)
	}
	return nil
}

// forgetTries forgets the wrong tries of a name that was right.
func forgetTries(c conn, name string) error {
	_, err := c.exec(`DELETE FROM operator_tries WHERE name = $1`, name)
	return err
}

// triesKept is how long wrong tries are remembered: longer than any wait.
const triesKept = 24 * time.Hour

// TryOperator implements operator.Tries. Some names that were not tried for long are
// forgotten on the way, more than one call adds.
func (s *DB) TryOperator(ctx context.Context, name string, now time.Time, wait func(failures int) time.Duration) (left time.Duration, err error) {
	err = s.write(ctx, func(c conn) error {
		left = 0
		if _, err := c.exec(`DELETE FROM operator_tries WHERE name IN (
			SELECT name FROM operator_tries WHERE at < $1 ORDER BY at LIMIT $2`+c.dialect.skipLocked+`)`, ms(now.Add(-triesKept)), purgeLimit); err != nil {
			return err
		}
		if _, err := c.exec(`INSERT INTO operator_tries (name, failures, at) VALUES ($1, 0, $2) ON CONFLICT (name) DO NOTHING`, name, ms(now)); err != nil {
			return err
		}
		var failures int
		var until time.Time
		if err := c.one(`SELECT failures, until FROM operator_tries WHERE name = $1`+c.dialect.hold, []any{name}, &failures, moment{&until}); err != nil {
			return err
		}
		if until.After(now) {
			// A clock that was set back keeps nobody out for longer.
			left = min(until.Sub(now), wait(failures))
			return nil
		}
		failures++
		until = time.Time{}
		if pause := wait(failures); pause > 0 {
			until = now.Add(pause)
		}
		_, err := c.exec(`UPDATE operator_tries SET failures = $1, until = $2, at = $3 WHERE name = $4`, failures, ms(until), ms(now), name)
		return err
	})
	if err != nil {
		return 0, errors.Join(errors.New("count a try to sign in"), err)
	}
	return left, nil
}
