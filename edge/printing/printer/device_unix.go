//go:build unix

package printer

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/tarm/serial"
)

// serialReadTimeout is the read timeout that the serial library requires; nothing is read
// through it.
const serialReadTimeout = 100 * time.Millisecond

// openSerial sets the port's speed through the library and then uses a file of its own:
// the library's has no write deadline, and reports an unplugged device as a timeout. The
// port keeps its settings while the second file is open.
func openSerial(name string, baud int) (channel, error) {
	f, err := openDevice(name)
	if err != nil {
		return nil, err
	}
	p, err := serial.OpenPort(&serial.Config{Name: name, Baud: baud, ReadTimeout: serialReadTimeout})
	if err != nil {
		return nil, errors.Join(conditionError(Unplugged, err), f.Close())
	}
	if err := p.Close(); err != nil {
		return nil, errors.Join(conditionError(Unplugged, err), f.Close())
	}
	return f, nil
}

// openDevice opens a character device with deadlines and a lock, so that two programs do
// not mix their slips.
func openDevice(name string) (channel, error) {
	// NONBLOCK keeps the opening itself from waiting for a carrier signal.
	f, err := os.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, conditionError(Unplugged, err)
	}
	if err := lockDevice(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func lockDevice(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return conditionError(Unplugged, err)
	}
	if info.Mode()&os.ModeCharDevice == 0 {
		return conditionError(Unplugged, errors.New(f.Name()+" is not a device"))
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return conditionError(Unplugged, err)
	}
	var held error
	err = raw.Control(func(fd uintptr) { held = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) })
	switch {
	case err != nil:
		return conditionError(Unplugged, err)
	case held != nil:
		return conditionError(InUse, held)
	}
	return nil
}
