//go:build unix

package house

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockName is the file that a supervisor holds while it uses a data folder.
const lockName = "supervisor.lock"

// lock takes a data folder for this process; the returned function gives it
// back. The kernel gives it back by itself when the process dies.
func lock(data string) (func(), error) {
	path := filepath.Join(data, lockName)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer func() { _ = f.Close() }()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		holder, _ := io.ReadAll(io.LimitReader(f, 32))
		return nil, fmt.Errorf("the data folder %s is in use by another supervisor (process %s): stop that one, or set GALLA_DATA to another folder", data, strings.TrimSpace(string(holder)))
	}
	if err := errors.Join(f.Truncate(0), writePID(f)); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}

func writePID(f *os.File) error {
	_, err := fmt.Fprintf(f, "%d\n", os.Getpid())
	return err
}
