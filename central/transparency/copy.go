package transparency

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"galla/central/jobs"
	"galla/shared/checkpoint"
	"galla/shared/files"
)

// copyEvery is how often the newest checkpoint is copied.
const copyEvery = time.Hour

// Place is where checkpoints are kept beside the database.
type Place interface {
	// Keep stores a signed checkpoint under a name. It never replaces another content.
	Keep(ctx context.Context, name string, signed []byte) error
}

// CopyJob is the scheduled job that copies the newest checkpoint to other places.
func CopyJob(store Store, places ...Place) jobs.ScheduledJob {
	return jobs.ScheduledJob{Name: "log-copy", Every: copyEvery, Run: func(ctx context.Context) (string, error) {
		head, err := store.LogHead(ctx)
		if err != nil || head.Checkpoint == "" {
			return "there is no checkpoint yet", err
		}
		c, ok := checkpoint.Unverified(head.Checkpoint)
		if !ok {
			return "", errors.New("the newest checkpoint in the database can't be read: verify the log (galla-central audit verify)")
		}
		name := fmt.Sprintf("galla-log-%s-%d-%012d.checkpoint", c.Log, c.Epoch, c.Size)
		var errs []error
		for _, p := range places {
			errs = append(errs, p.Keep(ctx, name, []byte(head.Checkpoint)))
		}
		return fmt.Sprintf("the checkpoint of %d entries was copied to %d places", c.Size, len(places)), errors.Join(errs...)
	}}
}

// Folder is a folder for checkpoints. It belongs on another machine, or on a medium that can
// only be added to.
type Folder string

// Keep implements Place.
func (f Folder) Keep(_ context.Context, name string, signed []byte) error {
	path := filepath.Join(string(f), name)
	if err := files.WriteOnce(path, signed, 0o600); err != nil { // one of that name has the same entries
		return fmt.Errorf("keep the checkpoint %s: %w", path, err)
	}
	return nil
}
