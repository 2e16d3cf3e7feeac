package queue

import (
	"bytes"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/edge/queue/stored"
	"galla/shared/ist"
	"galla/shared/op"
)

// childConfig verifies the file in a child process, as galla-edge does.
func childConfig(path string) Config {
	cfg := config(path)
	cfg.Verify = ChildVerifier(os.Args[0])
	return cfg
}

// TestSetAside looks at the words, the files, and a second damage in the same
// second.
func TestSetAside(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	spoilt := append([]byte("spoilt"), s.files["queue.db"][6:]...)
	copy(spoilt[4096:], "spoilt, too, in its second meta page: nothing can be read from it, which is what it should find out")
	path := s.lay(t, "queue.db", spoilt)
	cfg := childConfig(path)
	cfg.Now = func() time.Time { return time.Date(2026, 11, 21, 9, 5, 7, 0, ist.Zone()) }
	var log bytes.Buffer
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	for i, want := range []string{".damaged-20261121T033507Z", ".damaged-20261121T033507Z-2"} {
		q, report, err := Open(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if report.SetAside != path+want || !warns(report, report.SetAside) {
			t.Errorf("%+v", report)
		}
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		kept := filesOf(t, path)
		if got := kept["queue.db"+want]; !bytes.Equal(got, spoilt) {
			t.Errorf("damage %d: the file is not as it was", i)
		}
		if i == 0 && !bytes.Equal(kept["queue.db"+want+".keys"], s.files["queue.db.keys"]) {
			t.Error("the body keys were not kept")
		}
		if bytes.Contains(kept["queue.db.keys"], s.files["queue.db.keys"][64:128]) {
			t.Error("the new queue has the old keys")
		}
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(log.String(), "damaged") {
		t.Errorf("the log says %s", log.String())
	}
}

func TestLocked(t *testing.T) {
	path := newPath(t)
	cfg := childConfig(path)
	cfg.LockTimeout = 60 * time.Millisecond
	q := mustOpen(t, cfg)
	id := mustAdd(t, q, record(newID(t), op.Reserved))
	if _, _, err := Open(cfg); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("a second Open = %v", err)
	}
	mustBecome(t, q, id, op.Queued)
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	// A tool that looks at the bbolt file alone.
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, path)["queue.db"]
	if _, _, err := Open(cfg); !errors.Is(err, ErrLocked) {
		t.Errorf("Open of a file that bbolt holds = %v", err)
	}
	if !bytes.Equal(before, filesOf(t, path)["queue.db"]) {
		t.Error("the locked file was changed")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	// The other process ends while we wait.
	cfg.LockTimeout = time.Minute
	q = mustOpen(t, cfg)
	time.AfterFunc(20*time.Millisecond, func() { _ = q.Close() })
	if r, err := mustOpen(t, cfg).Get(id); err != nil || r.State != op.Queued {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWrongKey(t *testing.T) {
	for name, fill := range map[string]func(q *Queue){
		"empty": func(*Queue) {},
		"full":  func(q *Queue) { mustAdd(t, q, record(newID(t), op.Reserved)) },
	} {
		path := newPath(t)
		cfg := childConfig(path)
		q := mustOpen(t, cfg)
		fill(q)
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		before := filesOf(t, path)
		wrong := cfg
		wrong.Key = testKey(2)
		if _, _, err := Open(wrong); !errors.Is(err, ErrWrongKey) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		after := filesOf(t, path)
		if len(after) != len(before) || !bytes.Equal(after["queue.db"], before["queue.db"]) || !bytes.Equal(after["queue.db.keys"], before["queue.db.keys"]) {
			t.Errorf("%s: a wrong key changed the files", name)
		}
		q = mustOpen(t, cfg)
		if open, err := q.Unresolved(); err != nil || name == "full" && (len(open) != 1 || open[0].Body == nil) {
			t.Errorf("%s: afterwards %+v, %v", name, open, err)
		}
	}
}

func TestNewerSchema(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, childConfig(path))
	err := q.update(func(tx *bbolt.Tx) error {
		return txWriter{q: q, tx: tx}.putMeta(keyCheck, check{Schema: stored.Schema + 1})
	})
	if err := errors.Join(err, q.Close()); err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, path)["queue.db"]
	if _, _, err := Open(childConfig(path)); !errors.Is(err, ErrNewer) {
		t.Errorf("Open = %v", err)
	}
	if !bytes.Equal(before, filesOf(t, path)["queue.db"]) {
		t.Error("the newer file was changed")
	}
}

// spoil flips a bit of a value under the queue's feet.
func spoil(t *testing.T, q *Queue, bucket string, key op.ID) {
	t.Helper()
	mustRest(t, q)
	err := q.update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bucket))
		v := slices.Clone(b.Get([]byte(key)))
		v[len(v)/2] ^= 4
		return b.Put([]byte(key), v)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDamagedRecords follows records that stop opening, while the queue runs
