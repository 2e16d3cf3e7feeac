//go:build unix

package shelf

import (
	"errors"
	"os"
	"syscall"
)

// openExclusive opens or makes a file that no other process has open this way;
// ErrHeld where one has.
func openExclusive(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrHeld
		}
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
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

// room is how many bytes this user may still write in a folder.
func room(path string) (int64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return 0, &os.PathError{Op: "ask for the room of", Path: path, Err: err}
	}
	return int64(fs.Bavail) * int64(fs.Bsize), nil
}

// beingRead tells whether a file could not be moved since somebody reads it: never here.
func beingRead(error) bool { return false }
