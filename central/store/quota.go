package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// count is what is counted: one row of quota_usage.
type count struct{ key, period string }

func (a count) compare(b count) int {
	if n := strings.Compare(a.key, b.key); n != 0 {
		return n
	}
	return strings.Compare(a.period, b.period)
}

// reserve counts an operation against its quotas. It counts first and looks at
// the bounds afterwards, so that no two operations fit into the same rest; what
// it wrote is undone with the job where a bound does not hold. Counts are
// touched in one order, so that two operations never wait for each other.
func reserve(c conn, id op.ID, quotas []central.Quota) error {
	if len(quotas) == 0 {
		return nil
	}
	adds := map[count]money.Paise{}
	for _, q := range quotas {
		if q.Amount < 0 {
			return fmt.Errorf("a quota of %s counts a negative amount", q.Period)
		}
		at := count{q.Key, q.Period}
		adds[at] = max(adds[at], q.Amount)
	}
	order := make([]count, 0, len(adds))
	for at := range adds {
		order = append(order, at)
	}
	slices.SortFunc(order, count.compare)
	before := map[count]central.Used{}
	for _, at := range order {
		used, err := use(c, id, at, adds[at])
		if err != nil {
			return err
		}
		before[at] = used
	}
	for _, q := range quotas {
		at := count{q.Key, q.Period}
		used := before[at]
		if q.MaxCount > 0 && used.Count >= q.MaxCount || q.MaxSum > 0 && used.Sum > q.MaxSum-adds[at] {
			return &central.QuotaError{Quota: q, Used: used}
		}
	}
	return nil
}

// use adds an operation to one count and gives what was used before.
func use(c conn, id op.ID, at count, amount money.Paise) (central.Used, error) {
	var used central.Used
	err := c.one(`INSERT INTO quota_usage (key, period, count, sum) VALUES ($1, $2, 1, $3)
		ON CONFLICT (key, period) DO UPDATE SET count = quota_usage.count + 1, sum = quota_usage.sum + excluded.sum
		RETURNING count - 1, sum - $3`, []any{at.key, at.period, int64(amount)}, &used.Count, &used.Sum)
	if err != nil {
		return central.Used{}, fmt.Errorf("count against a quota of %s: %w", at.period, err)
	}
	_, err = c.exec(`INSERT INTO reservations (operation, key, period, amount) VALUES ($1, $2, $3, $4)`,
		string(id), at.key, at.period, int64(amount))
	return used, err
}

// giveBack undoes reserve, once: what was given back has no row any more.
func giveBack(c conn, id op.ID) error {
	back := map[count]money.Paise{}
	var order []count
	err := c.each(`DELETE FROM reservations WHERE operation = $1 RETURNING key, period, amount`, []any{string(id)}, func(row row) error {
		var at count
		var amount money.Paise
		err := row.Scan(&at.key, &at.period, &amount)
		back[at] = amount
		order = append(order, at)
		return err
	})
	if err != nil {
		return fmt.Errorf("give back what operation %s counts for: %w", id, err)
	}
	slices.SortFunc(order, count.compare)
	for _, at := range order {
		changed, err := c.exec(`UPDATE quota_usage SET count = count - 1, sum = sum - $1 WHERE key = $2 AND period = $3`,
			int64(back[at]), at.key, at.period)
		if err != nil || changed != 1 {
			return errors.Join(fmt.Errorf("give back what operation %s counts for: %d counts changed", id, changed), err)
		}
	}
	return nil
}

// Used implements central.Usage. What nobody has counted against yet is zero.
func (s *DB) Used(ctx context.Context, quotas []central.Quota) ([]central.Used, error) {
	list := make([]central.Used, len(quotas))
	err := s.read(ctx, func(c conn) error {
		for i, q := range quotas {
			err := c.one(`SELECT count, sum FROM quota_usage WHERE key = $1 AND period = $2`,
				[]any{q.Key, q.Period}, &list[i].Count, &list[i].Sum)
			if err != nil && !errors.Is(err, central.ErrNotFound) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what of quotas is used: %w", err)
	}
	return list, nil
}
