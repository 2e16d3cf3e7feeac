//go:build linux

package printer

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestPlayedPrinters(t *testing.T) {
	long := strings.Repeat("slip ", 4000)
	for name, c := range map[string]struct {
		dead      bool
		answer    func(byte) []byte
		job       string
		outcome   Outcome
		condition Condition
		onPaper   bool
	}{
		"well":      {false, well, long, Printed, Ready, true},
		"silent":    {false, nil, "slip", Sent, Silent, true},
		"paper out": {false, noPaper, "slip", Failed, PaperOut, false},
		"paper low": {false, func(q byte) []byte {
			if q == 4 {
				return []byte{0x1e}
			}
			return well(q)
		}, "slip", Printed, PaperLow, true},
		"cover open": {false, func(q byte) []byte {
			if q == 2 {
				return []byte{0x16}
			}
			return well(q)
		}, "slip", Failed, CoverOpen, false},
		"garbage":      {false, func(byte) []byte { return bytes.Repeat([]byte{0xff, 0x00}, 100) }, "slip", Failed, Garbled, false},
		"flow control": {false, func(byte) []byte { return []byte{0x13, 0x11, 0x12} }, "slip", Printed, Ready, true},
		"first only": {false, func(q byte) []byte {
			if q == 1 {
				return well(q)
			}
			return nil
		}, "slip", Printed, Ready, true},
		"dead": {true, nil, strings.Repeat(long, 20), Failed, Stalled, false},
	} {
		for _, kind := range []Kind{Serial, USB} {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				pty := play(t, c.dead, c.answer)
				p, changes := watched(t, Config{Kind: kind, Address: pty.slave})
				if err := p.Print("slip", []byte(c.job)); err != nil {
					t.Fatal(err)
				}
				s := until(t, p, changes, func(s State) bool { return s.Last.Name != "" })
				if s.Last.Outcome != c.outcome || s.Condition != c.condition {
					t.Errorf("%s and %s, want %s and %s: %v", s.Last.Outcome, s.Condition, c.outcome, c.condition, s.Last.Err)
				}
				if (s.Last.Err != nil) != (c.outcome == Failed) || s.Printing != "" {
					t.Errorf("%+v", s)
				}
				if c.onPaper {
					want := c.job
					if got := eventually(t, pty, len(want)); got != want {
						t.Errorf("%d bytes arrived, not the job of %d", len(got), len(want))
					}
				} else if !c.dead && pty.printed() != "" {
					t.Errorf("%q was sent", pty.printed())
				}
			})
		}
	}
}

// eventually waits for the player to have read what the terminal still holds.
func eventually(t *testing.T, pty *played, n int) string {
	t.Helper()
	for limit := time.Now().Add(3 * time.Second); time.Now().Before(limit); runtime.Gosched() {
		if got := pty.printed(); len(got) >= n {
			return got
		}
	}
	return pty.printed()
}

func TestPluggedInAgain(t *testing.T) {
	dir := t.TempDir()
	address := filepath.Join(dir, "lp0")
	p, changes := watched(t, Config{Kind: USB, Address: address})
	until(t, p, changes, func(s State) bool { return s.Condition == Unplugged && s.Problem != "" })
	pty := play(t, false, well)
	if err := os.Symlink(pty.slave, address); err != nil {
		t.Fatal(err)
	}
	if err := p.Print("slip", []byte("x")); err != nil {
		t.Fatal(err)
	}
	s := until(t, p, changes, func(s State) bool { return s.Last.Name != "" })
	if s.Last.Outcome != Printed || s.Condition != Ready || s.Problem != "" {
		t.Errorf("%+v", s)
	}
}

func TestHeldByAnother(t *testing.T) {
	pty := play(t, false, well)
	l, err := openDevice(pty.slave)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if _, err := openSerial(pty.slave, 9600); conditionOf(err) != Taken {
		t.Errorf("a second owner: %v", err)
	}
}

func TestNoDevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openDevice(path); conditionOf(err) != Unplugged {
		t.Errorf("a file was taken for a printer: %v", err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "kept" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestNetworkPrinterHangs(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // connections wait in its backlog, and nobody reads
	p, changes := watched(t, Config{Kind: TCP, Address: l.Addr().String()})
	if err := p.Print("small", []byte("x")); err != nil {
		t.Fatal(err)
	}
	s := until(t, p, changes, func(s State) bool { return s.Last.Name == "small" })
	if s.Last.Outcome != Sent {
		t.Errorf("a job that nobody confirmed is %s", s.Last.Outcome)
	}
	for range maxQueue { // more than the kernel's buffers take on one connection
		if err := p.Print("great", make([]byte, maxJob)); err != nil {
			break
		}
	}
	if s := p.State(); s.Condition == Unknown {
		t.Errorf("%+v", s)
	}
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p, changes := watched(t, Config{Kind: TCP, Address: address})
	if err := p.Print("slip", []byte("x")); err != nil {
		t.Fatal(err)
	}
	s := until(t, p, changes, func(s State) bool { return s.Last.Name != "" })
	if s.Last.Outcome != Failed || s.Condition != Unplugged || !strings.Contains(s.Problem, "check power") {
		t.Errorf("%+v", s)
	}
}

func TestPrintNeverWaits(t *testing.T) {
	p, err := New(Config{Kind: TCP, Address: "192.0.2.1", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for range maxQueue {
		if err := p.Print("slip", []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for want, data := range map[error][]byte{ErrFull: []byte("x"), ErrEmpty: nil, ErrLarge: make([]byte, maxJob+1)} {
		if err := p.Print("slip", data); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if s := p.State(); s.Waiting != maxQueue || s.Condition != Unknown {
		t.Errorf("%+v", s)
	}
}

func TestConfigsRefused(t *testing.T) {
	for name, c := range map[string]Config{
		"no address": {Kind: USB}, "no kind": {Address: "x"}, "negative speed": {Kind: Serial, Address: "x", Baud: -1},
		"no logger": {Kind: USB, Address: "x"},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
