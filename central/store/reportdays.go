package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"galla/central"
	"galla/central/reconcile"
	"galla/central/reports"
	"galla/shared/ist"
)

// reportBatch is how many rows of figures one transaction writes, so that requests are not
// delayed.
const reportBatch = 500

// FirstOutcome implements reports.DayStore. Archived operations count as of the first day of
// the first archived month.
func (s Reports) FirstOutcome(ctx context.Context) (ist.Day, error) {
	return query(ctx, s.task("find the first outcome"), func(c conn) (ist.Day, error) {
		var first time.Time
		if err := c.one(`SELECT min(finished_at) FROM operations WHERE finished_at IS NOT NULL AND archived_at IS NULL`, nil, &first); err != nil {
			return "", err
		}
		var month string
		if err := c.one(`SELECT coalesce(min(month), '') FROM archives`, nil, &month); err != nil {
			return "", err
		}
		switch {
		case month != "" && (first.IsZero() || ist.Day(month+"-01") < ist.DayOf(first)):
			return ist.Day(month + "-01"), nil
		case first.IsZero():
			return "", central.ErrNotFound
		}
		return ist.DayOf(first), nil
	})
}

// ClosedDays implements reports.DayStore and reports.FigureStore.
func (s Reports) ClosedDays(ctx context.Context) (reports.Range, error) {
	return query(ctx, s.task("find the closed days"), func(c conn) (r reports.Range, err error) {
		if err := c.one(`SELECT coalesce(min(day), '') FROM report_days`, nil, &r.First); err != nil {
			return r, err
		}
		return r, c.one(`SELECT coalesce(max(day), '') FROM report_days`, nil, &r.Last)
	})
}

// Parts of the statements of VolumesOfDay.
const (
	dayVolumeColumns = `name, kind, count(*), CAST(sum(CASE WHEN state = 'succeeded' THEN 1 ELSE 0 END) AS BIGINT),
		CAST(sum(CASE WHEN state = 'failed' OR state = 'reversed' THEN 1 ELSE 0 END) AS BIGINT), CAST(sum(CASE WHEN state = 'refused' THEN 1 ELSE 0 END) AS BIGINT),
		CAST(sum(CASE WHEN state = 'succeeded' THEN amount ELSE 0 END) AS BIGINT)`
	notArchived  = `finished_at >= $1 AND finished_at < $2 AND archived_at IS NULL) AS figures GROUP BY name, kind`
	alsoArchived = `finished_at >= $1 AND finished_at < $2 AND created_at < $2) AS figures GROUP BY name, kind`
)

// VolumesOfDay implements reports.DayStore. It reads all operations of the day, by the index
// of what is not archived; and all operations of the database where the day's month has
// archived ones.
func (s Reports) VolumesOfDay(ctx context.Context, day ist.Day, by reports.Dimension) ([]reports.Volume, error) {
	from, to, err := day.Bounds()
	if err != nil {
		return nil, err
	}
	return query(ctx, s.task("sum the volumes of %s", day), func(c conn) ([]reports.Volume, error) {
		archived, err := c.exists(`SELECT 1 FROM archives WHERE month = $1 LIMIT 1`, ist.MonthOf(from))
		if err != nil {
			return nil, err
		}
		switch {
		case by == reports.ByBank && archived:
			return allRows(c, scanVolume, `SELECT `+dayVolumeColumns+` FROM (SELECT iin AS name, kind, state, amount FROM operations WHERE `+alsoArchived, from, to)
		case by == reports.ByBank:
			return allRows(c, scanVolume, `SELECT `+dayVolumeColumns+` FROM (SELECT iin AS name, kind, state, amount FROM operations WHERE `+notArchived, from, to)
		case by == reports.ByMerchant && archived:
			return allRows(c, scanVolume, `SELECT `+dayVolumeColumns+` FROM (SELECT coalesce(merchant, '') AS name, kind, state, amount FROM operations WHERE `+alsoArchived, from, to)
		case by == reports.ByMerchant:
			return allRows(c, scanVolume, `SELECT `+dayVolumeColumns+` FROM (SELECT coalesce(merchant, '') AS name, kind, state, amount FROM operations WHERE `+notArchived, from, to)
		}
		return nil, fmt.Errorf("volumes of a day by %q", by)
	})
}

func scanVolume(row row, x *reports.Volume) error {
	return row.Scan(&x.Name, &x.Kind, &x.Operations, &x.Succeeded, &x.Failed, &x.Refused, &x.Amount)
}

