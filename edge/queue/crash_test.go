package queue

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/shared/op"
)

// childPath is the environment variable that makes the test binary a child
// which writes to a queue until it is killed.
const childPath = "GALLA_QUEUE_TEST_CHILD"

// child adds and changes operations from several goroutines, and prints each
// acknowledgement: the id, its version and state. Its writer rests all the time, so
// that a kill also meets a flush and new keys.
func child(path string) {
	q, report, err := Open(config(path))
	if err != nil || len(report.Warnings) > 0 {
		fmt.Println("child", err, report.Warnings)
		os.Exit(1)
	}
	var mu sync.Mutex
	say := func(r edge.Record) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(r.ID, r.Version, r.State)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				id, err := op.NewID(rand.Reader)
				if err != nil {
					return
				}
				r := record(id, op.Reserved)
				if q.Add(r) != nil {
					return
				}
				say(r)
				for _, s := range []op.State{op.Queued, op.Sent, op.Accepted, op.Succeeded} {
					if r, err = q.Change(id, become(s)); err != nil {
						return
					}
					say(r)
				}
			}
		})
	}
	wg.Go(func() {
		for {
			if _, err := q.submit(&request{rest: true, run: func(*batchView) (change, error) { return change{}, nil }}); err != nil {
				return
			}
		}
	})
	wg.Wait()
}

// TestKill kills a writing process at arbitrary moments. Whatever was acknowledged
// must be on the disk, and the bodies of ended operations must not.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	t.Parallel()
	path := newPath(t)
	for round := range 6 {
		acknowledged := killed(t, path, time.Duration(30+40*round)*time.Millisecond)
		q, report, err := Open(config(path))
		if err != nil || len(report.Warnings) > 0 {
			t.Fatalf("round %d: %v, %+v", round, err, report)
		}
		for id, last := range acknowledged {
			r, err := q.Get(id)
			if err != nil || r.Version < last.version || r.Version == last.version && r.State != last.state {
				t.Errorf("round %d: %s was acknowledged as %s (%d) and is %s (%d), %v", round, id, last.state, last.version, r.State, r.Version, err)
			}
			if r.State.Final() != (r.Body == nil) {
				t.Errorf("round %d: %s operation with a body of %d bytes", round, r.State, len(r.Body))
			}
		}
		left, err := q.Unresolved()
		if err != nil {
			t.Error(err)
		}
		for _, r := range left { // the counter would recover them
			if _, err := q.Change(r.ID, become(map[op.State]op.State{op.Reserved: op.Expired, op.Queued: op.Expired, op.Sent: op.NotSent, op.Accepted: op.NotSent}[r.State])); err != nil {
				t.Error(err)
			}
		}
		if q.UnresolvedCount() != 0 || len(q.keys.byID) != 0 {
			t.Errorf("round %d: %d operations and %d body keys are left", round, q.UnresolvedCount(), len(q.keys.byID))
		}
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("round %d: %d operations acknowledged, %d unresolved", round, len(acknowledged), len(left))
	}
}

type childReport struct {
	version int
	state   op.State
}

// killed runs a child for about as long and gives what it acknowledged.
func killed(t *testing.T, path string, after time.Duration) map[op.ID]childReport {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childPath+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[op.ID]childReport{}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			if !strings.HasSuffix(lines.Text(), "\n") && len(acknowledged) > 0 {
				continue // cut off by the kill
			}
			t.Fatalf("the child said %q", lines.Text())
		}
		version, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatalf("the child said %q", lines.Text())
		}
		if len(acknowledged) == 0 { // it writes: from now on any moment will do
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
		acknowledged[op.ID(fields[0])] = childReport{version, op.State(fields[2])}
	}
	if err := cmd.Wait(); err == nil || len(acknowledged) == 0 {
		t.Fatalf("the child ended by itself: %v", err)
	}
	return acknowledged
}

func TestAbandon(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		q := mustOpen(t, config(path))
		kept := mustAdd(t, q, record(newID(t), op.Reserved))
		var wg sync.WaitGroup
		var mu sync.Mutex
		var acknowledged []op.ID
		for range 8 {
			wg.Go(func() {
				for {
					id := newID(t)
					if err := q.Add(record(id, op.Reserved)); err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Error(err)
						}
						return
					}
					mu.Lock()
					acknowledged = append(acknowledged, id)
					n := len(acknowledged)
					mu.Unlock()
					if n == 100 {
						wg.Go(q.Kill)
					}
				}
			})
		}
		wg.Wait()

		time.Sleep(time.Minute)
		again := mustOpen(t, config(path))
		for _, id := range append(acknowledged, kept) {
			if r, err := again.Get(id); err != nil || len(r.Body) == 0 {
				t.Errorf("acknowledged %s: %v", id, err)
			}
		}
		again.Kill()
		again.Kill()
	})
}
