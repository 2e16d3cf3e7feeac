package store

import (
	"context"

	"galla/central"
	"galla/central/reports"
)

// Parts of statements.
const (
	volumeColumns = `v.name, coalesce((SELECT m.legal_name FROM merchants m WHERE m.id = v.name), ''), v.kind, CAST(sum(v.operations) AS BIGINT), CAST(sum(v.succeeded) AS BIGINT),
		CAST(sum(v.failed) AS BIGINT), CAST(sum(v.refused) AS BIGINT), CAST(sum(v.amount) AS BIGINT)`
	earningColumns = `e.merchant, coalesce((SELECT m.legal_name FROM merchants m WHERE m.id = e.merchant), ''), e.vendor, coalesce((SELECT v.legal_name FROM vendors v WHERE v.id = e.vendor), ''),
		CAST(sum(e.earned) AS BIGINT), CAST(sum(e.reversed) AS BIGINT), CAST(sum(e.amount) AS BIGINT), CAST(sum(e.charge) AS BIGINT),
		CAST(sum(e.gst) AS BIGINT), CAST(sum(e.provider_cost) AS BIGINT), CAST(sum(e.commission) AS BIGINT), CAST(sum(e.tds) AS BIGINT)`
	settledColumns = `s.day, s.file, s.merchant, coalesce((SELECT m.legal_name FROM merchants m WHERE m.id = s.merchant), ''), s.kind, s.lines, s.amount, s.matched, s.matched_amount, s.cases`
	ofFilesInForce = `FROM settlement_files f CROSS JOIN settlement_sums s
		WHERE f.complete_at IS NOT NULL AND f.superseded_at IS NULL AND s.day = f.day AND s.file = f.number AND EXISTS (SELECT 1 FROM settlement_summed x WHERE x.day = f.day AND x.file = f.number)`
)

// Volumes implements reports.FigureStore. The key of the table has the order of the list, so
// that it reads no further than the limit.
func (s Reports) Volumes(ctx context.Context, r reports.Range, by reports.Dimension, name *string, after reports.Volume, limit int) ([]reports.Volume, error) {
	t := s.task("add up volumes by %s", by)
	scan := func(row row, x *reports.Volume) error {
		return row.Scan(&x.Name, &x.LegalName, &x.Kind, &x.Operations, &x.Succeeded, &x.Failed, &x.Refused, &x.Amount)
	}
	if name != nil {
		return listRows(ctx, t, scan, `SELECT `+volumeColumns+` FROM daily_volumes v
			WHERE v.dimension = $1 AND v.name = $2 AND v.kind > $3 AND v.day BETWEEN $4 AND $5 GROUP BY v.name, v.kind ORDER BY v.name, v.kind LIMIT $6`,
			by, *name, after.Kind, r.First, r.Last, clampLimit(limit))
	}
	return listRows(ctx, t, scan, `SELECT `+volumeColumns+` FROM daily_volumes v
		WHERE v.dimension = $1 AND (v.name, v.kind) > ($2, $3) AND v.day BETWEEN $4 AND $5 GROUP BY v.name, v.kind ORDER BY v.name, v.kind LIMIT $6`,
		by, after.Name, after.Kind, r.First, r.Last, clampLimit(limit))
}

// Earnings implements reports.FigureStore, in the order of the table's key.
func (s Reports) Earnings(ctx context.Context, r reports.Range, merchant central.MerchantID, after reports.Earning, limit int) ([]reports.Earning, error) {
	t := s.task("add up earnings")
	scan := func(row row, x *reports.Earning) error {
		return row.Scan(&x.Merchant, &x.LegalName, &x.Vendor, &x.VendorName, &x.Earned, &x.Reversed, &x.Amount, &x.Charge, &x.GST, &x.ProviderCost, &x.Commission, &x.TDS)
	}
	if merchant != "" {
		if after.Merchant != "" {
			return nil, nil // it has few vendors, all on the first page
		}
		return listRows(ctx, t, scan, `SELECT `+earningColumns+` FROM daily_earnings e
			WHERE e.merchant = $1 AND e.day BETWEEN $2 AND $3 GROUP BY e.merchant, e.vendor ORDER BY e.merchant, e.vendor LIMIT $4`,
			merchant, r.First, r.Last, maxRows)
	}
	return listRows(ctx, t, scan, `SELECT `+earningColumns+` FROM daily_earnings e
		WHERE (e.merchant, e.vendor) > ($1, $2) AND e.day BETWEEN $3 AND $4 GROUP BY e.merchant, e.vendor ORDER BY e.merchant, e.vendor LIMIT $5`,
		after.Merchant, string(after.Vendor), r.First, r.Last, clampLimit(limit))
}

