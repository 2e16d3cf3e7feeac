package shelf

import (
	"errors"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// errSharing is ERROR_SHARING_VIOLATION: another process has the file open.
const errSharing = syscall.Errno(32)

// openExclusive opens or makes a file that no other process has open; ErrHeld
// where one has.
func openExclusive(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const shareNothing = 0
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, shareNothing, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errSharing) {
		return nil, ErrHeld
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// syncFolder does nothing: Windows makes a rename durable by itself, and a
// folder can't be flushed.
func syncFolder(string) error { return nil }

// room is how many bytes this user may still write in a folder.
func room(path string) (int64, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	var mine uint64
	if err := windows.GetDiskFreeSpaceEx(name, &mine, nil, nil); err != nil {
		return 0, &os.PathError{Op: "ask for the room of", Path: path, Err: err}
	}
	return int64(min(mine, math.MaxInt64)), nil
}

// beingRead tells whether a file could not be moved or replaced since somebody reads
// it: Windows says that in two ways.
func beingRead(err error) bool { return errors.Is(err, errSharing) || errors.Is(err, os.ErrPermission) }
