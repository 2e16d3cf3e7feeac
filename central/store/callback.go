package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/duty"
	"galla/shared/op"
)

var _ duty.Callbacks = (*DB)(nil)

// maxMerchantsDue bounds the merchants whose callbacks one claim looks at; those
// that have waited longest come first.
const maxMerchantsDue = 256

const callbackColumns = `operation, merchant, event, state, created_at, since, due_at, node, attempts, failures, tried_at, http, said, ended_at`

func scanCallback(row row) (x duty.Callback, err error) {
	err = row.Scan(&x.Operation, &x.Merchant, &x.Event, &x.State, moment{&x.CreatedAt}, moment{&x.Since}, moment{&x.DueAt},
		optional[string]{&x.Node}, &x.Attempts, &x.Failures, moment{&x.TriedAt}, &x.HTTP, &x.Said, moment{&x.EndedAt})
	return x, err
}

func (c conn) callbacks(statement string, args ...any) (list []duty.Callback, err error) {
	err = c.each(statement, args, func(row row) error {
		x, err := scanCallback(row)
		list = append(list, x)
		return err
	})
	return list, err
}

// oweCallback writes what the operation's merchant is owed, where it wants to
// know. An endpoint that is disabled is owed nothing that would be tried: the
// callback is given up from the start, and can be replayed.
func oweCallback(c conn, o central.Operation, at time.Time) error {
	if o.Merchant == "" {
		return nil
	}
	e, err := endpoint(c, o.Merchant)
	if err != nil || e.URL == "" || !slices.Contains(e.Events, duty.EventSettled) {
		return err
	}
	if err := addCallback(c, o, duty.EventSettled, at, at); err != nil || e.DisabledAt.IsZero() {
		return err
	}
	_, err = c.exec(`UPDATE callbacks SET `+givenUp+` WHERE operation = $3`, saidDisabled, ms(at), string(o.ID))
	return err
}

// givenUp is what changes in a callback that is given up; its parameters are
// what is said and the moment.
const givenUp = `state = 'given-up', due_at = NULL, node = NULL, said = $1, ended_at = $2`

// What is said of callbacks that are given up without an attempt of their own.
const (
	saidDisabled = "the endpoint is disabled: its receiver answered 410 Gone"
	saidNone     = "the merchant has no endpoint any more"
)

func addCallback(c conn, o central.Operation, event string, created, since time.Time) error {
	_, err := c.exec(`INSERT INTO callbacks (operation, merchant, event, state, created_at, since, due_at) VALUES ($1, $2, $3, 'waiting', $4, $5, $5)`,
		string(o.ID), string(o.Merchant), event, ms(created), ms(since))
	if err != nil {
		return fmt.Errorf("write the callback that merchant %s is owed: %w", o.Merchant, err)
	}
	return nil
}

// endpoint reads where a merchant is told, without its secrets.
func endpoint(c conn, m central.MerchantID) (duty.Endpoint, error) {
	e := duty.Endpoint{Merchant: m}
	var events string
	err := c.one(`SELECT callback_url, callback_events, callback_disabled_at FROM merchants WHERE id = $1`, []any{string(m)},
		optional[string]{&e.URL}, optional[string]{&events}, moment{&e.DisabledAt})
	if err != nil || e.URL == "" {
		return e, err
	}
	if err := json.Unmarshal([]byte(events), &e.Events); err != nil {
		return duty.Endpoint{}, fmt.Errorf("merchant %s: the events of its callback are no JSON array of texts: %w", m, err)
	}
	return e, nil
}

// Endpoint implements duty.Callbacks.
func (s *DB) Endpoint(ctx context.Context, m central.MerchantID) (e duty.Endpoint, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		if e, err = endpoint(c, m); err != nil {
			return err
		}
		e.Secrets, err = c.secrets(`SELECT `+secretColumns+` FROM callback_secrets WHERE merchant = $1 AND revoked_at IS NULL
			ORDER BY created_at, id LIMIT $2`, string(m), int64(duty.MaxCallbackSecrets))
		return err
	})
	if err != nil {
		return duty.Endpoint{}, fmt.Errorf("read the callback endpoint of merchant %s: %w", m, err)
	}
	return e, nil
}

