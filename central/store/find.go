package store

import (
	"context"
	"slices"

	"galla/central"
	"galla/shared/op"
)

// FindByAnyName implements central.OperationFinder, at most 1000. Each name has its index,
// so that the search is fast under load.
func (s Operations) FindByAnyName(ctx context.Context, name string, limit int) ([]central.Operation, error) {
	if name == "" {
		return nil, nil
	}
	list, err := listRows(ctx, s.task("find operations by a name"), scanOperation, `SELECT `+operationColumns+` FROM operations
		WHERE id IN (
			SELECT id FROM `+s.dialect.names+` WHERE id = $1 OR reference = $1 OR pending_reference = $1 OR caller_ref = $1
			UNION ALL SELECT id FROM operations WHERE rrn = $1 AND rrn <> ''
			UNION ALL SELECT operation FROM identities WHERE identity = $1
			UNION ALL SELECT operation FROM upi_payments WHERE order_id = $1 AND order_id IS NOT NULL)
		LIMIT $2`, name, clampLimit(limit))
	slices.SortFunc(list, newestFirst)
	return list, err
}

// maxReceiptMessages bounds the messages of one receipt that are listed.
const maxReceiptMessages = 100

// ReceiptMessages implements central.OperationFinder, at most 100. They are found along the
// index of references, which begin with the id of the receipt's operation.
func (s Operations) ReceiptMessages(ctx context.Context, of op.ID) ([]central.Operation, error) {
	list, err := listRows(ctx, s.task("list the messages with the receipt of %s", of), scanOperation, `SELECT `+operationColumns+` FROM operations
		WHERE id IN (SELECT id FROM `+s.dialect.names+` WHERE caller_ref >= $1 AND caller_ref < $2 LIMIT $3)`,
		string(of)+"/", string(of)+"0", maxReceiptMessages) // '0' follows '/'
	list = slices.DeleteFunc(list, func(o central.Operation) bool { return o.Kind != central.KindReceiptMessage })
	slices.SortFunc(list, newestFirst)
	return list, err
}

// ListPending implements central.OperationFinder, at most 1000: the stuck ones first.
func (s Operations) ListPending(ctx context.Context, limit int) ([]central.Operation, error) {
	limit = clampLimit(limit)
	return query(ctx, s.task("list pending operations"), func(c conn) ([]central.Operation, error) {
		list, err := c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE state = 'pending' AND stuck_at IS NOT NULL ORDER BY stuck_at LIMIT $1`, limit)
		if err != nil || len(list) >= limit {
			return list, err
		}
		more, err := c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE finished_at IS NULL AND state = 'pending' AND stuck_at IS NULL ORDER BY created_at, id LIMIT $1`, limit-len(list))
		return append(list, more...), err
	})
}
