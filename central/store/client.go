package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/parties"
	"galla/shared/op"
)

var _ parties.Clients = (*DB)(nil)

// ClientsOf implements parties.Clients, at most 1000.
func (s *DB) ClientsOf(ctx context.Context, p central.Principal, at time.Time) (list []parties.Client, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		return c.each(`SELECT id, active, created_at, secret_at,
				(SELECT count(*) FROM terminals t WHERE t.client = clients.id AND t.revoked_at IS NULL),
				(SELECT count(*) FROM enrolment_codes e WHERE e.client = clients.id AND e.used_at IS NULL AND e.expires_at > $1)
			FROM clients WHERE party = $2 ORDER BY id LIMIT $3`, []any{ms(at), p.Caller(), maxRows}, func(row row) error {
			var x parties.Client
			var terminals, codes int64
			err := row.Scan(&x.ID, truth{&x.Active}, moment{&x.CreatedAt}, moment{&x.SecretAt}, &terminals, &codes)
			x.Terminals, x.OpenCodes = int(terminals), int(codes)
			list = append(list, x)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list the programs of %s: %w", p.Caller(), err)
	}
	return list, nil
}

// holdParty holds the party of a client, or says that there is none.
func holdParty(c conn, p central.Principal) error {
	switch p.Role {
	case op.Merchant:
		return absentOr(c, nil, `SELECT 1 FROM merchants WHERE id = $1`+c.dialect.hold, string(p.Merchant))
	case op.Vendor:
		return absentOr(c, nil, `SELECT 1 FROM vendors WHERE id = $1`+c.dialect.hold, string(p.Vendor))
	case op.Aggregator:
		return absentOr(c, nil, `SELECT 1 FROM aggregators WHERE id = $1`+c.dialect.hold, string(p.Aggregator))
	}
	return fmt.Errorf("role %q is none that a client can have", p.Role)
}

// AddClient implements parties.Clients.
func (s *DB) AddClient(ctx context.Context, x central.Client, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if err := holdParty(c, x.Principal); err != nil {
			return err
		}
		taken, err := c.exists(`SELECT 1 FROM clients WHERE id = $1`, x.ID)
		if err == nil && taken {
			err = central.ErrTaken
		}
		if err == nil {
			err = roomForClient(c, x.Principal)
		}
		if err != nil {
			return err
		}
		p := x.Principal
		_, err = c.exec(`INSERT INTO clients (id, secret_hash, role, merchant, vendor, aggregator, active, created_at, secret_at)
			VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $7)`, x.ID, x.SecretHash, string(p.Role), ref(p.Merchant), ref(p.Vendor), ref(p.Aggregator), ms(at))
		return err
	})
	if err != nil {
		return fmt.Errorf("record client %s: %w", x.ID, err)
	}
	return nil
}

// roomForClient refuses one live client of a party too many. The party is held.
func roomForClient(c conn, p central.Principal) error {
	var live int
	if err := c.one(`SELECT count(*) FROM clients WHERE party = $1 AND active = 1`, []any{p.Caller()}, &live); err != nil {
		return err
	}
	if live >= parties.MaxLiveClients {
		return parties.ErrManyClients
	}
	return nil
}

