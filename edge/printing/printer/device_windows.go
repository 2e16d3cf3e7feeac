package printer

import (
	"os"
	"sync"
	"time"

	"github.com/tarm/serial"
)

// openSerial opens a COM port. Windows opens it for one program only.
func openSerial(name string, baud int) (channel, error) {
	p, err := serial.OpenPort(&serial.Config{Name: name, Baud: baud, ReadTimeout: answerTimeout})
	if err != nil {
		return nil, conditionError(Unplugged, err)
	}
	return &port{Port: p, done: make(chan error, 1)}, nil
}

// openDevice reports that printer devices have no files here.
func openDevice(name string) (channel, error) {
	return nil, conditionError(Unplugged, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist})
}

// port adds deadlines to the library's port. A stalled write ends when the port is closed.
type port struct {
	*serial.Port
	done chan error

	mu      sync.Mutex
	writeBy time.Time
}

// SetReadDeadline does nothing: the port was opened with its read timeout.
func (p *port) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline bounds the following writes.
func (p *port) SetWriteDeadline(t time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writeBy = t
	return nil
}

// Read returns os.ErrDeadlineExceeded where nothing arrived; the library returns 0.
func (p *port) Read(b []byte) (int, error) {
	n, err := p.Port.Read(b)
	if n == 0 && err == nil {
		return 0, os.ErrDeadlineExceeded
	}
	return n, err
}

// Write returns os.ErrDeadlineExceeded where the port accepts nothing in time; the port
// can't be used afterwards.
func (p *port) Write(b []byte) (int, error) {
	c := append([]byte(nil), b...)
	go func() {
		_, err := p.Port.Write(c)
		p.done <- err
	}()
	p.mu.Lock()
	limit := time.NewTimer(time.Until(p.writeBy))
	p.mu.Unlock()
	defer limit.Stop()
	select {
	case err := <-p.done:
		return len(b), err
	case <-limit.C:
		return 0, os.ErrDeadlineExceeded
	}
}
