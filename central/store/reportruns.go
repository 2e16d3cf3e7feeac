package store

import (
	"context"
	"time"

	"galla/central"
	"galla/central/reports"
)

const runColumns = `report, first_day, last_day, period, state, due_at, asked_by, failures, error, error_at, file, revision, sha256, lines, bytes, places, node, done_at`

func scanRun(row row, r *reports.Run) error {
	var sum []byte // nil before the first file
	err := row.Scan(&r.Report, &r.First, &r.Last, &r.Period, &r.State, &r.DueAt, &r.AskedBy, &r.Failures, &r.Error, &r.ErrorAt,
		&r.File, &r.Revision, &sum, &r.Lines, &r.Bytes, &r.Places, &r.Node, &r.DoneAt)
	copy(r.SHA256[:], sum)
	return err
}

// AddRun implements reports.RunStore.
func (s Reports) AddRun(ctx context.Context, k reports.RunKey, period reports.Period, due time.Time) error {
	return s.task("plan the report %s of %s", k.Report, k.Range).exec(ctx, `INSERT INTO report_runs (report, first_day, last_day, period, state, due_at)
		VALUES ($1, $2, $3, $4, 'waiting', $5) ON CONFLICT (report, first_day, last_day) DO NOTHING`, k.Report, k.First, k.Last, period, due)
}

// LastRun implements reports.RunStore.
func (s Reports) LastRun(ctx context.Context, report reports.Name, period reports.Period) (reports.Run, error) {
	return oneRow(ctx, s.task("find the last %s report %s", period, report), scanRun,
		`SELECT `+runColumns+` FROM report_runs WHERE report = $1 AND period = $2 ORDER BY last_day DESC LIMIT 1`, report, period)
}

// ReportRun implements reports.RunStore.
func (s Reports) ReportRun(ctx context.Context, k reports.RunKey) (reports.Run, error) {
	return oneRow(ctx, s.task("find the report %s of %s", k.Report, k.Range), scanRun,
		`SELECT `+runColumns+` FROM report_runs WHERE report = $1 AND first_day = $2 AND last_day = $3`, k.Report, k.First, k.Last)
}

// DueRuns implements reports.RunStore.
func (s Reports) DueRuns(ctx context.Context, now time.Time, limit int) ([]reports.Run, error) {
	return listRows(ctx, s.task("list the reports that are due"), scanRun,
		`SELECT `+runColumns+` FROM report_runs WHERE state = 'waiting' AND due_at <= $1 ORDER BY due_at LIMIT $2`, now, clampLimit(limit))
}

// ListRuns implements reports.RunStore.
func (s Reports) ListRuns(ctx context.Context, before reports.RunKey, limit int) ([]reports.Run, error) {
	t := s.task("list the reports that were written")
	if before.Report == "" {
		return listRows(ctx, t, scanRun, `SELECT `+runColumns+` FROM report_runs ORDER BY last_day DESC, report DESC, first_day DESC LIMIT $1`, clampLimit(limit))
	}
	return listRows(ctx, t, scanRun, `SELECT `+runColumns+` FROM report_runs WHERE (last_day, report, first_day) < ($1, $2, $3)
		ORDER BY last_day DESC, report DESC, first_day DESC LIMIT $4`, before.Last, before.Report, before.First, clampLimit(limit))
}

// FinishRun implements reports.RunStore.
func (s Reports) FinishRun(ctx context.Context, r reports.Run) error {
	return s.task("record the report %s of %s", r.Report, r.Range).changeRow(ctx, central.ErrState,
		`UPDATE report_runs SET state = 'done', failures = 0, error = '', error_at = NULL, asked_by = $1, file = $2, revision = $3, sha256 = $4, lines = $5, bytes = $6,
			places = $7, node = $8, done_at = $9
		WHERE report = $10 AND first_day = $11 AND last_day = $12 AND state = 'waiting' AND due_at = $13`,
		orNull(r.AskedBy), r.File, r.Revision, r.SHA256, r.Lines, r.Bytes, r.Places, s.node, r.DoneAt, r.Report, r.First, r.Last, r.DueAt)
}

// PostponeRun implements reports.RunStore. An error is stored as a note of a job is: short, on
// one line.
func (s Reports) PostponeRun(ctx context.Context, r reports.Run, next time.Time) error {
	return s.task("postpone the report %s of %s", r.Report, r.Range).changeRow(ctx, central.ErrState,
		`UPDATE report_runs SET due_at = $1, failures = $2, error = $3, error_at = $4, node = $5
		WHERE report = $6 AND first_day = $7 AND last_day = $8 AND state = 'waiting' AND due_at = $9`,
		next, r.Failures, clip(r.Error), r.ErrorAt, s.node, r.Report, r.First, r.Last, r.DueAt)
}

// RunAgain implements reports.RunStore.
func (s Reports) RunAgain(ctx context.Context, k reports.RunKey, by string, at time.Time) error {
	return s.task("ask for the report %s of %s again", k.Report, k.Range).changeRow(ctx, central.ErrNotFound,
		`UPDATE report_runs SET state = 'waiting', due_at = $1, asked_by = $2 WHERE report = $3 AND first_day = $4 AND last_day = $5`,
		at, by, k.Report, k.First, k.Last)
}

// RunBacklog implements reports.RunStore.
func (s Reports) RunBacklog(ctx context.Context) (reports.Backlog, error) {
	return oneRow(ctx, s.task("count the reports that wait"), func(row row, b *reports.Backlog) error {
		return row.Scan(&b.Waiting, &b.Failing, &b.OldestFailure)
	}, `SELECT count(*), CAST(coalesce(sum(CASE WHEN failures > 0 THEN 1 ELSE 0 END), 0) AS BIGINT), min(CASE WHEN failures > 0 THEN error_at END) FROM report_runs WHERE state = 'waiting'`)
}