// and over a restart.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	q := mustOpen(t, childConfig(path))
	var ids []op.ID
	for range 6 {
		ids = append(ids, mustAdd(t, q, record(newID(t), op.Reserved)))
	}
	slices.Sort(ids)
	named := func(err error, want ...op.ID) {
		t.Helper()
		var d *DamagedError
		if !errors.As(err, &d) || !slices.Equal(d.IDs, want) || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), string(want[0])) {
			t.Errorf("%v, want %v named", err, want)
		}
	}
	for i, met := range []func() error{
		func() error {
			rs, err := q.Unresolved()
			if !slices.Equal(idsOf(rs), ids[1:]) {
				t.Errorf("Unresolved = %v", idsOf(rs))
			}
			return err
		},
		func() error { _, err := q.Recent("", 100); return err },
		func() error { _, err := q.Get(ids[2]); return err },
	} {
		spoil(t, q, inRecords, ids[i])
		named(met(), ids[i])
	}
	// Once set aside they are named by Get, and no longer listed.
	for _, id := range ids[:3] {
		_, err := q.Get(id)
		named(err, id)
		_, err = q.Change(id, become(op.Queued))
		named(err, id)
		if !errors.Is(err, edge.ErrNotFound) {
			t.Errorf("Change = %v", err)
		}
		if err := q.Add(record(id, op.Reserved)); !errors.Is(err, edge.ErrExists) {
			t.Errorf("Add over a damaged record = %v", err)
		}
	}
	if rs, err := q.Unresolved(); err != nil || !slices.Equal(idsOf(rs), ids[3:]) || q.UnresolvedCount() != 3 {
		t.Errorf("Unresolved = %v, %v; depth %d", idsOf(rs), err, q.UnresolvedCount())
	}
	if _, err := q.ApplyEvent(5, ids[0], become(op.Succeeded)); err != nil {
		t.Errorf("an event of a damaged operation ends the connection: %v", err)
	}
	if got, err := q.Damaged(); err != nil || !slices.Equal(got, ids[:3]) {
		t.Errorf("Damaged = %v, %v", got, err)
	}
	if len(q.keys.byID) != 3 {
		t.Errorf("%d body keys are kept for 3 operations", len(q.keys.byID))
	}

	spoil(t, q, inRecords, ids[3])
	spoil(t, q, inBodies, ids[4])
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	q, report, err := Open(childConfig(path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = q.Close() }()
	if !slices.Equal(report.Damaged, ids[:4]) || report.SetAside != "" || !warns(report, string(ids[3])) {
		t.Errorf("%+v", report)
	}
	rs, err := q.Unresolved()
	named(err, ids[3]) // new since the last start
	if !slices.Equal(idsOf(rs), ids[4:]) || rs[0].Body != nil || rs[1].Body == nil {
		t.Errorf("Unresolved = %+v", rs)
	}
	// An operation whose body is lost goes on without it.
	if r := mustBecome(t, q, ids[4], op.Queued, op.Sent, op.Unknown); r.Body != nil {
		t.Errorf("%+v", r)
	}
	if n, err := q.Purge(time.Now().Add(time.Hour)); err != nil || n != 4 {
		t.Errorf("Purge = %d, %v", n, err)
	}
	if got, err := q.Damaged(); err != nil || len(got) != 0 {
		t.Errorf("after the purge: %v, %v", got, err)
	}
}

// TestOneTransactionBehind damages the newest meta page. What seems queued may
// have been sent, and the journal knows of what was.
func TestOneTransactionBehind(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, childConfig(path))
	queued := mustAdd(t, q, record(newID(t), op.Reserved))
	mustBecome(t, q, queued, op.Queued)
	mustRest(t, q)
	var txid int
	sent := mustAdd(t, q, record(newID(t), op.Reserved))
	mustBecome(t, q, sent, op.Queued, op.Sent)
	mustRest(t, q)
	if err := q.view(func(tx *bbolt.Tx) error { txid = tx.ID(); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	data := filesOf(t, path)["queue.db"]
	data[txid%2*4096+40] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	q, report, err := Open(childConfig(path))
	if err != nil || len(report.Warnings) == 0 || report.SetAside != "" {
		t.Fatalf("%+v, %v", report, err)
	}
	for id, reason := range map[op.ID]edge.Reason{queued: edge.ReasonQueueDamaged, sent: ""} {
		r, err := q.Get(id)
		if err != nil || r.State != op.Sent || r.Body == nil || r.Reason != reason {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, childConfig(path)) // both meta pages are whole again
}

// TestReadersNeverCrash maps a file and spoils it under a running queue.
func TestReadersNeverCrash(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, childConfig(path))
	for range 50 {
		mustAdd(t, q, record(newID(t), op.Reserved))
	}
	size := len(filesOf(t, path)["queue.db"])
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	noise := make([]byte, size-8192)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	for name, hurt := range map[string]func() error{
		"noise":     func() error { _, err := f.WriteAt(noise, 8192); return err },
		"truncated": func() error { return f.Truncate(8192) },
	} {
		if err := hurt(); err != nil {
			t.Fatal(err)
		}
		_, listErr := q.Unresolved()
		addErr := q.Add(record(newID(t), op.Reserved))
		if listErr == nil || addErr == nil {
			t.Errorf("%s: a ruined file is read: %v, %v", name, listErr, addErr)
		}
	}
}

// warns reports whether a warning is about something.
func warns(report Report, name string) bool {
	return slices.ContainsFunc(report.Warnings, func(w edge.Warning) bool { return slices.Contains(w.Names, name) })
}