// EarningsOfDay implements reports.DayStore. The indexes of commissions begin with the vendor.
func (s Reports) EarningsOfDay(ctx context.Context, day ist.Day) ([]reports.Earning, error) {
	return query(ctx, s.task("sum the earnings of %s", day), func(c conn) ([]reports.Earning, error) {
		return allRows(c, func(row row, x *reports.Earning) error {
			return row.Scan(&x.Merchant, &x.Vendor, &x.Earned, &x.Reversed, &x.Amount, &x.Charge, &x.GST, &x.ProviderCost, &x.Commission, &x.TDS)
		}, `SELECT merchant, vendor, CAST(sum(CASE WHEN sign > 0 THEN 1 ELSE 0 END) AS BIGINT), CAST(sum(CASE WHEN sign < 0 THEN 1 ELSE 0 END) AS BIGINT),
				CAST(sum(sign * amount) AS BIGINT), CAST(sum(sign * charge) AS BIGINT), CAST(sum(sign * gst) AS BIGINT),
				CAST(sum(sign * provider_cost) AS BIGINT), CAST(sum(sign * commission) AS BIGINT), CAST(sum(sign * tds) AS BIGINT)
			FROM (
				SELECT 1 AS sign, c.merchant, v.id AS vendor, c.amount, c.charge, c.gst, c.provider_cost, c.commission, c.tds
				FROM vendors v CROSS JOIN commissions c WHERE c.vendor = v.id AND c.day = $1
				UNION ALL
				SELECT -1, c.merchant, v.id, c.amount, c.charge, c.gst, c.provider_cost, c.commission, c.tds
				FROM vendors v CROSS JOIN commissions c WHERE c.vendor = v.id AND c.reversed_day = $1
				UNION ALL
				SELECT 1, merchant, '', amount, charge, gst, provider_cost, commission, tds FROM commissions WHERE vendor IS NULL AND day = $1
				UNION ALL
				SELECT -1, merchant, '', amount, charge, gst, provider_cost, commission, tds FROM commissions WHERE vendor IS NULL AND reversed_day = $1
			) AS earned GROUP BY merchant, vendor`, day)
	})
}

