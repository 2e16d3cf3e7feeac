package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteAtomic writes a file in one step: after a crash it has the old content or the
// new one. It returns when the content and the name are on disk. rename is
// os.Rename or one that tries again.
func WriteAtomic(path string, data []byte, mode fs.FileMode, rename func(from, to string) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := rename(temp.Name(), path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// WriteOnce is WriteAtomic unless the file exists already; then that one stays. If several
// processes start at once, one of them writes the file and all find the same.
func WriteOnce(path string, data []byte, mode fs.FileMode) error {
	return WriteAtomic(path, data, mode, func(from, to string) error {
		if err := os.Link(from, to); !errors.Is(err, fs.ErrExist) { // unlike Rename, Link replaces nothing
			return err
		}
		return nil
	})
}