// EarningTotal implements reports.FigureStore.
func (s Reports) EarningTotal(ctx context.Context, r reports.Range) (reports.Earning, error) {
	return oneRow(ctx, s.task("add up all earnings"), func(row row, x *reports.Earning) error {
		return row.Scan(&x.Earned, &x.Reversed, &x.Amount, &x.Charge, &x.GST, &x.ProviderCost, &x.Commission, &x.TDS)
	}, `SELECT CAST(coalesce(sum(earned), 0) AS BIGINT), CAST(coalesce(sum(reversed), 0) AS BIGINT), CAST(coalesce(sum(amount), 0) AS BIGINT), CAST(coalesce(sum(charge), 0) AS BIGINT),
			CAST(coalesce(sum(gst), 0) AS BIGINT), CAST(coalesce(sum(provider_cost), 0) AS BIGINT), CAST(coalesce(sum(commission), 0) AS BIGINT), CAST(coalesce(sum(tds), 0) AS BIGINT)
		FROM report_days WHERE day BETWEEN $1 AND $2`, r.First, r.Last)
}

// SettledDays implements reports.FigureStore.
func (s Reports) SettledDays(ctx context.Context, r reports.Range) ([]reports.SettledDay, error) {
	return listRows(ctx, s.task("list the days with a settlement file"), func(row row, x *reports.SettledDay) error {
		return row.Scan(&x.Day, &x.File, &x.Summed, &x.Lines, &x.Amount, &x.Matched, &x.MatchedAmount, &x.Cases)
	}, `SELECT f.day, f.number, CASE WHEN s.day IS NULL THEN 0 ELSE 1 END, coalesce(s.lines, 0), coalesce(s.amount, 0), coalesce(s.matched, 0), coalesce(s.matched_amount, 0), coalesce(s.cases, 0)
		FROM settlement_files f LEFT JOIN settlement_summed s ON s.day = f.day AND s.file = f.number
		WHERE f.day BETWEEN $1 AND $2 AND f.complete_at IS NOT NULL AND f.superseded_at IS NULL ORDER BY f.day, f.number`, r.First, r.Last)
}

// SettledRows implements reports.FigureStore. A day has one file in force.
func (s Reports) SettledRows(ctx context.Context, r reports.Range, merchant central.MerchantID, after reports.SettledKey, limit int) ([]reports.SettledRow, error) {
	t := s.task("list the sums of settlement files")
	scan := func(row row, x *reports.SettledRow) error {
		return row.Scan(&x.Day, &x.File, &x.Merchant, &x.LegalName, &x.Kind, &x.Lines, &x.Amount, &x.Matched, &x.MatchedAmount, &x.Cases)
	}
	first := max(r.First, after.Day)
	if merchant != "" {
		return listRows(ctx, t, scan, `SELECT `+settledColumns+` `+ofFilesInForce+` AND f.day BETWEEN $1 AND $2 AND s.merchant = $3 AND (s.day, s.kind) > ($4, $5)
			ORDER BY f.day, f.number, s.merchant, s.kind LIMIT $6`, first, r.Last, merchant, after.Day, string(after.Kind), clampLimit(limit))
	}
	return listRows(ctx, t, scan, `SELECT `+settledColumns+` `+ofFilesInForce+` AND f.day BETWEEN $1 AND $2 AND (s.day, s.merchant, s.kind) > ($3, $4, $5)
		ORDER BY f.day, f.number, s.merchant, s.kind LIMIT $6`, first, r.Last, after.Day, string(after.Merchant), string(after.Kind), clampLimit(limit))
}

// OpenCases implements reports.FigureStore.
func (s Reports) OpenCases(ctx context.Context, r reports.Range) (map[reports.SettledKey]int64, error) {
	return query(ctx, s.task("count the open cases of settlement files"), func(c conn) (map[reports.SettledKey]int64, error) {
		counts := map[reports.SettledKey]int64{}
		err := c.Each(`SELECT c.day, c.file, coalesce(o.merchant, ''), coalesce(o.kind, '') FROM reconciliation_cases c
			LEFT JOIN `+s.dialect.names+` n ON n.id = c.operation LEFT JOIN operations o ON o.id = n.id AND o.created_at = n.created_at
			WHERE c.status IN ('open', 'proposed') AND c.file > 0 AND c.day BETWEEN $1 AND $2`, []any{r.First, r.Last}, func(row row) error {
			var key reports.SettledKey
			err := row.Scan(&key.Day, &key.File, &key.Merchant, &key.Kind)
			counts[key]++
			return err
		})
		return counts, err
	})
}
