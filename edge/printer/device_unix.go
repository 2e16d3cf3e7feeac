//go:build unix

package printer

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/tarm/serial"
)

// settleTime is the read time-out that the serial library wants; nothing is
// read through it.
const settleTime = 100 * time.Millisecond

// openSerial lets the library set the line's speed, and then speaks through a
// file of its own: the library's has no write deadline, and reads an unplugged
// device as a time-out. The line keeps its settings while the second file is
// open.
func openSerial(name string, baud int) (link, error) {
	f, err := openDevice(name)
	if err != nil {
		return nil, err
	}
	p, err := serial.OpenPort(&serial.Config{Name: name, Baud: baud, ReadTimeout: settleTime})
	if err != nil {
		return nil, errors.Join(trouble(Unplugged, err), f.Close())
	}
	if err := p.Close(); err != nil {
		return nil, errors.Join(trouble(Unplugged, err), f.Close())
	}
	return f, nil
}

// openDevice opens a character device with deadlines and a lock, so that two
// programs of this house do not mix their slips.
func openDevice(name string) (link, error) {
	// NONBLOCK first of all keeps the opening itself from waiting for a carrier.
	f, err := os.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, trouble(Unplugged, err)
	}
	if err := claim(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func claim(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return trouble(Unplugged, err)
	}
	if info.Mode()&os.ModeCharDevice == 0 {
		return trouble(Unplugged, errors.New(f.Name()+" is no device"))
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return trouble(Unplugged, err)
	}
	var held error
	err = raw.Control(func(fd uintptr) { held = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) })
	switch {
	case err != nil:
		return trouble(Unplugged, err)
	case held != nil:
		return trouble(Taken, held)
	}
	return nil
}
