package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"galla/central"
)

// Find implements central.Evidence, at most 1000. Every name has its index, so
// that the look is quick while the house is busy.
func (s *DB) Find(ctx context.Context, name string, limit int) (list []central.Operation, err error) {
	if name == "" {
		return nil, nil
	}
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE id IN (
				SELECT id FROM `+c.dialect.names+` WHERE id = $1 OR reference = $1 OR pending_reference = $1 OR caller_ref = $1
				UNION ALL SELECT id FROM operations WHERE rrn = $1 AND rrn <> ''
				UNION ALL SELECT operation FROM identities WHERE identity = $1)
			LIMIT $2`, name, bounded(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for operations by a name: %w", err)
	}
	slices.SortFunc(list, func(a, b central.Operation) int { // the latest first
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return list, nil
}

// Waiting implements central.Evidence, at most 1000: the stuck ones first.
func (s *DB) Waiting(ctx context.Context, limit int) (list []central.Operation, err error) {
	limit = bounded(limit)
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE state = 'pending' AND stuck_at IS NOT NULL ORDER BY stuck_at LIMIT $1`, limit)
		if err != nil || len(list) >= limit {
			return err
		}
		more, err := c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE settled_at IS NULL AND state = 'pending' AND stuck_at IS NULL ORDER BY created_at, id LIMIT $1`, limit-len(list))
		list = append(list, more...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list pending operations: %w", err)
	}
	return list, nil
}
