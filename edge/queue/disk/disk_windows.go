package disk

import (
	"errors"
	"os"
	"syscall"
)

// errSharing is ERROR_SHARING_VIOLATION: another process has the file open.
const errSharing = syscall.Errno(32)

// OpenExclusive opens or makes a file that no other process has open;
// ErrLocked where one has.
func OpenExclusive(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const shareNothing = 0
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, shareNothing, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errSharing) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// SyncFolder does nothing: Windows makes a rename durable by itself, and a
// folder can't be flushed.
func SyncFolder(string) error { return nil }

// Full are ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and
// ERROR_DISK_QUOTA_EXCEEDED.
func Full() []syscall.Errno { return []syscall.Errno{39, 112, 1295} }
