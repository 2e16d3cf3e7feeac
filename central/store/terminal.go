package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/accounts"
)

// AddEnrolmentCode implements central.Terminals. central.ErrNotFound: there is no such
// merchant. central.ErrTaken: the code exists already.
func (s Terminals) AddEnrolmentCode(ctx context.Context, codeHash [32]byte, merchant central.MerchantID, by central.Credential, at, expires time.Time) error {
	return s.task("record an enrolment code").change(ctx, func(c conn) error {
		if err := lockCodeIssuers(c, merchant, by, at); err != nil {
			return err
		}
		// Codes that expired unused are of no use.
		if _, err := c.exec(`DELETE FROM enrolment_codes WHERE hash IN (
			SELECT hash FROM enrolment_codes WHERE used_at IS NULL AND expires_at <= $1 ORDER BY expires_at LIMIT $2`+c.dialect.skipLocked+`)`,
			at, purgeLimit); err != nil {
			return err
		}
		return c.changeRow(central.ErrTaken, `INSERT INTO enrolment_codes (hash, merchant, client, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT (hash) DO NOTHING`, codeHash[:], merchant, orNull(by.Client), at, expires)
	})
}

// lockCodeIssuers locks all whose suspension ends a code, and checks that none of them is
// suspended. A later suspension waits, and then finds the code. Every change locks in one
// order: vendor, merchant, client.
func lockCodeIssuers(c conn, merchant central.MerchantID, by central.Credential, at time.Time) error {
	if by.Client != "" {
		var vendor central.VendorID
		err := c.one(`SELECT vendor FROM clients WHERE id = $1`, []any{by.Client}, &vendor)
		if err == nil && vendor != "" {
			err = c.requireRow(central.ErrState, `SELECT 1 FROM vendors WHERE id = $1 AND active = 1`+c.dialect.forUpdate, vendor)
		}
		if err := instead(err, central.ErrNotFound, central.ErrCredentialRevoked); err != nil {
			return fmt.Errorf("client %s: %w", by.Client, err)
		}
	}
	var status string
	err := c.one(`SELECT status FROM merchants WHERE id = $1`+c.dialect.forUpdate, []any{merchant}, &status)
	if err == nil && status != string(central.MerchantApproved) {
		err = central.ErrState
	}
	if err != nil {
		return fmt.Errorf("merchant %s: %w", merchant, err)
	}
	if by.Client == "" {
		return nil
	}
	err = c.requireRow(central.ErrCredentialRevoked, `SELECT 1 FROM clients WHERE id = $1 AND active = 1 AND (generation = $2 OR
			former_generation = $2 AND former_hash IS NOT NULL AND (former_ends_at IS NULL OR former_ends_at > $3))`+c.dialect.forUpdate, by.Client, by.Generation, at)
	if err != nil {
		return fmt.Errorf("client %s: %w", by.Client, err)
	}
	return nil
}

// EnrolTerminal implements central.Terminals. The terminal belongs to the merchant of the
// code and gets the next free TID. A code is valid before its last millisecond.
func (s Terminals) EnrolTerminal(ctx context.Context, codeHash [32]byte, t central.Terminal) (central.Terminal, error) {
	return update(ctx, s.task("enrol terminal %s", t.ID), func(c conn) (central.Terminal, error) { return enrol(c, codeHash, t) })
}

func enrol(c conn, codeHash [32]byte, t central.Terminal) (central.Terminal, error) {
	err := c.one(`SELECT merchant, client FROM enrolment_codes WHERE hash = $1 AND used_at IS NULL AND expires_at > $2`,
		[]any{codeHash[:], t.CreatedAt}, &t.Merchant, &t.Client)
	if err == nil {
		t.TID, err = nextTID(c)
	}
	if err != nil {
		return t, err
	}
	t.CreatedAt, t.RevokedAt, t.SeenAt = truncateToMillis(t.CreatedAt), time.Time{}, time.Time{}
	if _, err := c.exec(`INSERT INTO terminals (id, merchant, name, tid, public_key, client, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		t.ID, t.Merchant, t.Name, t.TID, t.PublicKey, orNull(t.Client), t.CreatedAt); err != nil {
		return t, err
	}
	return t, c.changeRow(central.ErrNotFound, `UPDATE enrolment_codes SET used_at = $1, terminal = $2 WHERE hash = $3 AND used_at IS NULL`,
		t.CreatedAt, t.ID, codeHash[:])
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

func scanTerminal(row row, t *central.Terminal) error {
	return row.Scan(&t.ID, &t.Merchant, &t.Name, &t.TID, &t.PublicKey, &t.Client,
		&t.CreatedAt, &t.RevokedAt, &t.SeenAt)
}

// Terminal implements central.Terminals; central.ErrNotFound if there is none.
func (s Terminals) Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error) {
	return oneRow(ctx, s.task("read terminal %s", id), scanTerminal, `SELECT `+terminalColumns+` FROM terminals WHERE id = $1`, id)
}

// TerminalsOf implements central.Terminals, revoked ones included.
func (s Terminals) TerminalsOf(ctx context.Context, merchant central.MerchantID) ([]central.Terminal, error) {
	return listRows(ctx, s.task("list the terminals of merchant %s", merchant), scanTerminal,
		`SELECT `+terminalColumns+` FROM terminals WHERE merchant = $1 ORDER BY created_at, id`, merchant)
}

// RevokeTerminal implements central.Terminals; central.ErrNotFound if there is none. The
// first time is kept.
func (s Terminals) RevokeTerminal(ctx context.Context, id central.TerminalID, at time.Time) error {
	return s.task("revoke terminal %s", id).change(ctx, func(c conn) error {
		if err := c.changeRow(central.ErrNotFound, `UPDATE terminals SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`, at, id); err != nil {
			return err
		}
		if err := c.notify(central.TerminalTopic(id)); err != nil {
			return err
		}
		return c.raise(topicAccounts)
	})
}

// TerminalKeys implements accounts.TerminalKeyStore.
func (s Terminals) TerminalKeys(ctx context.Context, after central.TerminalID, limit int) ([]accounts.TerminalKey, error) {
	return listRows(ctx, s.task("list the terminals' keys"), func(row row, k *accounts.TerminalKey) error { return row.Scan(&k.ID, &k.PublicKey) },
		`SELECT id, public_key FROM terminals WHERE id > $1 AND revoked_at IS NULL ORDER BY id LIMIT $2`, after, limit)
}
