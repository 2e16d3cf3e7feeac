package store

import (
	"context"
	"strings"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/ist"
	"galla/shared/op"
)

// likePattern is a pattern for LIKE, escaped by '!', for a part of a text.
func likePattern(part string) string {
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(part)) + "%"
}

// MerchantsBy implements accounts.Parties, at most 1000.
func (s Accounts) MerchantsBy(ctx context.Context, f accounts.Filter) ([]central.Merchant, error) {
	return listRows(ctx, s.task("list merchants"), scanMerchant, `SELECT `+merchantColumns+` FROM merchants
		WHERE (legal_name, id) > ($1, $2) AND ($3 = '' OR status = $3) AND ($4 = '' OR vendor = $4)
			AND ($5 = '' OR id = $5 OR mid = $5 OR tid = $5 OR mobile = $5 OR lower(legal_name) LIKE $6 ESCAPE '!')
		ORDER BY legal_name, id LIMIT $7`,
		f.AfterName, f.AfterID, f.Status, f.Vendor, f.Text, likePattern(f.Text), clampLimit(f.Limit))
}

// MerchantsAmong implements accounts.Parties.
func (s Accounts) MerchantsAmong(ctx context.Context, ids []central.MerchantID, f accounts.Filter) ([]central.Merchant, error) {
	return query(ctx, s.task("list %d merchants", len(ids)), func(c conn) ([]central.Merchant, error) {
		return allRows(c, scanMerchant, `SELECT `+merchantColumns+` FROM merchants WHERE id IN (SELECT e.value->>'id' FROM `+c.dialect.eachOf+`)
			AND ($2 = '' OR status = $2) AND ($3 = '' OR vendor = $3)
			AND ($4 = '' OR id = $4 OR mid = $4 OR tid = $4 OR mobile = $4 OR lower(legal_name) LIKE $5 ESCAPE '!')`,
			idList(ids), f.Status, f.Vendor, f.Text, likePattern(f.Text))
	})
}

// VendorsBy implements accounts.Parties, at most 1000.
func (s Accounts) VendorsBy(ctx context.Context, f accounts.Filter) ([]central.Vendor, error) {
	return listRows(ctx, s.task("list vendors"), scanVendor, `SELECT id, legal_name, aggregator, active FROM vendors
		WHERE (legal_name, id) > ($1, $2) AND ($3 = '' OR id = $3 OR lower(legal_name) LIKE $4 ESCAPE '!')
			AND ($5 = '' OR active = CASE $5 WHEN 'active' THEN 1 ELSE 0 END)
		ORDER BY legal_name, id LIMIT $6`, f.AfterName, f.AfterID, f.Text, likePattern(f.Text), f.Active, clampLimit(f.Limit))
}

func scanVendor(row row, v *central.Vendor) error {
	return row.Scan(&v.ID, &v.LegalName, &v.Aggregator, &v.Active)
}

// Aggregators implements accounts.Parties.
func (s Accounts) Aggregators(ctx context.Context) ([]accounts.Aggregator, error) {
	return listRows(ctx, s.task("list aggregators"), func(row row, a *accounts.Aggregator) error { return row.Scan(&a.ID, &a.LegalName) },
		`SELECT id, legal_name FROM aggregators ORDER BY id LIMIT $1`, maxRows)
}

// AddMerchant implements accounts.Parties.
func (s Accounts) AddMerchant(ctx context.Context, m central.Merchant) (central.Merchant, error) {
	m.CreatedAt = truncateToMillis(m.CreatedAt)
	return update(ctx, s.task("add merchant %s", m.ID), func(c conn) (central.Merchant, error) {
		err := c.refuseRow(central.ErrTaken, `SELECT 1 FROM merchants WHERE id = $1 UNION ALL SELECT 1 FROM merchants WHERE mid = $2 LIMIT 1`, m.ID, m.MID)
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
	})
}

// SetMerchantStatus implements accounts.Parties.
func (s Accounts) SetMerchantStatus(ctx context.Context, id central.MerchantID, from, to central.MerchantStatus) error {
	return s.task("change merchant %s from %s to %s", id, from, to).change(ctx, func(c conn) error {
		err := c.changeKnown(`SELECT 1 FROM merchants WHERE id = $1`, id,
			`UPDATE merchants SET status = $1, active = $2 WHERE id = $3 AND status = $4`, to, to == central.MerchantApproved, id, from)
		if err == nil && to != central.MerchantApproved {
			_, err = c.exec(`DELETE FROM enrolment_codes WHERE merchant = $1 AND used_at IS NULL`, id)
		}
		if err != nil {
			return err
		}
		return c.raise(topicAccounts)
	})
}

// AddVendor implements accounts.Parties.
func (s Accounts) AddVendor(ctx context.Context, v central.Vendor) error {
	return s.task("add vendor %s", v.ID).change(ctx, func(c conn) error {
		if v.Aggregator != "" {
			if err := c.requireRow(central.ErrNotFound, `SELECT 1 FROM aggregators WHERE id = $1`, v.Aggregator); err != nil {
				return err
			}
		}
		return c.changeRow(central.ErrTaken, `INSERT INTO vendors (id, legal_name, aggregator, active) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`,
			v.ID, v.LegalName, orNull(v.Aggregator), v.Active)
	})
}

