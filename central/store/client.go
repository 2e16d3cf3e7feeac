package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/op"
)

// ClientsOf implements accounts.Clients, at most 1000.
func (s Accounts) ClientsOf(ctx context.Context, p central.Principal, at time.Time) ([]accounts.Client, error) {
	return listRows(ctx, s.task("list the programs of %s", p.Caller()), func(row row, x *accounts.Client) error {
		return row.Scan(&x.ID, &x.Active, &x.CreatedAt, &x.SecretAt, &x.Terminals, &x.OpenCodes)
	},
		`SELECT id, active, created_at, secret_at,
			(SELECT count(*) FROM terminals t WHERE t.client = clients.id AND t.revoked_at IS NULL),
			(SELECT count(*) FROM enrolment_codes e WHERE e.client = clients.id AND e.used_at IS NULL AND e.expires_at > $1)
		FROM clients WHERE party = $2 ORDER BY id LIMIT $3`, at, p.Caller(), maxRows)
}

// lockParty locks the party of a client; central.ErrNotFound if there is none.
func lockParty(c conn, p central.Principal) error {
	switch p.Role {
	case op.Merchant:
		return c.requireRow(central.ErrNotFound, `SELECT 1 FROM merchants WHERE id = $1`+c.dialect.forUpdate, p.Merchant)
	case op.Vendor:
		return c.requireRow(central.ErrNotFound, `SELECT 1 FROM vendors WHERE id = $1`+c.dialect.forUpdate, p.Vendor)
	case op.Aggregator:
		return c.requireRow(central.ErrNotFound, `SELECT 1 FROM aggregators WHERE id = $1`+c.dialect.forUpdate, p.Aggregator)
	}
	return fmt.Errorf("a client can't have the role %q", p.Role)
}

// AddClient implements accounts.Clients.
func (s Accounts) AddClient(ctx context.Context, x central.Client, at time.Time) error {
	return s.task("record client %s", x.ID).change(ctx, func(c conn) error {
		if err := lockParty(c, x.Principal); err != nil {
			return err
		}
		err := c.refuseRow(central.ErrTaken, `SELECT 1 FROM clients WHERE id = $1`, x.ID)
		if err == nil {
			err = checkClientLimit(c, x.Principal)
		}
		if err != nil {
			return err
		}
		p := x.Principal
		_, err = c.exec(`INSERT INTO clients (id, secret_hash, role, merchant, vendor, aggregator, active, created_at, secret_at)
			VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $7)`, x.ID, x.SecretHash, p.Role, orNull(p.Merchant), orNull(p.Vendor), orNull(p.Aggregator), at)
		return err
	})
}

// checkClientLimit refuses a live client above the limit of a party, which is locked.
func checkClientLimit(c conn, p central.Principal) error {
	var live int
	err := c.one(`SELECT count(*) FROM clients WHERE party = $1 AND active = 1`, []any{p.Caller()}, &live)
	if err == nil && live >= accounts.MaxLiveClients {
		err = accounts.ErrManyClients
	}
	return err
}

// SetClientSecret implements accounts.Clients.
func (s Accounts) SetClientSecret(ctx context.Context, p central.Principal, id, hash string, at time.Time) (voided int, err error) {
	return update(ctx, s.task("change the secret of client %s", id), func(c conn) (int, error) {
		if err := c.changeRow(central.ErrNotFound, `UPDATE clients SET secret_hash = $1, secret_at = $2, generation = generation + 1 WHERE id = $3 AND party = $4`,
			hash, at, id, p.Caller()); err != nil {
			return 0, err
		}
		voided, err := deleteOpenCodes(c, id, at)
		if err != nil {
			return 0, err
		}
		return voided, c.raise(topicAccounts)
	})
}

// deleteOpenCodes deletes the open enrolment codes of a client, and counts them. The
// client's row was changed before: adding a code locks it.
func deleteOpenCodes(c conn, client string, at time.Time) (int, error) {
	n, err := c.exec(`DELETE FROM enrolment_codes WHERE client = $1 AND used_at IS NULL AND expires_at > $2`, client, at)
	if err != nil {
		return 0, err
	}
	// A code that has expired by this node's clock may not have by another's.
	_, err = c.exec(`DELETE FROM enrolment_codes WHERE client = $1 AND used_at IS NULL`, client)
	return int(n), err
}

