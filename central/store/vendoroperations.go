package store

import (
	"context"
	"math"
	"time"

	"galla/central"
	"galla/central/selfservice"
	"galla/shared/op"
)

// OperationsOfVendor implements selfservice.OperationStore, at most 1000 at a time.
func (s Operations) OperationsOfVendor(ctx context.Context, vendor central.VendorID, q selfservice.OperationQuery) ([]central.Operation, error) {
	return query(ctx, s.task("list the operations of vendor %s", vendor), func(c conn) ([]central.Operation, error) {
		before, id := int64(math.MaxInt64), op.ID("")
		if q.After != "" {
			last, err := operationByID(c, q.After)
			if err == nil {
				err = c.requireRow(central.ErrNotFound, `SELECT 1 FROM merchants WHERE vendor = $1 AND id = $2`, vendor, last.Merchant)
			}
			if err != nil {
				return nil, err
			}
			before, id = last.CreatedAt.UnixMilli(), last.ID
		}
		return c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE merchant IN (SELECT id FROM merchants WHERE vendor = $1) AND (merchant = $2 OR $2 = '') AND kind IN ('CASH_WITHDRAWAL', 'BALANCE_ENQUIRY', 'MINI_STATEMENT', 'PURCHASE', 'AGENT_AUTHENTICATION', 'TRANSFER', 'REFUND', 'UPI_PAYMENT', 'UPI_REFUND')
				AND (kind = $3 OR $3 = '') AND (state = $4 OR $4 = '')
				AND created_at >= $5 AND created_at < $6 AND (created_at, id) < ($7, $8)
			ORDER BY created_at DESC, id DESC LIMIT $9`,
			vendor, q.Merchant, q.Kind, q.State, q.From, q.To, before, id, clampLimit(q.Limit))
	})
}

// CountOfVendor implements selfservice.OperationStore.
func (s Operations) CountOfVendor(ctx context.Context, vendor central.VendorID, from, to time.Time) ([]selfservice.Count, error) {
	return listRows(ctx, s.task("count the operations of vendor %s", vendor), func(row row, n *selfservice.Count) error {
		return row.Scan(&n.State, &n.Count, &n.Sum)
	}, `SELECT state, count(*), CAST(sum(amount) AS BIGINT) FROM operations
		WHERE merchant IN (SELECT id FROM merchants WHERE vendor = $1) AND kind IN ('CASH_WITHDRAWAL', 'BALANCE_ENQUIRY', 'MINI_STATEMENT', 'PURCHASE', 'AGENT_AUTHENTICATION', 'TRANSFER', 'REFUND', 'UPI_PAYMENT', 'UPI_REFUND')
			AND created_at >= $2 AND created_at < $3 GROUP BY state ORDER BY state`, vendor, from, to)
}
