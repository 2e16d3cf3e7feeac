package store

import (
	"context"
	"strings"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/op"
)

// likePattern is a pattern for LIKE, escaped by '!', for a part of a text.
func likePattern(part string) string {
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(part)) + "%"
}

// MerchantsBy implements accounts.Parties, at most 1000.
func (s Accounts) MerchantsBy(ctx context.Context, f accounts.Filter) ([]central.Merchant, error) {
	return query(ctx, s.connection, func(c conn) ([]central.Merchant, error) {
		return allRows(c, scanMerchant, `SELECT `+merchantColumns+` FROM merchants
			WHERE (legal_name, id) > ($1, $2) AND ($3 = '' OR status = $3) AND ($4 = '' OR vendor = $4)
				AND ($5 = '' OR id = $5 OR mid = $5 OR mobile = $5 OR lower(legal_name) LIKE $6 ESCAPE '!')
			ORDER BY legal_name, id LIMIT $7`,
			f.AfterName, f.AfterID, string(f.Status), string(f.Vendor), f.Text, likePattern(f.Text), clampLimit(f.Limit))
	}, "list merchants")
}

// VendorsBy implements accounts.Parties, at most 1000.
func (s Accounts) VendorsBy(ctx context.Context, f accounts.Filter) ([]central.Vendor, error) {
	return query(ctx, s.connection, func(c conn) ([]central.Vendor, error) {
		return allRows(c, scanVendor, `SELECT id, legal_name, aggregator, active FROM vendors
			WHERE (legal_name, id) > ($1, $2) AND ($3 = '' OR id = $3 OR lower(legal_name) LIKE $4 ESCAPE '!')
			ORDER BY legal_name, id LIMIT $5`, f.AfterName, f.AfterID, f.Text, likePattern(f.Text), clampLimit(f.Limit))
	}, "list vendors")
}

func scanVendor(row row) (v central.Vendor, err error) {
	err = row.Scan(&v.ID, &v.LegalName, scanOptional[central.AggregatorID]{&v.Aggregator}, scanBool{&v.Active})
	return v, err
}

// Aggregators implements accounts.Parties.
func (s Accounts) Aggregators(ctx context.Context) ([]accounts.Aggregator, error) {
	return query(ctx, s.connection, func(c conn) ([]accounts.Aggregator, error) {
		return allRows(c, func(row row) (a accounts.Aggregator, err error) {
			err = row.Scan(&a.ID, &a.LegalName)
			return a, err
		}, `SELECT id, legal_name FROM aggregators ORDER BY id LIMIT $1`, maxRows)
	}, "list aggregators")
}

// AddMerchant implements accounts.Parties.
func (s Accounts) AddMerchant(ctx context.Context, m central.Merchant) (central.Merchant, error) {
	m.CreatedAt = truncateToMillis(m.CreatedAt)
	return update(ctx, s.connection, func(c conn) (central.Merchant, error) {
		taken, err := c.exists(`SELECT 1 FROM merchants WHERE id = $1 UNION ALL SELECT 1 FROM merchants WHERE mid = $2 LIMIT 1`, string(m.ID), m.MID)
		if err == nil && taken {
			err = central.ErrTaken
		}
		if err == nil && m.Vendor != "" {
			err = lockVendor(c, m.Vendor)
		}
		added := m
		if err == nil {
			added.TID, err = nextTID(c)
		}
		if err == nil {
			_, err = insertMerchant(c, added)
		}
		return added, err
	}, "add merchant %s", m.ID)
}

// SetMerchantStatus implements accounts.Parties.
func (s Accounts) SetMerchantStatus(ctx context.Context, id central.MerchantID, from, to central.MerchantStatus) error {
	return s.change(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE merchants SET status = $1, active = $2 WHERE id = $3 AND status = $4`,
			string(to), boolInt(to == central.MerchantApproved), string(id), string(from))
		if err == nil && changed == 0 {
			err = c.missingOr(central.ErrState, `SELECT 1 FROM merchants WHERE id = $1`, string(id))
		}
		if err != nil || to == central.MerchantApproved {
			return err
		}
		_, err = c.exec(`DELETE FROM enrolment_codes WHERE merchant = $1 AND used_at IS NULL`, string(id))
		return err
	}, "change merchant %s from %s to %s", id, from, to)
}

// AddVendor implements accounts.Parties.
func (s Accounts) AddVendor(ctx context.Context, v central.Vendor) error {
	return s.change(ctx, func(c conn) error {
		if v.Aggregator != "" {
			if err := c.requireRow(central.ErrNotFound, `SELECT 1 FROM aggregators WHERE id = $1`, string(v.Aggregator)); err != nil {
				return err
			}
		}
		return c.changeRow(central.ErrTaken, `INSERT INTO vendors (id, legal_name, aggregator, active) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`,
			string(v.ID), v.LegalName, orNull(v.Aggregator), boolInt(v.Active))
	}, "add vendor %s", v.ID)
}

// SetVendorActive implements accounts.Parties.
func (s Accounts) SetVendorActive(ctx context.Context, id central.VendorID, active bool) error {
	return s.change(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE vendors SET active = $1 WHERE id = $2 AND active <> $1`, boolInt(active), string(id))
		if err == nil && changed == 0 {
			err = c.missingOr(central.ErrState, `SELECT 1 FROM vendors WHERE id = $1`, string(id))
		}
		if err != nil || active {
			return err
		}
		_, err = c.exec(`DELETE FROM enrolment_codes WHERE used_at IS NULL AND client IN (SELECT id FROM clients WHERE party = $1)`,
			central.Principal{Role: op.Vendor, Vendor: id}.Caller())
		return err
	}, "enable or disable vendor %s", id)
}

