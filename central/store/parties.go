package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"galla/central"
	"galla/central/parties"
	"galla/shared/op"
)

var _ parties.Store = (*DB)(nil)

// like makes a pattern for LIKE, escaped by '!', of a part of a text.
func like(part string) string {
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(part)) + "%"
}

// MerchantsBy implements parties.Roll, at most 1000.
func (s *DB) MerchantsBy(ctx context.Context, f parties.Filter) (list []central.Merchant, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.merchants(`SELECT `+merchantColumns+` FROM merchants
			WHERE (legal_name, id) > ($1, $2) AND ($3 = '' OR status = $3) AND ($4 = '' OR vendor = $4)
				AND ($5 = '' OR id = $5 OR mid = $5 OR mobile = $5 OR lower(legal_name) LIKE $6 ESCAPE '!')
			ORDER BY legal_name, id LIMIT $7`,
			f.AfterName, f.AfterID, string(f.Status), string(f.Vendor), f.Text, like(f.Text), bounded(f.Limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list merchants: %w", err)
	}
	return list, nil
}

// VendorsBy implements parties.Roll, at most 1000.
func (s *DB) VendorsBy(ctx context.Context, f parties.Filter) (list []central.Vendor, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		return c.each(`SELECT id, legal_name, aggregator, active FROM vendors
			WHERE (legal_name, id) > ($1, $2) AND ($3 = '' OR id = $3 OR lower(legal_name) LIKE $4 ESCAPE '!')
			ORDER BY legal_name, id LIMIT $5`, []any{f.AfterName, f.AfterID, f.Text, like(f.Text), bounded(f.Limit)},
			func(row row) error {
				var v central.Vendor
				err := row.Scan(&v.ID, &v.LegalName, optional[central.AggregatorID]{&v.Aggregator}, truth{&v.Active})
				list = append(list, v)
				return err
			})
	})
	if err != nil {
		return nil, fmt.Errorf("list vendors: %w", err)
	}
	return list, nil
}

// Aggregators implements parties.Roll.
func (s *DB) Aggregators(ctx context.Context) (list []parties.Aggregator, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		return c.each(`SELECT id, legal_name FROM aggregators ORDER BY id LIMIT $1`, []any{maxRows}, func(row row) error {
			var a parties.Aggregator
			err := row.Scan(&a.ID, &a.LegalName)
			list = append(list, a)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list aggregators: %w", err)
	}
	return list, nil
}

// AddMerchant implements parties.Roll.
func (s *DB) AddMerchant(ctx context.Context, m central.Merchant) (central.Merchant, error) {
	m.CreatedAt = cut(m.CreatedAt)
	err := s.write(ctx, func(c conn) error {
		taken, err := c.exists(`SELECT 1 FROM merchants WHERE id = $1 UNION ALL SELECT 1 FROM merchants WHERE mid = $2 LIMIT 1`, string(m.ID), m.MID)
		if err == nil && taken {
			err = central.ErrTaken
		}
		if err == nil && m.Vendor != "" {
			err = holdVendor(c, m.Vendor)
		}
		if err == nil {
			m.TID, err = nextTID(c)
		}
		if err != nil {
			return err
		}
		_, err = insertMerchant(c, m)
		return err
	})
	if err != nil {
		return central.Merchant{}, fmt.Errorf("enter merchant %s: %w", m.ID, err)
	}
	return m, nil
}

// SetMerchantStatus implements parties.Roll.
func (s *DB) SetMerchantStatus(ctx context.Context, id central.MerchantID, from, to central.MerchantStatus) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE merchants SET status = $1, active = $2 WHERE id = $3 AND status = $4`,
			string(to), bit(to == central.MerchantApproved), string(id), string(from))
		if err == nil && changed == 0 {
			err = absentOr(c, central.ErrState, `SELECT 1 FROM merchants WHERE id = $1`, string(id))
		}
		if err != nil || to == central.MerchantApproved {
			return err
		}
		_, err = c.exec(`DELETE FROM enrolment_codes WHERE merchant = $1 AND used_at IS NULL`, string(id))
		return err
	})
	if err != nil {
		return fmt.Errorf("move merchant %s from %s to %s: %w", id, from, to, err)
	}
	return nil
}

// absentOr gives the error where a statement finds something, and
// central.ErrNotFound where it does not.
func absentOr(c conn, otherwise error, statement string, args ...any) error {
	known, err := c.exists(statement, args...)
	switch {
	case err != nil:
		return err
	case !known:
		return central.ErrNotFound
	}
	return otherwise
}

// AddVendor implements parties.Roll.
func (s *DB) AddVendor(ctx context.Context, v central.Vendor) error {
	err := s.write(ctx, func(c conn) error {
		if v.Aggregator != "" {
			if err := absentOr(c, nil, `SELECT 1 FROM aggregators WHERE id = $1`, string(v.Aggregator)); err != nil {
				return err
			}
		}
		added, err := c.exec(`INSERT INTO vendors (id, legal_name, aggregator, active) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`,
			string(v.ID), v.LegalName, ref(v.Aggregator), bit(v.Active))
		if err == nil && added == 0 {
			err = central.ErrTaken
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("enter vendor %s: %w", v.ID, err)
	}
	return nil
}

// SetVendorActive implements parties.Roll.
func (s *DB) SetVendorActive(ctx context.Context, id central.VendorID, active bool) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE vendors SET active = $1 WHERE id = $2 AND active <> $1`, bit(active), string(id))
		if err == nil && changed == 0 {
			err = absentOr(c, central.ErrState, `SELECT 1 FROM vendors WHERE id = $1`, string(id))
		}
		if err != nil || active {
			return err
		}
		_, err = c.exec(`DELETE FROM enrolment_codes WHERE used_at IS NULL AND client IN (SELECT id FROM clients WHERE party = $1)`,
			central.Principal{Role: op.Vendor, Vendor: id}.Caller())
		return err
	})
	if err != nil {
		return fmt.Errorf("let vendor %s call, or not: %w", id, err)
	}
	return nil
}

