package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/shared/op"
)

// cursorLeap is added to each terminal's cursor when a database is put back:
// more events than a terminal can have been told in the gap, so that none of
// the new ones has a number that the terminal has seen. Two million
// restorations fit the numbers of JSON.
const cursorLeap = 1 << 32

// restoredDeadline is how long after a restoration the bank may still begin
// what the copy has in received or dispatched: longer than the time-out that
// any central gave a dispatch before it ended.
const restoredDeadline = 5 * time.Minute

// NoteBackup records that a copy of the database is begun, so that the copy
// tells its own age.
func (s *DB) NoteBackup(ctx context.Context, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(`INSERT INTO backups (at, node) VALUES ($1, $2) ON CONFLICT (at) DO NOTHING`, ms(at), c.node)
		return err
	})
	if err != nil {
		return fmt.Errorf("note a backup: %w", err)
	}
	return nil
}

// LastBackup tells when the latest copy was begun; zero: never.
func (s *DB) LastBackup(ctx context.Context) (at time.Time, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT max(at) FROM backups`, nil, moment{&at})
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("read when the latest backup was begun: %w", err)
	}
	return at, nil
}

// MarkRestored prepares a database that was put back from a copy, before any
// central serves it, in one transaction.
//
// Where there may be a gap, an operation that the copy has in received was
// perhaps dispatched after it: it becomes one that was, so that the bank is
// asked, and nobody is told that nothing was sent. Terminals' cursors leap over
// those that were given out in the gap.
func (s *DB) MarkRestored(ctx context.Context, at time.Time, gap bool) (r duty.Restoration, doubtful int, err error) {
	err = s.write(ctx, func(c conn) error {
		next := duty.Restoration{At: cut(at), Gap: gap}
		if !gap {
			next.ReleasedAt = next.At
		}
		if err := c.one(`SELECT max(at) FROM backups`, nil, moment{&next.BackupAt}); err != nil {
			return err
		}
		if _, err := c.exec(`INSERT INTO restorations (at, backup_at, gap, released_at) VALUES ($1, $2, $3, $4)`,
			ms(next.At), ms(next.BackupAt), bit(next.Gap), ms(next.ReleasedAt)); err != nil {
			return err
		}
		n := 0
		if gap {
			found, err := doubt(c, next.At)
			if err != nil {
				return err
			}
			n = found
			if _, err := c.exec(`UPDATE terminals SET last_event = last_event + $1`, int64(cursorLeap)); err != nil {
				return err
			}
		}
		r, doubtful = next, n
		return nil
	})
	if err != nil {
		return duty.Restoration{}, 0, fmt.Errorf("mark the database as put back: %w", err)
	}
	return r, doubtful, nil
}

// doubt makes of every operation in received one that was dispatched.
func doubt(c conn, at time.Time) (int, error) {
	var ids []op.ID
	if err := c.each(`SELECT id FROM operations WHERE settled_at IS NULL AND state = 'received'`, nil, func(row row) error {
		var id op.ID
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	}); err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := presume(c, id, at, "the database was put back from a copy that is older: it may have been sent after it"); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}

// presume takes an operation in received for one that was dispatched.
func presume(c conn, id op.ID, at time.Time, why string) error {
	changed, err := c.exec(`UPDATE operations SET state = 'dispatched', dispatched_at = $1, bank_not_after = $2
		WHERE state = 'received' AND `+c.dialect.called("id = $3"), ms(at), ms(at.Add(restoredDeadline)), string(id))
	if err != nil {
		return err
	}
	if changed == 0 {
		return refusal(c, id)
	}
	return addStep(c, id, at, op.Received, op.Dispatched, why)
}

// Adopt records an operation of a gap that a person has found at the bank. It
// is pending at once, in one transaction, so that nobody takes it for one that
// was never sent. isNew is false where its names are known: nothing is written.
func (s *DB) Adopt(ctx context.Context, o central.Operation, at time.Time, prefix string) (known central.Operation, isNew bool, err error) {
	const why = "adopted by a person after a restoration"
	run := 0
	err = s.write(ctx, func(c conn) error {
		o, err := adoptable(c, o)
		if err != nil {
			return err
		}
		if known, isNew, err = begin(c, o, nil); err != nil || !isNew {
			return err
		}
		if err := presume(c, o.ID, at, why); err != nil {
			return err
		}
		known, err = suspend(c, central.Suspension{ID: o.ID, At: at, Reason: why, Prefix: prefix, NextEnquiry: at}, run)
		run++
		return err
	})
	if err != nil {
		return central.Operation{}, false, fmt.Errorf("adopt operation %s: %w", o.ID, err)
	}
	return known, isNew, nil
}

// adoptable gives an operation of a gap what its names say of it. Where they stand
// for one that was refused for its OTP, it was the next attempt: the body was the
// same, since another one would have been a conflict. A direct caller's identity of
// which nothing is known may have been the reference in the body as well.
func adoptable(c conn, o central.Operation) (central.Operation, error) {
	newest, err := byIdentity(c, o.Caller, o.Identity)
	if err == nil && !newest.Forsworn {
		newest, err = newestOf(c, o.Caller, o.Identity, newest)
	}
	switch {
	case errors.Is(err, central.ErrNotFound) || err == nil && newest.Forsworn:
		if o.CallerRef == "" && o.Terminal == "" && !refunds(o) {
			o.CallerRef = o.Identity
		}
	case err != nil:
		return o, err
	case o.CallerRef == "" && !refunds(o) && o.Identity != string(newest.ID):
		o.CallerRef = newest.CallerRef
	}
	named, err := byName(c, o)
	if errors.Is(err, central.ErrNotFound) {
		named, err = newest, nil
	}
	if err != nil || !named.NameFree() || !sameName(named, o) {
		return o, err
	}
	if named.Kind != o.Kind || named.Merchant != o.Merchant || named.Amount != o.Amount {
		return o, fmt.Errorf("its names are those of operation %s, a %s of %s for merchant %s, and another attempt would be the same: %w",
			named.ID, named.Kind, named.Amount, named.Merchant, central.ErrState)
	}
	o.Route, o.Fingerprint = named.Route, named.Fingerprint
	return o, nil
}

// Restorations implements duty.Restorations.
func (s *DB) Restorations(ctx context.Context) (list []duty.Restoration, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.each(`SELECT at, backup_at, gap, released_at FROM restorations ORDER BY at DESC LIMIT $1`, []any{maxRows}, func(row row) error {
			var r duty.Restoration
			var gap int64
			err := row.Scan(moment{&r.At}, moment{&r.BackupAt}, &gap, moment{&r.ReleasedAt})
			r.Gap = gap == 1
			list = append(list, r)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read when the database was put back: %w", err)
	}
	return list, nil
}

// Release says that a person has looked after the gaps of all restorations: new
// identities are taken again. It tells how many were released.
func (s *DB) Release(ctx context.Context, at time.Time) (n int, err error) {
	err = s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE restorations SET released_at = CASE WHEN at > $1 THEN at ELSE $1 END WHERE released_at IS NULL`, ms(at))
		n = int(changed)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("release what a restoration holds: %w", err)
	}
	return n, nil
}