// ClaimCallbacks implements duty.Callbacks. The merchants are looked at first,
// and each gives no more than its share: one that is owed ten thousand does not
// stand before all others.
func (s *DB) ClaimCallbacks(ctx context.Context, b duty.ClaimBounds) (list []duty.Callback, err error) {
	// Most looks find nothing; those leave the writer alone.
	due, err := s.merchantsDue(ctx, b)
	if err == nil && len(due) > 0 {
		err = s.write(ctx, func(c conn) error {
			list = nil
			for _, m := range due {
				share := min(b.PerMerchant-b.UnderWay[m], b.Limit-len(list))
				if share <= 0 {
					continue
				}
				claimed, err := c.callbacks(`WITH due AS (
						SELECT operation FROM callbacks WHERE state = 'waiting' AND merchant = $1 AND due_at <= $2
						ORDER BY due_at LIMIT $3`+c.dialect.skipLocked+`)
					UPDATE callbacks SET due_at = $4, node = $5, attempts = attempts + 1, tried_at = $2
					WHERE operation IN (SELECT operation FROM due) RETURNING `+callbackColumns,
					string(m), ms(b.Now), int64(share), ms(b.Until), c.node)
				if err != nil {
					return err
				}
				list = append(list, claimed...)
			}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("claim callbacks that are due: %w", err)
	}
	return list, nil
}

// merchantsDue lists the merchants of callbacks that are due and that have room
// for more, the longest waiting first. It steps through the index from merchant
// to merchant: one that is owed many costs no more than one that is owed one.
func (s *DB) merchantsDue(ctx context.Context, b duty.ClaimBounds) (due []central.MerchantID, err error) {
	err = s.read(ctx, func(c conn) error {
		due = nil
		return c.each(`WITH RECURSIVE lane (id) AS (
				SELECT min(merchant) FROM callbacks WHERE state = 'waiting'
				UNION ALL
				SELECT (SELECT min(merchant) FROM callbacks WHERE state = 'waiting' AND merchant > lane.id) FROM lane WHERE lane.id IS NOT NULL)
			SELECT id FROM (
				SELECT lane.id, (SELECT min(due_at) FROM callbacks WHERE state = 'waiting' AND merchant = lane.id) AS due
				FROM lane WHERE lane.id IS NOT NULL) AS lanes
			WHERE due <= $1 ORDER BY due, id LIMIT $2`, []any{ms(b.Now), int64(maxMerchantsDue)}, func(row row) error {
			var m central.MerchantID
			err := row.Scan(&m)
			if b.UnderWay[m] < b.PerMerchant {
				due = append(due, m)
			}
			return err
		})
	})
	return due, err
}

// NoteAttempt implements duty.Callbacks.
func (s *DB) NoteAttempt(ctx context.Context, a duty.Attempt) error {
	err := s.write(ctx, func(c conn) error { return noteAttempt(c, a) })
	if err != nil {
		return fmt.Errorf("record attempt %d to tell of operation %s: %w", a.Number, a.Operation, err)
	}
	return nil
}

func noteAttempt(c conn, a duty.Attempt) error {
	a.Said = clip(a.Said)
	if err := endAttempt(c, a); err != nil {
		return err
	}
	if _, err := c.exec(`INSERT INTO callback_attempts (operation, attempt, at, node, http, said, verdict) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(a.Operation), int64(a.Number), ms(a.At), c.node, int64(a.HTTP), a.Said, string(a.Verdict)); err != nil {
		return err
	}
	if a.Verdict != duty.Gone {
		return nil
	}
	if _, err := c.exec(`UPDATE merchants SET callback_disabled_at = coalesce(callback_disabled_at, $1) WHERE id = $2 AND callback_url IS NOT NULL`,
		ms(a.At), string(a.Merchant)); err != nil {
		return err
	}
	// What others deliver at this moment has its own end.
	_, err := c.exec(`UPDATE callbacks SET `+givenUp+` WHERE merchant = $3 AND state = 'waiting' AND node IS NULL`,
		saidDisabled, ms(a.At), string(a.Merchant))
	return err
}

// endAttempt changes the callback as the attempt came out.
func endAttempt(c conn, a duty.Attempt) error {
	var changed int64
	var err error
	switch a.Verdict {
	case duty.Delivered:
		changed, err = c.exec(`UPDATE callbacks SET state = 'delivered', due_at = NULL, node = NULL, http = $1, said = $2, ended_at = $3
			WHERE operation = $4 AND state = 'waiting' AND attempts >= $5`,
			int64(a.HTTP), a.Said, ms(a.At), string(a.Operation), int64(a.Number))
	case duty.Again:
		changed, err = c.exec(`UPDATE callbacks SET due_at = $1, node = NULL, http = $2, said = $3, failures = failures + $4
			WHERE operation = $5 AND state = 'waiting' AND node IS NOT NULL AND attempts = $6`,
			ms(a.Next), int64(a.HTTP), a.Said, bit(!a.Interrupted), string(a.Operation), int64(a.Number))
	case duty.GivenUp, duty.Gone:
		changed, err = c.exec(`UPDATE callbacks SET `+givenUp+`, http = $3, failures = failures + 1
			WHERE operation = $4 AND state = 'waiting' AND node IS NOT NULL AND attempts = $5`,
			a.Said, ms(a.At), int64(a.HTTP), string(a.Operation), int64(a.Number))
	default:
		return fmt.Errorf("verdict %q is none", a.Verdict)
	}
	if err == nil && changed == 0 {
		err = central.ErrState
	}
	return err
}

var _ duty.CallbackDesk = (*DB)(nil)

// CallbacksOf implements duty.CallbackDesk; at most 1000.
func (s *DB) CallbacksOf(ctx context.Context, f duty.CallbackFilter) (list []duty.Callback, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.callbacks(`SELECT `+callbackColumns+` FROM callbacks
			WHERE (merchant = $1 OR $1 = '') AND (state = $2 OR $2 = '') AND created_at >= $3
			ORDER BY created_at DESC, operation DESC LIMIT $4`,
			string(f.Merchant), string(f.State), max(0, f.Since.UnixMilli()), bounded(f.Limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list callbacks: %w", err)
	}
	return list, nil
}

// Callback implements duty.CallbackDesk; of the attempts at most 1000, the first.
func (s *DB) Callback(ctx context.Context, operation op.ID) (x duty.Callback, attempts []duty.Attempt, err error) {
	err = s.read(ctx, func(c conn) error {
		list, err := c.callbacks(`SELECT `+callbackColumns+` FROM callbacks WHERE operation = $1`, string(operation))
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return central.ErrNotFound
		}
		x, attempts = list[0], nil
		return c.each(`SELECT attempt, at, node, http, said, verdict FROM callback_attempts WHERE operation = $1 ORDER BY attempt LIMIT $2`,
			[]any{string(operation), int64(maxRows)}, func(row row) error {
				a := duty.Attempt{Operation: operation, Merchant: x.Merchant}
				err := row.Scan(&a.Number, moment{&a.At}, &a.Node, &a.HTTP, &a.Said, &a.Verdict)
				attempts = append(attempts, a)
				return err
			})
	})
	if err != nil {
		return duty.Callback{}, nil, fmt.Errorf("read the callback of operation %s: %w", operation, err)
	}
	return x, attempts, nil
}

// CallbackCounts implements duty.CallbackDesk.
func (s *DB) CallbackCounts(ctx context.Context) (n duty.CallbackCounts, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT
			(SELECT count(*) FROM callbacks WHERE state = 'waiting'),
			(SELECT count(*) FROM callbacks WHERE state = 'given-up'),
			(SELECT count(*) FROM merchants WHERE callback_disabled_at IS NOT NULL),
			(SELECT min(since) FROM callbacks WHERE state = 'waiting')`, nil,
			&n.Waiting, &n.GivenUp, &n.Disabled, moment{&n.Oldest})
	})
	if err != nil {
		return duty.CallbackCounts{}, fmt.Errorf("count callbacks: %w", err)
	}
	return n, nil
}

