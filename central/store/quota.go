package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

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
	before := make(map[usageKey]central.Used, len(order))
	for some := range slices.Chunk(order, maxCounted) {
		if err := addUsage(c, id, some, adds, before); err != nil {
			return fmt.Errorf("count against its quotas: %w", err)
		}
	}
	for _, q := range quotas {
		at := usageKey{q.Key, q.Period}
		used := before[at]
		if q.Amount = adds[at]; q.Full(used) {
			return &central.QuotaError{Quota: q, Used: used}
		}
	}
	return nil
}

// CheckQuotas looks whether quotas have room now, and counts nothing. Where one has none the
// error is a *central.QuotaError.
func (s Payments) CheckQuotas(ctx context.Context, quotas []central.Quota) error {
	if len(quotas) == 0 {
		return nil
	}
	_, err := query(ctx, s.task("look at %d quotas", len(quotas)), func(c conn) (none struct{}, err error) {
		for _, q := range quotas {
			used, err := firstRow(c, scanUsed, `SELECT count, sum FROM quota_usage WHERE key = $1 AND period = $2`, q.Key, q.Period)
			if err != nil && !errors.Is(err, central.ErrNotFound) {
				return none, err
			}
			if q.Full(used) {
				return none, &central.QuotaError{Quota: q, Used: used}
			}
		}
		return none, nil
	})
	return err
}

func scanUsed(row row, x *central.Used) error { return row.Scan(&x.Count, (*int64)(&x.Sum)) }

// addUsage adds an operation to some counts and notes the usage before in each. The counts are
// read by a statement of their own: see dialect.unlessTaken.
func addUsage(c conn, id op.ID, some []usageKey, adds map[usageKey]money.Paise, before map[usageKey]central.Used) error {
	texts := usageTexts[len(some)]
	keys, reservations := make([]any, 0, 2*len(some)), append(make([]any, 0, 1+3*len(some)), string(id))
	for _, at := range some {
		keys = append(keys, at.key, at.period)
		reservations = append(append(reservations, keys[len(keys)-2:]...), int64(adds[at]))
	}
	if _, err := c.exec(texts.count, reservations[1:]...); err != nil {
		return err
	}
	var at usageKey
	var used central.Used
	err := c.Each(texts.read, keys, func(row row) error {
		err := row.Scan(&at.key, &at.period, &used.Count, (*int64)(&used.Sum))
		before[at] = central.Used{Count: used.Count - 1, Sum: used.Sum - adds[at]}
		return err
	})
	if err != nil {
		return err
	}
	_, err = c.exec(texts.reserve, reservations...)
	return err
}

// maxCounted bounds the counts of one statement; an operation has few.
const maxCounted = 8

// usageTexts are the statements that add an operation to so many counts, read them, and record
// what it uses: $1 of the last is its id.
var usageTexts = func() (list [maxCounted + 1]struct{ count, read, reserve string }) {
	const counted = ` ON CONFLICT (key, period) DO UPDATE SET count = quota_usage.count + 1, sum = quota_usage.sum + excluded.sum`
	count := `INSERT INTO quota_usage (key, period, count, sum) VALUES ($1, $2, 1, $3)`
	read := `SELECT key, period, count, sum FROM quota_usage WHERE key = $1 AND period = $2`
	reserve := `INSERT INTO reservations (operation, key, period, amount) VALUES ($1, $2, $3, $4)`
	for n := 1; n <= maxCounted; n++ {
		list[n].count, list[n].read, list[n].reserve = count+counted, read, reserve
		count += fmt.Sprintf(", ($%d, $%d, 1, $%d)", 3*n+1, 3*n+2, 3*n+3)
		read += fmt.Sprintf(" UNION ALL SELECT key, period, count, sum FROM quota_usage WHERE key = $%d AND period = $%d", 2*n+1, 2*n+2)
		reserve += fmt.Sprintf(", ($1, $%d, $%d, $%d)", 3*n+2, 3*n+3, 3*n+4)
	}
	return list
}()

// reservation is what an operation uses of a quota.
type reservation struct {
	at     usageKey
	amount money.Paise
}

func scanReservation(row row, x *reservation) error {
	return row.Scan(&x.at.key, &x.at.period, (*int64)(&x.amount))
}

// releaseQuotas undoes reserveQuotas, once: a released reservation has no row.
func releaseQuotas(c conn, id op.ID) error {
	list, err := allRows(c, scanReservation, `DELETE FROM reservations WHERE operation = $1 RETURNING key, period, amount`, id)
	if err == nil {
		err = countOff(c, list)
	}
	if err != nil {
		return fmt.Errorf("release the quotas of operation %s: %w", id, err)
	}
	return nil
}

// countOff takes deleted reservations off their counts, in one order.
func countOff(c conn, list []reservation) error {
	slices.SortFunc(list, func(a, b reservation) int { return a.at.compare(b.at) })
	for _, x := range list {
		if err := c.changeRow(fmt.Errorf("the count of a quota of %s is missing", x.at.period),
			`UPDATE quota_usage SET count = count - 1, sum = sum - $1 WHERE key = $2 AND period = $3`,
			x.amount, x.at.key, x.at.period); err != nil {
			return err
		}
	}
	return nil
}

// purgeReservations deletes reservations of periods before the day of a moment, at most limit,
// and takes them off their counts. They are found by the ids of their operations, which begin
// with a time: an index by period would cost every operation more than its purge.
func purgeReservations(c conn, before time.Time, day string, limit int) (int, error) {
	list, err := allRows(c, scanReservation, `DELETE FROM reservations WHERE (operation, key, period) IN (
			SELECT operation, key, period FROM reservations WHERE operation < $1 AND period < $2 ORDER BY operation, key, period LIMIT $3)
		RETURNING key, period, amount`, idsUntil(before), day, limit)
	if err != nil {
		return 0, err
	}
	return len(list), countOff(c, list)
}

// idsUntil sorts after the ids of operations that began before a moment (UUID version 7), by the
// clock of whoever made the id. One of a clock that was ahead is found when its time has come.
func idsUntil(moment time.Time) string {
	hex := fmt.Sprintf("%012x", moment.UnixMilli())
	return hex[:8] + "-" + hex[8:]
}
