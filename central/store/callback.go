package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"galla/central"
	"galla/central/webhook"
	"galla/shared/op"
)

// maxReceiversDue bounds the receivers of one claim. Those that have waited longest come
// first.
const maxReceiversDue = 256

const callbackColumns = `operation, merchant, vendor, event, state, created_at, since, due_at, node, attempts, failures, tried_at, http, detail, ended_at`

func scanCallback(row row, x *webhook.Callback) error {
	return row.Scan(&x.Operation, &x.Merchant, &x.Vendor, &x.Event, &x.State, &x.CreatedAt, &x.Since, &x.DueAt,
		&x.Node, &x.Attempts, &x.Failures, &x.TriedAt, &x.HTTP, &x.Detail, &x.EndedAt)
}

// enqueueCallback writes the callback of an operation, if its merchant or else its vendor
// has an endpoint for the event. With a disabled endpoint, the callback is given up from
// the start, and can be replayed.
func enqueueCallback(c conn, o central.Operation, at time.Time) error {
	event := webhook.EventOf(o)
	if o.Merchant == "" || event == "" {
		return nil
	}
	e, err := endpointFor(c, o.Merchant)
	if err != nil || e.URL == "" || !slices.Contains(e.Events, event) {
		return err
	}
	if err := insertCallback(c, o, e.Receiver, at, at); err != nil || e.DisabledAt.IsZero() {
		return err
	}
	_, err = c.exec(`UPDATE callbacks SET `+setGivenUp+` WHERE operation = $3`, reasonDisabled, at, o.ID)
	return err
}

// setGivenUp gives a callback up. Its parameters are the detail and the time.
const setGivenUp = `state = 'given-up', due_at = NULL, node = NULL, detail = $1, ended_at = $2`

// Details of callbacks that are given up without an attempt.
const (
	reasonDisabled   = "the endpoint is disabled: its receiver replied 410 Gone"
	reasonNoEndpoint = "there is no endpoint any more"
)

func insertCallback(c conn, o central.Operation, to webhook.Receiver, created, since time.Time) error {
	_, err := c.exec(`INSERT INTO callbacks (operation, merchant, vendor, event, state, created_at, since, due_at) VALUES ($1, $2, $3, $4, 'waiting', $5, $6, $6)`,
		o.ID, o.Merchant, orNull(to.Vendor), webhook.EventOf(o), created, since)
	if err != nil {
		return fmt.Errorf("write the callback to %s: %w", to, err)
	}
	return nil
}

// ClaimCallbacks implements webhook.DeliveryStore. Each receiver gets no more than its
// share, so that one with ten thousand callbacks does not block the others.
func (s Webhooks) ClaimCallbacks(ctx context.Context, b webhook.ClaimLimits) ([]webhook.Callback, error) {
	inFlight := map[string]int{}
	for r, n := range b.InFlight {
		inFlight[r.String()] = n
	}
	// Most calls find nothing and need no write.
	due, err := query(ctx, s.task("list receivers with callbacks that are due"), func(c conn) ([]string, error) {
		due, err := receiversDue(c, b.Now)
		return slices.DeleteFunc(due, func(r string) bool { return inFlight[r] >= b.PerReceiver }), err
	})
	if err != nil || len(due) == 0 {
		return nil, err
	}
	return update(ctx, s.task("claim callbacks that are due"), func(c conn) (list []webhook.Callback, err error) {
		for _, r := range due {
			share := min(b.PerReceiver-inFlight[r], b.Limit-len(list))
			if share <= 0 {
				continue
			}
			claimed, err := allRows(c, scanCallback, `WITH due AS (
					SELECT operation FROM callbacks WHERE state = 'waiting' AND receiver = $1 AND due_at <= $2
					ORDER BY due_at LIMIT $3`+c.dialect.skipLocked+`)
				UPDATE callbacks SET due_at = $4, node = $5, attempts = attempts + 1, tried_at = $2
				WHERE operation IN (SELECT operation FROM due) RETURNING `+callbackColumns,
				r, b.Now, share, b.Until, c.node)
			if err != nil {
				return nil, err
			}
			list = append(list, claimed...)
		}
		return list, nil
	})
}

// receiversDue lists the receivers with due callbacks, the longest waiting first. It goes
// through the index from receiver to receiver, so that the cost does not depend on the
// number of callbacks of one receiver.
func receiversDue(c conn, now time.Time) ([]string, error) {
	return allRows(c, scanValue[string], `WITH RECURSIVE lane (id) AS (
			SELECT min(receiver) FROM callbacks WHERE state = 'waiting'
			UNION ALL
			SELECT (SELECT min(receiver) FROM callbacks WHERE state = 'waiting' AND receiver > lane.id) FROM lane WHERE lane.id IS NOT NULL)
		SELECT id FROM (
			SELECT lane.id, (SELECT min(due_at) FROM callbacks WHERE state = 'waiting' AND receiver = lane.id) AS due
			FROM lane WHERE lane.id IS NOT NULL) AS lanes
		WHERE due <= $1 ORDER BY due, id LIMIT $2`, now, maxReceiversDue)
}

