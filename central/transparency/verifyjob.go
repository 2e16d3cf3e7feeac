package transparency

import (
	"context"
	"fmt"
	"time"

	"galla/central/jobs"
	"galla/shared/checkpoint"
)

// VerifyJobName names the scheduled job that verifies the log.
const VerifyJobName = "log-verify"

const (
	verifyEvery = 24 * time.Hour
	// A run compares the newest entries with their rows, and a part of the older ones, another
	// one each day: the rows of a large log would take hours. The command compares all.
	verifyNewest = 200_000
	verifyPart   = 500_000
)

// VerifyJob is the scheduled job that verifies the log: its whole tree, all checkpoints, the
// newest entries, and each day another part of the older ones. A run that finds something
// fails, again and again, until somebody has looked. After a stop it runs before all is
// sealed: it leaves out then what has no entry yet. A log that stays behind is a late job.
func VerifyJob(store Store, keys checkpoint.Keys) jobs.ScheduledJob {
	return jobs.ScheduledJob{Name: VerifyJobName, Every: verifyEvery, Run: func(ctx context.Context) (string, error) {
		head, err := store.LogHead(ctx)
		if err != nil {
			return "", err
		}
		now := time.Now()
		behind, err := sealingBehind(ctx, store, now)
		if err != nil {
			return "", err
		}
		r, err := Verify(ctx, VerifyConfig{Store: store, Keys: keys, Now: now, Compare: dailyPart(head.Size, now), SkipUnsealed: behind})
		if err != nil {
			return "", err
		}
		if !r.OK() {
			return "", fmt.Errorf("%d faults in the log, the first: %s", r.Count, r.Faults[0])
		}
		note := fmt.Sprintf("%d of %d entries compared with their rows, %d checkpoints agree", r.Entries, head.Size, r.Checkpoints)
		if behind {
			note += "; what is not sealed yet was left out"
		}
		return note, nil
	}}
}

// sealingBehind tells whether records may wait for their entry longer than a verification
// allows.
func sealingBehind(ctx context.Context, store Store, now time.Time) (bool, error) {
	for _, source := range Sources() {
		until, err := store.SealedUntil(ctx, source)
		if err != nil {
			return false, err
		}
		if now.Sub(until) > UnsealedAfter {
			return true, nil
		}
	}
	return false, nil
}

// dailyPart chooses the entries that a run compares.
func dailyPart(size int64, now time.Time) func(int64) bool {
	newest := max(0, size-verifyNewest)
	from := int64(0)
	if parts := (newest + verifyPart - 1) / verifyPart; parts > 0 {
		from = now.Unix() / int64(verifyEvery/time.Second) % parts * verifyPart
	}
	return func(number int64) bool { return number >= newest || number >= from && number < from+verifyPart }
}
