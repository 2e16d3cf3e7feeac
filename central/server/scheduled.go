package server

import (
	"context"
	"fmt"
	"time"

	"galla/central/jobs"
	"galla/central/retention"
	"galla/central/store"
	"galla/shared/secret"
)

// monthsAhead is how many months of partitions are created before they begin: one is
// enough, and the second covers a month without this job.
const monthsAhead = 2

// monthsEvery is the period of that job.
const monthsEvery = 24 * time.Hour

// scheduledJobs returns the scheduled jobs of a central.
func scheduledJobs(cfg Config, db *store.DB) ([]jobs.ScheduledJob, error) {
	a, err := cfg.CLIConfig().Archiver(db)
	if err != nil {
		return nil, err
	}
	months := jobs.ScheduledJob{Name: "months", Every: monthsEvery, Run: func(ctx context.Context) (string, error) {
		return fmt.Sprintf("partitions for %d months ahead exist", monthsAhead), db.EnsurePartitions(ctx, time.Now(), monthsAhead)
	}}
	return append(retention.ScheduledJobs(a, db), months), nil
}

// newBackgroundWithSchedule creates the jobs of this node, with the scheduled jobs.
func newBackgroundWithSchedule(cfg Config, masters []secret.Key, db *store.DB, more ...jobs.ScheduledJob) (*background, error) {
	regular, err := scheduledJobs(cfg, db)
	if err != nil {
		return nil, err
	}
	return newBackground(cfg, masters, db, append(regular, more...)...)
}
