package store

import (
	"bufio"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"galla/shared/op"
)

// Environment of the child process: the database's path, and where its ids
// begin.
const (
	crashChild = "GALLA_STORE_CRASH_CHILD"
	crashIDs   = "GALLA_STORE_CRASH_IDS"
)

// life is the way of an operation in the crash test, in order.
var life = []op.State{op.Received, op.Dispatched, op.Pending, op.Reversed}

// writeUntilKilled is the child: many callers write, and each acknowledged
// step is a line on the standard output.
func writeUntilKilled(path string) {
	s, err := OpenSQLite(background, path, testConfig())
	if err == nil {
		err = s.Seed(background, testSeed())
	}
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fail(err)
	var base int64
	_, err = fmt.Sscan(os.Getenv(crashIDs), &base)
	fail(err)
	serial.Store(base)
	for range 16 {
		go func() {
			for {
				o := newOperation()
				for _, state := range life {
					if state == op.Received {
						_, _, err = s.Begin(background, o, nil)
					} else {
						err = step(s, o.ID, state)
					}
					fail(err)
					_, err = os.Stdout.WriteString(string(o.ID) + " " + string(state) + "\n")
					fail(err)
				}
			}
		}()
	}
	select {}
}

// TestKill9 kills a process that writes, at a random moment, several times on
// one file, and looks for everything that it had acknowledged.
func TestKill9(t *testing.T) {
	path := filepath.Join(t.TempDir(), "central.db")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	acknowledged := map[op.ID]op.State{}
	for round := range 3 {
		collect(t, acknowledged, path, round, 1+random.IntN(1200))
		s := openAt(t, path, testConfig())
		for id, state := range acknowledged {
			o, err := s.Operation(background, id)
			if err != nil {
				t.Fatalf("round %d: an acknowledged operation: %v", round, err)
			}
			if rank(o.State) < rank(state) {
				t.Errorf("round %d: operation %s is %s and was acknowledged as %s", round, id, o.State, state)
			}
			steps, err := s.History(background, id)
			if err != nil || len(steps) != rank(o.State)+1 {
				t.Errorf("round %d: operation %s is %s with %d steps: %v", round, id, o.State, len(steps), err)
			}
		}
		var verdict string
		wantErr(t, "check the file", s.read(background, func(c conn) error {
			return c.one("PRAGMA integrity_check", nil, &verdict)
		}), nil)
		if verdict != "ok" {
			t.Errorf("round %d: the file is damaged: %s", round, verdict)
		}
		wantErr(t, "close", s.Close(), nil)
	}
	t.Logf("%d operations were acknowledged by three processes", len(acknowledged))
}

func rank(state op.State) int {
	for i, s := range life {
		if s == state {
			return i
		}
	}
	return -1
}

// collect runs a child until it has acknowledged so many steps, kills it, and
// notes what else it had acknowledged by then.
func collect(t *testing.T, acknowledged map[op.ID]op.State, path string, round, enough int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashChild+"="+path, fmt.Sprintf("%s=%d", crashIDs, (round+1)*1_000_000))
	var complaint strings.Builder
	child.Stderr = &complaint
	output, err := child.StdoutPipe()
	wantErr(t, "make a pipe", err, nil)
	wantErr(t, "start a child", child.Start(), nil)
	lines := bufio.NewScanner(output)
	for n := 0; lines.Scan(); n++ {
		if n == enough {
			wantErr(t, "kill the child", child.Process.Kill(), nil)
		}
		id, state, ok := strings.Cut(lines.Text(), " ")
		if !ok || rank(op.State(state)) < 0 {
			continue // cut off by the kill
		}
		acknowledged[op.ID(id)] = op.State(state)
	}
	err = child.Wait()
	if child.ProcessState.ExitCode() != -1 {
		slog.Error("a child ended by itself", "error", err, "stderr", complaint.String())
		t.Fatalf("round %d: the child was not killed but ended by itself: %v: %s", round, err, complaint.String())
	}
}
