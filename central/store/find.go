package store

import (
	"context"
	"slices"

	"galla/central"
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
			UNION ALL SELECT operation FROM identities WHERE identity = $1)
		LIMIT $2`, name, clampLimit(limit))
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
