//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// OpenExclusive opens or makes a file that no other process has open this way;
// ErrLocked where one has.
func OpenExclusive(path string) (*os.File, error) {
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

// SyncFolder makes a rename in the folder durable.
func SyncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Full are the errors of a disk, or of a user's share of it, that is full.
func Full() []syscall.Errno { return []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT} }
