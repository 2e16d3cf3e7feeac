package store

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// usageKey is the key of a row of quota_usage.
type usageKey struct{ key, period string }

func (a usageKey) compare(b usageKey) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.period, b.period))
}

// reserveQuotas counts an operation against its quotas. It counts first and checks the
// limits afterwards, so that no two operations use the same remainder. Above a limit,
// the whole change is undone. Rows are changed in one order, so that two operations
// never wait for each other.
func reserveQuotas(c conn, id op.ID, quotas []central.Quota) error {
	if len(quotas) == 0 {
		return nil
	}
	adds := map[usageKey]money.Paise{}
	for _, q := range quotas {
		if q.Amount < 0 {
			return fmt.Errorf("a quota of %s counts a negative amount", q.Period)
		}
		at := usageKey{q.Key, q.Period}
		adds[at] = max(adds[at], q.Amount)
	}
	order := slices.SortedFunc(maps.Keys(adds), usageKey.compare)
	before := map[usageKey]central.Used{}
	for _, at := range order {
		used, err := addUsage(c, id, at, adds[at])
		if err != nil {
			return err
		}
		before[at] = used
	}
	for _, q := range quotas {
		at := usageKey{q.Key, q.Period}
		used := before[at]
		if q.MaxCount > 0 && used.Count >= q.MaxCount || q.MaxSum > 0 && used.Sum > q.MaxSum-adds[at] {
			return &central.QuotaError{Quota: q, Used: used}
		}
	}
	return nil
}

// addUsage adds an operation to one count and returns the usage before.
func addUsage(c conn, id op.ID, at usageKey, amount money.Paise) (central.Used, error) {
	var used central.Used
	err := c.one(`INSERT INTO quota_usage (key, period, count, sum) VALUES ($1, $2, 1, $3)
		ON CONFLICT (key, period) DO UPDATE SET count = quota_usage.count + 1, sum = quota_usage.sum + excluded.sum
		RETURNING count - 1, sum - $3`, []any{at.key, at.period, amount}, &used.Count, &used.Sum)
	if err != nil {
		return central.Used{}, fmt.Errorf("count against a quota of %s: %w", at.period, err)
	}
	_, err = c.exec(`INSERT INTO reservations (operation, key, period, amount) VALUES ($1, $2, $3, $4)`,
		id, at.key, at.period, amount)
	return used, err
}

// releaseQuotas undoes reserveQuotas, once: a released reservation has no row.
func releaseQuotas(c conn, id op.ID) error {
	type reservation struct {
		at     usageKey
		amount money.Paise
	}
	list, err := allRows(c, func(row row, x *reservation) error { return row.Scan(&x.at.key, &x.at.period, &x.amount) }, `DELETE FROM reservations WHERE operation = $1 RETURNING key, period, amount`, id)
	if err != nil {
		return fmt.Errorf("release the quotas of operation %s: %w", id, err)
	}
	slices.SortFunc(list, func(a, b reservation) int { return a.at.compare(b.at) })
	for _, x := range list {
		changed, err := c.exec(`UPDATE quota_usage SET count = count - 1, sum = sum - $1 WHERE key = $2 AND period = $3`,
			x.amount, x.at.key, x.at.period)
		if err != nil || changed != 1 {
			return errors.Join(fmt.Errorf("release the quotas of operation %s: %d counts changed", id, changed), err)
		}
	}
	return nil
}
