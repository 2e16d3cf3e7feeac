package queue

import (
	"bytes"
	"testing"

	"galla/edge"
	"galla/shared/op"
)

// costs counts what the writer has made durable: entries of the journal (one sync
// each), transactions of the bbolt file (two syncs each), and writes of keys.
type costs struct {
	entries int
	file    int64
	keys    []byte
}

func costsOf(t *testing.T, q *Queue, path string) costs {
	t.Helper()
	stats := q.file.Stats()
	return costs{int(q.journal.seq), stats.TxStats.GetWrite(), filesOf(t, path)["queue.db.keys"]}
}

// TestOneSyncForEachChange holds the price of an operation's steps: one entry of the
// journal each, and nothing else before the answer.
func TestOneSyncForEachChange(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	id := newID(t)
	mustAdd(t, q, record(newID(t), op.Reserved)) // the first one makes the reserve
	cursor := int64(0)
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"press", func() error { return q.Add(record(id, op.Reserved)) }},
		{"queued and sent", func() error {
			_, err := q.Change(id, become(op.Sent))
			return err
		}},
		{"accepted", func() error { _, err := q.Change(id, become(op.Accepted)); return err }},
		{"pending", func() error { _, err := q.Change(id, become(op.Pending)); return err }},
		{"outcome by event", func() error { cursor++; _, err := q.ApplyEvent(cursor, id, become(op.Succeeded)); return err }},
		{"cash", func() error {
			_, err := q.Change(id, func(r *edge.Record) error { r.CashBy = "Fatima"; return nil })
			return err
		}},
	} {
		before := costsOf(t, q, path)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		now := costsOf(t, q, path)
		if now.entries != before.entries+1 || now.file != before.file || !bytes.Equal(now.keys, before.keys) {
			t.Errorf("%s: %d entries of the journal, %d writes into the file, keys written: %t; want one entry",
				step.name, now.entries-before.entries, now.file-before.file, !bytes.Equal(now.keys, before.keys))
		}
	}
	if r, err := q.Get(id); err != nil || r.State != op.Succeeded || r.Version != 6 {
		t.Errorf("%+v, %v", r, err)
	}
}
