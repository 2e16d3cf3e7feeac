package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// WritePID writes this process's id to a file, in one step. remove deletes the file
// if it still has this id.
func WritePID(path string) (remove func() error, err error) {
	temp := path + ".new"
	if err := os.WriteFile(temp, fmt.Appendln(nil, os.Getpid()), 0o644); err != nil {
		return nil, fmt.Errorf("write the process id: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return nil, fmt.Errorf("write the process id: %w", err)
	}
	return func() error { return removePID(path) }, nil
}

func removePID(path string) error {
	switch pid, err := ReadPID(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("remove the process id: %w", err)
	case pid != os.Getpid():
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the process id: %w", err)
	}
	return nil
}

// ReadPID reads the process id in a file. fs.ErrNotExist: there is no file.
func ReadPID(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		return 0, fmt.Errorf("%s has no process id", filepath.Base(path))
	}
	return pid, nil
}

// Signal sends a signal to one process. An id below 1 is an error: for the system it would
// be a group, or all processes. os.ErrProcessDone: there is no such process.
func Signal(pid int, sig os.Signal) error {
	if pid < 1 {
		return fmt.Errorf("%d is no process id", pid)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return errors.Join(p.Signal(sig), p.Release())
}