// SetClientSecret implements parties.Clients.
func (s *DB) SetClientSecret(ctx context.Context, p central.Principal, id, hash string, at time.Time) (voided int, err error) {
	err = s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE clients SET secret_hash = $1, secret_at = $2, generation = generation + 1 WHERE id = $3 AND party = $4`, hash, ms(at), id, p.Caller())
		if err == nil && changed == 0 {
			err = central.ErrNotFound
		}
		if err != nil {
			return err
		}
		voided, err = voidCodes(c, id, at)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("give client %s another secret: %w", id, err)
	}
	return voided, nil
}

// voidCodes takes back the open enrolment codes that a client made, and counts
// them. The client's row was changed before: who makes a code holds it.
func voidCodes(c conn, client string, at time.Time) (int, error) {
	n, err := c.exec(`DELETE FROM enrolment_codes WHERE client = $1 AND used_at IS NULL AND expires_at > $2`, client, ms(at))
	if err != nil {
		return 0, err
	}
	// Those that are over by this node's clock may not be by another's.
	_, err = c.exec(`DELETE FROM enrolment_codes WHERE client = $1 AND used_at IS NULL`, client)
	return int(n), err
}

// SetClientActive implements parties.Clients.
func (s *DB) SetClientActive(ctx context.Context, p central.Principal, id string, active bool, at time.Time) (voided int, err error) {
	err = s.write(ctx, func(c conn) error {
		voided = 0
		if err := holdParty(c, p); err != nil {
			return err
		}
		if err := absentOr(c, nil, `SELECT 1 FROM clients WHERE id = $1 AND party = $2`, id, p.Caller()); err != nil {
			return err
		}
		if active {
			if err := roomForClient(c, p); err != nil {
				return err
			}
		}
		// A suspension begins another generation: what it ended does not come back.
		changed, err := c.exec(`UPDATE clients SET active = $1, generation = generation + 1 - $1 WHERE id = $2 AND active <> $1`, bit(active), id)
		if err == nil && changed == 0 {
			err = central.ErrState
		}
		if err == nil && !active {
			voided, err = voidCodes(c, id, at)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("let client %s in, or not: %w", id, err)
	}
	return voided, nil
}

// ChangeMerchant implements parties.Changes.
func (s *DB) ChangeMerchant(ctx context.Context, was, is central.Merchant) error {
	err := s.write(ctx, func(c conn) error {
		if is.Vendor != "" && is.Vendor != was.Vendor {
			if err := holdVendor(c, is.Vendor); err != nil {
				return err
			}
		}
		list, err := c.merchants(`SELECT `+merchantColumns+` FROM merchants WHERE id = $1`+c.dialect.hold, string(was.ID))
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return central.ErrNotFound
		case parties.FieldsOf(list[0]).Edition() != parties.FieldsOf(was).Edition():
			return fmt.Errorf("it was changed meanwhile: %w", central.ErrState)
		}
		account := settlementOf(is)
		_, err = c.exec(`UPDATE merchants SET legal_name = $1, mobile = $2, vendor = $3, app_id = $4, vpa = $5, mcc = $6,
				settlement_last4 = $7, settlement_ifsc = $8, settlement_bank = $9, settlement_holder = $10 WHERE id = $11`,
			is.LegalName, is.Mobile, ref(is.Vendor), is.AppID, is.VPA, is.MCC, account[0], account[1], account[2], account[3], string(was.ID))
		return err
	})
	if err != nil {
		return fmt.Errorf("change merchant %s: %w", was.ID, err)
	}
	return nil
}

// ChangeVendor implements parties.Changes.
func (s *DB) ChangeVendor(ctx context.Context, was, is central.Vendor) error {
	err := s.write(ctx, func(c conn) error {
		if is.Aggregator != was.Aggregator {
			if err := absentOr(c, nil, `SELECT 1 FROM aggregators WHERE id = $1`, string(is.Aggregator)); err != nil {
				return err
			}
		}
		changed, err := c.exec(`UPDATE vendors SET legal_name = $1, aggregator = $2 WHERE id = $3 AND legal_name = $4 AND coalesce(aggregator, '') = $5`,
			is.LegalName, ref(is.Aggregator), string(was.ID), was.LegalName, string(was.Aggregator))
		if err == nil && changed == 0 {
			err = absentOr(c, central.ErrState, `SELECT 1 FROM vendors WHERE id = $1`, string(was.ID))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("change vendor %s: %w", was.ID, err)
	}
	return nil
}

// ChangeAggregator implements parties.Changes.
func (s *DB) ChangeAggregator(ctx context.Context, was, is parties.Aggregator) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE aggregators SET legal_name = $1 WHERE id = $2 AND legal_name = $3`, is.LegalName, string(was.ID), was.LegalName)
		if err == nil && changed == 0 {
			err = absentOr(c, central.ErrState, `SELECT 1 FROM aggregators WHERE id = $1`, string(was.ID))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("change aggregator %s: %w", was.ID, err)
	}
	return nil
}
