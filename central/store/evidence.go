package store

import (
	"context"
	"fmt"

	"galla/central"
)

// Find implements central.Evidence, at most 1000. RRN and CallerRef alone have
// no index of their own: the look is for a person, and reads the table.
func (s *SQLite) Find(ctx context.Context, name string, limit int) (list []central.Operation, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE id = $1 OR reference = $1 OR pending_reference = $1 OR ($1 <> '' AND (rrn = $1 OR caller_ref = $1))
				OR id IN (SELECT operation FROM identities WHERE identity = $1)
			ORDER BY created_at DESC, id DESC LIMIT $2`, name, bounded(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for operations by a name: %w", err)
	}
	return list, nil
}

// Waiting implements central.Evidence, at most 1000.
func (s *SQLite) Waiting(ctx context.Context, limit int) (list []central.Operation, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.operations(`SELECT `+operationColumns+` FROM operations WHERE state = 'pending'
			ORDER BY CASE WHEN stuck_at IS NULL THEN 1 ELSE 0 END, created_at, id LIMIT $1`, bounded(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list pending operations: %w", err)
	}
	return list, nil
}