// AddAggregator implements parties.Roll.
func (s *DB) AddAggregator(ctx context.Context, a parties.Aggregator) error {
	err := s.write(ctx, func(c conn) error {
		added, err := c.exec(`INSERT INTO aggregators (id, legal_name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, string(a.ID), a.LegalName)
		if err == nil && added == 0 {
			err = central.ErrTaken
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("enter aggregator %s: %w", a.ID, err)
	}
	return nil
}

// AddReading implements parties.Readings.
func (s *DB) AddReading(ctx context.Context, r parties.Reading) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(`INSERT INTO float_readings (aggregator, at, balance, source) VALUES ($1, $2, $3, $4) ON CONFLICT (aggregator, at) DO NOTHING`,
			string(r.Aggregator), ms(r.At), int64(r.Balance), r.Source)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep a reading of the float of %s: %w", r.Aggregator, err)
	}
	return nil
}

// ReadingsSince implements parties.Readings, at most 1000.
func (s *DB) ReadingsSince(ctx context.Context, a central.AggregatorID, from time.Time, limit int) (list []parties.Reading, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		return c.each(`SELECT aggregator, at, balance, source FROM float_readings WHERE aggregator = $1 AND at >= $2 ORDER BY at DESC LIMIT $3`,
			[]any{string(a), ms(from), bounded(limit)}, func(row row) error {
				var r parties.Reading
				err := row.Scan(&r.Aggregator, moment{&r.At}, &r.Balance, &r.Source)
				list = append(list, r)
				return err
			})
	})
	if err != nil {
		return nil, fmt.Errorf("list the readings of the float of %s: %w", a, err)
	}
	return list, nil
}

// Tallies implements parties.Figures. It reads every operation of the time that
// moves money.
func (s *DB) Tallies(ctx context.Context, from, to time.Time) (list []parties.Tally, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		return c.each(`SELECT hour, kind, state, count(*), CAST(sum(amount) AS BIGINT) FROM (
				SELECT (created_at - $1) / 3600000 AS hour, kind, state, amount FROM operations
				WHERE amount > 0 AND created_at >= $1 AND created_at < $2
			) AS figures GROUP BY hour, kind, state ORDER BY hour, kind, state`, []any{ms(from), ms(to)}, func(row row) error {
			var t parties.Tally
			var hour, count int64
			err := row.Scan(&hour, &t.Kind, &t.State, &count, &t.Sum)
			t.Hour, t.Count = int(hour), int(count)
			list = append(list, t)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sum the operations of a day: %w", err)
	}
	return list, nil
}

// Paces implements parties.Figures. It reads what Tallies reads.
func (s *DB) Paces(ctx context.Context, from, to time.Time) (list []parties.Pace, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		return c.each(`SELECT iin, step, count(*) FROM (
				SELECT iin, CASE WHEN pending_reference IS NOT NULL THEN -1 WHEN settled_at - dispatched_at >= 60000 THEN 600
					ELSE (settled_at - dispatched_at) / 100 END AS step FROM operations
				WHERE amount > 0 AND created_at >= $1 AND created_at < $2 AND dispatched_at IS NOT NULL AND (settled_at IS NOT NULL OR pending_reference IS NOT NULL)
			) AS figures GROUP BY iin, step ORDER BY iin, step`, []any{ms(from), ms(to)}, func(row row) error {
			var p parties.Pace
			var step, count int64
			err := row.Scan(&p.IIN, &step, &count)
			p.Step, p.Count = int(step), int(count)
			list = append(list, p)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("count the banks' answers of a day: %w", err)
	}
	return list, nil
}
