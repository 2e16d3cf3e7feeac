package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/op"
)

// ClientsOf implements accounts.Clients, at most 1000.
func (s Accounts) ClientsOf(ctx context.Context, p central.Principal, at time.Time) ([]accounts.Client, error) {
	return listRows(ctx, s.task("list the programs of %s", p.Caller()), func(row row, x *accounts.Client) error {
		var newest, former accounts.ClientSecret
		var hash string
		err := row.Scan(&x.ID, &x.Active, &x.CreatedAt, &x.SecretAt, &newest.No, &hash, &former.No, &former.CreatedAt, &former.EndsAt, &x.Terminals, &x.OpenCodes)
		newest.CreatedAt = x.SecretAt
		x.Secrets = liveSecrets(newest, former, hash, at)
		return err
	},
		`SELECT id, active, created_at, secret_at, secret_no, former_hash, former_no, former_at, former_ends_at,
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
		if err := c.changeRow(central.ErrNotFound, `UPDATE clients SET secret_hash = $1, secret_at = $2, generation = generations + 1, generations = generations + 1,
				secret_no = secrets + 1, secrets = secrets + 1, former_hash = NULL WHERE id = $3 AND party = $4`,
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

// clientSecrets locks a party's client and reads its secrets that are live at a time, the
// newest first.
func clientSecrets(c conn, p central.Principal, id string, at time.Time) ([]accounts.ClientSecret, error) {
	var newest, former accounts.ClientSecret
	var hash string
	err := c.one(`SELECT secret_no, secret_at, former_hash, former_no, former_at, former_ends_at FROM clients WHERE id = $1 AND party = $2`+c.dialect.forUpdate,
		[]any{id, p.Caller()}, &newest.No, &newest.CreatedAt, &hash, &former.No, &former.CreatedAt, &former.EndsAt)
	if err != nil {
		return nil, err
	}
	return liveSecrets(newest, former, hash, at), nil
}

// liveSecrets are the newest secret, and the former one if it has a hash and has not ended.
func liveSecrets(newest, former accounts.ClientSecret, hash string, at time.Time) []accounts.ClientSecret {
	if (central.FormerSecret{Hash: hash, EndsAt: former.EndsAt}).Live(at) {
		return []accounts.ClientSecret{newest, former}
	}
	return []accounts.ClientSecret{newest}
}

// AddClientSecret implements accounts.Clients.
func (s Accounts) AddClientSecret(ctx context.Context, p central.Principal, id, hash string, at, formerEnds time.Time) (int64, error) {
	return update(ctx, s.task("add a secret to client %s", id), func(c conn) (no int64, err error) {
		live, err := clientSecrets(c, p, id, at)
		if err != nil {
			return 0, err
		}
		if len(live) >= accounts.MaxLiveSecrets {
			return 0, fmt.Errorf("the client has %d live secrets, the most that are allowed: end one first: %w", len(live), central.ErrState)
		}
		err = c.one(`UPDATE clients SET former_no = secret_no, former_hash = secret_hash, former_generation = generation, former_at = secret_at, former_ends_at = $1,
				secret_hash = $2, secret_at = $3, generation = generations + 1, generations = generations + 1, secret_no = secrets + 1, secrets = secrets + 1
			WHERE id = $4 RETURNING secret_no`, []any{formerEnds, hash, at, id}, &no)
		if err != nil {
			return 0, err
		}
		return no, c.raise(topicAccounts)
	})
}

// EndClientSecret implements accounts.Clients.
func (s Accounts) EndClientSecret(ctx context.Context, p central.Principal, id string, no int64, at, ends time.Time) (voided int, err error) {
	return update(ctx, s.task("end secret %d of client %s", no, id), func(c conn) (int, error) {
		live, err := clientSecrets(c, p, id, at)
		if err != nil {
			return 0, err
		}
		which := slices.IndexFunc(live, func(x accounts.ClientSecret) bool { return x.No == no })
		later := ends.After(at)
		switch {
		case which < 0:
			return 0, central.ErrNotFound
		case len(live) == 1:
			return 0, fmt.Errorf("it is the client's only secret: add another first: %w", central.ErrState)
		case which == 0 && later:
			return 0, fmt.Errorf("the newest secret can't have a planned end: end it at once, or add another first: %w", central.ErrState)
		case later:
			_, err = c.exec(`UPDATE clients SET former_ends_at = $1 WHERE id = $2`, ends, id)
		case which == 0:
			// The number of generations grows, so no cache takes its tokens for newer than it knows.
			_, err = c.exec(`UPDATE clients SET secret_no = former_no, secret_hash = former_hash, generation = former_generation, secret_at = former_at,
				generations = generations + 1, former_hash = NULL WHERE id = $1`, id)
		default:
			_, err = c.exec(`UPDATE clients SET former_hash = NULL WHERE id = $1`, id)
		}
		voided := 0
		if err == nil && !later {
			voided, err = deleteOpenCodes(c, id, at)
		}
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
		change := `UPDATE clients SET active = 1 WHERE id = $1 AND active = 0`
		if !active {
			// A suspension gives the secrets new generations: what it ended stays ended.
			change = `UPDATE clients SET active = 0, generation = generations + 1,
				former_generation = generations + 2, generations = generations + CASE WHEN former_hash IS NULL THEN 1 ELSE 2 END WHERE id = $1 AND active = 1`
		}
		if err := c.changeRow(central.ErrState, change, id); err != nil {
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
				settlement_last4 = $7, settlement_ifsc = $8, settlement_bank = $9, settlement_holder = $10, address = $11 WHERE id = $12`,
			is.LegalName, is.Mobile, orNull(is.Vendor), is.AppID, is.VPA, is.MCC, account[0], account[1], account[2], account[3], is.Address, was.ID)
		if err == nil && is.Vendor != was.Vendor {
			// What waits for the former vendor is none of its business any more.
			err = redirectCallbacks(c, was.ID, time.Now())
		}
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
