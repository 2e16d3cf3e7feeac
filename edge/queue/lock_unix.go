//go:build unix

package queue

import (
	"errors"
	"os"
	"syscall"
)

// openExclusive opens or makes a file that no other process has open this way;
// ErrLocked where one has.
func openExclusive(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, err
	}
	return f, nil
}

// syncFolder makes a rename in the folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// diskFull are the errors of a disk, or of a user's share of it, that is full.
func diskFull() []syscall.Errno { return []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT} }
