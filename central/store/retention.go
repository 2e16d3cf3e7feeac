package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/shared/op"
)

var (
	_ duty.Archives     = (*DB)(nil)
	_ duty.Purges       = (*DB)(nil)
	_ duty.Restorations = (*DB)(nil)
)

// Finished implements duty.Archives; at most 1000 at a time.
func (s *DB) Finished(ctx context.Context, before, afterEnd time.Time, afterID op.ID, limit int) (list []duty.Finished, err error) {
	var after int64 // an operation that ended in 1970 is none of ours
	if !afterEnd.IsZero() {
		after = afterEnd.UnixMilli()
	}
	err = s.read(ctx, func(c conn) error {
		operations, err := c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE archived_at IS NULL AND settled_at < $1 AND (settled_at, id) > ($2, $3)
			ORDER BY settled_at, id LIMIT $4`, ms(before), after, string(afterID), bounded(limit))
		if err != nil {
			return err
		}
		found := make([]duty.Finished, len(operations))
		for i, o := range operations {
			found[i].Operation = o
			if found[i].Steps, err = history(c, o.ID); err != nil {
				return err
			}
		}
		list = found
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list operations whose bodies are due for the archive: %w", err)
	}
	return list, nil
}

// history reads the steps of an operation, oldest first.
func history(c conn, id op.ID) (list []central.Step, err error) {
	err = c.each(`SELECT at, node, from_state, to_state, reason FROM operation_steps
		WHERE operation = $1 ORDER BY step`, []any{string(id)}, func(row row) error {
		var step central.Step
		err := row.Scan(moment{&step.At}, &step.Node, &step.From, &step.To, &step.Reason)
		list = append(list, step)
		return err
	})
	return list, err
}

// Shrink implements duty.Archives. The comparison with the reply that was
// archived is what makes the change conditional; the schema takes no other.
func (s *DB) Shrink(ctx context.Context, a duty.Archive, list []duty.Shrinking) (changed int, err error) {
	err = s.write(ctx, func(c conn) error {
		if _, err := c.exec(`INSERT INTO archives (file, sha256, month, operations, node, at)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (file) DO NOTHING`,
			a.File, a.SHA256, a.Month, a.Operations, a.Node, ms(a.At)); err != nil {
			return err
		}
		n := 0
		for _, x := range list {
			// The moment of its creation leads to the month that it lies in.
			shrunk, err := c.exec(`UPDATE operations SET reply = $1, archived_at = $2, archive = $3
				WHERE id = $4 AND created_at = $5 AND archived_at IS NULL AND reply = $6`,
				x.Reply, ms(a.At), a.File, string(x.ID), ms(x.CreatedAt), x.Was)
			if err != nil {
				return err
			}
			if shrunk == 0 {
				continue
			}
			if _, err := c.exec(`UPDATE operation_steps SET reason = '' WHERE operation = $1 AND reason <> ''`, string(x.ID)); err != nil {
				return err
			}
			n++
		}
		changed = n
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("take archived bodies out of %d operations: %w", len(list), err)
	}
	return changed, nil
}

// Archived implements duty.Archives; at most 1000 at a time.
func (s *DB) Archived(ctx context.Context, after string, limit int) ([]duty.Archive, error) {
	list, err := s.archives(ctx, `SELECT file, sha256, month, operations, node, at FROM archives
		WHERE file > $1 ORDER BY file LIMIT $2`, after, bounded(limit))
	if err != nil {
		return nil, fmt.Errorf("list the archives: %w", err)
	}
	return list, nil
}

// ArchiveOf gives the archive that an operation's body went to, and when;
// central.ErrNotFound where the body is still in the database.
func (s *DB) ArchiveOf(ctx context.Context, id op.ID) (duty.Archive, error) {
	list, err := s.archives(ctx, `SELECT a.file, a.sha256, a.month, a.operations, a.node, o.archived_at
		FROM operations o JOIN archives a ON a.file = o.archive WHERE `+s.db.Dialect().called("id = $1"), string(id))
	if err == nil && len(list) == 0 {
		err = central.ErrNotFound
	}
	if err != nil {
		return duty.Archive{}, fmt.Errorf("find the archive of operation %s: %w", id, err)
	}
	return list[0], nil
}

func (s *DB) archives(ctx context.Context, statement string, args ...any) (list []duty.Archive, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.each(statement, args, func(row row) error {
			var a duty.Archive
			err := row.Scan(&a.File, &a.SHA256, &a.Month, &a.Operations, &a.Node, moment{&a.At})
			list = append(list, a)
			return err
		})
	})
	return list, err
}

// purges are the statements that forget leftovers. $1 is the moment, for quotas
// the Indian day; $2 is how many rows. Each reads along an index.
func purges() map[duty.Leftover]string {
	return map[duty.Leftover]string{
		duty.SpentTokens: `DELETE FROM spent_tokens WHERE id IN (
			SELECT id FROM spent_tokens WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
		duty.EnrolmentCodes: `DELETE FROM enrolment_codes WHERE hash IN (
			SELECT hash FROM enrolment_codes WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
		duty.GatewayMessages: `DELETE FROM gateway_messages WHERE (vendor_key, iv) IN (
			SELECT vendor_key, iv FROM gateway_messages WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
		duty.AgentSessions: `DELETE FROM agent_sessions WHERE (tid, opened_at) IN (
			SELECT tid, opened_at FROM agent_sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
		duty.FullRates: `DELETE FROM rates WHERE name IN (
			SELECT name FROM rates WHERE at <= $1 ORDER BY at LIMIT $2)`,
		// The table has only what terminals have not seen yet: it is small.
		duty.RevokedEvents: `DELETE FROM events WHERE (terminal, cursor) IN (
			SELECT e.terminal, e.cursor FROM events e
			WHERE (SELECT 1 FROM terminals t WHERE t.id = e.terminal AND t.revoked_at <= $1) = 1
			ORDER BY e.terminal, e.cursor LIMIT $2)`,
		duty.DeliveredCalls: `DELETE FROM callbacks WHERE operation IN (
			SELECT operation FROM callbacks WHERE state = 'delivered' AND ended_at <= $1 ORDER BY ended_at LIMIT $2)`,
		duty.GivenUpCalls: `DELETE FROM callbacks WHERE operation IN (
			SELECT operation FROM callbacks WHERE state = 'given-up' AND ended_at <= $1 ORDER BY ended_at LIMIT $2)`,
		duty.QuotaReservation: `DELETE FROM reservations WHERE (operation, key, period) IN (
			SELECT operation, key, period FROM reservations WHERE period < $1 ORDER BY period, key LIMIT $2)`,
		// A reservation that another change is giving back holds its count.
		duty.QuotaUsage: `DELETE FROM quota_usage WHERE (key, period) IN (
			SELECT u.key, u.period FROM quota_usage u WHERE u.period < $1
				AND (SELECT 1 FROM reservations r WHERE r.period = u.period AND r.key = u.key LIMIT 1) IS NULL
			ORDER BY u.period, u.key LIMIT $2)`,
	}
}

// Purge implements duty.Purges; at most 1000 rows at a time.
func (s *DB) Purge(ctx context.Context, what duty.Leftover, before time.Time, limit int) (n int, err error) {
	statement, ok := purges()[what]
	if !ok {
		return 0, fmt.Errorf("purge %q: no such leftover", what)
	}
	end := ms(before)
	if what == duty.QuotaReservation || what == duty.QuotaUsage {
		// A month sorts before its own first day, and so is over when a day of
		// the next one is asked for; duty.Keepings sees to it that it is.
		end = string(central.DayOf(before))
	}
	err = s.write(ctx, func(c conn) error {
		gone, err := c.exec(statement, end, bounded(limit))
		n = int(gone)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("purge %s: %w", what, err)
	}
	return n, nil
}
