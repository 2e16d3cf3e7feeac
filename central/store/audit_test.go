package store

import (
	"errors"

	"galla/central"
	"galla/shared/money"
)

// usage reads for each quota how much of it is used. An unused one is zero.
func usage(s *DB, quotas []central.Quota) ([]central.Used, error) {
	list := make([]central.Used, len(quotas))
	return list, s.read(background, func(c conn) error {
		for i, q := range quotas {
			list[i] = central.Used{}
			err := c.one(`SELECT count, sum FROM quota_usage WHERE key = $1 AND period = $2`, []any{q.Key, q.Period}, &list[i].Count, &list[i].Sum)
			if err != nil && !errors.Is(err, central.ErrNotFound) {
				return err
			}
		}
		return nil
	})
}

// balance is an account of the commission ledger, in paise.
type balance struct {
	Account string
	Debits  money.Paise
	Credits money.Paise
}

// balances sums the whole commission ledger by account, ordered by their names.
func balances(s *DB) ([]balance, error) {
	return listRows(background, s.task("sum the commission ledger"), func(row row, b *balance) error { return row.Scan(&b.Account, &b.Debits, &b.Credits) },
		`SELECT account, CAST(sum(debit) AS BIGINT), CAST(sum(credit) AS BIGINT) FROM (
				SELECT debit AS account, amount AS debit, 0 AS credit FROM ledger_entries
				UNION ALL
				SELECT credit AS account, 0 AS debit, amount AS credit FROM ledger_entries
			) AS sides GROUP BY account ORDER BY account`)
}

// ledgerSum is the debits of all accounts minus their credits: zero in an intact ledger.
func ledgerSum(s *DB) (sum money.Paise, err error) {
	list, err := balances(s)
	for _, b := range list {
		sum += b.Debits - b.Credits
	}
	return sum, err
}
