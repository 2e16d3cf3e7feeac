package server

import (
	"context"
	"fmt"
	"time"

	"galla/central/jobs"
	"galla/central/keys"
	"galla/central/retention"
	"galla/central/store"
	"galla/central/transparency"
	"galla/shared/checkpoint"
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

// logJobs seal what happens into the log, and copy its checkpoints.
func logJobs(cfg Config, k keys.Set, db *store.DB) ([]jobs.ScheduledJob, error) {
	signer, err := checkpoint.NewSigner(k.Log)
	if err != nil {
		return nil, err
	}
	public, err := checkpoint.PublicKey(k.Log)
	if err != nil {
		return nil, err
	}
	known, err := checkpoint.ParseKeys(public)
	if err != nil {
		return nil, err
	}
	list := []jobs.ScheduledJob{transparency.NewSealer(db, signer, cfg.Rand).Job(), transparency.VerifyJob(db, known)}
	if c := cfg.Checkpoints.BucketCredentials; c != "" && !cfg.Sandbox {
		if err := readableByOthers(c); err != nil {
			return nil, err
		}
	}
	places, err := cfg.Checkpoints.places()
	if len(places) > 0 {
		list = append(list, transparency.CopyJob(db, places...))
	}
	return list, err
}

// newBackgroundWithSchedule creates the jobs of this node, with the scheduled jobs.
func newBackgroundWithSchedule(cfg Config, k keys.Set, db *store.DB, more ...jobs.ScheduledJob) (*background, error) {
	regular, err := scheduledJobs(cfg, db)
	if err != nil {
		return nil, err
	}
	logged, err := logJobs(cfg, k, db)
	if err != nil {
		return nil, err
	}
	return newBackground(cfg, k.VendorMasters, db, append(append(regular, logged...), more...)...)
}
