package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked reports that another process holds a lock.
var ErrLocked = errors.New("another process holds the lock")

const lockPoll = 50 * time.Millisecond

// Lock locks a file, which it creates, against other processes and other locks of
// this one. It waits for a lock until ctx ends, and then fails with ErrLocked. The
// lock ends with unlock or with the process. The file has no other use, since
// Windows locks its content too.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	locked, err := l.TryLock()
	for err == nil && !locked {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), ErrLocked)
		case <-time.After(lockPoll):
		}
		locked, err = l.TryLock()
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l.Close, nil
}

// TryLock is Lock without a wait.
func TryLock(path string) (unlock func() error, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return Lock(ctx, path)
}
