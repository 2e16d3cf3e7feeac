package server

import (
	"context"
	"time"

	"galla/central/accounts"
	"galla/central/console"
	"galla/central/store"
	"galla/central/transparency"
)

// statusReader reads the status of the whole central for the console's page Now: the same
// figures as the metrics.
type statusReader struct {
	db   *store.DB
	data string // folder of this node
}

// Status implements console.StatusReader.
func (r statusReader) Status(ctx context.Context, now time.Time) (st console.Status, err error) {
	for _, read := range []func(context.Context, time.Time, *console.Status) error{r.readOperations, r.readCallbacks, r.readCases, r.readJobs, r.readReports} {
		if err := read(ctx, now, &st); err != nil {
			return st, err
		}
	}
	if st.TerminalsOnline, err = r.db.TerminalsOnline(ctx, now.Add(-accounts.NodeTimeout)); err != nil {
		return st, err
	}
	if st.LookupsLimited, err = r.db.LookupsLimited(ctx, now.Add(-accounts.LookupWindow)); err != nil {
		return st, err
	}
	if free, size, known := freeSpace(r.data); known {
		st.DiskFree, st.DiskSize = int64(free), int64(size)
	}
	return st, nil
}

func (r statusReader) readOperations(ctx context.Context, _ time.Time, st *console.Status) error {
	b, err := r.db.Backlog(ctx)
	st.Pending, st.Stuck, st.OldestPending = b.Pending.Count, b.Stuck.Count, b.Pending.Oldest
	st.OldestAbandoned = earliest(b.Received.Oldest, b.Sent.Oldest)
	return err
}

func (r statusReader) readCallbacks(ctx context.Context, _ time.Time, st *console.Status) error {
	n, err := r.db.CallbackBacklog(ctx)
	st.CallbacksWaiting, st.GivenUp, st.EndpointsDisabled, st.OldestCallback = n.Waiting, n.GivenUp, n.Disabled, n.Oldest
	return err
}

func (r statusReader) readCases(ctx context.Context, _ time.Time, st *console.Status) error {
	n, err := r.db.ReconciliationBacklog(ctx)
	st.CasesWaiting, st.SettlementFileAt = n.Open.Count+n.Proposed.Count, n.LastAt
	st.OldestCase = earliest(n.Open.Oldest, n.Proposed.Oldest)
	return err
}

func (r statusReader) readJobs(ctx context.Context, now time.Time, st *console.Status) error {
	list, err := r.db.ListJobs(ctx)
	for _, j := range list {
		if j.Name == transparency.VerifyJobName && j.Failures > 0 {
			st.LogFault = true
			continue
		}
		if now.Sub(j.DueAt) > console.JobLate || j.Failures >= console.JobFailures {
			st.LateJobs = append(st.LateJobs, j.Name)
		}
	}
	return err
}

func (r statusReader) readReports(ctx context.Context, _ time.Time, st *console.Status) error {
	backlog, err := r.db.RunBacklog(ctx)
	if err != nil {
		return err
	}
	st.ReportFilesFailing = backlog.Failing
	closed, err := r.db.ClosedDays(ctx)
	if closed.Last != "" && err == nil {
		_, st.ReportDaysUntil, err = closed.Last.Bounds()
	}
	return err
}

// earliest is the earlier of two times that are not zero.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
