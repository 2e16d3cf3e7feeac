package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
)

// AddCode implements central.Terminals. central.ErrNotFound: no such merchant;
// central.ErrTaken: the code was given out before.
func (s *DB) AddCode(ctx context.Context, codeHash [32]byte, merchant central.MerchantID, by central.Credential, at, expires time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if err := holdMinters(c, merchant, by); err != nil {
			return err
		}
		// A code that nobody used in time says nothing to anybody any more.
		if _, err := c.exec(`DELETE FROM enrolment_codes WHERE hash IN (
			SELECT hash FROM enrolment_codes WHERE used_at IS NULL AND expires_at <= $1 ORDER BY expires_at LIMIT $2`+c.dialect.skipLocked+`)`,
			ms(at), purgeLimit); err != nil {
			return err
		}
		added, err := c.exec(`INSERT INTO enrolment_codes (hash, merchant, client, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT (hash) DO NOTHING`, codeHash[:], string(merchant), ref(by.Client), ms(at), ms(expires))
		if err == nil && added == 0 {
			err = central.ErrTaken
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("record an enrolment code: %w", err)
	}
	return nil
}

// holdMinters holds everybody whose suspension ends a code, and sees that none of
// them is suspended: a suspension that comes later waits, and then finds the code.
// They are held in one order, vendor, merchant and client, by every change.
func holdMinters(c conn, merchant central.MerchantID, by central.Credential) error {
	if by.Client != "" {
		var vendor central.VendorID
		err := c.one(`SELECT vendor FROM clients WHERE id = $1`, []any{by.Client}, optional[central.VendorID]{&vendor})
		if err == nil && vendor != "" {
			err = insteadOf(c, central.ErrState, `SELECT 1 FROM vendors WHERE id = $1 AND active = 1`+c.dialect.hold, string(vendor))
		}
		if errors.Is(err, central.ErrNotFound) {
			err = central.ErrVoid
		}
		if err != nil {
			return fmt.Errorf("client %s: %w", by.Client, err)
		}
	}
	var status string
	err := c.one(`SELECT status FROM merchants WHERE id = $1`+c.dialect.hold, []any{string(merchant)}, &status)
	if err == nil && status != string(central.MerchantApproved) {
		err = central.ErrState
	}
	if err != nil {
		return fmt.Errorf("merchant %s: %w", merchant, err)
	}
	if by.Client == "" {
		return nil
	}
	err = insteadOf(c, central.ErrVoid, `SELECT 1 FROM clients WHERE id = $1 AND active = 1 AND generation = $2`+c.dialect.hold, by.Client, by.Generation)
	if err != nil {
		return fmt.Errorf("client %s: %w", by.Client, err)
	}
	return nil
}

// insteadOf gives the error where a statement finds nothing.
func insteadOf(c conn, otherwise error, statement string, args ...any) error {
	found, err := c.exists(statement, args...)
	if err == nil && !found {
		err = otherwise
	}
	return err
}

// Enrol implements central.Terminals. The terminal's merchant is the code's,
// and its TID the next free one; a code is good before its last millisecond.
func (s *DB) Enrol(ctx context.Context, codeHash [32]byte, t central.Terminal) (central.Terminal, error) {
	err := s.write(ctx, func(c conn) error { return enrol(c, codeHash, &t) })
	if err != nil {
		return central.Terminal{}, fmt.Errorf("enrol terminal %s: %w", t.ID, err)
	}
	return t, nil
}