// AddAggregator implements accounts.Parties.
func (s Accounts) AddAggregator(ctx context.Context, a accounts.Aggregator) error {
	return s.change(ctx, func(c conn) error {
		return c.changeRow(central.ErrTaken, `INSERT INTO aggregators (id, legal_name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, string(a.ID), a.LegalName)
	}, "add aggregator %s", a.ID)
}

// AddFloatReading implements accounts.FloatReadings.
func (s Accounts) AddFloatReading(ctx context.Context, r accounts.FloatReading) error {
	return s.change(ctx, func(c conn) error {
		_, err := c.exec(`INSERT INTO float_readings (aggregator, at, balance, source) VALUES ($1, $2, $3, $4) ON CONFLICT (aggregator, at) DO NOTHING`,
			string(r.Aggregator), ms(r.At), int64(r.Balance), r.Source)
		return err
	}, "record a reading of the float of %s", r.Aggregator)
}

// FloatReadingsSince implements accounts.FloatReadings, at most 1000.
func (s Accounts) FloatReadingsSince(ctx context.Context, a central.AggregatorID, from time.Time, limit int) ([]accounts.FloatReading, error) {
	return query(ctx, s.connection, func(c conn) ([]accounts.FloatReading, error) {
		return allRows(c, func(row row) (r accounts.FloatReading, err error) {
			err = row.Scan(&r.Aggregator, scanTime{&r.At}, &r.Balance, &r.Source)
			return r, err
		}, `SELECT aggregator, at, balance, source FROM float_readings WHERE aggregator = $1 AND at >= $2 ORDER BY at DESC LIMIT $3`,
			string(a), ms(from), clampLimit(limit))
	}, "list the readings of the float of %s", a)
}

// HourCounts implements accounts.Statistics. It reads all operations of the time that move
// money.
func (s Accounts) HourCounts(ctx context.Context, from, to time.Time) ([]accounts.HourCount, error) {
	return query(ctx, s.connection, func(c conn) ([]accounts.HourCount, error) {
		return allRows(c, func(row row) (x accounts.HourCount, err error) {
			err = row.Scan(&x.Hour, &x.Kind, &x.State, &x.Count, &x.Sum)
			return x, err
		}, `SELECT hour, kind, state, count(*), CAST(sum(amount) AS BIGINT) FROM (
				SELECT (created_at - $1) / 3600000 AS hour, kind, state, amount FROM operations
				WHERE amount > 0 AND created_at >= $1 AND created_at < $2
			) AS figures GROUP BY hour, kind, state ORDER BY hour, kind, state`, ms(from), ms(to))
	}, "sum the operations of a day")
}

// LatencyCounts implements accounts.Statistics. It reads the same operations as HourCounts.
func (s Accounts) LatencyCounts(ctx context.Context, from, to time.Time) ([]accounts.LatencyCount, error) {
	return query(ctx, s.connection, func(c conn) ([]accounts.LatencyCount, error) {
		return allRows(c, func(row row) (x accounts.LatencyCount, err error) {
			err = row.Scan(&x.IIN, &x.Step, &x.Count)
			return x, err
		}, `SELECT iin, step, count(*) FROM (
				SELECT iin, CASE WHEN pending_reference IS NOT NULL THEN -1 WHEN finished_at - sent_at >= 60000 THEN 600
					ELSE (finished_at - sent_at) / 100 END AS step FROM operations
				WHERE amount > 0 AND created_at >= $1 AND created_at < $2 AND sent_at IS NOT NULL AND (finished_at IS NOT NULL OR pending_reference IS NOT NULL)
			) AS figures GROUP BY iin, step ORDER BY iin, step`, ms(from), ms(to))
	}, "count the banks' answers of a day")
}
