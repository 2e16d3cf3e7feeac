package retention

import (
	"context"
	"fmt"
	"strings"
	"time"

	"galla/central/jobs"
)

// Limits of a purge.
const (
	// purgeRows bounds the rows of one transaction, so that it takes a few milliseconds.
	purgeRows = 256
	// purgeBatches bounds the transactions of one kind in a run: enough for twelve
	// million rows a day.
	purgeBatches = 2000
)

// PurgeResult counts the rows that a run deleted, by kind.
type PurgeResult map[PurgeKind]int

func (p PurgeResult) String() string {
	var list []string
	for _, k := range PurgeRules() {
		if n := p[k.Kind]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, k.Kind))
		}
	}
	if len(list) == 0 {
		return "nothing to purge"
	}
	return "purged " + strings.Join(list, ", ")
}

// Purge deletes rows by PurgeRules, a bounded number. It may be stopped at any point and
// run again, also by several nodes at once.
func Purge(ctx context.Context, store Purger, now time.Time) (PurgeResult, error) {
	done := PurgeResult{}
	for _, k := range PurgeRules() {
		for range purgeBatches {
			if err := ctx.Err(); err != nil {
				return done, err
			}
			n, err := store.Purge(ctx, k.Kind, now.Add(-k.After), purgeRows)
			if err != nil {
				return done, err
			}
			done[k.Kind] += n
			if n < purgeRows {
				break
			}
		}
	}
	return done, nil
}

// Periods of the scheduled jobs. Rows are due after days or months; an hour is often enough.
const (
	archiveEvery = time.Hour
	purgeEvery   = time.Hour
)

// ScheduledJobs returns the archive and the purge as scheduled jobs.
func ScheduledJobs(a *Archiver, store Purger) []jobs.ScheduledJob {
	return []jobs.ScheduledJob{
		{Name: "archive", Every: archiveEvery, Run: func(ctx context.Context) (string, error) {
			done, err := a.Run(ctx, time.Now())
			return done.String(), err
		}},
		{Name: "purge", Every: purgeEvery, Run: func(ctx context.Context) (string, error) {
			done, err := Purge(ctx, store, time.Now())
			return done.String(), err
		}},
	}
}
