package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/webhook"
	"galla/shared/op"
)

// maxMerchantsDue bounds the merchants of one claim. Those that have waited longest come
// first.
const maxMerchantsDue = 256

const callbackColumns = `operation, merchant, event, state, created_at, since, due_at, node, attempts, failures, tried_at, http, detail, ended_at`

func scanCallback(row row, x *webhook.Callback) error {
	return row.Scan(&x.Operation, &x.Merchant, &x.Event, &x.State, &x.CreatedAt, &x.Since, &x.DueAt,
		&x.Node, &x.Attempts, &x.Failures, &x.TriedAt, &x.HTTP, &x.Detail, &x.EndedAt)
}

// enqueueCallback writes the callback to the operation's merchant, if it has an endpoint for
// the event. With a disabled endpoint, the callback is given up from the start, and can
// be replayed.
func enqueueCallback(c conn, o central.Operation, at time.Time) error {
	if o.Merchant == "" {
		return nil
	}
	e, err := endpointOf(c, o.Merchant)
	if err != nil || e.URL == "" || !slices.Contains(e.Events, webhook.EventFinished) {
		return err
	}
	if err := insertCallback(c, o, webhook.EventFinished, at, at); err != nil || e.DisabledAt.IsZero() {
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
	reasonNoEndpoint = "the merchant has no endpoint any more"
)

func insertCallback(c conn, o central.Operation, event string, created, since time.Time) error {
	_, err := c.exec(`INSERT INTO callbacks (operation, merchant, event, state, created_at, since, due_at) VALUES ($1, $2, $3, 'waiting', $4, $5, $5)`,
		o.ID, o.Merchant, event, created, since)
	if err != nil {
		return fmt.Errorf("write the callback to merchant %s: %w", o.Merchant, err)
	}
	return nil
}

// endpointOf reads the endpoint of a merchant, without its secrets.
func endpointOf(c conn, m central.MerchantID) (webhook.Endpoint, error) {
	e := webhook.Endpoint{Merchant: m}
	var events string
	err := c.one(`SELECT callback_url, callback_events, callback_disabled_at FROM merchants WHERE id = $1`, []any{m},
		&e.URL, &events, &e.DisabledAt)
	if err != nil || e.URL == "" {
		return e, err
	}
	if err := json.Unmarshal([]byte(events), &e.Events); err != nil {
		return webhook.Endpoint{}, fmt.Errorf("merchant %s: the events of its callback are not a JSON array of texts: %w", m, err)
	}
	return e, nil
}

// Endpoint implements webhook.DeliveryStore.
func (s Webhooks) Endpoint(ctx context.Context, m central.MerchantID) (webhook.Endpoint, error) {
	return query(ctx, s.task("read the callback endpoint of merchant %s", m), func(c conn) (webhook.Endpoint, error) {
		e, err := endpointOf(c, m)
		if err != nil {
			return e, err
		}
		e.Secrets, err = allRows(c, scanSecret, `SELECT `+secretColumns+` FROM callback_secrets WHERE merchant = $1 AND revoked_at IS NULL
			ORDER BY created_at, id LIMIT $2`, m, webhook.MaxSecrets)
		return e, err
	})
}

// ClaimCallbacks implements webhook.DeliveryStore. Each merchant gets no more than its
// share, so that one with ten thousand callbacks does not block the others.
func (s Webhooks) ClaimCallbacks(ctx context.Context, b webhook.ClaimLimits) ([]webhook.Callback, error) {
	// Most calls find nothing and need no write.
	due, err := query(ctx, s.task("list merchants with callbacks that are due"),
		func(c conn) ([]central.MerchantID, error) { return merchantsDue(c, b) })
	if err != nil || len(due) == 0 {
		return nil, err
	}
	return update(ctx, s.task("claim callbacks that are due"), func(c conn) (list []webhook.Callback, err error) {
		for _, m := range due {
			share := min(b.PerMerchant-b.InFlight[m], b.Limit-len(list))
			if share <= 0 {
				continue
			}
			claimed, err := allRows(c, scanCallback, `WITH due AS (
					SELECT operation FROM callbacks WHERE state = 'waiting' AND merchant = $1 AND due_at <= $2
					ORDER BY due_at LIMIT $3`+c.dialect.skipLocked+`)
				UPDATE callbacks SET due_at = $4, node = $5, attempts = attempts + 1, tried_at = $2
				WHERE operation IN (SELECT operation FROM due) RETURNING `+callbackColumns,
				m, b.Now, share, b.Until, c.node)
			if err != nil {
				return nil, err
			}
			list = append(list, claimed...)
		}
		return list, nil
	})
}

// merchantsDue lists the merchants with due callbacks and fewer in progress than their
// share, the longest waiting first. It goes through the index from merchant to merchant,
// so that the cost does not depend on the number of callbacks of one merchant.
func merchantsDue(c conn, b webhook.ClaimLimits) ([]central.MerchantID, error) {
	due, err := allRows(c, scanValue[central.MerchantID], `WITH RECURSIVE lane (id) AS (
			SELECT min(merchant) FROM callbacks WHERE state = 'waiting'
			UNION ALL
			SELECT (SELECT min(merchant) FROM callbacks WHERE state = 'waiting' AND merchant > lane.id) FROM lane WHERE lane.id IS NOT NULL)
		SELECT id FROM (
			SELECT lane.id, (SELECT min(due_at) FROM callbacks WHERE state = 'waiting' AND merchant = lane.id) AS due
			FROM lane WHERE lane.id IS NOT NULL) AS lanes
		WHERE due <= $1 ORDER BY due, id LIMIT $2`, b.Now, maxMerchantsDue)
	return slices.DeleteFunc(due, func(m central.MerchantID) bool { return b.InFlight[m] >= b.PerMerchant }), err
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
	if _, err := c.exec(`UPDATE merchants SET callback_disabled_at = coalesce(callback_disabled_at, $1) WHERE id = $2 AND callback_url IS NOT NULL`,
		a.At, a.Merchant); err != nil {
		return err
	}
	// An attempt in progress ends by itself.
	_, err := c.exec(`UPDATE callbacks SET `+setGivenUp+` WHERE merchant = $3 AND state = 'waiting' AND node IS NULL`,
		reasonDisabled, a.At, a.Merchant)
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
		return listRows(ctx, s.task("list callbacks"), scanCallback, `SELECT `+callbackColumns+` FROM callbacks
			WHERE (merchant = $1 OR $1 = '') AND (state = $2 OR $2 = '') AND created_at >= $3 AND created_at < $4
			ORDER BY created_at DESC, operation DESC LIMIT $5`,
			f.Merchant, f.State, max(0, f.Since.UnixMilli()), until, clampLimit(f.Limit))
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

// Callback implements webhook.AdminStore. Of the attempts it returns the first 1000.
func (s Webhooks) Callback(ctx context.Context, operation op.ID) (x webhook.Callback, attempts []webhook.Attempt, err error) {
	x, err = query(ctx, s.task("read the callback of operation %s", operation), func(c conn) (webhook.Callback, error) {
		x, err := firstRow(c, scanCallback, `SELECT `+callbackColumns+` FROM callbacks WHERE operation = $1`, operation)
		if err != nil {
			return x, err
		}
		attempts, err = allRows(c, func(row row, a *webhook.Attempt) error {
			a.Operation, a.Merchant = operation, x.Merchant
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
			(SELECT count(*) FROM merchants WHERE callback_disabled_at IS NOT NULL),
			(SELECT min(since) FROM callbacks WHERE state = 'waiting')`, nil,
			&n.Waiting, &n.GivenUp, &n.Disabled, &n.Oldest)
		return n, err
	})
}

// setReplayed replays a callback. Its parameter is the time.
const setReplayed = `state = 'waiting', since = CASE WHEN since > $1 THEN since ELSE $1 END, due_at = $1, ended_at = NULL, failures = 0`

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
		if !o.State.Final() || o.PendingReference == "" || o.Merchant == "" {
			return fmt.Errorf("it has no callback: it was never pending, is not finished, or has no merchant: %w", central.ErrState)
		}
		since := at
		if o.FinishedAt.After(at) {
			since = o.FinishedAt
		}
		return insertCallback(c, o, webhook.EventFinished, o.FinishedAt, since)
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

// SetEndpoint implements webhook.AdminStore.
func (s Webhooks) SetEndpoint(ctx context.Context, m central.MerchantID, url string, events []string, at time.Time) error {
	stored := [2]any{}
	if url != "" {
		var err error
		if stored, err = callbackOf(central.Merchant{Callback: &central.Callback{URL: url, Events: events}}); err != nil {
			return err
		}
	}
	return s.task("set the callback endpoint of merchant %s", m).change(ctx, func(c conn) error {
		if err := c.changeRow(central.ErrNotFound, `UPDATE merchants SET callback_url = $1, callback_events = $2, callback_disabled_at = NULL WHERE id = $3`,
			stored[0], stored[1], m); err != nil {
			return err
		}
		var err error
		if url == "" {
			_, err = c.exec(`UPDATE callbacks SET `+setGivenUp+` WHERE merchant = $3 AND state = 'waiting' AND node IS NULL`, reasonNoEndpoint, at, m)
		} else { // callbacks that wait for a retry are sent to the new endpoint
			_, err = c.exec(`UPDATE callbacks SET due_at = $1 WHERE merchant = $2 AND state = 'waiting' AND node IS NULL AND due_at > $1`, at, m)
		}
		if err != nil {
			return err
		}
		return c.raise(topicAccounts)
	})
}
