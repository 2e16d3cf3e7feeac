package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/op"
)

// addEarning writes the earning of an operation and its entries in the ledger. A posting of
// zero is left out.
func addEarning(c conn, id op.ID, e central.Earning, at time.Time) error {
	_, err := c.exec(`INSERT INTO commissions (operation, vendor, aggregator, merchant, payment_method, provider, txn_type, slab,
			amount, charge, gst, provider_cost, commission, tds, day, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		id, orNull(e.Vendor), orNull(e.Aggregator), e.Merchant, e.PaymentMethod, e.Provider, e.TxnType, orNull(e.Slab),
		e.Amount, e.Charge, e.GST, e.ProviderCost, e.Commission, e.TDS,
		string(ist.DayOf(at)), at)
	if err != nil {
		return fmt.Errorf("write its earning: %w", err)
	}
	postings := slices.DeleteFunc(slices.Clone(e.Postings), func(p central.Posting) bool { return p.Amount == 0 })
	for some := range slices.Chunk(postings, maxPostings) {
		args := make([]any, 0, 2+4*len(some))
		args = append(args, string(id), at)
		for _, p := range some {
			args = append(args, p.Purpose, p.Debit, p.Credit, p.Amount)
		}
		if _, err := c.exec(insertPostings[len(some)], args...); err != nil {
			return fmt.Errorf("post its earning: %w", err)
		}
	}
	return nil
}

// maxPostings bounds the entries of one statement; an operation has five.
const maxPostings = 8

// insertPostings are the statements that write so many entries of one operation: $1 is its id,
// $2 the time.
var insertPostings = func() (list [maxPostings + 1]string) {
	list[1] = `INSERT INTO ledger_entries (operation, at, purpose, reversal, debit, credit, amount, written_by)
		VALUES ($1, $2, $3, 0, $4, $5, $6, $1)`
	for n := 2; n <= maxPostings; n++ {
		at := 4*n - 1
		list[n] = list[n-1] + fmt.Sprintf(", ($1, $2, $%d, 0, $%d, $%d, $%d, $1)", at, at+1, at+2, at+3)
	}
	return list
}()

// reverseEarning reverses the earning of an operation and releases its quotas, once,
// because another operation succeeded. central.ErrState: it was reversed before, or
// its state has nothing to reverse.
func reverseEarning(c conn, id, by op.ID, at time.Time) error {
	state := op.Received
	if err := c.one(`SELECT state FROM operations WHERE `+c.dialect.byUniqueName("id = $1"), []any{id}, &state); err != nil {
		return fmt.Errorf("operation %s that it reverses: %w", id, err)
	}
	if state != op.Succeeded && state != op.Reversed {
		return fmt.Errorf("operation %s that it reverses is %s: %w", id, state, central.ErrState)
	}
	if err := c.changeRow(fmt.Errorf("operation %s was reversed before: %w", id, central.ErrState),
		`INSERT INTO reversals (operation, reversed_by, at) VALUES ($1, $2, $3) ON CONFLICT (operation) DO NOTHING`,
		id, by, at); err != nil {
		return err
	}
	if _, err := c.exec(`UPDATE commissions SET reversed_day = $1, reversed_at = $2, reversed_by = $3 WHERE operation = $4`,
		string(ist.DayOf(at)), at, by, id); err != nil {
		return err
	}
	if _, err := c.exec(`INSERT INTO ledger_entries (operation, purpose, reversal, debit, credit, amount, written_by, at)
		SELECT operation, purpose, 1, credit, debit, amount, $1, $2 FROM ledger_entries WHERE operation = $3 AND reversal = 0`,
		by, at, id); err != nil {
		return err
	}
	return releaseQuotas(c, id)
}

// EarningsOf implements central.VendorAdmin. It refuses unknown and repeated groups, and a
// report of more than 100,000 lines. No earnings are no lines.
func (s Commission) EarningsOf(ctx context.Context, vendor central.VendorID, from, to ist.Day, by []central.EarningGroup) ([]central.EarningSum, error) {
	grouped := map[central.EarningGroup]bool{}
	for _, group := range by {
		if grouped[group] || group != central.ByDay && group != central.ByMerchant && group != central.ByType {
			return nil, fmt.Errorf("sum the earnings of vendor %s: group %q is unknown or named twice", vendor, group)
		}
		grouped[group] = true
	}
	list, err := query(ctx, s.task("sum the earnings of vendor %s", vendor), func(c conn) ([]central.EarningSum, error) {
		list, err := allRows(c, scanEarningSum, `SELECT CASE WHEN $1 = 1 THEN day ELSE '' END, CASE WHEN $2 = 1 THEN merchant ELSE '' END,
				CASE WHEN $3 = 1 THEN payment_method ELSE '' END, CASE WHEN $3 = 1 THEN provider ELSE '' END, CASE WHEN $3 = 1 THEN txn_type ELSE '' END,
				CAST(sum(sign) AS BIGINT), CAST(sum(CASE WHEN sign < 0 THEN 1 ELSE 0 END) AS BIGINT),
				CAST(sum(sign * amount) AS BIGINT), CAST(sum(sign * charge) AS BIGINT), CAST(sum(sign * gst) AS BIGINT),
				CAST(sum(sign * provider_cost) AS BIGINT), CAST(sum(sign * commission) AS BIGINT), CAST(sum(sign * tds) AS BIGINT)
			FROM (
				SELECT 1 AS sign, day, merchant, payment_method, provider, txn_type, amount, charge, gst, provider_cost, commission, tds
				FROM commissions WHERE vendor = $4 AND day BETWEEN $5 AND $6
				UNION ALL
				SELECT -1 AS sign, reversed_day AS day, merchant, payment_method, provider, txn_type, amount, charge, gst, provider_cost, commission, tds
				FROM commissions WHERE vendor = $4 AND reversed_day BETWEEN $5 AND $6
			) AS earned GROUP BY 1, 2, 3, 4, 5 LIMIT $7`,
			grouped[central.ByDay], grouped[central.ByMerchant], grouped[central.ByType],
			vendor, from, to, maxEarningLines+1)
		if err == nil && len(list) > maxEarningLines {
			err = errors.New("the report has too many lines: ask for fewer days or groups")
		}
		return list, err
	})
	slices.SortFunc(list, func(a, b central.EarningSum) int { return compareSums(a, b, by) })
	return list, err
}

func scanEarningSum(row row, x *central.EarningSum) error {
	return row.Scan(&x.Day, &x.Merchant, &x.PaymentMethod, &x.Provider, &x.TxnType, &x.Count, &x.Reversed,
		&x.Volume, &x.Charge, &x.GST, &x.ProviderCost, &x.Commission, &x.TDS)
}

// compareSums orders lines of a report by their groups.
func compareSums(a, b central.EarningSum, by []central.EarningGroup) int {
	for _, group := range by {
		n := 0
		switch group {
		case central.ByDay:
			n = cmp.Compare(a.Day, b.Day)
		case central.ByMerchant:
			n = cmp.Compare(a.Merchant, b.Merchant)
		case central.ByType:
			n = slices.Compare([]string{a.PaymentMethod, a.Provider, a.TxnType}, []string{b.PaymentMethod, b.Provider, b.TxnType})
		}
		if n != 0 {
			return n
		}
	}
	return 0
}
