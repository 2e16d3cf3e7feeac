package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/op"
)

// Aggregator is a company that vendors belong to.
type Aggregator = accounts.Aggregator

// Seed is the first content of a database, such as the parties of the sandbox.
type Seed struct {
	Aggregators []Aggregator
	Vendors     []central.Vendor
	Merchants   []central.Merchant // created now, where CreatedAt is zero
	Clients     []central.Client
	// KYC are service-KYC records of onboarded merchants; created now, where CreatedAt is
	// zero. An APPROVED one allows transactions of its merchant.
	KYC []central.ServiceKYC
}

// Seed adds the parties and records whose id the database does not have, and changes no
// others. It is one transaction.
func (s Accounts) Seed(ctx context.Context, seed Seed) error {
	now := time.Now()
	return s.task("seed the database").change(ctx, func(c conn) error {
		for _, a := range seed.Aggregators {
			if _, err := c.exec(`INSERT INTO aggregators (id, legal_name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`,
				a.ID, a.LegalName); err != nil {
				return fmt.Errorf("aggregator %s: %w", a.ID, err)
			}
		}
		for _, v := range seed.Vendors {
			if _, err := c.exec(`INSERT INTO vendors (id, legal_name, aggregator, active) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`,
				v.ID, v.LegalName, orNull(v.Aggregator), v.Active); err != nil {
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
		for _, record := range seed.KYC {
			if err := seedKYC(c, record, now); err != nil {
				return fmt.Errorf("the %s onboarding of merchant %s: %w", record.Service, record.Merchant, err)
			}
		}
		for _, x := range seed.Clients {
			if err := seedClient(c, x); err != nil {
				return fmt.Errorf("client %s: %w", x.ID, err)
			}
		}
		return nil
	})
}

func seedMerchant(c conn, m central.Merchant) error {
	if m.TID != "" {
		// So that no terminal gets its number at the same time.
		if _, err := c.exec(`UPDATE counters SET value = value WHERE name = 'terminal'`); err != nil {
			return err
		}
	}
	added, err := insertMerchant(c, m)
	if err != nil || added == 0 || m.TID == "" {
		return err
	}
	return c.refuseRow(fmt.Errorf("a terminal has its number %s: %w", m.TID, central.ErrTaken), `SELECT 1 FROM terminals WHERE tid = $1`, m.TID)
}

// insertMerchant adds a merchant unless its id is known, and returns how many it added.
func insertMerchant(c conn, m central.Merchant) (int64, error) {
	account := settlementAccountOf(m)
	callback, err := callbackOf(m)
	if err != nil {
		return 0, err
	}
	return c.exec(`INSERT INTO merchants (`+merchantColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) ON CONFLICT (id) DO NOTHING`,
		m.ID, orNull(m.MID), m.LegalName, orNull(m.Vendor), m.Status, m.HasInfo, m.AEPSReady,
		orNull(m.TID), m.Mobile, m.CreatedAt, m.AppID, m.RiskFlag, m.Active, m.VPA, m.MCC,
		account[0], account[1], account[2], account[3], callback[0], callback[1], m.Address)
}

func seedKYC(c conn, record central.ServiceKYC, now time.Time) error {
	if record.CreatedAt.IsZero() {
		record.CreatedAt = now
	}
	if record.UpdatedAt.IsZero() {
		record.UpdatedAt = record.CreatedAt
	}
	added, err := c.exec(`INSERT INTO service_kyc (merchant, service, state, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (merchant, service) DO NOTHING`,
		record.Merchant, record.Service, record.State, record.CreatedAt, record.UpdatedAt)
	if err != nil || added == 0 || record.State != central.KYCApproved {
		return err
	}
	return markAEPSReady(c, record.Merchant, record.Service)
}

func seedClient(c conn, x central.Client) error {
	p := x.Principal
	if p.Role != op.Merchant && p.Role != op.Vendor && p.Role != op.Aggregator {
		return fmt.Errorf("a client can't have the role %q", p.Role)
	}
	_, err := c.exec(`INSERT INTO clients (id, secret_hash, role, merchant, vendor, aggregator, active)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING`,
		x.ID, x.SecretHash, p.Role, orNull(p.Merchant), orNull(p.Vendor), orNull(p.Aggregator), x.Active)
	return err
}
