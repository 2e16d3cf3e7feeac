//go:build unix

package releases

import (
	"os"
	"syscall"
)

// freeSpace is how many bytes this user may still write in a folder.
func freeSpace(path string) (int64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return 0, &os.PathError{Op: "read the free space of", Path: path, Err: err}
	}
	return int64(fs.Bavail) * int64(fs.Bsize), nil
}

// isSharingViolation reports whether a file could not be moved because it is being
// read: never on Unix.
func isSharingViolation(error) bool { return false }
