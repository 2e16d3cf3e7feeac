package printer

import (
	"os"
	"sync"
	"time"

	"github.com/tarm/serial"
)

// openSerial opens a COM port. Windows gives it to one program only.
func openSerial(name string, baud int) (link, error) {
	p, err := serial.OpenPort(&serial.Config{Name: name, Baud: baud, ReadTimeout: answerTime})
	if err != nil {
		return nil, trouble(Unplugged, err)
	}
	return &port{Port: p, done: make(chan error, 1)}, nil
}

// openDevice says that a printer device has no file here.
func openDevice(name string) (link, error) {
	return nil, trouble(Unplugged, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist})
}

// port gives the library's port deadlines. A write that stalls ends when the
// port is closed.
type port struct {
	*serial.Port
	done chan error

	mu      sync.Mutex
	writeBy time.Time
}

// SetReadDeadline changes nothing: the port was opened with its read time-out.
func (p *port) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline bounds the writes that begin after it.
func (p *port) SetWriteDeadline(t time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writeBy = t
	return nil
}

// Read gives os.ErrDeadlineExceeded where nothing came; the library gives 0.
func (p *port) Read(b []byte) (int, error) {
	n, err := p.Port.Read(b)
	if n == 0 && err == nil {
		return 0, os.ErrDeadlineExceeded
	}
	return n, err
}

// Write gives os.ErrDeadlineExceeded where the port takes nothing in time; the
// port is of no use afterwards.
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
