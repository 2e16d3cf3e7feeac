package store

import (
	"context"
	"fmt"
	"time"

	"galla/central/retention"
	"galla/shared/ist"
	"galla/shared/op"
)

// UnarchivedOperations implements retention.ArchiveStore, at most 1000 at a time.
func (s Retention) UnarchivedOperations(ctx context.Context, before, afterEnd time.Time, afterID op.ID, limit int) ([]retention.FinishedOperation, error) {
	var after int64 // no operation finished in 1970
	if !afterEnd.IsZero() {
		after = afterEnd.UnixMilli()
	}
	return query(ctx, s.task("list operations whose bodies are due for the archive"), func(c conn) ([]retention.FinishedOperation, error) {
		operations, err := c.operations(`SELECT `+operationColumns+` FROM operations
			WHERE archived_at IS NULL AND finished_at < $1 AND (finished_at, id) > ($2, $3)
			ORDER BY finished_at, id LIMIT $4`, before, after, afterID, clampLimit(limit))
		if err != nil {
			return nil, err
		}
		found := make([]retention.FinishedOperation, len(operations))
		for i, o := range operations {
			found[i].Operation = o
			if found[i].Steps, err = history(c, o.ID); err != nil {
				return nil, err
			}
		}
		return found, nil
	})
}

// RemoveBodies implements retention.ArchiveStore. The change is conditional on the reply
// that was archived. The schema allows no other change.
func (s Retention) RemoveBodies(ctx context.Context, a retention.Archive, list []retention.BodyRemoval) (int, error) {
	return update(ctx, s.task("remove the archived bodies of %d operations", len(list)), func(c conn) (int, error) {
		if _, err := c.exec(`INSERT INTO archives (file, sha256, month, operations, node, at)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (file) DO NOTHING`,
			a.File, a.SHA256, a.Month, a.Operations, a.Node, a.At); err != nil {
			return 0, err
		}
		n := 0
		for _, x := range list {
			// created_at leads to the partition.
			shrunk, err := c.exec(`UPDATE operations SET reply = $1, archived_at = $2, archive = $3
				WHERE id = $4 AND created_at = $5 AND archived_at IS NULL AND reply = $6`,
				x.Reply, a.At, a.File, x.ID, x.CreatedAt, x.Archived)
			if err != nil {
				return 0, err
			}
			if shrunk == 0 {
				continue
			}
			if _, err := c.exec(`UPDATE operation_steps SET reason = '' WHERE operation = $1 AND reason <> ''`, x.ID); err != nil {
				return 0, err
			}
			n++
		}
		return n, nil
	})
}

func scanArchive(row row, a *retention.Archive) error {
	return row.Scan(&a.File, &a.SHA256, &a.Month, &a.Operations, &a.Node, &a.At)
}

// ListArchives implements retention.ArchiveStore, at most 1000 at a time.
func (s Retention) ListArchives(ctx context.Context, after string, limit int) ([]retention.Archive, error) {
	return listRows(ctx, s.task("list the archives"), scanArchive, `SELECT file, sha256, month, operations, node, at FROM archives
		WHERE file > $1 ORDER BY file LIMIT $2`, after, clampLimit(limit))
}

// ArchiveOf returns the archive with the body of an operation, and the time of archiving;
// central.ErrNotFound: the body is still in the database.
func (s Retention) ArchiveOf(ctx context.Context, id op.ID) (retention.Archive, error) {
	return oneRow(ctx, s.task("find the archive of operation %s", id), scanArchive,
		`SELECT a.file, a.sha256, a.month, a.operations, a.node, o.archived_at
		FROM operations o JOIN archives a ON a.file = o.archive WHERE `+s.dialect.byUniqueName("id = $1"), id)
}

// purges are the statements that delete expired rows, except for reservations. $1 is the time,
// for quotas the Indian day. $2 is the number of rows. Each reads along an index.
func purges() map[retention.PurgeKind]string {
	return map[retention.PurgeKind]string{
		retention.SpentTokens: `DELETE FROM spent_tokens WHERE id IN (
			SELECT id FROM spent_tokens WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
		retention.EnrolmentCodes: `DELETE FROM enrolment_codes WHERE hash IN (
			SELECT hash FROM enrolment_codes WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
		retention.GatewayMessages: `DELETE FROM gateway_messages WHERE (vendor_key, iv) IN (
			SELECT vendor_key, iv FROM gateway_messages WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
		retention.AgentSessions: `DELETE FROM agent_sessions WHERE (tid, opened_at) IN (
			SELECT tid, opened_at FROM agent_sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
		retention.FullRates: `DELETE FROM rates WHERE name IN (
			SELECT name FROM rates WHERE at <= $1 ORDER BY at LIMIT $2)`,
		// The table is small: it has only events that terminals have not acknowledged.
		retention.RevokedEvents: `DELETE FROM events WHERE (terminal, cursor) IN (
			SELECT e.terminal, e.cursor FROM events e
			WHERE (SELECT 1 FROM terminals t WHERE t.id = e.terminal AND t.revoked_at <= $1) = 1
			ORDER BY e.terminal, e.cursor LIMIT $2)`,
		retention.DeliveredCallbacks: `DELETE FROM callbacks WHERE operation IN (
			SELECT operation FROM callbacks WHERE state = 'delivered' AND ended_at <= $1 ORDER BY ended_at LIMIT $2)`,
		retention.GivenUpCallbacks: `DELETE FROM callbacks WHERE operation IN (
			SELECT operation FROM callbacks WHERE state = 'given-up' AND ended_at <= $1 ORDER BY ended_at LIMIT $2)`,
		retention.QRCodes: `DELETE FROM upi_codes WHERE (merchant, tr, amount) IN (
			SELECT merchant, tr, amount FROM upi_codes WHERE made_at <= $1 ORDER BY made_at LIMIT $2)`,
		// One with a reservation must stay.
		retention.QuotaUsage: `DELETE FROM quota_usage WHERE (key, period) IN (
			SELECT key, period FROM quota_usage WHERE period < $1 AND count = 0 ORDER BY period, key LIMIT $2)`,
	}
}

// Purge implements retention.Purger, at most 1000 rows at a time.
func (s Retention) Purge(ctx context.Context, what retention.PurgeKind, before time.Time, limit int) (int, error) {
	// A month sorts before its own first day, so it is in the past when the given day is in the
	// next month.
	day := string(ist.DayOf(before))
	if what == retention.QuotaReservation {
		return update(ctx, s.task("purge %s", what), func(c conn) (int, error) { return purgeReservations(c, before, day, clampLimit(limit)) })
	}
	statement, ok := purges()[what]
	if !ok {
		return 0, fmt.Errorf("purge %q: there is no such kind", what)
	}
	var end any = before
	if what == retention.QuotaUsage {
		end = day
	}
	return update(ctx, s.task("purge %s", what), func(c conn) (int, error) {
		deleted, err := c.exec(statement, end, clampLimit(limit))
		return int(deleted), err
	})
}