// OutcomesOfDay implements reports.DayStore. No operation is archived in the month after its
// outcome.
func (s Reports) OutcomesOfDay(ctx context.Context, day ist.Day) (now, closed int64, err error) {
	from, to, err := day.Bounds()
	if err != nil {
		return 0, 0, err
	}
	err = s.read(ctx, func(c conn) error {
		if err := c.one(`SELECT operations FROM report_days WHERE day = $1`, []any{day}, &closed); err != nil {
			return err
		}
		return c.one(`SELECT count(*) FROM operations WHERE finished_at >= $1 AND finished_at < $2 AND archived_at IS NULL`, []any{from, to}, &now)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("count the outcomes of %s: %w", day, err)
	}
	return now, closed, nil
}

// CloseDay implements reports.DayStore.
func (s Reports) CloseDay(ctx context.Context, f reports.DayFigures) error {
	t := s.task("close the day %s for reports", f.Day)
	var operations int64
	for by, list := range f.Volumes {
		for _, v := range list {
			if by == reports.ByAll {
				operations += v.Operations
			}
		}
		err := inBatches(ctx, t, list, func(c conn, some []reports.Volume) error {
			_, err := c.exec(`WITH p AS (SELECT e.value->>'name' AS name, e.value->>'kind' AS kind, CAST(e.value->>'operations' AS BIGINT) AS operations, CAST(e.value->>'succeeded' AS BIGINT) AS succeeded,
					CAST(e.value->>'failed' AS BIGINT) AS failed, CAST(e.value->>'refused' AS BIGINT) AS refused, CAST(e.value->>'amount' AS BIGINT) AS amount FROM `+c.dialect.eachOf+`)
				INSERT INTO daily_volumes (dimension, name, kind, day, operations, succeeded, failed, refused, amount)
				SELECT $2, name, kind, $3, operations, succeeded, failed, refused, amount FROM p WHERE true ON CONFLICT (dimension, name, kind, day) DO UPDATE SET
				operations = excluded.operations, succeeded = excluded.succeeded, failed = excluded.failed, refused = excluded.refused, amount = excluded.amount`,
				jsonList(some, func(v reports.Volume) any {
					return map[string]any{"name": v.Name, "kind": v.Kind, "operations": v.Operations, "succeeded": v.Succeeded, "failed": v.Failed, "refused": v.Refused, "amount": int64(v.Amount)}
				}), by, f.Day)
			return err
		})
		if err != nil {
			return err
		}
	}
	var total reports.Earning
	for _, e := range f.Earnings {
		total.Add(e)
	}
	err := inBatches(ctx, t, f.Earnings, func(c conn, some []reports.Earning) error {
		_, err := c.exec(`WITH p AS (SELECT e.value->>'merchant' AS merchant, e.value->>'vendor' AS vendor, CAST(e.value->>'earned' AS BIGINT) AS earned, CAST(e.value->>'reversed' AS BIGINT) AS reversed,
				CAST(e.value->>'amount' AS BIGINT) AS amount, CAST(e.value->>'charge' AS BIGINT) AS charge, CAST(e.value->>'gst' AS BIGINT) AS gst, CAST(e.value->>'cost' AS BIGINT) AS provider_cost,
				CAST(e.value->>'commission' AS BIGINT) AS commission, CAST(e.value->>'tds' AS BIGINT) AS tds FROM `+c.dialect.eachOf+`)
			INSERT INTO daily_earnings (merchant, vendor, day, earned, reversed, amount, charge, gst, provider_cost, commission, tds)
			SELECT merchant, vendor, $2, earned, reversed, amount, charge, gst, provider_cost, commission, tds FROM p WHERE true ON CONFLICT (merchant, vendor, day) DO UPDATE SET
			earned = excluded.earned, reversed = excluded.reversed, amount = excluded.amount, charge = excluded.charge, gst = excluded.gst,
			provider_cost = excluded.provider_cost, commission = excluded.commission, tds = excluded.tds`,
			jsonList(some, func(e reports.Earning) any {
				return map[string]any{"merchant": e.Merchant, "vendor": e.Vendor, "earned": e.Earned, "reversed": e.Reversed, "amount": int64(e.Amount), "charge": int64(e.Charge), "gst": int64(e.GST),
					"cost": int64(e.ProviderCost), "commission": int64(e.Commission), "tds": int64(e.TDS)}
			}), f.Day)
		return err
	})
	if err != nil {
		return err
	}
	return t.exec(ctx, `INSERT INTO report_days (day, operations, earned, reversed, amount, charge, gst, provider_cost, commission, tds, closed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (day) DO UPDATE SET
		operations = excluded.operations, earned = excluded.earned, reversed = excluded.reversed, amount = excluded.amount, charge = excluded.charge,
		gst = excluded.gst, provider_cost = excluded.provider_cost, commission = excluded.commission, tds = excluded.tds, closed_at = excluded.closed_at`,
		f.Day, operations, total.Earned, total.Reversed, total.Amount, total.Charge, total.GST, total.ProviderCost, total.Commission, total.TDS, f.ClosedAt)
}

// inBatches writes a list, some in each transaction.
func inBatches[T any](ctx context.Context, t task, list []T, write func(c conn, some []T) error) error {
	for some := range slices.Chunk(list, reportBatch) {
		if err := t.change(ctx, func(c conn) error { return write(c, some) }); err != nil {
			return err
		}
	}
	return nil
}

// FilesToSum implements reports.SettlementStore.
func (s Reports) FilesToSum(ctx context.Context, limit int) ([]reports.SettledDay, error) {
	return listRows(ctx, s.task("list the settlement files without sums"), func(row row, x *reports.SettledDay) error { return row.Scan(&x.Day, &x.File) },
		`SELECT f.day, f.number FROM settlement_files f WHERE f.complete_at IS NOT NULL AND f.superseded_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM settlement_summed s WHERE s.day = f.day AND s.file = f.number) ORDER BY f.day, f.number LIMIT $1`, clampLimit(limit))
}

// SettlementLines implements reports.SettlementStore.
func (s Reports) SettlementLines(ctx context.Context, day ist.Day, file, after, limit int) ([]reconcile.Line, error) {
	return listRows(ctx, s.task("list the lines of settlement file %s.%d", day, file), func(row row, l *reconcile.Line) error {
		return row.Scan(&l.Number, &l.Reference, &l.RRN, &l.STAN, &l.Amount, &l.Code, &l.At)
	}, `SELECT line, reference, rrn, stan, amount, code, at FROM settlement_lines WHERE day = $1 AND file = $2 AND line > $3 ORDER BY line LIMIT $4`,
		day, file, after, clampLimit(limit))
}

// SaveFileSums implements reports.SettlementStore.
func (s Reports) SaveFileSums(ctx context.Context, day ist.Day, file int, rows []reports.SettledRow) error {
	t := s.task("record the sums of settlement file %s.%d", day, file)
	var total reports.Settled
	for _, r := range rows {
		total.Add(r.Settled)
	}
	err := inBatches(ctx, t, rows, func(c conn, some []reports.SettledRow) error {
		_, err := c.exec(`WITH p AS (SELECT e.value->>'merchant' AS merchant, e.value->>'kind' AS kind, CAST(e.value->>'lines' AS BIGINT) AS lines, CAST(e.value->>'amount' AS BIGINT) AS amount,
				CAST(e.value->>'matched' AS BIGINT) AS matched, CAST(e.value->>'matchedAmount' AS BIGINT) AS matched_amount, CAST(e.value->>'cases' AS BIGINT) AS cases FROM `+c.dialect.eachOf+`)
			INSERT INTO settlement_sums (day, file, merchant, kind, lines, amount, matched, matched_amount, cases)
			SELECT $2, CAST($3 AS BIGINT), merchant, kind, lines, amount, matched, matched_amount, cases FROM p WHERE true ON CONFLICT (day, file, merchant, kind) DO NOTHING`,
			jsonList(some, func(r reports.SettledRow) any {
				return map[string]any{"merchant": r.Merchant, "kind": r.Kind, "lines": r.Lines, "amount": int64(r.Amount), "matched": r.Matched, "matchedAmount": int64(r.MatchedAmount), "cases": r.Cases}
			}), day, file)
		return err
	})
	if err != nil {
		return err
	}
	return t.exec(ctx, `INSERT INTO settlement_summed (day, file, lines, amount, matched, matched_amount, cases)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (day, file) DO NOTHING`,
		day, file, total.Lines, total.Amount, total.Matched, total.MatchedAmount, total.Cases)
}
