package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/accounts"
)

// AddEnrolmentCode implements central.Terminals. central.ErrNotFound: there is no such
// merchant. central.ErrTaken: the code exists already.
func (s Terminals) AddEnrolmentCode(ctx context.Context, codeHash [32]byte, merchant central.MerchantID, by central.Credential, at, expires time.Time) error {
	return s.change(ctx, func(c conn) error {
		if err := lockCodeIssuers(c, merchant, by); err != nil {
			return err
		}
		// Codes that expired unused are of no use.
		if _, err := c.exec(`DELETE FROM enrolment_codes WHERE hash IN (
			SELECT hash FROM enrolment_codes WHERE used_at IS NULL AND expires_at <= $1 ORDER BY expires_at LIMIT $2`+c.dialect.skipLocked+`)`,
			ms(at), purgeLimit); err != nil {
			return err
		}
		return c.changeRow(central.ErrTaken, `INSERT INTO enrolment_codes (hash, merchant, client, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT (hash) DO NOTHING`, codeHash[:], string(merchant), orNull(by.Client), ms(at), ms(expires))
	}, "record an enrolment code")
}

// lockCodeIssuers locks all whose suspension ends a code, and checks that none of them is
// suspended. A later suspension waits, and then finds the code. Every change locks in one
// order: vendor, merchant, client.
func lockCodeIssuers(c conn, merchant central.MerchantID, by central.Credential) error {
	if by.Client != "" {
		var vendor central.VendorID
		err := c.one(`SELECT vendor FROM clients WHERE id = $1`, []any{by.Client}, scanOptional[central.VendorID]{&vendor})
		if err == nil && vendor != "" {
			err = c.requireRow(central.ErrState, `SELECT 1 FROM vendors WHERE id = $1 AND active = 1`+c.dialect.forUpdate, string(vendor))
		}
		if errors.Is(err, central.ErrNotFound) {
			err = central.ErrCredentialRevoked
		}
		if err != nil {
			return fmt.Errorf("client %s: %w", by.Client, err)
		}
	}
	var status string
	err := c.one(`SELECT status FROM merchants WHERE id = $1`+c.dialect.forUpdate, []any{string(merchant)}, &status)
	if err == nil && status != string(central.MerchantApproved) {
		err = central.ErrState
	}
	if err != nil {
		return fmt.Errorf("merchant %s: %w", merchant, err)
	}
	if by.Client == "" {
		return nil
	}
	err = c.requireRow(central.ErrCredentialRevoked, `SELECT 1 FROM clients WHERE id = $1 AND active = 1 AND generation = $2`+c.dialect.forUpdate, by.Client, by.Generation)
	if err != nil {
		return fmt.Errorf("client %s: %w", by.Client, err)
	}
	return nil
}

// EnrolTerminal implements central.Terminals. The terminal belongs to the merchant of the
// code and gets the next free TID. A code is valid before its last millisecond.
func (s Terminals) EnrolTerminal(ctx context.Context, codeHash [32]byte, t central.Terminal) (central.Terminal, error) {
	return update(ctx, s.connection, func(c conn) (central.Terminal, error) { return enrol(c, codeHash, t) }, "enrol terminal %s", t.ID)
}

func enrol(c conn, codeHash [32]byte, t central.Terminal) (central.Terminal, error) {
	err := c.one(`SELECT merchant, client FROM enrolment_codes WHERE hash = $1 AND used_at IS NULL AND expires_at > $2`,
		[]any{codeHash[:], ms(t.CreatedAt)}, &t.Merchant, scanOptional[string]{&t.Client})
	if err == nil {
		t.TID, err = nextTID(c)
	}
	if err != nil {
		return t, err
	}
	t.CreatedAt, t.RevokedAt, t.SeenAt = truncateToMillis(t.CreatedAt), time.Time{}, time.Time{}
	if _, err := c.exec(`INSERT INTO terminals (id, merchant, name, tid, public_key, client, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(t.ID), string(t.Merchant), t.Name, t.TID, t.PublicKey, orNull(t.Client), ms(t.CreatedAt)); err != nil {
		return t, err
	}
	return t, c.changeRow(central.ErrNotFound, `UPDATE enrolment_codes SET used_at = $1, terminal = $2 WHERE hash = $3 AND used_at IS NULL`,
		ms(t.CreatedAt), string(t.ID), codeHash[:])
}

// The terminals at the bank network are numbered in five digits; the first
// hundred are for merchants' own.
const (
	tidFormat = "GAL%05d"
	lastTID   = 99_999
)

// nextTID allots the next number that no terminal and no merchant has.
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
	err = row.Scan(&t.ID, &t.Merchant, &t.Name, &t.TID, &t.PublicKey, scanOptional[string]{&t.Client},
		scanTime{&t.CreatedAt}, scanTime{&t.RevokedAt}, scanTime{&t.SeenAt})
	return t, err
}

// Terminal implements central.Terminals; central.ErrNotFound if there is none.
func (s Terminals) Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error) {
	return query(ctx, s.connection, func(c conn) (central.Terminal, error) {
		return firstRow(c, scanTerminal, `SELECT `+terminalColumns+` FROM terminals WHERE id = $1`, string(id))
	}, "read terminal %s", id)
}

// TerminalsOf implements central.Terminals, revoked ones included.
func (s Terminals) TerminalsOf(ctx context.Context, merchant central.MerchantID) ([]central.Terminal, error) {
	return query(ctx, s.connection, func(c conn) ([]central.Terminal, error) {
		return allRows(c, scanTerminal, `SELECT `+terminalColumns+` FROM terminals WHERE merchant = $1 ORDER BY created_at, id`, string(merchant))
	}, "list the terminals of merchant %s", merchant)
}

// RevokeTerminal implements central.Terminals; central.ErrNotFound if there is none. The
// first time is kept.
func (s Terminals) RevokeTerminal(ctx context.Context, id central.TerminalID, at time.Time) error {
	return s.change(ctx, func(c conn) error {
		if err := c.changeRow(central.ErrNotFound, `UPDATE terminals SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`, ms(at), string(id)); err != nil {
			return err
		}
		return c.notify(central.TerminalTopic(id))
	}, "revoke terminal %s", id)
}

// SpendToken implements central.Terminals. Ids are kept for an hour after their tokens
// expire. Each call removes a few older ones.
func (s Terminals) SpendToken(ctx context.Context, id string, expires time.Time) error {
	now := time.Now()
	return s.change(ctx, func(c conn) error {
		if err := c.changeRow(central.ErrTaken, `INSERT INTO spent_tokens (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, id, ms(expires)); err != nil {
			return err
		}
		_, err := c.exec(`DELETE FROM spent_tokens WHERE id IN (
			SELECT id FROM spent_tokens WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`+c.dialect.skipLocked+`)`,
			ms(now.Add(-tokenMargin)), purgeLimit)
		return err
	}, "record a token as spent")
}

// TerminalKeys implements accounts.TerminalKeyStore.
func (s Terminals) TerminalKeys(ctx context.Context, after central.TerminalID, limit int) ([]accounts.TerminalKey, error) {
	return query(ctx, s.connection, func(c conn) ([]accounts.TerminalKey, error) {
		return allRows(c, func(row row) (k accounts.TerminalKey, err error) {
			err = row.Scan(&k.ID, &k.PublicKey)
			return k, err
		}, `SELECT id, public_key FROM terminals WHERE id > $1 AND revoked_at IS NULL ORDER BY id LIMIT $2`, string(after), limit)
	}, "list the terminals' keys")
}
