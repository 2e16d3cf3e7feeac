//go:build linux

package printer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// played is a printer at the other end of a pseudo-terminal: it answers status queries and
// records what it receives.
type played struct {
	master *os.File
	slave  string

	mu     sync.Mutex
	got    bytes.Buffer
	answer func(query byte) []byte // nil: silent

	// slow is how long each chunk takes to print, and least how many bytes of a job a printer
	// accepts before it jams; zero is none.
	slow  time.Duration
	least int
}

// slowPiece is how many bytes a slow printer reads at once.
const slowPiece = 512

// playPrinter opens a pseudo-terminal in raw mode. A dead printer never reads.
func playPrinter(t *testing.T, dead bool, answer func(byte) []byte) *played {
	t.Helper()
	return playAt(t, 0, 0, dead, answer)
}

// playAt is playPrinter for a slow printer, or one that jams after some bytes.
func playAt(t *testing.T, slow time.Duration, least int, dead bool, answer func(byte) []byte) *played {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	var number, unlock int32
	control(t, master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	control(t, master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	p := &played{master: master, slave: fmt.Sprintf("/dev/pts/%d", number), answer: answer, slow: slow, least: least}
	// Kept open, so that the terminal keeps its mode.
	held, err := os.OpenFile(p.slave, os.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	raw := syscall.Termios{Cflag: syscall.CS8 | syscall.CREAD | syscall.CLOCAL}
	raw.Cc[syscall.VMIN] = 1
	control(t, held, syscall.TCSETS, unsafe.Pointer(&raw))
	var wait sync.WaitGroup
	if !dead {
		wait.Go(p.read)
	}
	t.Cleanup(func() {
		_ = master.Close() // a test may have unplugged it
		_ = held.Close()
		wait.Wait()
	})
	return p
}

func control(t *testing.T, f *os.File, request uintptr, argument unsafe.Pointer) {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var errno syscall.Errno
	if err := raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(argument))
	}); err != nil {
		t.Fatal(err)
	}
	if errno != 0 {
		t.Fatal(errno)
	}
}

func (p *played) read() {
	var query []byte
	b := make([]byte, 1)
	for {
		if _, err := p.master.Read(b); err != nil {
			return
		}
		query = append(query, b[0])
		if !bytes.HasPrefix([]byte{0x10, 0x04}, query[:min(2, len(query))]) {
			p.mu.Lock()
			p.got.Write(query)
			n := p.got.Len()
			p.mu.Unlock()
			query = nil
			if p.least > 0 && n >= p.least {
				return // jammed: it reads nothing more
			}
			if p.slow > 0 && n%slowPiece == 0 {
				time.Sleep(p.slow)
			}
			continue
		}
		if len(query) == 3 {
			p.mu.Lock()
			answer := p.answer
			p.mu.Unlock()
			if answer != nil {
				_, _ = p.master.Write(answer(query[2])) // unplugged meanwhile
			}
			query = nil
		}
	}
}

func (p *played) printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got.String()
}

func isReady(byte) []byte { return []byte{0x12} }

func noPaper(q byte) []byte {
	return map[byte][]byte{1: {0x1a}, 2: {0x32}, 4: {0x7e}}[q]
}

// watched starts a printer, with a channel of its changes.
func watched(t *testing.T, cfg Config) (*Printer, chan struct{}) {
	t.Helper()
	return watchedAt(t, cfg, hasty)
}

// hasty is the timeout for a printer that does not answer or accept anything; patient that
// for one that does, since the machine may be busy.
var (
	hasty   = timeouts{stall: time.Second, answer: 100 * time.Millisecond}
	patient = timeouts{stall: stallTimeout, answer: stallTimeout}
)

// watchedAt is watched with other timeouts.
func watchedAt(t *testing.T, cfg Config, at timeouts) (*Printer, chan struct{}) {
	t.Helper()
	changes := make(chan struct{}, 1)
	cfg.Logger = slog.New(slog.DiscardHandler)
	cfg.OnChange = func() {
		select {
		case changes <- struct{}{}:
		default:
		}
	}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.timeouts = at
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run ended with %v", err)
		}
	})
	return p, changes
}

// waitForState waits for a state.
func waitForState(t *testing.T, p *Printer, changes chan struct{}, ok func(State) bool) State {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		if s := p.State(); ok(s) {
			return s
		}
		select {
		case <-changes:
		case <-limit:
			t.Fatalf("the printer stays at %+v", p.State())
		}
	}
}
