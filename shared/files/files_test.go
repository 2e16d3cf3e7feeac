package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	unlock, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(path); !errors.Is(err, ErrLocked) {
		t.Fatalf("a second lock: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		again, err := Lock(ctx, path)
		if err == nil {
			err = again()
		}
		done <- err
	}()
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("after the unlock: %v", err)
	}
	if _, err := TryLock(filepath.Join(t.TempDir(), "missing", "a.lock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a missing folder: %v", err)
	}
}

func TestWriteOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"one", "two"} {
		if err := WriteOnce(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	left, dirErr := os.ReadDir(filepath.Dir(path))
	if err != nil || dirErr != nil || string(got) != "one" || len(left) != 1 {
		t.Errorf("read %q, %v beside %v, %v", got, err, left, dirErr)
	}
}

func TestWriteAtomic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"one", "two"} {
		if err := WriteAtomic(path, []byte(text), 0o640, os.Rename); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err != nil || statErr != nil || string(got) != text || info.Mode() != 0o640 {
			t.Errorf("read %q, %v, %v", got, info, err)
		}
	}
	broken := errors.New("broken")
	if err := WriteAtomic(path, []byte("three"), 0o640, func(string, string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("with a failing rename: %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if got, _ := os.ReadFile(path); err != nil || len(left) != 1 || string(got) != "two" {
		t.Errorf("after it: %d files, %q, %v", len(left), got, err)
	}
}

func TestPID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pid")
	remove, err := WritePID(path)
	if err != nil {
		t.Fatal(err)
	}
	if pid, err := ReadPID(path); err != nil || pid != os.Getpid() {
		t.Errorf("ReadPID = %d, %v", pid, err)
	}
	if err := os.WriteFile(path, []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if pid, err := ReadPID(path); err != nil || pid != 1 {
		t.Errorf("the file of another process: %d, %v", pid, err)
	}
	if _, err := WritePID(path); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := remove(); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"", "x", "-1"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPID(path); err == nil {
			t.Errorf("%q is a process id", text)
		}
	}
}

func TestSignal(t *testing.T) {
	for _, pid := range []int{0, -1, -os.Getpid()} {
		if err := Signal(pid, syscall.Signal(0)); err == nil {
			t.Errorf("a signal to %d was sent", pid)
		}
	}
	if err := Signal(os.Getpid(), syscall.Signal(0)); err != nil {
		t.Error(err)
	}
	if err := Signal(1<<30, syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("to a process that is not there: %v", err)
	}
}

func TestReadBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("four"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadBounded(path, 4); err != nil || string(text) != "four" {
		t.Errorf("read %q, %v", text, err)
	}
	if text, err := ReadBounded(path, 3); err == nil || len(text) != 0 {
		t.Errorf("of a larger file %q, %v", text, err)
	}
	if _, err := ReadBounded(path+"b", 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a missing file: %v", err)
	}
}
