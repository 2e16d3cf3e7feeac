package store

import (
	"context"
	"time"

	"galla/central"
	"galla/central/accounts"
)

// PartyCounts implements accounts.HealthStore. It reads the same operations as HourCounts.
func (s Accounts) PartyCounts(ctx context.Context, from, to time.Time) ([]accounts.PartyCount, error) {
	return listRows(ctx, s.task("sum the operations of a day by party"), func(row row, x *accounts.PartyCount) error {
		return row.Scan(&x.Merchant, &x.Vendor, &x.Terminal, &x.State, &x.Count, &x.Sum, &x.Last)
	},
		`SELECT merchant, (SELECT m.vendor FROM merchants m WHERE m.id = merchant), terminal, state, count(*), CAST(sum(amount) AS BIGINT), max(created_at) FROM (
			SELECT merchant, terminal, state, amount, created_at FROM operations
			WHERE amount > 0 AND created_at >= $1 AND created_at < $2
		) AS figures GROUP BY merchant, terminal, state`, from, to)
}

// RecentCounts implements accounts.HealthStore: one walk of an index for each merchant, to
// the limit or the end of the time.
func (s Accounts) RecentCounts(ctx context.Context, q accounts.RecentQuery) ([]accounts.RecentCount, error) {
	return query(ctx, s.task("sum the latest operations of %d merchants", len(q.Merchants)), func(c conn) ([]accounts.RecentCount, error) {
		return allRows(c, func(row row, x *accounts.RecentCount) error {
			return row.Scan(&x.Merchant, &x.Terminal, &x.State, &x.Today, &x.Count, &x.Sum, &x.Since)
		},
			`WITH ids AS (SELECT e.value->>'id' AS id FROM `+c.dialect.eachOf+`), since AS (
				SELECT ids.id, coalesce((SELECT x.created_at FROM operations x WHERE x.merchant = ids.id AND x.created_at >= $2
					ORDER BY x.created_at DESC LIMIT 1 OFFSET $3 - 1), $2) AS at FROM ids)
			SELECT merchant, terminal, state, today, count(*), CAST(sum(amount) AS BIGINT), since FROM (
				SELECT o.merchant, o.terminal, o.state, CAST(CASE WHEN o.created_at >= $4 THEN 1 ELSE 0 END AS BIGINT) AS today, o.amount, since.at AS since
				FROM since JOIN operations o ON o.merchant = since.id AND o.created_at >= since.at WHERE o.amount > 0
			) AS figures GROUP BY merchant, terminal, state, today, since`, idList(q.Merchants), q.From, q.Limit, q.Today)
	})
}

// MerchantsSeen implements accounts.HealthStore.
func (s Accounts) MerchantsSeen(ctx context.Context, ids []central.MerchantID, alive time.Time) (map[central.MerchantID]accounts.MerchantSeen, error) {
	return query(ctx, s.task("tell when %d merchants were last seen", len(ids)), func(c conn) (map[central.MerchantID]accounts.MerchantSeen, error) {
		seen := make(map[central.MerchantID]accounts.MerchantSeen, len(ids))
		err := c.Each(`WITH ids AS (SELECT e.value->>'id' AS id FROM `+c.dialect.eachOf+`)
			SELECT ids.id, (SELECT o.created_at FROM operations o WHERE o.merchant = ids.id ORDER BY o.created_at DESC LIMIT 1),
				(SELECT max(t.seen_at) FROM terminals t WHERE t.merchant = ids.id), (SELECT max(t.disconnected_at) FROM terminals t WHERE t.merchant = ids.id),
				(SELECT count(*) FROM terminals t WHERE t.merchant = ids.id AND t.revoked_at IS NULL),
				(SELECT CAST(coalesce(sum(`+isOnlineSecond+`), 0) AS BIGINT) FROM terminals t WHERE t.merchant = ids.id) FROM ids`,
			[]any{idList(ids), alive}, func(row row) error {
				var id central.MerchantID
				var x accounts.MerchantSeen
				var came, left time.Time
				err := row.Scan(&id, &x.Operation, &came, &left, &x.Live, &x.Online)
				if x.Terminal = came; left.After(came) {
					x.Terminal = left
				}
				seen[id] = x
				return err
			})
		return seen, err
	})
}

// VendorsSeen implements accounts.HealthStore.
func (s Accounts) VendorsSeen(ctx context.Context, ids []central.VendorID) (map[central.VendorID]accounts.VendorSeen, error) {
	return query(ctx, s.task("tell when %d vendors were last seen", len(ids)), func(c conn) (map[central.VendorID]accounts.VendorSeen, error) {
		seen := make(map[central.VendorID]accounts.VendorSeen, len(ids))
		err := c.Each(`WITH ids AS (SELECT e.value->>'id' AS id FROM `+c.dialect.eachOf+`)
			SELECT ids.id, (SELECT max(k.used_at) FROM vendor_keys k WHERE k.vendor = ids.id),
				(SELECT max(n.seen_at) FROM clients x JOIN client_networks n ON n.client = x.id WHERE x.party = 'vendor:' || ids.id) FROM ids`,
			[]any{idList(ids)}, func(row row) error {
				var id central.VendorID
				var x accounts.VendorSeen
				err := row.Scan(&id, &x.Key, &x.Token)
				seen[id] = x
				return err
			})
		return seen, err
	})
}

// OnboardedOf implements accounts.HealthStore. It reads all merchants of the vendor.
func (s Accounts) OnboardedOf(ctx context.Context, vendor central.VendorID) ([]accounts.OnboardedCount, error) {
	return listRows(ctx, s.task("count the merchants of vendor %s", vendor), func(row row, x *accounts.OnboardedCount) error {
		return row.Scan(&x.Status, &x.Count, &x.Ready)
	},
		`SELECT status, count(*), CAST(sum(aeps_ready) AS BIGINT) FROM (SELECT status, aeps_ready FROM merchants WHERE vendor = $1) AS figures GROUP BY status
		ORDER BY status`, vendor)
}
