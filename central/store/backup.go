package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/recovery"
	"galla/shared/op"
)

// cursorLeap is added to each terminal's cursor when a database is restored: more events
// than a terminal can have received in the gap, so that no new event has a number that
// the terminal has seen. The numbers of JSON are large enough for two million restorations.
const cursorLeap = 1 << 32

// presumedBankTime is how long after a restoration the bank may still start an operation
// that the copy has in received or sent: longer than the bank's deadline in any central.
const presumedBankTime = 5 * time.Minute

// RecordBackup records the start of a copy of the database, so that the copy has its age.
func (s Retention) RecordBackup(ctx context.Context, at time.Time) error {
	return s.task("record a backup").exec(ctx, `INSERT INTO backups (at, node) VALUES ($1, $2) ON CONFLICT (at) DO NOTHING`, at, s.node)
}

// MarkRestored prepares a database that was restored from a copy, before a central uses it,
// in one transaction.
//
// With a gap, an operation that is received in the copy may have been sent after it. It
// becomes sent, so that the bank is asked and nobody hears that nothing was sent.
// Terminals' cursors skip those that were used in the gap.
func (s Retention) MarkRestored(ctx context.Context, at time.Time, gap bool) (r recovery.Restoration, doubtful int, err error) {
	r, err = update(ctx, s.task("mark the database as restored"), func(c conn) (recovery.Restoration, error) {
		r := recovery.Restoration{At: truncateToMillis(at), Gap: gap}
		if !gap {
			r.ReleasedAt = r.At
		}
		if err := c.one(`SELECT max(at) FROM backups`, nil, &r.BackupAt); err != nil {
			return r, err
		}
		if _, err := c.exec(`UPDATE log_state SET epoch = epoch + 1 WHERE one = 1`); err != nil {
			return r, err
		}
		if _, err := c.exec(`INSERT INTO restorations (at, backup_at, gap, released_at) VALUES ($1, $2, $3, $4)`,
			r.At, r.BackupAt, r.Gap, r.ReleasedAt); err != nil || !gap {
			return r, err
		}
		var err error
		if doubtful, err = presumeAllSent(c, r.At); err != nil {
			return r, err
		}
		_, err = c.exec(`UPDATE terminals SET last_event = last_event + $1`, cursorLeap)
		return r, err
	})
	return r, doubtful, err
}

// presumeAllSent marks all received operations as sent, and counts them.
func presumeAllSent(c conn, at time.Time) (int, error) {
	ids, err := allRows(c, scanValue[op.ID], `SELECT id FROM operations WHERE finished_at IS NULL AND state = 'received'`)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := presumeSent(c, id, at, "the database was restored from an older copy: it may have been sent after the copy"); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}

// presumeSent marks a received operation as sent.
func presumeSent(c conn, id op.ID, at time.Time, why string) error {
	if err := changeOperation(c, id, `UPDATE operations SET state = 'sent', sent_at = $1, bank_not_after = $2
		WHERE state = 'received' AND `+c.dialect.byUniqueName("id = $3"), at, at.Add(presumedBankTime), id); err != nil {
		return err
	}
	return addStep(c, id, at, op.Received, op.Sent, why)
}

// AdoptOperation records an operation of a gap that a person has found at the bank. It is
// pending at once, in one transaction, so that it never counts as not sent. isNew is
// false if its names are known: then nothing is written.
func (s Retention) AdoptOperation(ctx context.Context, o central.Operation, at time.Time, prefix string) (known central.Operation, isNew bool, err error) {
	const why = "adopted by a person after a restoration"
	run := 0
	known, err = update(ctx, s.task("adopt operation %s", o.ID), func(c conn) (known central.Operation, err error) {
		defer func() { run++ }()
		o, err := completeAdopted(c, o)
		if err != nil {
			return o, err
		}
		if known, isNew, err = insertOperation(c, o, nil); err != nil || !isNew {
			return known, err
		}
		if err := presumeSent(c, o.ID, at, why); err != nil {
			return o, err
		}
		return applyPending(c, central.PendingUpdate{ID: o.ID, At: at, Reason: why, Prefix: prefix, NextEnquiry: at}, run)
	})
	return known, isNew && err == nil, err
}

