package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/operator"
)

// descentOf reads who an account descends from.
func descentOf(c conn, login string) (operator.Descent, error) {
	d := operator.Descent{All: map[string]bool{}, Alone: map[string]bool{}}
	err := c.each(`SELECT ancestor, alone FROM operator_descent WHERE login = $1`, []any{login}, func(row row) error {
		var ancestor string
		var alone int
		if err := row.Scan(&ancestor, &alone); err != nil {
			return err
		}
		d.All[ancestor] = true
		if alone == 1 {
			d.Alone[ancestor] = true
		}
		return nil
	})
	return d, err
}

// Descent implements operator.People.
func (s *DB) Descent(ctx context.Context, login string) (d operator.Descent, err error) {
	err = s.read(ctx, func(c conn) (err error) {
		d, err = descentOf(c, login)
		return err
	})
	if err != nil {
		return operator.Descent{}, fmt.Errorf("read who %s descends from: %w", login, err)
	}
	return d, nil
}

// descend records that somebody handed out an account's set-up code, and could use
// it alone until a second one approves; nobody: it was done at the machine.
func descend(c conn, login, by string) error {
	if by == "" {
		_, err := c.exec(`DELETE FROM operator_descent WHERE login = $1`, login)
		return err
	}
	from, err := descentOf(c, by)
	if err != nil {
		return err
	}
	if _, err := c.exec(`UPDATE operator_descent SET alone = 0 WHERE login = $1`, login); err != nil {
		return err
	}
	from.All[by], from.Alone[by] = true, true
	for ancestor := range from.All {
		if err := addDescent(c, login, ancestor, from.Alone[ancestor]); err != nil {
			return err
		}
	}
	return nil
}

// approved records that a second one approved an account: alone are from now on only
// those who could have done both; nobody: it was approved at the machine.
func approved(c conn, login, by string) error {
	if by == "" {
		_, err := c.exec(`UPDATE operator_descent SET alone = 0 WHERE login = $1`, login)
		return err
	}
	from, err := descentOf(c, by)
	if err != nil {
		return err
	}
	was, err := descentOf(c, login)
	if err != nil {
		return err
	}
	from.All[by], from.Alone[by] = true, true
	for ancestor := range was.All {
		from.All[ancestor] = true
	}
	for ancestor := range from.All {
		if err := addDescent(c, login, ancestor, was.Alone[ancestor] && from.Alone[ancestor]); err != nil {
			return err
		}
	}
	return nil
}

func addDescent(c conn, login, ancestor string, alone bool) error {
	if login == ancestor {
		return nil
	}
	flag := 0
	if alone {
		flag = 1
	}
	_, err := c.exec(`INSERT INTO operator_descent (login, ancestor, alone) VALUES ($1, $2, $3)
		ON CONFLICT (login, ancestor) DO UPDATE SET alone = excluded.alone`, login, ancestor, flag)
	return err
}

// ApproveOperator implements operator.People.
func (s *DB) ApproveOperator(ctx context.Context, was operator.Record, e operator.Entry) error {
	return s.alterOperator(ctx, was.Login, e, func(c conn, now heldPerson, _ *operator.Entry) error {
		if now.Asked == operator.AskNothing || now.Asked != was.Asked || now.AskedBy != was.AskedBy || now.SetupHash != was.SetupHash {
			return fmt.Errorf("something else is asked for by now: %w", central.ErrState)
		}
		role := now.Role
		if now.Asked == operator.AskRole {
			role = operator.Admin
		}
		if _, err := c.exec(`UPDATE operators SET asked = '', asked_by = '', role = $1 WHERE login = $2`, string(role), was.Login); err != nil {
			return err
		}
		if now.Asked == operator.AskRole {
			return nil // whose access it is stays as it was
		}
		return approved(c, was.Login, e.Person)
	})
}

// ProveOperatorSession implements operator.Sessions.
func (s *DB) ProveOperatorSession(ctx context.Context, in operator.Session, step int64, at time.Time, e operator.Entry) error {
	err := s.write(ctx, func(c conn) error {
		now, err := holdOperator(c, in.Login)
		if err != nil {
			return err
		}
		if now.Step >= step || !now.DisabledAt.IsZero() || now.Closed() {
			return central.ErrState
		}
		proven, err := c.exec(`UPDATE operator_sessions SET proven_at = $1 WHERE hash = $2 AND login = $3`, ms(at), in.Hash[:], in.Login)
		if err != nil {
			return err
		}
		if proven == 0 {
			return central.ErrState
		}
		if _, err := c.exec(`UPDATE operators SET step = $1 WHERE login = $2`, step, in.Login); err != nil {
			return err
		}
		if err := forgetTries(c, in.Tried); err != nil {
			return err
		}
		return addTrail(c, e)
	})
	if err != nil {
		return fmt.Errorf("prove a session of %s: %w", in.Login, err)
	}
	return nil
}
