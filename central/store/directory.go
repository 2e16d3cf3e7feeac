package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/shared/op"
)

// Client implements central.Directory; central.ErrNotFound if there is none.
func (s *SQLite) Client(ctx context.Context, clientID string) (central.Client, error) {
	x := central.Client{ID: clientID}
	err := s.read(ctx, func(c conn) error {
		return c.one(`SELECT secret_hash, role, merchant, vendor, aggregator, active FROM clients WHERE id = $1`,
			[]any{clientID}, &x.SecretHash, &x.Principal.Role,
			optional[central.MerchantID]{&x.Principal.Merchant},
			optional[central.VendorID]{&x.Principal.Vendor},
			optional[central.AggregatorID]{&x.Principal.Aggregator}, &x.Active)
	})
	if err != nil {
		return central.Client{}, fmt.Errorf("read an OAuth client: %w", err)
	}
	return x, nil
}

// Merchant implements central.Directory; central.ErrNotFound if there is none.
func (s *SQLite) Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error) {
	m := central.Merchant{ID: id}
	err := s.read(ctx, func(c conn) error {
		return c.one(`SELECT mid, legal_name, vendor, status, has_info, aeps_ready, tid, mobile, created_at
			FROM merchants WHERE id = $1`, []any{string(id)},
			optional[string]{&m.MID}, &m.LegalName, optional[central.VendorID]{&m.Vendor}, &m.Status,
			&m.HasInfo, &m.AEPSReady, optional[string]{&m.TID}, &m.Mobile, moment{&m.CreatedAt})
	})
	if err != nil {
		return central.Merchant{}, fmt.Errorf("read merchant %s: %w", id, err)
	}
	return m, nil
}

// Vendor implements central.Directory; central.ErrNotFound if there is none.
func (s *SQLite) Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error) {
	v := central.Vendor{ID: id}
	err := s.read(ctx, func(c conn) error {
		return c.one(`SELECT legal_name, aggregator, active FROM vendors WHERE id = $1`, []any{string(id)},
			&v.LegalName, optional[central.AggregatorID]{&v.Aggregator}, &v.Active)
	})
	if err != nil {
		return central.Vendor{}, fmt.Errorf("read vendor %s: %w", id, err)
	}
	return v, nil
}

// Aggregator is a company that vendors belong to.
type Aggregator struct {
	ID        central.AggregatorID
	LegalName string
}

// Seed is what a new database begins with, such as the sandbox's parties.
type Seed struct {
	Aggregators []Aggregator
	Vendors     []central.Vendor
	Merchants   []central.Merchant // created now, where CreatedAt is zero
	Clients     []central.Client
}

// Seed adds the parties that the database does not have; those that it has,
// by their id, stay as they are. It is one transaction.
func (s *SQLite) Seed(ctx context.Context, seed Seed) error {
	now := time.Now()
	err := s.write(ctx, func(c conn) error {
		for _, a := range seed.Aggregators {
			if _, err := c.exec(`INSERT INTO aggregators (id, legal_name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`,
				string(a.ID), a.LegalName); err != nil {
				return fmt.Errorf("aggregator %s: %w", a.ID, err)
			}
		}
		for _, v := range seed.Vendors {
			if _, err := c.exec(`INSERT INTO vendors (id, legal_name, aggregator, active) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`,
				string(v.ID), v.LegalName, ref(v.Aggregator), bit(v.Active)); err != nil {
				return fmt.Errorf("vendor %s: %w", v.ID, err)
			}
		}
		for _, m := range seed.Merchants {
			if m.CreatedAt.IsZero() {
				m.CreatedAt = now
			}
			if err := seedMerchant(c, m); err != nil {
				return fmt.Errorf("merchant %s: %w", m.ID, err)
			}
		}
		for _, x := range seed.Clients {
			if err := seedClient(c, x); err != nil {
				return fmt.Errorf("client %s: %w", x.ID, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("seed the database: %w", err)
	}
	return nil
}

func seedMerchant(c conn, m central.Merchant) error {
	added, err := c.exec(`INSERT INTO merchants (id, mid, legal_name, vendor, status, has_info, aeps_ready, tid, mobile, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING`,
		string(m.ID), ref(m.MID), m.LegalName, ref(m.Vendor), string(m.Status), bit(m.HasInfo), bit(m.AEPSReady),
		ref(m.TID), m.Mobile, ms(m.CreatedAt))
	if err != nil || added == 0 || m.TID == "" {
		return err
	}
	taken, err := c.exists(`SELECT 1 FROM terminals WHERE tid = $1`, m.TID)
	if err == nil && taken {
		err = fmt.Errorf("a terminal has its number %s: %w", m.TID, central.ErrTaken)
	}
	return err
}

func seedClient(c conn, x central.Client) error {
	p := x.Principal
	if p.Role != op.Merchant && p.Role != op.Vendor && p.Role != op.Aggregator {
		return fmt.Errorf("role %q is none that a client can have", p.Role)
	}
	_, err := c.exec(`INSERT INTO clients (id, secret_hash, role, merchant, vendor, aggregator, active)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING`,
		x.ID, x.SecretHash, string(p.Role), ref(p.Merchant), ref(p.Vendor), ref(p.Aggregator), bit(x.Active))
	return err
}
