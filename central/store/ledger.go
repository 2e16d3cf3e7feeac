package store

import (
	"context"
	"fmt"

	"galla/shared/money"
)

// Balance is what the commission ledger has of one account, in paise.
type Balance struct {
	Account string
	Debits  money.Paise
	Credits money.Paise
}

// Balances sums the commission ledger by account, ordered by their names. It
// reads the whole ledger: it is for audits.
func (s *DB) Balances(ctx context.Context) (list []Balance, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.each(`SELECT account, CAST(sum(debit) AS BIGINT), CAST(sum(credit) AS BIGINT) FROM (
				SELECT debit AS account, amount AS debit, 0 AS credit FROM ledger_entries
				UNION ALL
				SELECT credit AS account, 0 AS debit, amount AS credit FROM ledger_entries
			) AS sides GROUP BY account ORDER BY account`, nil, func(row row) error {
			var b Balance
			err := row.Scan(&b.Account, &b.Debits, &b.Credits)
			list = append(list, b)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sum the commission ledger: %w", err)
	}
	return list, nil
}

// LedgerSum gives the debits of all accounts less their credits: zero, unless
// the ledger was tampered with.
func (s *DB) LedgerSum(ctx context.Context) (sum money.Paise, err error) {
	list, err := s.Balances(ctx)
	for _, b := range list {
		sum += b.Debits - b.Credits
	}
	return sum, err
}
