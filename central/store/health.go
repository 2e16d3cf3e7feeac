package store

import (
	"context"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/money"
	"galla/shared/op"
)

// PartyCounts implements accounts.HealthStore. It reads the same operations as HourCounts, and
// sums them here: the database would sort as many groups as there are merchants and terminals.
func (s Accounts) PartyCounts(ctx context.Context, from, to time.Time) ([]accounts.PartyCount, error) {
	return query(ctx, s.task("sum the operations of a time by party"), func(c conn) ([]accounts.PartyCount, error) {
		type key struct{ merchant, terminal, state string }
		sums := map[key]*accounts.PartyCount{}
		err := c.Each(`SELECT merchant, terminal, state, amount, created_at FROM operations WHERE amount > 0 AND created_at >= $1 AND created_at < $2`,
			[]any{from, to}, func(row row) error {
				var k key
				var amount, at int64
				if err := row.Scan(&k.merchant, &k.terminal, &k.state, &amount, &at); err != nil {
					return err
				}
				x := sums[k]
				if x == nil {
					x = &accounts.PartyCount{Merchant: central.MerchantID(k.merchant), Terminal: central.TerminalID(k.terminal), State: op.State(k.state)}
					sums[k] = x
				}
				x.Count++
				x.Sum += money.Paise(amount)
				if last := time.UnixMilli(at).UTC(); last.After(x.Last) {
					x.Last = last
				}
				return nil
			})
		if err != nil {
			return nil, err
		}
		vendors, err := vendorsOfMerchants(c)
		list := make([]accounts.PartyCount, 0, len(sums))
		for _, x := range sums {
			x.Vendor = vendors[x.Merchant]
			list = append(list, *x)
		}
		return list, err
	})
}

// vendorsOfMerchants reads which vendor each merchant has.
func vendorsOfMerchants(c conn) (map[central.MerchantID]central.VendorID, error) {
	vendors := map[central.MerchantID]central.VendorID{}
	err := c.Each(`SELECT id, vendor FROM merchants WHERE vendor > ''`, nil, func(row row) error {
		var id, vendor string
		err := row.Scan(&id, &vendor)
		vendors[central.MerchantID(id)] = central.VendorID(vendor)
		return err
	})
	return vendors, err
}

// RecentCounts implements accounts.HealthStore: one walk of an index for each merchant, to
// the limit or the end of the time. A statement for all of them would leave the database the
// choice of another way.
func (s Accounts) RecentCounts(ctx context.Context, q accounts.RecentQuery) ([]accounts.RecentCount, error) {
	return query(ctx, s.task("sum the latest operations of %d merchants", len(q.Merchants)), func(c conn) (list []accounts.RecentCount, err error) {
		for _, id := range q.Merchants {
			of, err := recentCountsOf(c, id, q)
			if err != nil {
				return nil, err
			}
			list = append(list, of...)
		}
		return list, nil
	})
}

func recentCountsOf(c conn, merchant central.MerchantID, q accounts.RecentQuery) (list []accounts.RecentCount, err error) {
	looked, first := 0, time.Time{}
	err = c.Each(`SELECT terminal, state, today, count(*), CAST(sum(moves) AS BIGINT), CAST(sum(amount) AS BIGINT), min(created_at) FROM (
			SELECT terminal, state, amount, created_at, CAST(CASE WHEN created_at >= $1 THEN 1 ELSE 0 END AS BIGINT) AS today, CASE WHEN amount > 0 THEN 1 ELSE 0 END AS moves
			FROM operations WHERE merchant = $2 AND created_at >= $3 ORDER BY created_at DESC LIMIT $4
		) AS figures GROUP BY terminal, state, today`, []any{q.Today, merchant, q.From, q.Limit}, func(row row) error {
		x := accounts.RecentCount{Merchant: merchant, Since: q.From}
		var all int
		var at time.Time
		if err := row.Scan(&x.Terminal, &x.State, &x.Today, &all, &x.Count, &x.Sum, &at); err != nil {
			return err
		}
		if looked += all; first.IsZero() || at.Before(first) {
			first = at
		}
		if x.Count > 0 {
			list = append(list, x)
		}
		return nil
	})
	if looked >= q.Limit {
		for i := range list {
			list[i].Since = first
		}
	}
	return list, err
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
