package queue

import (
	"bytes"
	"os"
	"testing"
	"time"

	"galla/shared/op"
)

func TestCompaction(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	q := mustOpen(t, childConfig(path))
	r := record(newID(t), op.Reserved)
	r.Reply = bytes.Repeat([]byte("x"), 2<<20)
	for range 4 {
		r.ID = newID(t)
		mustAdd(t, q, r)
		mustBecome(t, q, r.ID, op.Expired)
	}
	if _, err := q.Purge(time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	keep := mustAdd(t, q, record(newID(t), op.Reserved))
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	// What an interrupted compaction leaves does not matter.
	if err := os.WriteFile(path+compactSuffix, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(filesOf(t, path)["queue.db"])
	q, report, err := Open(childConfig(path))
	if err != nil || !report.Compacted || len(report.Warnings) > 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	if r, err := q.Get(keep); err != nil || r.Body == nil {
		t.Errorf("after the compaction: %+v, %v", r, err)
	}
	mustAdd(t, q, record(newID(t), op.Reserved))
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	after := filesOf(t, path)
	if len(after) != 4 || len(after["queue.db"])*2 > before { // the file, its keys, its journal, its lock
		t.Errorf("%d files; the queue's has %d bytes, before %d", len(after), len(after["queue.db"]), before)
	}
	q, report, err = Open(childConfig(path))
	if err != nil || report.Compacted {
		t.Errorf("compacted again: %+v, %v", report, err)
	}
	_ = q.Close()
}
