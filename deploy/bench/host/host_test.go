//go:build linux

package host

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestParseCPU(t *testing.T) {
	got, err := parseCPU([]byte("77 (a b) c) S 1 77 77 0 -1 4194560 500 0 0 0 123 45 0 0 20 0 9 0 100 5 6"))
	if err != nil || got != 1680*time.Millisecond {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := parseCPU([]byte("77 (a) S 1")); err == nil {
		t.Error("a short line was taken")
	}
}

func TestParseResident(t *testing.T) {
	got, err := parseResident("Name:\tx\nVmRSS:\t    2048 kB\nThreads:\t1\n")
	if err != nil || got != 2<<20 {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := parseResident("Name:\tx\n"); err == nil {
		t.Error("a text without memory was taken")
	}
}

// TestSelf reads what the kernel says of this machine and process.
func TestSelf(t *testing.T) {
	if n, err := Resident(os.Getpid()); err != nil || n < 1<<20 {
		t.Errorf("memory %d, %v", n, err)
	}
	if _, err := CPU(os.Getpid()); err != nil {
		t.Error(err)
	}
	if n, err := Load(); err != nil || n < 0 {
		t.Errorf("load %v, %v", n, err)
	}
	if n, err := Busy(t.Context(), 20*time.Millisecond); err != nil || n < 0 || n > float64(Cores()) {
		t.Errorf("busy %v, %v", n, err)
	}
}

func TestProcess(t *testing.T) {
	p, err := Start(exec.Command("sleep", "600"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Await(t.Context(), time.Millisecond, func() error { _, err := CPU(p.PID()); return err }); err != nil {
		t.Error(err)
	}
	p.Kill()
	if err := p.Await(t.Context(), time.Hour, func() error { return os.ErrNotExist }); err == nil {
		t.Error("waited for a process that had ended")
	}
	if _, err := Start(exec.Command("no-such-program-at-all")); err == nil {
		t.Error("a program that is not there was started")
	}
}
