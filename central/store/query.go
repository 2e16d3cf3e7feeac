package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"galla/central"
	"galla/shared/op"
)

// Operation implements central.Operations.
func (s Operations) Operation(ctx context.Context, id op.ID) (central.Operation, error) {
	return query(ctx, s.task("read operation %s", id), func(c conn) (central.Operation, error) { return operationByID(c, id) })
}

// ByIdentity implements central.Operations. A tombstone is not an operation:
// central.ErrNotFound.
//
// An identity that the caller chose leads to its newest attempt. One that is the id of an
// operation leads to that operation.
func (s Operations) ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error) {
	return query(ctx, s.task("read an operation of %s by its identity", caller), func(c conn) (central.Operation, error) {
		o, err := operationByIdentity(c, caller, identity)
		switch {
		case err != nil:
			return o, err
		case o.Tombstone:
			return o, central.ErrNotFound
		case identity == string(o.ID):
			return o, nil
		}
		return newestAttemptOf(c, caller, identity, o)
	})
}

// Unfinished implements central.Operations, at most 1000. Created before means in an
// earlier millisecond. A final state is an error.
func (s Operations) Unfinished(ctx context.Context, q central.UnfinishedQuery) ([]central.Operation, error) {
	if q.State.Final() {
		return nil, fmt.Errorf("list unfinished operations: state %s is final", q.State)
	}
	before := int64(math.MaxInt64)
	if !q.Before.IsZero() {
		before = q.Before.UnixMilli()
	}
	return query(ctx, s.task("list operations in state %s", q.State), func(c conn) ([]central.Operation, error) {
		// The first condition is that of the index.
		return c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE finished_at IS NULL AND state = $1 AND created_at < $2 AND (node = $3 OR $3 = '') AND (created_at, id) > ($4, $5)
			ORDER BY created_at, id LIMIT $6`, q.State, before, q.Node, q.After.CreatedAt.UnixMilli(), q.After.ID, clampLimit(q.Limit))
	})
}

// ClaimEnquiries implements central.Operations, oldest first, at most 1000. A claim adds
// no step to the history; the result of the enquiry does.
func (s Operations) ClaimEnquiries(ctx context.Context, now, leaseUntil time.Time, limit int) ([]central.Operation, error) {
	const task = "claim pending operations"
	// Most calls find nothing and need no write.
	due, err := s.task(task).exists(ctx, `SELECT 1 FROM operations
		WHERE state = 'pending' AND stuck_at IS NULL AND next_enquiry <= $1 LIMIT 1`, now)
	if err != nil || !due {
		return nil, err
	}
	list, err := update(ctx, s.task(task), func(c conn) ([]central.Operation, error) {
		return c.operations(`WITH due AS MATERIALIZED (
			SELECT id, created_at FROM operations WHERE state = 'pending' AND stuck_at IS NULL AND next_enquiry <= $1
			ORDER BY next_enquiry LIMIT $2`+c.dialect.skipLocked+`)
			UPDATE operations SET next_enquiry = $3 WHERE (id, created_at) IN (SELECT id, created_at FROM due)
			RETURNING `+operationColumns, now, clampLimit(limit), leaseUntil)
	})
	slices.SortFunc(list, func(a, b central.Operation) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list, err
}

// newestFirst orders operations by their time, the newest first.
func newestFirst(a, b central.Operation) int {
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
}

// History implements central.Operations. An unknown operation is central.ErrNotFound.
func (s Operations) History(ctx context.Context, id op.ID) ([]central.Step, error) {
	return query(ctx, s.task("read the history of operation %s", id), func(c conn) ([]central.Step, error) {
		steps, err := history(c, id)
		if err == nil && len(steps) == 0 {
			err = central.ErrNotFound
		}
		return steps, err
	})
}

// history reads the steps of an operation, oldest first.
func history(c conn, id op.ID) ([]central.Step, error) {
	return allRows(c, func(row row, x *central.Step) error { return row.Scan(&x.At, &x.Node, &x.From, &x.To, &x.Reason) }, `SELECT at, node, from_state, to_state, reason FROM operation_steps
		WHERE operation = $1 ORDER BY step`, id)
}

// BacklogCount is how many operations wait, and since when the oldest does; zero: none
// waits.
type BacklogCount struct {
	Count  int
	Oldest time.Time
}

// Backlog counts the unfinished operations by state. Pending are all that wait for the
// bank. Stuck are those of them that wait for a person.
type Backlog struct {
	Received, Sent, Pending, Stuck BacklogCount
}

// Backlog counts the unfinished operations, for metrics. The time of an operation is when
// it was created.
func (s Operations) Backlog(ctx context.Context) (Backlog, error) {
	return query(ctx, s.task("count unfinished operations"), func(c conn) (b Backlog, err error) {
		states := map[string]*BacklogCount{string(op.Received): &b.Received, string(op.Sent): &b.Sent, string(op.Pending): &b.Pending}
		err = c.Each(`SELECT state, count(*), min(created_at) FROM operations WHERE finished_at IS NULL GROUP BY state`, nil, func(row row) error {
			var state string
			var n BacklogCount
			err := row.Scan(&state, &n.Count, &n.Oldest)
			if to, known := states[state]; known {
				*to = n
			}
			return err
		})
		if err != nil {
			return b, err
		}
		return b, c.one(`SELECT count(*), min(created_at) FROM operations WHERE state = 'pending' AND stuck_at IS NOT NULL`, nil,
			&b.Stuck.Count, &b.Stuck.Oldest)
	})
}
