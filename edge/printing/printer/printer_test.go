//go:build linux

package printer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
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
		"well":      {false, isReady, long, Printed, Ready, true},
		"silent":    {false, nil, "slip", Sent, Silent, true},
		"paper out": {false, noPaper, "slip", Failed, PaperOut, false},
		"paper low": {false, func(q byte) []byte {
			if q == 4 {
				return []byte{0x1e}
			}
			return isReady(q)
		}, "slip", Printed, PaperLow, true},
		"cover open": {false, func(q byte) []byte {
			if q == 2 {
				return []byte{0x16}
			}
			return isReady(q)
		}, "slip", Failed, CoverOpen, false},
		"garbage":      {false, func(byte) []byte { return bytes.Repeat([]byte{0xff, 0x00}, 100) }, "slip", Failed, Garbled, false},
		"flow control": {false, func(byte) []byte { return []byte{0x13, 0x11, 0x12} }, "slip", Printed, Ready, true},
		"first only": {false, func(q byte) []byte {
			if q == 1 {
				return isReady(q)
			}
			return nil
		}, "slip", Printed, Ready, true},
		"dead": {true, nil, strings.Repeat(long, 20), Failed, Stalled, false},
	} {
		for _, kind := range []Kind{Serial, USB} {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				pty := playPrinter(t, c.dead, c.answer)
				at := patient
				switch {
				case c.answer == nil:
					at = hasty
				case name == "first only": // it answers once, then no more
					at = timeouts{stall: 2 * time.Second, answer: time.Second}
				}
				p, changes := watchedAt(t, Config{Kind: kind, Address: pty.slave}, at)
				if err := p.Print("slip", []byte(c.job), nil); err != nil {
					t.Fatal(err)
				}
				s := waitForState(t, p, changes, func(s State) bool { return s.Last.Name != "" })
				if s.Last.Outcome != c.outcome || s.Condition != c.condition {
					t.Errorf("%s and %s, want %s and %s: %v", s.Last.Outcome, s.Condition, c.outcome, c.condition, s.Last.Err)
				}
				if (s.Last.Err != nil) != (c.outcome == Failed) || s.Printing != "" {
					t.Errorf("%+v", s)
				}
				if (c.onPaper && !s.Last.Started) || (s.Condition == PaperOut && c.outcome == Failed && !c.onPaper && s.Last.Started) {
					t.Errorf("begun is %v", s.Last.Started)
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

// What happens in the middle of a slip: a slow printer may take longer for the whole slip
// than for any one chunk; a slip is started but not printed when the paper ends or the
// printer jams.
func TestInTheMiddle(t *testing.T) {
	long := strings.Repeat("slip ", 2000)
	for name, c := range map[string]struct {
		slow      time.Duration
		least     int
		job       string
		after     func(byte) []byte // answers once the slip has started
		outcome   Outcome
		condition Condition
	}{
		"slow":               {time.Millisecond, 0, strings.Repeat(long, 8), isReady, Printed, Ready},
		"paper ends":         {0, 0, long, noPaper, Failed, PaperOut},
		"cover opened":       {0, 0, long, func(q byte) []byte { return map[byte][]byte{1: {0x1a}, 2: {0x36}, 4: {0x12}}[q] }, Failed, CoverOpen},
		"jams":               {0, 1000, strings.Repeat(long, 20), isReady, Failed, Stalled},
		"garbage afterwards": {0, 0, long, func(byte) []byte { return bytes.Repeat([]byte{0xff, 0x00}, 100) }, Sent, Garbled},
	} {
		for _, kind := range []Kind{Serial, USB} {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				pty := playAt(t, c.slow, c.least, false, nil)
				pty.mu.Lock()
				pty.answer = func(q byte) []byte {
					if pty.printed() == "" {
						return isReady(q)
					}
					return c.after(q)
				}
				pty.mu.Unlock()
				at := patient // the query follows everything in the terminal's buffer
				if c.condition == Stalled {
					at.stall = time.Second
				}
				p, changes := watchedAt(t, Config{Kind: kind, Address: pty.slave}, at)
				if err := p.Print("slip", []byte(c.job), nil); err != nil {
					t.Fatal(err)
				}
				s := waitForState(t, p, changes, func(s State) bool { return s.Last.Name != "" })
				if s.Last.Outcome != c.outcome || s.Condition != c.condition || !s.Last.Started {
					t.Errorf("%s and %s, begun %v, want %s and %s: %v", s.Last.Outcome, s.Condition, s.Last.Started, c.outcome, c.condition, s.Last.Err)
				}
				if (s.Last.Err != nil) != (c.outcome == Failed) {
					t.Errorf("%+v", s)
				}
				if c.outcome == Failed && !strings.Contains(s.Problem, ": ") {
					t.Errorf("%q does not say what to do", s.Problem)
				}
			})
		}
	}
}

// eventually waits until the player has read the terminal's buffer.
func eventually(t *testing.T, pty *played, n int) string {
	t.Helper()
	for limit := time.Now().Add(3 * time.Second); time.Now().Before(limit); runtime.Gosched() {
		if got := pty.printed(); len(got) >= n {
			return got
		}
	}
	return pty.printed()
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"lp0", "ttyUSB1", "null"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := find(map[Kind][]string{USB: {filepath.Join(dir, "lp*")}, Serial: {filepath.Join(dir, "ttyUSB*"), filepath.Join(dir, "rfcomm*")}})
	want := []Candidate{{Serial, filepath.Join(dir, "ttyUSB1")}, {USB, filepath.Join(dir, "lp0")}}
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestPluggedInAgain(t *testing.T) {
	dir := t.TempDir()
	address := filepath.Join(dir, "lp0")
	p, changes := watchedAt(t, Config{Kind: USB, Address: address}, patient)
	waitForState(t, p, changes, func(s State) bool { return s.Condition == Unplugged && s.Problem != "" })
	pty := playPrinter(t, false, isReady)
	if err := os.Symlink(pty.slave, address); err != nil {
		t.Fatal(err)
	}
	if err := p.Print("slip", []byte("x"), nil); err != nil {
		t.Fatal(err)
	}
	s := waitForState(t, p, changes, func(s State) bool { return s.Last.Name != "" })
	if s.Last.Outcome != Printed || s.Condition != Ready || s.Problem != "" {
		t.Errorf("%+v", s)
	}
}

// TestEnded: every job's result is reported, also if the printer's Run ends first.
func TestEnded(t *testing.T) {
	p, err := New(Config{Kind: USB, Address: filepath.Join(t.TempDir(), "lp0"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var ended []JobResult
	for range 2 {
		if err := p.Print("slip", []byte("x"), func(e JobResult) { ended = append(ended, e) }); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if len(ended) != 2 {
		t.Fatalf("%d of 2 jobs were reported", len(ended))
	}
	for _, e := range ended {
		if e.Outcome != Failed || e.Started || e.Err == nil || e.Name != "slip" {
			t.Errorf("%+v", e)
		}
	}
}

func TestInUseByAnother(t *testing.T) {
	pty := playPrinter(t, false, isReady)
	l, err := openDevice(pty.slave)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if _, err := openSerial(pty.slave, 9600); conditionOf(err) != InUse {
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

// network plays a network printer that answers the first queries and then hangs, or closes
// the connection.
func network(t *testing.T, answers int, cut bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		left := answers
		var open []net.Conn
		defer func() {
			for _, c := range open {
				_ = c.Close() // may be closed already
			}
		}()
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open = append(open, c)
			b := make([]byte, 3)
			for ; left > 0; left-- {
				if _, err := io.ReadFull(c, b); err != nil {
					break
				}
				_, _ = c.Write([]byte{0x12}) // the reader may be gone
			}
			if cut && left == 0 {
				_ = c.Close() // unread bytes cause a reset
			}
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wait.Wait()
	})
	return l.Addr().String()
}

func TestNetworkPrinters(t *testing.T) {
	for name, c := range map[string]struct {
		answers   int
		cut       bool
		outcome   Outcome
		condition Condition
	}{
		"hangs":            {0, false, Sent, Silent},
		"hangs after look": {3, false, Sent, Silent},
		"hangs after job":  {6, false, Sent, Silent},
		"cuts":             {6, true, Failed, Unplugged},
	} {
		t.Run(name, func(t *testing.T) {
			p, changes := watched(t, Config{Kind: TCP, Address: network(t, c.answers, c.cut)})
			waitForState(t, p, changes, func(s State) bool { return s.Condition != Unknown })
			if err := p.Print("slip", bytes.Repeat([]byte("slip "), 20_000), nil); err != nil {
				t.Fatal(err)
			}
			s := waitForState(t, p, changes, func(s State) bool { return s.Last.Name != "" })
			if s.Last.Outcome != c.outcome || s.Condition != c.condition {
				t.Errorf("%s and %s, want %s and %s: %v", s.Last.Outcome, s.Condition, c.outcome, c.condition, s.Last.Err)
			}
		})
	}
}

// Stopping does not wait for a stalled printer.
func TestStopWhileStalled(t *testing.T) {
	pty := playPrinter(t, true, nil)
	p, err := New(Config{Kind: Serial, Address: pty.slave, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	p.timeouts = timeouts{stall: time.Hour, answer: 50 * time.Millisecond}
	if err := p.Print("slip", make([]byte, maxJob), nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	printing := make(chan struct{})
	var once sync.Once
	p.cfg.OnChange = func() {
		if p.State().Printing != "" {
			once.Do(func() { close(printing) })
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	<-printing
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run ended with %v", err)
	}
	if s := p.State(); s.Last.Outcome != Failed || s.Condition == Stalled || s.Condition == Unplugged {
		t.Errorf("%+v", s)
	}
}

// A stopping program does not report the printer as unplugged, wherever in the
// conversation it stops.
func TestStopWhileAsking(t *testing.T) {
	pty := playPrinter(t, false, isReady)
	for range 50 {
		p, err := New(Config{Kind: USB, Address: pty.slave, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		begun := false
		if outcome, err := p.send(ctx, job{name: "slip", data: []byte("x")}, &begun); outcome != Failed || !errors.Is(err, context.Canceled) {
			t.Fatalf("%s, %v", outcome, err)
		}
		if s := p.State(); s.Condition != Unknown || s.Problem != "" {
			t.Fatalf("the printer is %+v", s)
		}
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
	if err := p.Print("slip", []byte("x"), nil); err != nil {
		t.Fatal(err)
	}
	s := waitForState(t, p, changes, func(s State) bool { return s.Last.Name != "" })
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
		if err := p.Print("slip", []byte("x"), nil); err != nil {
			t.Fatal(err)
		}
	}
	for want, data := range map[error][]byte{ErrFull: []byte("x"), ErrEmpty: nil, ErrLarge: make([]byte, maxJob+1)} {
		if err := p.Print("slip", data, nil); !errors.Is(err, want) {
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
