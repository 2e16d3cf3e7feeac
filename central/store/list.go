package store

import (
	"context"
	"math"
	"slices"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/shared/op"
)

// List implements staff.OperationFinder, at most 1000.
func (s Operations) List(ctx context.Context, q staff.ListQuery) (page staff.ListPage, err error) {
	return query(ctx, s.task("list operations"), func(c conn) (staff.ListPage, error) {
		args := newListArgs(q)
		if q.Open || q.Stuck {
			return listUnfinished(c, q, args)
		}
		lookedTo, err := args.bound(c)
		if err != nil {
			return staff.ListPage{}, err
		}
		list, err := args.read(c)
		page := staff.ListPage{Operations: list}
		if len(list) < args.limit && !lookedTo.IsZero() {
			page.LookedTo = lookedTo
		}
		return page, err
	})
}

// listArgs are a query's values as the statements take them.
type listArgs struct {
	staff.ListQuery
	from, before int64 // created in [from, before], milliseconds
	id           op.ID // of those of the millisecond before, only smaller ids
	max          int64
	limit        int
}

func newListArgs(q staff.ListQuery) listArgs {
	a := listArgs{ListQuery: q, from: max(q.From.UnixMilli(), 0), before: math.MaxInt64, max: math.MaxInt64, limit: clampLimit(q.Limit)}
	if !q.To.IsZero() {
		a.before = q.To.UnixMilli() // and no id is smaller than the empty one
	}
	if !q.Before.IsZero() && q.Before.UnixMilli() < a.before {
		a.before, a.id = q.Before.UnixMilli(), q.BeforeID
	}
	if q.Max > 0 {
		a.max = int64(q.Max)
	}
	return a
}

// bound moves the start so that at most q.Look operations are looked at, and returns it;
// zero: there are no more.
func (a *listArgs) bound(c conn) (at time.Time, err error) {
	if a.State == "" && a.Kind == "" && a.IIN == "" && a.Min == 0 && a.Max == 0 && a.Vendor == "" && a.Terminal == "" {
		return at, nil // every operation passes, so the page looks at no more than it lists
	}
	var list []int64
	if a.Merchant != "" {
		list, err = allRows(c, scanValue[int64], `SELECT created_at FROM operations
			WHERE merchant = $1 AND created_at >= $2 AND created_at <= $3 ORDER BY created_at DESC LIMIT 1 OFFSET $4`, a.Merchant, a.from, a.before, a.Look)
	} else {
		list, err = allRows(c, scanValue[int64], `SELECT created_at FROM operations
			WHERE amount > 0 AND created_at >= $1 AND created_at <= $2 ORDER BY created_at DESC LIMIT 1 OFFSET $3`, a.from, a.before, a.Look)
	}
	if err == nil && len(list) > 0 {
		a.from, at = list[0], time.UnixMilli(list[0])
	}
	return at, err
}

func (a listArgs) read(c conn) ([]central.Operation, error) {
	if a.Merchant != "" {
		return c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE merchant = $1 AND created_at >= $2 AND created_at <= $3 AND (created_at, id) < ($3, $4)
				AND (kind = $5 OR $5 = '') AND (state = $6 OR $6 = '') AND (iin = $7 OR $7 = '') AND amount >= $8 AND amount <= $9
				AND ($10 = '' OR merchant IN (SELECT id FROM merchants WHERE vendor = $10)) AND (terminal = $11 OR $11 = '')
			ORDER BY created_at DESC, id DESC LIMIT $12`,
			a.Merchant, a.from, a.before, a.id, a.Kind, a.State, a.IIN, a.Min, a.max, a.Vendor, a.Terminal, a.limit)
	}
	return c.operations(`SELECT `+operationColumns+` FROM operations
		WHERE amount > 0 AND created_at >= $1 AND created_at <= $2 AND (created_at, id) < ($2, $3)
			AND (kind = $4 OR $4 = '') AND (state = $5 OR $5 = '') AND (iin = $6 OR $6 = '') AND amount >= $7 AND amount <= $8
			AND ($9 = '' OR merchant IN (SELECT id FROM merchants WHERE vendor = $9)) AND (terminal = $10 OR $10 = '')
		ORDER BY created_at DESC, id DESC LIMIT $11`,
		a.from, a.before, a.id, a.Kind, a.State, a.IIN, a.Min, a.max, a.Vendor, a.Terminal, a.limit)
}

// listUnfinished lists those that have no final state. They are few, and each state has its
// part of the index.
func listUnfinished(c conn, q staff.ListQuery, a listArgs) (page staff.ListPage, err error) {
	states := []op.State{op.Received, op.Sent, op.Pending}
	if q.Stuck {
		states = states[2:]
	}
	for _, state := range states {
		list, err := c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE finished_at IS NULL AND state = $1 AND created_at >= $2 AND created_at <= $3 AND (created_at, id) < ($3, $4)
				AND (kind = $5 OR $5 = '') AND (merchant = $6 OR $6 = '') AND (iin = $7 OR $7 = '') AND amount >= $8 AND amount <= $9
				AND ($10 = '' OR merchant IN (SELECT id FROM merchants WHERE vendor = $10)) AND (terminal = $11 OR $11 = '') AND (stuck_at IS NOT NULL OR $12 = 0)
			ORDER BY created_at DESC, id DESC LIMIT $13`,
			state, a.from, a.before, a.id, a.Kind, a.Merchant, a.IIN, a.Min, a.max, a.Vendor, a.Terminal, oneIf(q.Stuck), a.limit)
		if err != nil {
			return page, err
		}
		page.Operations = append(page.Operations, list...)
	}
	slices.SortFunc(page.Operations, newestFirst)
	page.Operations = page.Operations[:min(len(page.Operations), a.limit)]
	return page, nil
}
