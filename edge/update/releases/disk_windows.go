package releases

import (
	"errors"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// errSharing is ERROR_SHARING_VIOLATION: another process has the file open.
const errSharing = syscall.Errno(32)

// freeSpace is how many bytes this user may still write in a folder.
func freeSpace(path string) (int64, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	var mine uint64
	if err := windows.GetDiskFreeSpaceEx(name, &mine, nil, nil); err != nil {
		return 0, &os.PathError{Op: "read the free space of", Path: path, Err: err}
	}
	return int64(min(mine, math.MaxInt64)), nil
}

// isSharingViolation reports whether a file could not be moved or replaced because it
// is being read.
func isSharingViolation(err error) bool {
	return errors.Is(err, errSharing) || errors.Is(err, os.ErrPermission)
}
