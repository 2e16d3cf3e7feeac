package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/shared/op"
)

// Operation implements central.Operations.
func (s *DB) Operation(ctx context.Context, id op.ID) (o central.Operation, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		o, err = operationByID(c, id)
		return err
	})
	if err != nil {
		return central.Operation{}, fmt.Errorf("read operation %s: %w", id, err)
	}
	return o, nil
}

// ByIdentity implements central.Operations. A tombstone is no operation:
// central.ErrNotFound.
//
// An identity that the caller chose for a call leads to the newest attempt of
// that call; one that is an operation's own id, to that operation.
func (s *DB) ByIdentity(ctx context.Context, caller, identity string) (o central.Operation, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		o, err = byIdentity(c, caller, identity)
		if err == nil && !o.Forsworn && identity != string(o.ID) {
			o, err = newestOf(c, caller, identity, o)
		}
		return err
	})
	if err == nil && o.Forsworn {
		err = central.ErrNotFound
	}
	if err != nil {
		return central.Operation{}, fmt.Errorf("read an operation of %s by its identity: %w", caller, err)
	}
	return o, nil
}

// Abandoned implements central.Operations, oldest first, at most 1000. Begun
// before means in an earlier millisecond. Final states are refused: nobody
// abandons those.
func (s *DB) Abandoned(ctx context.Context, node string, state op.State, before time.Time, limit int) (list []central.Operation, err error) {
	if state.Final() {
		return nil, fmt.Errorf("list abandoned operations: state %s is final", state)
	}
	err = s.read(ctx, func(c conn) error {
		// The first condition is that of the index.
		var err error
		list, err = c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE settled_at IS NULL AND state = $1 AND created_at < $2 AND (node = $3 OR $3 = '')
			ORDER BY created_at, id LIMIT $4`, string(state), ms(before), node, bounded(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list operations in state %s: %w", state, err)
	}
	return list, nil
}

// Claim implements central.Operations, oldest first, at most 1000. It is a
// lease and no step: it leaves no line in the history, the enquiry's result
// does.
func (s *DB) Claim(ctx context.Context, now, leaseUntil time.Time, limit int) (list []central.Operation, err error) {
	// Most looks find nothing; those leave the writer alone.
	due := false
	err = s.read(ctx, func(c conn) error {
		var err error
		due, err = c.exists(`SELECT 1 FROM operations
			WHERE state = 'pending' AND stuck_at IS NULL AND next_enquiry <= $1 LIMIT 1`, ms(now))
		return err
	})
	if err == nil && due {
		err = s.write(ctx, func(c conn) error {
			var err error
			list, err = c.operations(`WITH due AS MATERIALIZED (
				SELECT id, created_at FROM operations WHERE state = 'pending' AND stuck_at IS NULL AND next_enquiry <= $1
				ORDER BY next_enquiry LIMIT $2`+c.dialect.skipLocked+`)
				UPDATE operations SET next_enquiry = $3 WHERE (id, created_at) IN (SELECT id, created_at FROM due)
				RETURNING `+operationColumns, ms(now), bounded(limit), ms(leaseUntil))
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("claim pending operations: %w", err)
	}
	slices.SortFunc(list, func(a, b central.Operation) int {
		if n := a.CreatedAt.Compare(b.CreatedAt); n != 0 {
			return n
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return list, nil
}

// History implements central.Operations. An unknown operation is
// central.ErrNotFound.
func (s *DB) History(ctx context.Context, id op.ID) (steps []central.Step, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		steps, err = history(c, id)
		return err
	})
	if err == nil && len(steps) == 0 {
		err = central.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read the history of operation %s: %w", id, err)
	}
	return steps, nil
}
