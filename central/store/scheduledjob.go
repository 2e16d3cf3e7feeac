package store

import (
	"context"
	"time"

	"galla/central"
	"galla/central/jobs"
)

const scheduledJobColumns = `name, due_at, node, started_at, ended_at, failures, note`

func scanScheduledJob(row row, r *jobs.JobRecord) error {
	return row.Scan(&r.Name, &r.DueAt, &r.Node, &r.StartedAt, &r.EndedAt, &r.Failures, &r.Note)
}

// RegisterJob implements jobs.Store. A run that this node had claimed ended with its last
// process.
func (s Jobs) RegisterJob(ctx context.Context, name string, now time.Time, every time.Duration) error {
	return s.task("register scheduled job %s", name).change(ctx, func(c conn) error {
		if _, err := c.exec(`INSERT INTO scheduled_jobs (name, due_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, now); err != nil {
			return err
		}
		if _, err := c.exec(`UPDATE scheduled_jobs SET due_at = $1, node = NULL WHERE name = $2 AND node = $3 AND due_at > $1`, now, name, c.node); err != nil {
			return err
		}
		_, err := c.exec(`UPDATE scheduled_jobs SET due_at = $1 WHERE name = $2 AND node IS NULL AND due_at > $1`, now.Add(every), name)
		return err
	})
}

// ListJobs implements jobs.Store, at most 1000.
func (s Jobs) ListJobs(ctx context.Context) ([]jobs.JobRecord, error) {
	return listRows(ctx, s.task("list the scheduled jobs"), scanScheduledJob,
		`SELECT `+scheduledJobColumns+` FROM scheduled_jobs ORDER BY name LIMIT $1`, maxRows)
}

// ClaimJob implements jobs.Store. Of several nodes at one time, the lock of the row lets one
// claim it. The others find that it is no longer due.
func (s Jobs) ClaimJob(ctx context.Context, name string, now, until time.Time) (jobs.JobRecord, error) {
	return update(ctx, s.task("claim scheduled job %s", name), func(c conn) (jobs.JobRecord, error) {
		r, err := firstRow(c, scanScheduledJob, `UPDATE scheduled_jobs SET due_at = $1, node = $2, started_at = $3
			WHERE name = $4 AND due_at <= $3 RETURNING `+scheduledJobColumns, until, c.node, now, name)
		return r, instead(err, central.ErrNotFound, central.ErrState)
	})
}

// FinishJob implements jobs.Store.
func (s Jobs) FinishJob(ctx context.Context, e jobs.RunResult) error {
	return s.task("record the end of scheduled job %s", e.Name).changeRow(ctx, central.ErrState,
		`UPDATE scheduled_jobs SET due_at = $1, node = NULL, ended_at = $2,
			failures = CASE WHEN $3 = 1 THEN failures + 1 ELSE 0 END, note = $4
		WHERE name = $5 AND node = $6 AND started_at = $7`,
		e.Next, e.At, e.Failed, clip(e.Note), e.Name, s.node, e.StartedAt)
}
