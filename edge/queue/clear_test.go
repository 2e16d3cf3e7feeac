package queue

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/shared/op"
)

func filesOf(t testing.TB, path string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = data
	}
	return files
}

func TestNothingInTheClear(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	r := record(newID(t), op.Reserved)
	r.Customer, r.Reason = "CANARY-CUSTOMER", "CANARY-REASON"
	r.Reply = []byte("CANARY-REPLY")
	mustAdd(t, q, r)
	if err := q.PutCache("banks", []byte("CANARY-BANKS"), time.Now()); err != nil {
		t.Fatal(err)
	}
	mustBecome(t, q, r.ID, op.Queued)
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range filesOf(t, path) {
		for _, canary := range []string{testAadhaar, "CANARY", "Withdrawal", "withdrawal", "reserved\"", strings.Repeat("\x01", 32)} {
			if bytes.Contains(data, []byte(canary)) {
				t.Errorf("%s shows %q", name, canary)
			}
		}
		if info, err := os.Stat(filepath.Join(filepath.Dir(path), name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
}
