package store

import (
	"context"
	"errors"
	"time"

	"galla/central"
	"galla/central/jobs"
)

const scheduledJobColumns = `name, due_at, node, started_at, ended_at, failures, note`

func scanScheduledJob(row row) (r jobs.JobRecord, err error) {
	err = row.Scan(&r.Name, scanTime{&r.DueAt}, scanOptional[string]{&r.Node}, scanTime{&r.StartedAt}, scanTime{&r.EndedAt}, &r.Failures, &r.Note)
	return r, err
}

// RegisterJob implements jobs.Store.
func (s Jobs) RegisterJob(ctx context.Context, name string, now time.Time, every time.Duration) error {
	return s.change(ctx, func(c conn) error {
		if _, err := c.exec(`INSERT INTO scheduled_jobs (name, due_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, ms(now)); err != nil {
			return err
		}
		_, err := c.exec(`UPDATE scheduled_jobs SET due_at = $1 WHERE name = $2 AND node IS NULL AND due_at > $1`, ms(now.Add(every)), name)
		return err
	}, "register scheduled job %s", name)
}

// ListJobs implements jobs.Store, at most 1000.
func (s Jobs) ListJobs(ctx context.Context) ([]jobs.JobRecord, error) {
	return query(ctx, s.connection, func(c conn) ([]jobs.JobRecord, error) {
		return allRows(c, scanScheduledJob, `SELECT `+scheduledJobColumns+` FROM scheduled_jobs ORDER BY name LIMIT $1`, maxRows)
	}, "list the scheduled jobs")
}

// ClaimJob implements jobs.Store. Of several nodes at one time, the lock of the row lets one
// claim it. The others find that it is no longer due.
func (s Jobs) ClaimJob(ctx context.Context, name string, now, until time.Time) (jobs.JobRecord, error) {
	return update(ctx, s.connection, func(c conn) (jobs.JobRecord, error) {
		r, err := firstRow(c, scanScheduledJob, `UPDATE scheduled_jobs SET due_at = $1, node = $2, started_at = $3
			WHERE name = $4 AND due_at <= $3 RETURNING `+scheduledJobColumns, ms(until), c.node, ms(now), name)
		if errors.Is(err, central.ErrNotFound) {
			err = central.ErrState
		}
		return r, err
	}, "claim scheduled job %s", name)
}

// FinishJob implements jobs.Store.
func (s Jobs) FinishJob(ctx context.Context, e jobs.RunResult) error {
	return s.change(ctx, func(c conn) error {
		return c.changeRow(central.ErrState, `UPDATE scheduled_jobs SET due_at = $1, node = NULL, ended_at = $2,
				failures = CASE WHEN $3 = 1 THEN failures + 1 ELSE 0 END, note = $4
			WHERE name = $5 AND node = $6 AND started_at = $7`,
			ms(e.Next), ms(e.At), boolInt(e.Failed), clip(e.Note), e.Name, c.node, ms(e.StartedAt))
	}, "record the end of scheduled job %s", e.Name)
}