// RecordAttempt implements webhook.DeliveryStore.
func (s Webhooks) RecordAttempt(ctx context.Context, a webhook.Attempt) error {
	return s.task("record attempt %d of the callback of operation %s", a.Number, a.Operation).change(ctx, func(c conn) error { return recordAttempt(c, a) })
}

func recordAttempt(c conn, a webhook.Attempt) error {
	a.Detail = clip(a.Detail)
	if err := endAttempt(c, a); err != nil {
		return err
	}
	if _, err := c.exec(`INSERT INTO callback_attempts (operation, attempt, at, node, http, detail, result) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		a.Operation, a.Number, a.At, c.node, a.HTTP, a.Detail, a.Result); err != nil {
		return err
	}
	if a.Result != webhook.ResultGone {
		return nil
	}
	var err error
	if a.Receiver.Vendor != "" {
		_, err = c.exec(`UPDATE vendors SET callback_disabled_at = coalesce(callback_disabled_at, $1) WHERE id = $2 AND callback_url IS NOT NULL`,
			a.At, a.Receiver.Vendor)
	} else {
		_, err = c.exec(`UPDATE merchants SET callback_disabled_at = coalesce(callback_disabled_at, $1) WHERE id = $2 AND callback_url IS NOT NULL`,
			a.At, a.Receiver.Merchant)
	}
	if err != nil {
		return err
	}
	// An attempt in progress ends by itself.
	_, err = c.exec(`UPDATE callbacks SET `+setGivenUp+` WHERE receiver = $3 AND state = 'waiting' AND node IS NULL`,
		reasonDisabled, a.At, a.Receiver.String())
	return err
}

// endAttempt changes the callback by the result of the attempt.
func endAttempt(c conn, a webhook.Attempt) error {
	var changed int64
	var err error
	switch a.Result {
	case webhook.ResultDelivered:
		changed, err = c.exec(`UPDATE callbacks SET state = 'delivered', due_at = NULL, node = NULL, http = $1, detail = $2, ended_at = $3
			WHERE operation = $4 AND state = 'waiting' AND attempts >= $5`,
			a.HTTP, a.Detail, a.At, a.Operation, a.Number)
	case webhook.ResultRetry:
		changed, err = c.exec(`UPDATE callbacks SET due_at = $1, node = NULL, http = $2, detail = $3, failures = failures + $4
			WHERE operation = $5 AND state = 'waiting' AND node IS NOT NULL AND attempts = $6`,
			a.RetryAt, a.HTTP, a.Detail, !a.Interrupted, a.Operation, a.Number)
	case webhook.ResultGivenUp, webhook.ResultGone:
		changed, err = c.exec(`UPDATE callbacks SET `+setGivenUp+`, http = $3, failures = failures + 1
			WHERE operation = $4 AND state = 'waiting' AND node IS NOT NULL AND attempts = $5`,
			a.Detail, a.At, a.HTTP, a.Operation, a.Number)
	default:
		return fmt.Errorf("result %q is unknown", a.Result)
	}
	if err == nil && changed == 0 {
		err = central.ErrState
	}
	return err
}

// ListCallbacks implements webhook.AdminStore, at most 1000.
func (s Webhooks) ListCallbacks(ctx context.Context, f webhook.Filter) ([]webhook.Callback, error) {
	until := int64(math.MaxInt64)
	if !f.Until.IsZero() {
		until = f.Until.UnixMilli()
	}
	if f.Vendor == "" {
		return query(ctx, s.task("list callbacks"), func(c conn) ([]webhook.Callback, error) { return listCallbacks(c, f, until) })
	}
	return query(ctx, s.task("list the callbacks of vendor %s", f.Vendor), func(c conn) ([]webhook.Callback, error) {
		before := int64(math.MaxInt64)
		if f.After != "" {
			if err := c.one(`SELECT created_at FROM callbacks WHERE operation = $1`, []any{f.After}, &before); err != nil {
				return nil, err
			}
		}
		return allRows(c, scanCallback, `SELECT `+callbackColumns+` FROM callbacks
			WHERE merchant IN (SELECT id FROM merchants WHERE vendor = $1) AND (merchant = $2 OR $2 = '') AND (state = $3 OR $3 = '')
				AND created_at >= $4 AND created_at < $5 AND (created_at, operation) < ($6, $7)
			ORDER BY created_at DESC, operation DESC LIMIT $8`,
			f.Vendor, f.Merchant, f.State, max(0, f.Since.UnixMilli()), until, before, f.After, clampLimit(f.Limit))
	})
}

// listCallbacks lists those of all vendors, created before a time. Each filter has its index:
// few callbacks wait or were given up, and most of a merchant's were delivered.
func listCallbacks(c conn, f webhook.Filter, until int64) ([]webhook.Callback, error) {
	since, limit := max(0, f.Since.UnixMilli()), clampLimit(f.Limit)
	switch {
	case f.Merchant != "":
		return allRows(c, scanCallback, `SELECT `+callbackColumns+` FROM callbacks
			WHERE merchant = $1 AND (state = $2 OR $2 = '') AND created_at >= $3 AND created_at < $4
			ORDER BY created_at DESC, operation DESC LIMIT $5`, f.Merchant, f.State, since, until, limit)
	case f.State != "" && f.State != webhook.StateDelivered:
		return allRows(c, scanCallback, `SELECT `+callbackColumns+` FROM callbacks
			WHERE state = $1 AND state <> 'delivered' AND created_at >= $2 AND created_at < $3
			ORDER BY created_at DESC, operation DESC LIMIT $4`, f.State, since, until, limit)
	}
	return allRows(c, scanCallback, `SELECT `+callbackColumns+` FROM callbacks
		WHERE (state = $1 OR $1 = '') AND created_at >= $2 AND created_at < $3
		ORDER BY created_at DESC, operation DESC LIMIT $4`, f.State, since, until, limit)
}

// Callback implements webhook.AdminStore. Of the attempts it returns the first 1000.
func (s Webhooks) Callback(ctx context.Context, operation op.ID) (x webhook.Callback, attempts []webhook.Attempt, err error) {
	x, err = query(ctx, s.task("read the callback of operation %s", operation), func(c conn) (webhook.Callback, error) {
		x, err := firstRow(c, scanCallback, `SELECT `+callbackColumns+` FROM callbacks WHERE operation = $1`, operation)
		if err != nil {
			return x, err
		}
		attempts, err = allRows(c, func(row row, a *webhook.Attempt) error {
			a.Operation = operation
			return row.Scan(&a.Number, &a.At, &a.Node, &a.HTTP, &a.Detail, &a.Result)
		}, `SELECT attempt, at, node, http, detail, result FROM callback_attempts WHERE operation = $1 ORDER BY attempt LIMIT $2`,
			operation, maxRows)
		return x, err
	})
	return x, attempts, err
}

// CallbackBacklog implements webhook.AdminStore.
func (s Webhooks) CallbackBacklog(ctx context.Context) (webhook.Backlog, error) {
	return query(ctx, s.task("count callbacks"), func(c conn) (n webhook.Backlog, err error) {
		err = c.one(`SELECT
			(SELECT count(*) FROM callbacks WHERE state = 'waiting'),
			(SELECT count(*) FROM callbacks WHERE state = 'given-up'),
			(SELECT count(*) FROM merchants WHERE callback_disabled_at IS NOT NULL) + (SELECT count(*) FROM vendors WHERE callback_disabled_at IS NOT NULL),
			(SELECT min(since) FROM callbacks WHERE state = 'waiting')`, nil,
			&n.Waiting, &n.GivenUp, &n.Disabled, &n.Oldest)
		return n, err
	})
}

// setReplayed replays a callback at the endpoint that its merchant has now. Its parameter is
// the time.
const setReplayed = `state = 'waiting', since = CASE WHEN since > $1 THEN since ELSE $1 END, due_at = $1, ended_at = NULL, failures = 0,
	vendor = (SELECT v.id FROM merchants AS m JOIN vendors AS v ON v.id = m.vendor WHERE m.id = callbacks.merchant AND m.callback_url IS NULL AND v.callback_url IS NOT NULL)`

// ReplayCallback implements webhook.AdminStore.
func (s Webhooks) ReplayCallback(ctx context.Context, operation op.ID, at time.Time) error {
	return s.task("replay the callback of operation %s", operation).change(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE callbacks SET `+setReplayed+` WHERE operation = $2 AND node IS NULL`, at, operation)
		if err != nil || changed == 1 {
			return err
		}
		known, err := c.exists(`SELECT 1 FROM callbacks WHERE operation = $1`, operation)
		if err != nil {
			return err
		}
		if known {
			return fmt.Errorf("a node delivers it at this moment: try again in a minute: %w", central.ErrState)
		}
		o, err := operationByID(c, operation)
		if err != nil {
			return err
		}
		if !o.State.Final() || webhook.EventOf(o) == "" || o.Merchant == "" {
			return fmt.Errorf("it has no callback: it was never pending, is not finished, or has no merchant: %w", central.ErrState)
		}
		e, err := endpointFor(c, o.Merchant)
		if err != nil {
			return err
		}
		since := at
		if o.FinishedAt.After(at) {
			since = o.FinishedAt
		}
		return insertCallback(c, o, e.Receiver, o.FinishedAt, since)
	})
}

// ReplayCallbacksSince implements webhook.AdminStore.
func (s Webhooks) ReplayCallbacksSince(ctx context.Context, m central.MerchantID, since, at time.Time) (int, error) {
	return update(ctx, s.task("replay the callbacks of merchant %s", m), func(c conn) (int, error) {
		if err := c.requireRow(central.ErrNotFound, `SELECT 1 FROM merchants WHERE id = $1`, m); err != nil {
			return 0, err
		}
		changed, err := c.exec(`UPDATE callbacks SET `+setReplayed+` WHERE merchant = $2 AND created_at >= $3 AND node IS NULL`,
			at, m, since)
		return int(changed), err
	})
}
