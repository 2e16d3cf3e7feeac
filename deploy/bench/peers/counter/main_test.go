//go:build linux

package main

import "testing"

// TestRun makes real withdrawals at a counter.
func TestRun(t *testing.T) {
	got, err := run(t.TempDir(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if got.Press <= 0 || got.Sync <= 0 || got.Whole < got.Press {
		t.Errorf("%+v", got)
	}
}
