package queue

import (
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"galla/edge"
	"galla/shared/op"
)

// killedQueue is a queue with operations in the file and, after a kill, others in
// the journal alone; it gives all of them, in the order of their last changes.
func killedQueue(t *testing.T, path string) []edge.Record {
	t.Helper()
	q := mustOpen(t, config(path))
	var all []edge.Record
	for i := range 6 {
		id := mustAdd(t, q, record(newID(t), op.Reserved))
		states := []op.State{op.Queued, op.Sent, op.Succeeded}[:i%4]
		mustBecome(t, q, id, states...)
		if i == 2 {
			mustRest(t, q)
		}
		r, err := q.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if _, err := q.ApplyEvent(9, all[2].ID, become(op.Pending)); err != nil {
		t.Fatal(err)
	}
	all[2].State, all[2].Version = op.Pending, all[2].Version+1
	q.Kill()
	return all
}

// TestJournalAfterACrash reads, inspects and opens what is in the journal alone.
func TestJournalAfterACrash(t *testing.T) {
	path := newPath(t)
	all := killedQueue(t, path)
	unresolved := 0
	for _, r := range all {
		if !r.State.Final() {
			unresolved++
		}
	}
	before := filesOf(t, path)
	if seen, err := Inspect(config(path)); err != nil || seen != (Inspection{len(all), unresolved, 0}) {
		t.Errorf("Inspect = %+v, %v; there are %d operations, %d without an end", seen, err, len(all), unresolved)
	}
	for round := range 3 { // the journal is old from the second on, and is not used again
		q := mustOpen(t, config(path))
		for _, want := range all {
			if got, err := q.Get(want.ID); err != nil || !same(got, want) {
				t.Errorf("round %d: %+v, %v\nwant %+v", round, got, err, want)
			}
		}
		if c, err := q.Cursor(); err != nil || c != 9 || q.UnresolvedCount() != unresolved {
			t.Errorf("round %d: cursor %d, %d unresolved, %v", round, c, q.UnresolvedCount(), err)
		}
		q.Kill()
	}
	// A power cut in the middle of the start: the journal is there still.
	for name, data := range before {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	q := mustOpen(t, config(path))
	if rs, err := q.Recent("", 10); err != nil || len(rs) != len(all) {
		t.Errorf("%d of %d operations, %v", len(rs), len(all), err)
	}
}

// TestTornJournal cuts the power in the middle of the last write: some of its
// sectors are on the disk. Everything before it is there, and it is there whole or
// reported.
func TestTornJournal(t *testing.T) {
	t.Parallel()
	const sector = 512
	rnd := mathrand.New(mathrand.NewPCG(5, 6))
	path := newPath(t)
	q := mustOpen(t, config(path))
	first := mustAdd(t, q, record(newID(t), op.Reserved))
	mustBecome(t, q, first, op.Queued)
	before := filesOf(t, path)["queue.db.journal"]
	last := record(newID(t), op.Reserved)
	last.Reply = make([]byte, 3000)
	mustAdd(t, q, last)
	q.Kill()
	s := stock{files: filesOf(t, path)}
	after := s.files["queue.db.journal"]
	torn := 0
	for range 40 {
		data := slices.Clone(before)
		for at := 0; at < len(data); at += sector {
			if rnd.IntN(2) == 0 {
				copy(data[at:at+sector], after[at:at+sector])
			}
		}
		q, report, err := Open(config(s.lay(t, "queue.db.journal", data)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := q.Get(first)
		want := op.Queued
		if len(report.Warnings) > 0 {
			want = op.Sent // it may have been: the outcome is asked for
			torn++
		}
		if err != nil || r.State != want || r.Body == nil {
			t.Errorf("%+v, %v, want it %s", r, err, want)
		}
		if r, err := q.Get(last.ID); !errors.Is(err, edge.ErrNotFound) && (err != nil || r.Body == nil) {
			t.Errorf("the last one is %+v, %v", r, err)
		}
		mustAdd(t, q, record(newID(t), op.Reserved))
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
	if torn == 0 {
		t.Error("no write was torn: the test shows nothing")
	}
}

// TestFlippedJournal damages a journal whose changes are nowhere else. Each is there
// or reported, and nothing else is.
func TestFlippedJournal(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	all := killedQueue(t, path)
	s := stock{files: filesOf(t, path)}
	whole := s.files["queue.db.journal"]
	used := slices.IndexFunc(whole, func(byte) bool { return true })
	for i, b := range whole {
		if b != 0 {
			used = i
		}
	}
	rnd := mathrand.New(mathrand.NewPCG(7, 8))
	reported := 0
	for i := range flips(t) {
		data := slices.Clone(whole)
		at := rnd.IntN(used)
		if i%4 == 0 { // a head
			at = at&^(entryAlign-1) + rnd.IntN(entryHead)
		}
		data[at] ^= byte(1) << rnd.IntN(8)
		where := fmt.Sprintf("byte %d", at)
		q, report, err := Open(config(s.lay(t, "queue.db.journal", data)))
		if err != nil {
			t.Fatal(where, err)
		}
		if len(report.Warnings) > 0 {
			reported++
		}
		for _, want := range all {
			got, err := q.Get(want.ID)
			if same(got, want) || len(report.Warnings) > 0 && (errors.Is(err, edge.ErrNotFound) || err == nil && (got.Version < want.Version || got.State == op.Sent)) {
				continue
			}
			t.Errorf("%s: %+v, %v, want %+v (%v)", where, got, err, want, report.Warnings)
		}
		if err := q.Close(); err != nil {
			t.Error(where, err)
		}
	}
	if reported == 0 {
		t.Error("no damage was found")
	}
}

// TestJournalOfAnotherFile removes the queue file: the new one has nothing of the
// old one's journal.
func TestJournalOfAnotherFile(t *testing.T) {
	path := newPath(t)
	all := killedQueue(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	q, report, err := Open(config(path))
	if err != nil || !report.New || len(report.Warnings) == 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	defer func() { _ = q.Close() }()
	for _, r := range all {
		if got, err := q.Get(r.ID); !errors.Is(err, edge.ErrNotFound) {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// TestBrokenJournal lets the journal fail under a running queue: changes go into the
// file, and a crash afterwards loses none.
func TestBrokenJournal(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	first := mustAdd(t, q, record(newID(t), op.Reserved))
	if err := q.journal.f.Close(); err != nil {
		t.Fatal(err)
	}
	mustBecome(t, q, first, op.Queued)
	second := mustAdd(t, q, record(newID(t), op.Reserved))
	q.Kill()
	q = mustOpen(t, config(path))
	for id, want := range map[op.ID]op.State{first: op.Queued, second: op.Reserved} {
		if r, err := q.Get(id); err != nil || r.State != want || r.Body == nil {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// TestJournalRunsFull makes more changes than the journal holds.
func TestJournalRunsFull(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	r := record(newID(t), op.Reserved)
	r.Reply = make([]byte, 16<<10)
	mustAdd(t, q, r)
	const changes = 2 * journalSize / (16 << 10)
	restarted := false
	for i := range changes {
		last := q.journal.next
		if _, err := q.Change(r.ID, func(r *edge.Record) error { r.PrintCount = i; return nil }); err != nil {
			t.Fatal(err)
		}
		restarted = restarted || q.journal.next <= last
	}
	if !restarted {
		t.Error("the journal never started anew")
	}
	q.Kill()
	q = mustOpen(t, config(path))
	if r, err := q.Get(r.ID); err != nil || r.PrintCount != changes-1 || r.Version != changes+1 || r.Body == nil {
		t.Errorf("%+v, %v", r, err)
	}
}