func enrol(c conn, codeHash [32]byte, t *central.Terminal) error {
	if err := c.one(`SELECT merchant, client FROM enrolment_codes WHERE hash = $1 AND used_at IS NULL AND expires_at > $2`,
		[]any{codeHash[:], ms(t.CreatedAt)}, &t.Merchant, optional[string]{&t.Client}); err != nil {
		return err
	}
	tid, err := nextTID(c)
	if err != nil {
		return err
	}
	t.TID, t.CreatedAt, t.RevokedAt, t.SeenAt = tid, cut(t.CreatedAt), time.Time{}, time.Time{}
	if _, err := c.exec(`INSERT INTO terminals (id, merchant, name, tid, public_key, client, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(t.ID), string(t.Merchant), t.Name, t.TID, t.PublicKey, ref(t.Client), ms(t.CreatedAt)); err != nil {
		return err
	}
	used, err := c.exec(`UPDATE enrolment_codes SET used_at = $1, terminal = $2 WHERE hash = $3 AND used_at IS NULL`,
		ms(t.CreatedAt), string(t.ID), codeHash[:])
	if err == nil && used == 0 {
		err = central.ErrNotFound
	}
	return err
}

// The terminals at the bank network are numbered in five digits; the first
// hundred are for merchants' own.
const (
	tidFormat = "GAL%05d"
	lastTID   = 99_999
)

// nextTID allots the next number that neither a terminal nor a merchant has.
func nextTID(c conn) (string, error) {
	for {
		var n int64
		if err := c.one(`UPDATE counters SET value = value + 1 WHERE name = 'terminal' RETURNING value - 1`, nil, &n); err != nil {
			return "", fmt.Errorf("count terminals: %w", err)
		}
		if n > lastTID {
			return "", fmt.Errorf("all terminal numbers up to "+tidFormat+" are allotted: the bank network must grant another range", lastTID)
		}
		tid := fmt.Sprintf(tidFormat, n)
		taken, err := c.exists(`SELECT 1 FROM terminals WHERE tid = $1 UNION ALL SELECT 1 FROM merchants WHERE tid = $1 LIMIT 1`, tid)
		if err != nil {
			return "", err
		}
		if !taken {
			return tid, nil
		}
	}
}

const terminalColumns = `id, merchant, name, tid, public_key, client, created_at, revoked_at, seen_at`

func scanTerminal(row row) (t central.Terminal, err error) {
	err = row.Scan(&t.ID, &t.Merchant, &t.Name, &t.TID, &t.PublicKey, optional[string]{&t.Client},
		moment{&t.CreatedAt}, moment{&t.RevokedAt}, moment{&t.SeenAt})
	return t, err
}

func (s *DB) terminals(ctx context.Context, statement string, args ...any) (list []central.Terminal, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.each(statement, args, func(row row) error {
			t, err := scanTerminal(row)
			list = append(list, t)
			return err
		})
	})
	return list, err
}

// Terminal implements central.Terminals; central.ErrNotFound if there is none.
func (s *DB) Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error) {
	list, err := s.terminals(ctx, `SELECT `+terminalColumns+` FROM terminals WHERE id = $1`, string(id))
	if err == nil && len(list) == 0 {
		err = central.ErrNotFound
	}
	if err != nil {
		return central.Terminal{}, fmt.Errorf("read terminal %s: %w", id, err)
	}
	return list[0], nil
}

// TerminalsOf implements central.Terminals; revoked ones are among them.
func (s *DB) TerminalsOf(ctx context.Context, merchant central.MerchantID) ([]central.Terminal, error) {
	list, err := s.terminals(ctx, `SELECT `+terminalColumns+` FROM terminals WHERE merchant = $1 ORDER BY created_at, id`, string(merchant))
	if err != nil {
		return nil, fmt.Errorf("list the terminals of merchant %s: %w", merchant, err)
	}
	return list, nil
}

// Revoke implements central.Terminals; central.ErrNotFound if there is no such
// terminal. The first moment stays.
func (s *DB) Revoke(ctx context.Context, id central.TerminalID, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if err := touch(c, `UPDATE terminals SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`, id, at); err != nil {
			return err
		}
		return c.ring(central.TerminalBell(id))
	})
	if err != nil {
		return fmt.Errorf("revoke terminal %s: %w", id, err)
	}
	return nil
}

// touch notes a moment at a terminal.
func touch(c conn, statement string, id central.TerminalID, at time.Time) error {
	changed, err := c.exec(statement, ms(at), string(id))
	if err == nil && changed == 0 {
		err = central.ErrNotFound
	}
	return err
}

// SpendToken implements central.Terminals. Ids are remembered for an hour
// beyond their tokens' end; older ones are removed on the way, a few at a time.
func (s *DB) SpendToken(ctx context.Context, id string, expires time.Time) error {
	now := time.Now()
	err := s.write(ctx, func(c conn) error {
		added, err := c.exec(`INSERT INTO spent_tokens (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, id, ms(expires))
		if err != nil {
			return err
		}
		if added == 0 {
			return central.ErrTaken
		}
		_, err = c.exec(`DELETE FROM spent_tokens WHERE id IN (
			SELECT id FROM spent_tokens WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`+c.dialect.skipLocked+`)`,
			ms(now.Add(-tokenMargin)), purgeLimit)
		return err
	})
	if errors.Is(err, central.ErrTaken) {
		return fmt.Errorf("spend a token: %w", err)
	}
	if err != nil {
		return fmt.Errorf("record a token as spent: %w", err)
	}
	return nil
}