// replayed is what changes in a callback that is replayed; its parameter is the
// moment.
const replayed = `state = 'waiting', since = CASE WHEN since > $1 THEN since ELSE $1 END, due_at = $1, ended_at = NULL, failures = 0`

// Replay implements duty.CallbackDesk.
func (s *DB) Replay(ctx context.Context, operation op.ID, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE callbacks SET `+replayed+` WHERE operation = $2 AND node IS NULL`, ms(at), string(operation))
		if err != nil || changed == 1 {
			return err
		}
		known, err := c.exists(`SELECT 1 FROM callbacks WHERE operation = $1`, string(operation))
		if err != nil {
			return err
		}
		if known {
			return fmt.Errorf("a node delivers it at this moment: look again in a minute: %w", central.ErrState)
		}
		o, err := operationByID(c, operation)
		if err != nil {
			return err
		}
		if !o.State.Final() || o.PendingReference == "" || o.Merchant == "" {
			return fmt.Errorf("nobody is owed a callback of it: it was never pending, has not ended, or is no merchant's: %w", central.ErrState)
		}
		return addCallback(c, o, duty.EventSettled, o.SettledAt, later(o.SettledAt, at))
	})
	if err != nil {
		return fmt.Errorf("replay the callback of operation %s: %w", operation, err)
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// ReplaySince implements duty.CallbackDesk.
func (s *DB) ReplaySince(ctx context.Context, m central.MerchantID, since, at time.Time) (n int, err error) {
	err = s.write(ctx, func(c conn) error {
		if known, err := c.exists(`SELECT 1 FROM merchants WHERE id = $1`, string(m)); err != nil || !known {
			return errors.Join(err, central.ErrNotFound)
		}
		changed, err := c.exec(`UPDATE callbacks SET `+replayed+` WHERE merchant = $2 AND created_at >= $3 AND node IS NULL`,
			ms(at), string(m), ms(since))
		n = int(changed)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("replay the callbacks of merchant %s: %w", m, err)
	}
	return n, nil
}

// SetEndpoint implements duty.CallbackDesk.
func (s *DB) SetEndpoint(ctx context.Context, m central.MerchantID, url string, events []string, at time.Time) error {
	stored := [2]any{}
	if url != "" {
		var err error
		if stored, err = callbackOf(central.Merchant{Callback: &central.Callback{URL: url, Events: events}}); err != nil {
			return err
		}
	}
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE merchants SET callback_url = $1, callback_events = $2, callback_disabled_at = NULL WHERE id = $3`,
			stored[0], stored[1], string(m))
		if err == nil && changed == 0 {
			err = central.ErrNotFound
		}
		if err != nil {
			return err
		}
		if url == "" {
			_, err = c.exec(`UPDATE callbacks SET `+givenUp+` WHERE merchant = $3 AND state = 'waiting' AND node IS NULL`, saidNone, ms(at), string(m))
			return err
		}
		// What waits for a retry at the former place is tried at the new one.
		_, err = c.exec(`UPDATE callbacks SET due_at = $1 WHERE merchant = $2 AND state = 'waiting' AND node IS NULL AND due_at > $1`, ms(at), string(m))
		return err
	})
	if err != nil {
		return fmt.Errorf("set the callback endpoint of merchant %s: %w", m, err)
	}
	return nil
}
