package shelf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrHeld says that another process holds a lock.
var ErrHeld = errors.New("another process holds it")

// Names of the locks, and of the file that says who serves.
const (
	parentLock   = "parent.lock"
	fetchingLock = "fetching.lock"
	changingLock = "changing.lock"
	servingLock  = "serving.lock"
	servingPID   = "serving.pid"
)

// lockPoll is how often a lock is tried again that another process holds.
const lockPoll = 100 * time.Millisecond

// parentWait is how long a parent waits for another one's end: as long as a
// service that is restarted needs to let go.
const parentWait = 5 * time.Second

// changingWait is how long a Put or a Keep waits for the other process's: longer
// than a rename waits for a scanner of viruses (renameTries).
const changingWait = 15 * time.Second

// maxPID bounds the file of a process id, in bytes.
const maxPID = 32

// Fetching takes the right to fetch, or gives ErrHeld. It ends with the process,
// or when release is called.
func (s *Shelf) Fetching() (release func(), err error) {
	f, err := openExclusive(filepath.Join(s.cfg.Folder, fetchingLock))
	if err != nil {
		return nil, fmt.Errorf("fetch releases: %w", err)
	}
	return func() { _ = f.Close() }, nil
}

// changing takes the right to add releases or to remove them, waiting for a process
// that does. The updater puts a release while the launcher tidies up: without it,
// one removes what the other is making.
func (s *Shelf) changing() (release func(), err error) {
	waiting, cancel := context.WithTimeout(context.Background(), changingWait)
	defer cancel()
	f, err := s.lock(waiting, changingLock)
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// Looking takes the right to be the one parent, waiting a moment for one that is
// about to end; ErrHeld where there is another. It ends with the process, or when
// release is called.
func (s *Shelf) Looking(ctx context.Context) (release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, parentWait)
	defer cancel()
	f, err := s.lock(waiting, parentLock)
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// Serving takes the right to be the one program that serves, waiting for it until
// ctx ends, and says in a file which process it is. It ends with the process, or
// when release is called.
func (s *Shelf) Serving(ctx context.Context) (release func(), err error) {
	f, err := s.lock(ctx, servingLock)
	if err != nil {
		return nil, err
	}
	if err := replace(filepath.Join(s.cfg.Folder, servingPID), strconv.AppendInt(nil, int64(os.Getpid()), 10)); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("say which process serves: %w", err)
	}
	return func() { _ = f.Close() }, nil
}

// lock takes a lock, waiting for it until ctx ends.
func (s *Shelf) lock(ctx context.Context, name string) (*os.File, error) {
	for {
		f, err := openExclusive(filepath.Join(s.cfg.Folder, name))
		if !errors.Is(err, ErrHeld) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("take %s: %w, and does not end", name, ErrHeld)
		case <-time.After(lockPoll):
		}
	}
}

// Clear waits until nobody serves. A process that still does when patience is over
// is one that outlived its parent and does not end by itself: it is killed.
func (s *Shelf) Clear(ctx context.Context, patience time.Duration) (killed int, err error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f, err := s.lock(waiting, servingLock)
	if err == nil || !errors.Is(err, ErrHeld) || ctx.Err() != nil {
		return 0, errors.Join(err, closed(f))
	}
	text, err := readBounded(filepath.Join(s.cfg.Folder, servingPID), maxPID)
	if err != nil {
		return 0, fmt.Errorf("find out which process serves: %w", err)
	}
	// The lock is held, so the one that wrote the file lives: its id is nobody else's.
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 || pid == os.Getpid() {
		return 0, errors.New("find out which process serves: its file names no process")
	}
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		return 0, fmt.Errorf("end process %d, which outlived its parent: %w", pid, err)
	}
	waiting, cancelAgain := context.WithTimeout(ctx, patience)
	defer cancelAgain()
	f, err = s.lock(waiting, servingLock)
	return pid, errors.Join(err, closed(f))
}

func closed(f *os.File) error {
	if f == nil {
		return nil
	}
	return f.Close()
}