// completeAdopted adds what the names of an operation of a gap tell. If they lead to one that
// was refused for its OTP, this is the next attempt: with another body it would have been
// a conflict. An unknown identity of a direct caller may also have been the reference in
// the body.
func completeAdopted(c conn, o central.Operation) (central.Operation, error) {
	newest, err := operationByIdentity(c, o.Caller, o.Identity)
	if err == nil && !newest.Tombstone {
		newest, err = newestAttemptOf(c, o.Caller, o.Identity, newest)
	}
	switch {
	case errors.Is(err, central.ErrNotFound) || err == nil && newest.Tombstone:
		if o.CallerRef == "" && o.Terminal == "" && !isRefund(o) {
			o.CallerRef = o.Identity
		}
	case err != nil:
		return o, err
	case o.CallerRef == "" && !isRefund(o) && o.Identity != string(newest.ID):
		o.CallerRef = newest.CallerRef
	}
	named, err := operationByName(c, o)
	if errors.Is(err, central.ErrNotFound) {
		named, err = newest, nil
	}
	if err != nil || !named.NameReusable() || !sameName(named, o) {
		return o, err
	}
	if named.Kind != o.Kind || named.Merchant != o.Merchant || named.Amount != o.Amount {
		return o, fmt.Errorf("its names are those of operation %s, a %s of %s for merchant %s, and another attempt would be the same: %w",
			named.ID, named.Kind, named.Amount, named.Merchant, central.ErrState)
	}
	o.Route, o.Fingerprint = named.Route, named.Fingerprint
	return o, nil
}

// ListRestorations implements recovery.RestorationStore.
func (s Retention) ListRestorations(ctx context.Context) ([]recovery.Restoration, error) {
	return listRows(ctx, s.task("list restorations"), func(row row, r *recovery.Restoration) error {
		return row.Scan(&r.At, &r.BackupAt, &r.Gap, &r.ReleasedAt)
	},
		`SELECT at, backup_at, gap, released_at FROM restorations ORDER BY at DESC LIMIT $1`, maxRows)
}

// ReleaseRestorations records that a person has dealt with the gaps of all restorations: new
// identities are accepted again. It returns the number of released restorations.
func (s Retention) ReleaseRestorations(ctx context.Context, at time.Time) (int, error) {
	return update(ctx, s.task("release restorations"), func(c conn) (int, error) {
		changed, err := c.exec(`UPDATE restorations SET released_at = CASE WHEN at > $1 THEN at ELSE $1 END WHERE released_at IS NULL`, at)
		return int(changed), err
	})
}

// HoldIdentity implements recovery.RestorationStore.
func (s Retention) HoldIdentity(ctx context.Context, h recovery.HeldIdentity) error {
	return s.task("hold an identity of %s for a person", h.Caller).exec(ctx, `INSERT INTO held_identities (caller, identity, at) VALUES ($1, $2, $3)
		ON CONFLICT (caller, identity) DO NOTHING`, h.Caller, h.Identity, h.At)
}

// HeldIdentities lists the identities that wait for a person, oldest first, at most 1000:
// those that are still unknown, and until the release those whose newest operation was
// refused for its OTP.
func (s Retention) HeldIdentities(ctx context.Context, limit int) ([]recovery.HeldIdentity, error) {
	return listRows(ctx, s.task("list the identities that wait for a person"), func(row row, h *recovery.HeldIdentity) error { return row.Scan(&h.Caller, &h.Identity, &h.At) },
		`SELECT h.caller, h.identity, h.at FROM held_identities h
		WHERE NOT EXISTS (SELECT 1 FROM identities i WHERE i.caller = h.caller AND i.identity = h.identity AND NOT (
			EXISTS (SELECT 1 FROM restorations WHERE gap = 1 AND released_at IS NULL)
			AND EXISTS (SELECT 1 FROM `+s.dialect.names+` m JOIN operations o ON o.id = m.id AND o.created_at = m.created_at
				WHERE m.id = i.operation AND o.otp_refused = 1
				AND NOT EXISTS (SELECT 1 FROM `+s.dialect.names+` n WHERE n.party = o.party AND n.caller_ref = o.caller_ref AND n.otp_refused = 0)
				AND NOT EXISTS (SELECT 1 FROM operations r WHERE r.original = o.original AND r.state <> 'failed' AND r.state <> 'refused'))))
		AND (SELECT 1 FROM operations r WHERE r.original = h.identity AND r.state <> 'failed' AND r.state <> 'refused' LIMIT 1) IS NULL
		ORDER BY h.at, h.caller, h.identity LIMIT $1`, clampLimit(limit))
}

// MarkTombstone writes a tombstone for an identity that, as a person knows, was never
// executed. central.ErrState: it is an operation.
func (s Retention) MarkTombstone(ctx context.Context, caller, identity string, at time.Time) error {
	return s.task("mark an identity of %s as never executed", caller).change(ctx, func(c conn) error {
		known, err := findOrTombstone(c, caller, identity, at)
		if err == nil && !known.Tombstone {
			err = fmt.Errorf("the identity has an operation: %w", central.ErrState)
		}
		return err
	})
}

// HasTombstone tells whether an identity has a tombstone.
func (s Retention) HasTombstone(ctx context.Context, caller, identity string) (bool, error) {
	return s.task("look for a tombstone of %s", caller).exists(ctx,
		`SELECT 1 FROM identities WHERE caller = $1 AND identity = $2 AND tombstone_at IS NOT NULL`, caller, identity)
}
