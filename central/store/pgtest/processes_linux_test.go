package pgtest

import (
	"database/sql"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
)

// TestKillEndsEveryProcess, busy ones too: one that lived on would answer a
// commit that a power cut had swallowed.
func TestKillEndsEveryProcess(t *testing.T) {
	folder, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	s, err := Start(folder, Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		db, err := sql.Open("pgx", s.URL("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		busy := make(chan error, 1)
		go func() {
			// In FROM, the series would be written to a file first, which could fill the disk.
			_, err := db.Exec(`SELECT count(n) FROM (SELECT generate_series(1, 10000000000) AS n) AS busy`)
			busy <- err
		}()
		for began := time.Now(); db.Stats().InUse == 0 && time.Since(began) < time.Minute; {
			time.Sleep(time.Millisecond)
		}
		family := children(s.cmd.Process.Pid)
		if len(family) < 4 {
			t.Errorf("the server has %d processes", len(family))
		}
		s.Kill()
		for _, pid := range family {
			if alive(pid) {
				t.Errorf("process %d lives on", pid)
			}
		}
		if err := <-busy; err == nil {
			t.Error("a query of a killed server succeeded")
		}
		_ = db.Close()
		if err := s.Run(); err != nil {
			t.Fatal(err)
		}
	}
	s.Kill()
}

// TestKillSession: the server recovers by itself, and other sessions end.
func TestKillSession(t *testing.T) {
	folder, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	s, err := Start(folder, Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Kill()
	db, err := sql.Open("pgx", s.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	recovered := func() {
		t.Helper()
		for began := time.Now(); db.Ping() != nil; time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatal("the server does not answer")
			}
		}
	}
	recovered()
	if !s.KillSession(func(n int) int { return n - 1 }) {
		t.Error("no session was killed")
	}
	recovered()
}

// TestKillProcessesWhileOneStarts: a process that is born while its parent is being killed
// must not be left.
func TestKillProcessesWhileOneStarts(t *testing.T) {
	for range 10 {
		parent := exec.Command("sh", "-c", `while :; do sleep 100 & done`)
		output, err := parent.StdoutPipe() // every child holds its other end
		if err != nil {
			t.Fatal(err)
		}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		for len(children(parent.Process.Pid)) == 0 {
			time.Sleep(time.Millisecond)
		}
		killProcesses(parent.Process.Pid)
		ended := make(chan struct{})
		go func() { defer close(ended); _, _ = io.Copy(io.Discard, output) }()
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Error("a process that started meanwhile lives on")
		}
		_ = parent.Wait()
		if t.Failed() {
			return
		}
	}
}
