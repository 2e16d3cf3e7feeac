package queue

import (
	"os"
	"syscall"
)

// syncData makes what was written durable. It leaves out the file's times, which a
// sync would write with the file system's own journal, at twice the cost.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return err
		}
	}
}