// Hold implements duty.Restorations.
func (s *DB) Hold(ctx context.Context, h duty.Held) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(`INSERT INTO held_identities (caller, identity, at) VALUES ($1, $2, $3)
			ON CONFLICT (caller, identity) DO NOTHING`, h.Caller, h.Identity, ms(h.At))
		return err
	})
	if err != nil {
		return fmt.Errorf("note an identity of %s for a person: %w", h.Caller, err)
	}
	return nil
}

// HeldIdentities lists the identities that wait for a person: those that are
// neither an operation nor a tombstone by now, and until the release those whose
// newest operation was refused for its OTP; oldest first, at most 1000.
func (s *DB) HeldIdentities(ctx context.Context, limit int) (list []duty.Held, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.each(`SELECT h.caller, h.identity, h.at FROM held_identities h
			WHERE NOT EXISTS (SELECT 1 FROM identities i WHERE i.caller = h.caller AND i.identity = h.identity AND NOT (
				EXISTS (SELECT 1 FROM restorations WHERE gap = 1 AND released_at IS NULL)
				AND EXISTS (SELECT 1 FROM `+c.dialect.names+` m JOIN operations o ON o.id = m.id AND o.created_at = m.created_at
					WHERE m.id = i.operation AND o.otp_refused = 1
					AND NOT EXISTS (SELECT 1 FROM `+c.dialect.names+` n WHERE n.party = o.party AND n.caller_ref = o.caller_ref AND n.otp_refused = 0)
					AND NOT EXISTS (SELECT 1 FROM operations r WHERE r.original = o.original AND r.state <> 'failed' AND r.state <> 'refused'))))
			AND (SELECT 1 FROM operations r WHERE r.original = h.identity AND r.state <> 'failed' AND r.state <> 'refused' LIMIT 1) IS NULL
			ORDER BY h.at, h.caller, h.identity LIMIT $1`, []any{bounded(limit)}, func(row row) error {
			var h duty.Held
			err := row.Scan(&h.Caller, &h.Identity, moment{&h.At})
			list = append(list, h)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list the identities that wait for a person: %w", err)
	}
	return list, nil
}

// Forswear writes a tombstone for an identity of which a person knows that it
// was never executed. central.ErrState: it is an operation.
func (s *DB) Forswear(ctx context.Context, caller, identity string, at time.Time) error {
	_, seen, err := s.Ask(ctx, caller, identity, at)
	if err == nil && seen {
		err = fmt.Errorf("the identity has an operation: %w", central.ErrState)
	}
	if err != nil {
		return fmt.Errorf("declare an identity of %s never executed: %w", caller, err)
	}
	return nil
}

// Forsworn tells whether an identity was declared never seen.
func (s *DB) Forsworn(ctx context.Context, caller, identity string) (forsworn bool, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		forsworn, err = c.exists(`SELECT 1 FROM identities WHERE caller = $1 AND identity = $2 AND forsworn_at IS NOT NULL`, caller, identity)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look for a tombstone of %s: %w", caller, err)
	}
	return forsworn, nil
}
