//go:build !bug_chosen

package bug

import (
	"bytes"
	"log/slog"
	"testing"
)

// TestNothingIsBuiltIn: without tags there is no fault, and nothing to confess.
func TestNothingIsBuiltIn(t *testing.T) {
	if DispatchBeforeCommit || RetryOnTimeout || ForgetTombstone || AttemptWhilePending {
		t.Error("a fault is built in without its tag")
	}
	var log bytes.Buffer
	Confess(slog.New(slog.NewTextHandler(&log, nil)))
	if log.Len() > 0 {
		t.Errorf("a sound program confesses: %s", log.String())
	}
}

func TestEarly(t *testing.T) {
	calls := 0
	later := Early(func() (int, error) { calls++; return calls, nil })
	if calls != 1 {
		t.Fatalf("%d calls before the moment, want 1", calls)
	}
	if n, err := later(); n != 1 || err != nil || calls != 1 {
		t.Errorf("later gives %d, %v after %d calls", n, err, calls)
	}
}
