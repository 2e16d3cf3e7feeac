package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/parties"
	"galla/shared/op"
)

// Aggregator is a company that vendors belong to.
type Aggregator = parties.Aggregator

// Seed is what a new database begins with, such as the sandbox's parties.
type Seed struct {
	Aggregators []Aggregator
	Vendors     []central.Vendor
	Merchants   []central.Merchant // created now, where CreatedAt is zero
	Clients     []central.Client
	// KYC are service-KYC records of merchants that are onboarded already;
	// created now, where CreatedAt is zero. An APPROVED one lets its merchant
	// transact.
	KYC []central.ServiceKYC
}

// Seed adds the parties and records that the database does not have; those that
// it has, by their id, stay as they are. Only what an older program could not
// record of a merchant is filled in where it is empty: AppID, VPA, MCC,
// Settlement and Callback. It is one transaction.
func (s *DB) Seed(ctx context.Context, seed Seed) error {
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
	if err != nil {
		return fmt.Errorf("seed the database: %w", err)
	}
	return nil
}

func seedMerchant(c conn, m central.Merchant) error {
	if m.TID != "" {
		// So that no terminal is given its number meanwhile.
		if _, err := c.exec(`UPDATE counters SET value = value WHERE name = 'terminal'`); err != nil {
			return err
		}
	}
	added, err := insertMerchant(c, m)
	if err != nil {
		return err
	}
	if added == 0 {
		return fillMerchant(c, m)
	}
	if m.TID == "" {
		return nil
	}
	taken, err := c.exists(`SELECT 1 FROM terminals WHERE tid = $1`, m.TID)
	if err == nil && taken {
		err = fmt.Errorf("a terminal has its number %s: %w", m.TID, central.ErrTaken)
	}
	return err
}

// insertMerchant adds a merchant whose id is not known, and tells how many it
// added.
func insertMerchant(c conn, m central.Merchant) (int64, error) {
	account := settlementOf(m)
	callback, err := callbackOf(m)
	if err != nil {
		return 0, err
	}
	return c.exec(`INSERT INTO merchants (`+merchantColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) ON CONFLICT (id) DO NOTHING`,
		string(m.ID), ref(m.MID), m.LegalName, ref(m.Vendor), string(m.Status), bit(m.HasInfo), bit(m.AEPSReady),
		ref(m.TID), m.Mobile, ms(m.CreatedAt), m.AppID, int64(m.RiskFlag), bit(m.Active), m.VPA, m.MCC,
		account[0], account[1], account[2], account[3], callback[0], callback[1])
}

// fillMerchant records of a known merchant what the database does not have.
func fillMerchant(c conn, m central.Merchant) error {
	account := settlementOf(m)
	callback, err := callbackOf(m)
	if err != nil {
		return err
	}
	if _, err := c.exec(`UPDATE merchants SET app_id = CASE WHEN app_id = '' THEN $1 ELSE app_id END,
			vpa = CASE WHEN vpa = '' THEN $2 ELSE vpa END, mcc = CASE WHEN mcc = '' THEN $3 ELSE mcc END WHERE id = $4`,
		m.AppID, m.VPA, m.MCC, string(m.ID)); err != nil {
		return err
	}
	if m.Settlement != nil {
		if _, err := c.exec(`UPDATE merchants SET settlement_last4 = $1, settlement_ifsc = $2, settlement_bank = $3, settlement_holder = $4
			WHERE id = $5 AND settlement_last4 IS NULL`, account[0], account[1], account[2], account[3], string(m.ID)); err != nil {
			return err
		}
	}
	if m.Callback == nil {
		return nil
	}
	_, err = c.exec(`UPDATE merchants SET callback_url = $1, callback_events = $2 WHERE id = $3 AND callback_url IS NULL`,
		callback[0], callback[1], string(m.ID))
	return err
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
		string(record.Merchant), string(record.Service), string(record.State), ms(record.CreatedAt), ms(record.UpdatedAt))
	if err != nil || added == 0 || record.State != central.KYCApproved {
		return err
	}
	return markReady(c, record.Merchant, record.Service)
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
