package releases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"galla/shared/files"
)

// ErrLocked reports that another process holds a lock.
var ErrLocked = files.ErrLocked

// Names of the locks, and of the file with the id of the serving process.
const (
	launcherLock = "launcher.lock"
	fetchingLock = "fetching.lock"
	changingLock = "changing.lock"
	servingLock  = "serving.lock"
	servingPID   = "serving.pid"
)

// launcherWait is how long a launcher waits for the end of another one: as long as
// the restart of a service takes.
const launcherWait = 5 * time.Second

// changingWait is how long Add and Prune wait for another process: longer than a
// rename waits for a virus scanner (renameTries).
const changingWait = 15 * time.Second

// LockFetch locks fetching, or fails with ErrLocked. The lock ends with the process,
// or when release is called.
func (s *Store) LockFetch() (release func(), err error) {
	unlock, err := files.TryLock(filepath.Join(s.cfg.Folder, fetchingLock))
	if err != nil {
		return nil, fmt.Errorf("fetch releases: %w", err)
	}
	return func() { _ = unlock() }, nil
}

// lockChanges locks adding and removing releases, waiting for a process that does.
// The updater adds a release while the launcher prunes: without it, one removes
// what the other creates.
func (s *Store) lockChanges() (release func(), err error) {
	waiting, cancel := context.WithTimeout(context.Background(), changingWait)
	defer cancel()
	return s.lock(waiting, changingLock)
}

// LockLauncher locks being the launcher, waiting a moment for one that is about to
// end; it fails with ErrLocked. The lock ends with the process, or when release is
// called.
func (s *Store) LockLauncher(ctx context.Context) (release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, launcherWait)
	defer cancel()
	return s.lock(waiting, launcherLock)
}

// LockServe locks serving, waiting for it until ctx ends, and writes this process's id
// to a file. The lock ends with the process, or when release is called.
func (s *Store) LockServe(ctx context.Context) (release func(), err error) {
	unlock, err := s.lock(ctx, servingLock)
	if err != nil {
		return nil, err
	}
	if _, err := files.WritePID(filepath.Join(s.cfg.Folder, servingPID)); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// lock locks a file, waiting for it until ctx ends.
func (s *Store) lock(ctx context.Context, name string) (release func(), err error) {
	unlock, err := files.Lock(ctx, filepath.Join(s.cfg.Folder, name))
	if err != nil {
		return nil, err
	}
	return func() { _ = unlock() }, nil
}

// StopLeftover waits until no process serves. It kills one that still does when
// patience is over: it outlived its launcher.
func (s *Store) StopLeftover(ctx context.Context, patience time.Duration) (killed int, err error) {
	serving, err := s.isServing(ctx, patience)
	if !serving || err != nil || ctx.Err() != nil {
		return 0, err
	}
	// The process that wrote the file holds the lock, so the id is still its own.
	pid, err := files.ReadPID(filepath.Join(s.cfg.Folder, servingPID))
	if err == nil && (pid <= 1 || pid == os.Getpid()) {
		err = errors.New("the file has no id of another process")
	}
	if err != nil {
		return 0, fmt.Errorf("find the process that serves: %w", err)
	}
	if err := files.Signal(pid, os.Kill); err != nil {
		return 0, fmt.Errorf("kill the leftover process %d: %w", pid, err)
	}
	if serving, err = s.isServing(ctx, patience); serving && err == nil {
		err = fmt.Errorf("process %d was killed: %w", pid, ErrLocked)
	}
	return pid, err
}

// isServing reports whether a process still serves when patience is over.
func (s *Store) isServing(ctx context.Context, patience time.Duration) (bool, error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	release, err := s.lock(waiting, servingLock)
	switch {
	case errors.Is(err, ErrLocked):
		return true, nil
	case err != nil:
		return false, err
	}
	release()
	return false, nil
}