// SetVendorActive implements accounts.Parties.
func (s Accounts) SetVendorActive(ctx context.Context, id central.VendorID, active bool) error {
	return s.task("enable or disable vendor %s", id).change(ctx, func(c conn) error {
		err := c.changeKnown(`SELECT 1 FROM vendors WHERE id = $1`, id, `UPDATE vendors SET active = $1 WHERE id = $2 AND active <> $1`, active, id)
		if err == nil && !active {
			_, err = c.exec(`DELETE FROM enrolment_codes WHERE used_at IS NULL AND client IN (SELECT id FROM clients WHERE party = $1)`,
				central.Principal{Role: op.Vendor, Vendor: id}.Caller())
		}
		if err != nil {
			return err
		}
		return c.raise(topicAccounts)
	})
}

// AddAggregator implements accounts.Parties.
func (s Accounts) AddAggregator(ctx context.Context, a accounts.Aggregator) error {
	return s.task("add aggregator %s", a.ID).changeRow(ctx, central.ErrTaken,
		`INSERT INTO aggregators (id, legal_name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, a.ID, a.LegalName)
}

// AddFloatReading implements accounts.FloatReadings.
func (s Accounts) AddFloatReading(ctx context.Context, r accounts.FloatReading) error {
	return s.task("record a reading of the float of %s", r.Aggregator).exec(ctx,
		`INSERT INTO float_readings (aggregator, at, balance, source) VALUES ($1, $2, $3, $4) ON CONFLICT (aggregator, at) DO NOTHING`,
		r.Aggregator, r.At, r.Balance, r.Source)
}

// FloatReadingsSince implements accounts.FloatReadings, at most 1000.
func (s Accounts) FloatReadingsSince(ctx context.Context, a central.AggregatorID, from time.Time, limit int) ([]accounts.FloatReading, error) {
	return listRows(ctx, s.task("list the readings of the float of %s", a), func(row row, r *accounts.FloatReading) error {
		return row.Scan(&r.Aggregator, &r.At, &r.Balance, &r.Source)
	},
		`SELECT aggregator, at, balance, source FROM float_readings WHERE aggregator = $1 AND at >= $2 ORDER BY at DESC LIMIT $3`,
		a, from, clampLimit(limit))
}

// StoredDay implements accounts.StoredDays.
func (s Accounts) StoredDay(ctx context.Context, day ist.Day) (figures []byte, err error) {
	return oneRow(ctx, s.task("read the figures of %s", day), func(row row, x *[]byte) error { return row.Scan(x) }, `SELECT figures FROM day_figures WHERE day = $1`, day)
}

// StoreDay implements accounts.StoredDays.
func (s Accounts) StoreDay(ctx context.Context, day ist.Day, figures []byte) error {
	return s.task("store the figures of %s", day).exec(ctx, `INSERT INTO day_figures (day, figures) VALUES ($1, $2)
		ON CONFLICT (day) DO UPDATE SET figures = excluded.figures`, day, figures)
}

// StoredSince implements accounts.StoredDays, at most 1000.
func (s Accounts) StoredSince(ctx context.Context, from ist.Day) ([]ist.Day, error) {
	return listRows(ctx, s.task("list the days with figures since %s", from), scanValue[ist.Day], `SELECT day FROM day_figures WHERE day >= $1 ORDER BY day LIMIT $2`, from, maxRows)
}

// HourCounts implements accounts.Statistics. It reads all operations of the time that move
// money.
func (s Accounts) HourCounts(ctx context.Context, from, to time.Time) ([]accounts.HourCount, error) {
	return listRows(ctx, s.task("sum the operations of a day"), func(row row, x *accounts.HourCount) error {
		return row.Scan(&x.Hour, &x.Kind, &x.State, &x.Count, &x.Sum)
	},
		`SELECT hour, kind, state, count(*), CAST(sum(amount) AS BIGINT) FROM (
			SELECT (created_at - $1) / 3600000 AS hour, kind, state, amount FROM operations
			WHERE amount > 0 AND created_at >= $1 AND created_at < $2
		) AS figures GROUP BY hour, kind, state ORDER BY hour, kind, state`, from, to)
}

// LatencyCounts implements accounts.Statistics. It reads the same operations as HourCounts.
func (s Accounts) LatencyCounts(ctx context.Context, from, to time.Time) ([]accounts.LatencyCount, error) {
	return listRows(ctx, s.task("count the banks' answers of a day"), func(row row, x *accounts.LatencyCount) error { return row.Scan(&x.Hour, &x.IIN, &x.Step, &x.Count) },
		`SELECT hour, iin, step, count(*) FROM (
			SELECT (created_at - $1) / 3600000 AS hour, iin, CASE WHEN pending_reference IS NOT NULL THEN -1 WHEN finished_at - sent_at >= 60000 THEN 600
				ELSE (finished_at - sent_at) / 100 END AS step FROM operations
			WHERE amount > 0 AND created_at >= $1 AND created_at < $2 AND sent_at IS NOT NULL AND (finished_at IS NOT NULL OR pending_reference IS NOT NULL)
		) AS figures GROUP BY hour, iin, step ORDER BY hour, iin, step`, from, to)
}

// UnfinishedCounts implements accounts.Statistics. Each state has its part of an index.
func (s Accounts) UnfinishedCounts(ctx context.Context, from, to time.Time) ([]accounts.HourCount, error) {
	return query(ctx, s.task("count the unfinished operations of a day"), func(c conn) (list []accounts.HourCount, err error) {
		for _, state := range []op.State{op.Received, op.Sent, op.Pending} {
			found, err := allRows(c, func(row row, x *accounts.HourCount) error {
				x.State = state
				return row.Scan(&x.Hour, &x.Count)
			}, `SELECT hour, count(*) FROM (
				SELECT (created_at - $1) / 3600000 AS hour FROM operations
				WHERE finished_at IS NULL AND state = $2 AND created_at >= $1 AND created_at < $3
			) AS figures GROUP BY hour`, from, state, to)
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
		return list, nil
	})
}
