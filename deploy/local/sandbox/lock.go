//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"galla/shared/files"
)

// lockName is the file that a supervisor holds while it uses a data folder.
const lockName = "supervisor.lock"

// lock reserves a data folder for this process; unlock releases it, as does the end
// of the process.
func lock(data string) (unlock func() error, err error) {
	path := filepath.Join(data, lockName)
	unlock, err = files.TryLock(path)
	if errors.Is(err, files.ErrLocked) {
		holder, _ := files.ReadPID(path)
		return nil, fmt.Errorf("the data folder %s is in use by another supervisor (process %d): stop that one, or set GALLA_DATA to another folder", data, holder)
	}
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}