// SetClientActive implements accounts.Clients.
func (s Accounts) SetClientActive(ctx context.Context, p central.Principal, id string, active bool, at time.Time) (voided int, err error) {
	return update(ctx, s.task("enable or disable client %s", id), func(c conn) (int, error) {
		if err := lockParty(c, p); err != nil {
			return 0, err
		}
		if err := c.requireRow(central.ErrNotFound, `SELECT 1 FROM clients WHERE id = $1 AND party = $2`, id, p.Caller()); err != nil {
			return 0, err
		}
		if active {
			if err := checkClientLimit(c, p); err != nil {
				return 0, err
			}
		}
		// A suspension starts a new generation: what it ended stays ended.
		if err := c.changeRow(central.ErrState, `UPDATE clients SET active = $1, generation = generation + 1 - $1 WHERE id = $2 AND active <> $1`,
			active, id); err != nil {
			return 0, err
		}
		if !active {
			voided, err = deleteOpenCodes(c, id, at)
		}
		if err != nil {
			return 0, err
		}
		return voided, c.raise(topicAccounts)
	})
}

// ChangeMerchant implements accounts.PartyChanges.
func (s Accounts) ChangeMerchant(ctx context.Context, was, is central.Merchant) error {
	return s.task("change merchant %s", was.ID).change(ctx, func(c conn) error {
		if is.Vendor != "" && is.Vendor != was.Vendor {
			if err := lockVendor(c, is.Vendor); err != nil {
				return err
			}
		}
		now, err := firstRow(c, scanMerchant, `SELECT `+merchantColumns+` FROM merchants WHERE id = $1`+c.dialect.forUpdate, was.ID)
		if err == nil && accounts.FieldsOf(now).Version() != accounts.FieldsOf(was).Version() {
			err = fmt.Errorf("it was changed meanwhile: %w", central.ErrState)
		}
		if err != nil {
			return err
		}
		account := settlementAccountOf(is)
		_, err = c.exec(`UPDATE merchants SET legal_name = $1, mobile = $2, vendor = $3, app_id = $4, vpa = $5, mcc = $6,
				settlement_last4 = $7, settlement_ifsc = $8, settlement_bank = $9, settlement_holder = $10 WHERE id = $11`,
			is.LegalName, is.Mobile, orNull(is.Vendor), is.AppID, is.VPA, is.MCC, account[0], account[1], account[2], account[3], was.ID)
		if err != nil {
			return err
		}
		return c.raise(topicAccounts)
	})
}

// ChangeVendor implements accounts.PartyChanges.
func (s Accounts) ChangeVendor(ctx context.Context, was, is central.Vendor) error {
	return s.task("change vendor %s", was.ID).change(ctx, func(c conn) error {
		if is.Aggregator != was.Aggregator {
			if err := c.requireRow(central.ErrNotFound, `SELECT 1 FROM aggregators WHERE id = $1`, is.Aggregator); err != nil {
				return err
			}
		}
		err := c.changeKnown(`SELECT 1 FROM vendors WHERE id = $1`, was.ID,
			`UPDATE vendors SET legal_name = $1, aggregator = $2 WHERE id = $3 AND legal_name = $4 AND coalesce(aggregator, '') = $5`,
			is.LegalName, orNull(is.Aggregator), was.ID, was.LegalName, was.Aggregator)
		if err != nil {
			return err
		}
		return c.raise(topicAccounts)
	})
}

// ChangeAggregator implements accounts.PartyChanges.
func (s Accounts) ChangeAggregator(ctx context.Context, was, is accounts.Aggregator) error {
	return s.task("change aggregator %s", was.ID).change(ctx, func(c conn) error {
		return c.changeKnown(`SELECT 1 FROM aggregators WHERE id = $1`, was.ID,
			`UPDATE aggregators SET legal_name = $1 WHERE id = $2 AND legal_name = $3`, is.LegalName, was.ID, was.LegalName)
	})
}
