package files

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// A name that is new on disk is lost in a power cut until its folder is synced, which
// takes an open folder: the kernel reports the opening, and it must follow the name.
func TestNamesAreSynced(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	const renamed, linked, opened = "renamed", "linked", "folder opened"
	for _, c := range []struct {
		name  string
		write func() error
		want  []string
	}{
		{"WriteAtomic", func() error { return WriteAtomic(path, []byte("one"), 0o600, os.Rename) }, []string{renamed, opened}},
		{"WriteOnce of an old file", func() error { return WriteOnce(path, []byte("two"), 0o600) }, []string{opened}},
		{"WriteOnce of a new file", func() error { return WriteOnce(path+"b", []byte("two"), 0o600) }, []string{linked, opened}},
	} {
		t.Run(c.name, func(t *testing.T) {
			events := watch(t, folder)
			if err := c.write(); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range events() {
				temp := strings.HasPrefix(e.name, ".new-")
				switch {
				case e.mask&syscall.IN_MOVED_TO != 0:
					got = append(got, renamed)
				case e.mask&syscall.IN_CREATE != 0 && !temp:
					got = append(got, linked)
				case e.mask&syscall.IN_OPEN != 0 && e.mask&syscall.IN_ISDIR != 0:
					got = append(got, opened)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

type event struct {
	mask uint32
	name string
}

// watch returns the events of a folder from now on.
func watch(t *testing.T, folder string) func() []event {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if _, err := syscall.InotifyAddWatch(fd, folder, syscall.IN_MOVED_TO|syscall.IN_CREATE|syscall.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	return func() (events []event) {
		buffer := make([]byte, 64<<10)
		n, err := syscall.Read(fd, buffer)
		if err != nil {
			t.Fatal(err)
		}
		for b := buffer[:n]; len(b) > 0; {
			raw := (*syscall.InotifyEvent)(unsafe.Pointer(&b[0]))
			end := syscall.SizeofInotifyEvent + int(raw.Len)
			name := strings.TrimRight(string(b[syscall.SizeofInotifyEvent:end]), "\x00")
			events, b = append(events, event{raw.Mask, name}), b[end:]
		}
		return events
	}
}
