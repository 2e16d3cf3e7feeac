package queue

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/secret"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		child(path)
		return
	}
	if len(os.Args) == 3 && os.Args[1] == VerifyCommand {
		os.Exit(RunVerifier(os.Args[2], os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == verifyManyCommand {
		for _, path := range os.Args[2:] {
			fmt.Println(RunVerifier(path, os.Stderr))
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// verifyManyCommand is VerifyCommand for several files: the child prints the
// status of each.
const verifyManyCommand = "verify-queues"

// testAadhaar stands in every body; no file may ever show it.
const testAadhaar = "999941057058"

func testKey(b byte) secret.Key { return secret.NewKey(bytes.Repeat([]byte{b}, 32)) }

func config(path string) Config {
	return Config{Path: path, Key: testKey(1), Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}
}

// newPath is a place for a queue that does not exist yet.
func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "data", "queue.db") }

// mustOpen opens a queue that has nothing to report but what allow lets it.
func mustOpen(t testing.TB, cfg Config) *Queue {
	t.Helper()
	q, report, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Warnings) > 0 {
		t.Fatalf("trouble: %v", report.Warnings)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func newID(t testing.TB) op.ID {
	t.Helper()
	id, err := op.NewID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func record(id op.ID, state op.State) edge.Record {
	return edge.Record{
		ID: id, Route: op.Withdrawal, Class: op.Money, State: state, Version: 1, User: "Fatima", UserID: "agent", Customer: "Asha",
		Aadhaar: "XXXXXXXX7058", IIN: "990326", BankName: "Sandbox test bank", Amount: 50000,
		Body: []byte(`{"AadharNo":"` + testAadhaar + `","TxnAmount":500}`), CreatedAt: time.Now(), Consent: "en-1",
	}
}

// mustRest lets the writer do what it does at rest.
func mustRest(t testing.TB, q *Queue) {
	t.Helper()
	if _, err := q.submit(&request{rest: true, run: func(*batchView) (change, error) { return change{}, nil }}); err != nil {
		t.Fatal(err)
	}
}

func become(s op.State) func(*edge.Record) error {
	return func(r *edge.Record) error { r.State = s; return nil }
}

// mustBecome walks a record along states.
func mustBecome(t testing.TB, q *Queue, id op.ID, states ...op.State) edge.Record {
	t.Helper()
	var r edge.Record
	for _, s := range states {
		var err error
		if r, err = q.Change(id, become(s)); err != nil {
			t.Fatalf("to %s: %v", s, err)
		}
	}
	return r
}

func mustAdd(t testing.TB, q *Queue, r edge.Record) op.ID {
	t.Helper()
	if err := q.Add(r); err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// same compares records as they are after a way through the disk.
func same(a, b edge.Record) bool {
	for _, r := range []*edge.Record{&a, &b} {
		for _, at := range []*time.Time{&r.CreatedAt, &r.CapturedAt, &r.Deadline, &r.SentAt, &r.EndedAt, &r.CashGivenAt, &r.ConsentAt} {
			*at = at.Round(0).UTC()
		}
		if len(r.Body) == 0 {
			r.Body = nil
		}
	}
	return reflect.DeepEqual(a, b)
}

func TestAddGetChange(t *testing.T) {
	q := mustOpen(t, config(newPath(t)))
	want := record(newID(t), op.Reserved)
	if err := q.Add(want); err != nil {
		t.Fatal(err)
	}
	if err := q.Add(want); !errors.Is(err, edge.ErrExists) {
		t.Errorf("a second Add = %v", err)
	}
	if got, err := q.Get(want.ID); err != nil || !same(got, want) {
		t.Errorf("Get = %+v, %v\nwant %+v", got, err, want)
	}
	if _, err := q.Get(newID(t)); !errors.Is(err, edge.ErrNotFound) {
		t.Errorf("Get of an unknown operation = %v", err)
	}
	got, err := q.Change(want.ID, func(r *edge.Record) error {
		r.State, r.Deadline = op.Queued, r.CreatedAt.Add(90*time.Second)
		return nil
	})
	if err != nil || got.Version != 2 || got.State != op.Queued || got.Body == nil || !got.EndedAt.IsZero() {
		t.Errorf("Change = %+v, %v", got, err)
	}
	if stored, err := q.Get(want.ID); err != nil || !same(stored, got) {
		t.Errorf("stored %+v, %v\nwant %+v", stored, err, got)
	}
}

func TestChangeRefuses(t *testing.T) {
	q := mustOpen(t, config(newPath(t)))
	id := mustAdd(t, q, record(newID(t), op.Reserved))
	mine := errors.New("mine")
	for name, tt := range map[string]struct {
		id    op.ID
		alter func(*edge.Record) error
		want  error
	}{
		"an illegal step":    {id, become(op.Succeeded), edge.ErrIllegal},
		"an unknown state":   {id, become("happy"), edge.ErrIllegal},
		"an error of change": {id, func(r *edge.Record) error { r.State = op.Queued; return mine }, mine},
		"another id":         {id, func(r *edge.Record) error { r.ID = newID(t); return nil }, edge.ErrIllegal},
		"unknown":            {newID(t), become(op.Queued), edge.ErrNotFound},
		"a panic":            {id, func(*edge.Record) error { panic("inside") }, nil},
		"no UTF-8":           {id, func(r *edge.Record) error { r.Reason = "\xff"; return nil }, nil},
	} {
		_, err := q.Change(tt.id, tt.alter)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if _, err := q.Change(id, func(*edge.Record) error { return mine }); err != mine { //nolint:errorlint // it must be returned as it is
		t.Errorf("the error of change came back as %v", err)
	}
	if r, err := q.Get(id); err != nil || r.State != op.Reserved || r.Version != 1 {
		t.Errorf("a refused change was written: %+v, %v", r, err)
	}
	for name, r := range map[string]edge.Record{"no id": record("", op.Reserved), "no UUIDv7": record("a", op.Reserved), "no state of a counter": record(newID(t), op.Received)} {
		if err := q.Add(r); err == nil {
			t.Errorf("Add took a record with %s", name)
		}
	}
}

func TestTheEnd(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	cfg := config(newPath(t))
	cfg.Now = func() time.Time { return at }
	q := mustOpen(t, cfg)
	id := mustAdd(t, q, record(newID(t), op.Reserved))
	r := mustBecome(t, q, id, op.Queued, op.Sent, op.Succeeded)
	if r.Body != nil || !r.EndedAt.Equal(at) {
		t.Errorf("ended as %+v", r)
	}
	// The agent confirms the cash later; the end stays where it was.
	at = at.Add(time.Minute)
	r, err := q.Change(id, func(r *edge.Record) error { r.CashGivenAt, r.Body = at, []byte("again"); return nil })
	if err != nil || r.Body != nil || !r.EndedAt.Equal(at.Add(-time.Minute)) || !r.CashGivenAt.Equal(at) {
		t.Errorf("after the end: %+v, %v", r, err)
	}
	if _, err := q.Change(id, become(op.Failed)); !errors.Is(err, edge.ErrIllegal) {
		t.Errorf("a final state changed: %v", err)
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	q := mustOpen(t, config(newPath(t)))
	var ids []op.ID
	for range 20 {
		ids = append(ids, mustAdd(t, q, record(newID(t), op.Reserved)))
	}
	slices.Sort(ids)
	for _, id := range ids[5:10] {
		mustBecome(t, q, id, op.Expired)
	}
	open, err := q.Unresolved()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := idsOf(open), slices.Concat(ids[:5], ids[10:]); !slices.Equal(got, want) {
		t.Errorf("Unresolved = %v\nwant %v", got, want)
	}
	if q.UnresolvedCount() != 15 {
		t.Errorf("Depth = %d, want 15", q.UnresolvedCount())
	}
	newest := slices.Clone(ids)
	slices.Reverse(newest)
	var paged []op.ID
	for before := op.ID(""); ; {
		page, err := q.Recent(before, 7)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		paged = append(paged, idsOf(page)...)
		before = page[len(page)-1].ID
	}
	if !slices.Equal(paged, newest) {
		t.Errorf("pages of Recent = %v\nwant %v", paged, newest)
	}
	for _, tt := range []struct {
		before op.ID
		limit  int
		want   []op.ID
	}{{"", 0, nil}, {"", -1, nil}, {ids[0], 5, nil}, {"0", 5, nil}, {"g", 2, newest[:2]}, {"", 99, newest}} {
		if got, err := q.Recent(tt.before, tt.limit); err != nil || !slices.Equal(idsOf(got), tt.want) {
			t.Errorf("Recent(%q, %d) = %v, %v", tt.before, tt.limit, idsOf(got), err)
		}
	}
}

func idsOf(records []edge.Record) []op.ID {
	var ids []op.ID
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestApply(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	id := mustAdd(t, q, record(newID(t), op.Reserved))
	mustBecome(t, q, id, op.Queued, op.Sent, op.Pending)
	mine := errors.New("mine")
	for _, tt := range []struct {
		name   string
		cursor int64
		id     op.ID
		alter  func(*edge.Record) error
		want   error
		after  int64
		state  op.State
	}{
		{"its error", 5, id, func(*edge.Record) error { return mine }, mine, 0, op.Pending},
		{"an illegal step", 5, id, become(op.Sent), edge.ErrIllegal, 0, op.Pending},
		{"no operation", 3, "", nil, nil, 3, op.Pending},
		{"unknown", 4, newID(t), become(op.Failed), nil, 4, op.Pending},
		{"applied before", 4, id, become(op.Failed), nil, 4, op.Pending},
		{"the event", 9, id, become(op.Reversed), nil, 9, op.Reversed},
		{"the event again", 9, id, become(op.Failed), nil, 9, op.Reversed},
		{"an older one", 1, "", nil, nil, 9, op.Reversed},
	} {
		_, err := q.ApplyEvent(tt.cursor, tt.id, tt.alter)
		cursor, cursorErr := q.Cursor()
		r, getErr := q.Get(id)
		if !errors.Is(err, tt.want) || cursorErr != nil || cursor != tt.after || getErr != nil || r.State != tt.state {
			t.Errorf("%s: %v; cursor %d, %v; %s, %v", tt.name, err, cursor, cursorErr, r.State, getErr)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := mustOpen(t, config(path)).Cursor(); err != nil || c != 9 {
		t.Errorf("after a restart the cursor is %d, %v", c, err)
	}
}

// TestAddByEvent: what the central reports is added with its cursor, or neither is.
func TestAddByEvent(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	known := mustAdd(t, q, record(newID(t), op.Reserved))
	one, two := newID(t), newID(t)
	for _, tt := range []struct {
		name   string
		cursor int64
		id     op.ID
		state  op.State
		want   error
		answer op.ID
		after  int64
	}{
		{"no id", 1, "x", op.Succeeded, op.ErrID, "", 0},
		{"no state of a counter", 1, one, op.Received, edge.ErrIllegal, "", 0},
		{"new", 5, one, op.Succeeded, nil, one, 5},
		{"again", 5, one, op.Succeeded, nil, one, 5},
		{"again, by a newer event", 6, one, op.Failed, nil, one, 6},
		{"known", 7, known, op.Succeeded, nil, known, 7},
		{"overtaken by a newer event", 6, two, op.Succeeded, nil, two, 7},
	} {
		got, err := q.AddByEvent(tt.cursor, record(tt.id, tt.state))
		cursor, cursorErr := q.Cursor()
		if !errors.Is(err, tt.want) || got.ID != tt.answer || cursorErr != nil || cursor != tt.after {
			t.Errorf("%s: %s, %v; cursor %d, %v", tt.name, got.ID, err, cursor, cursorErr)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	q = mustOpen(t, config(path))
	if r, err := q.Get(one); err != nil || r.State != op.Succeeded || r.EndedAt.IsZero() {
		t.Errorf("after a restart: %+v, %v", r, err)
	}
	if _, err := q.Get(two); err != nil {
		t.Errorf("an event that was overtaken is lost: %v", err)
	}
}

func TestCache(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	if _, _, ok, err := q.GetCache("banks"); ok || err != nil {
		t.Errorf("an empty cache has %v, %v", ok, err)
	}
	at := time.Date(2026, 11, 21, 9, 0, 0, 123, time.UTC)
	for _, value := range []string{"old", "", "[1,2]"} {
		if err := q.PutCache("banks", []byte(value), at); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(q.PutCache("", nil, at), q.Close()); err == nil {
		t.Error("a value without a name was cached")
	}
	value, got, ok, err := mustOpen(t, config(path)).GetCache("banks")
	if string(value) != "[1,2]" || !got.Equal(at) || !ok || err != nil {
		t.Errorf("Cached = %q, %v, %v, %v", value, got, ok, err)
	}
	if err := q.PutCache("banks", make([]byte, maxCacheValue+1), at); err == nil {
		t.Error("an endless value was cached")
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	cfg := config(newPath(t))
	cfg.Now = func() time.Time { return now }
	q := mustOpen(t, cfg)
	idAt := func(at time.Time) op.ID { // a UUIDv7 of that time
		random := newID(t)
		ms := fmt.Sprintf("%012x", at.UnixMilli())
		return op.ID(ms[:8] + "-" + ms[8:] + string(random[13:]))
	}
	var old, young []op.ID
	for i := range 600 { // more than a batch
		begun := now.Add(-2*Retention + time.Duration(i)*time.Second)
		old = append(old, idAt(begun))
	}
	var wg sync.WaitGroup
	for _, id := range old {
		wg.Go(func() {
			r := record(id, op.Expired)
			r.EndedAt = now.Add(-2 * Retention)
			if err := q.Add(r); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	open := mustAdd(t, q, record(idAt(now.Add(-3*Retention)), op.Pending)) // a dispute can live long
	late := record(idAt(now.Add(-2*Retention)), op.Expired)
	late.EndedAt = now.Add(-time.Hour)
	young = append(young, mustAdd(t, q, late), mustAdd(t, q, record(idAt(now), op.Expired)))
	n, err := q.Purge(now.Add(-Retention))
	if err != nil || n != len(old) {
		t.Errorf("Purge = %d, %v, want %d", n, err, len(old))
	}
	for _, id := range append(young, open) {
		if _, err := q.Get(id); err != nil {
			t.Errorf("Get(%s) = %v", id, err)
		}
	}
	if got, err := q.Recent("", 100); err != nil || len(got) != 3 {
		t.Errorf("%d operations stayed, %v", len(got), err)
	}
	if q.UnresolvedCount() != 1 {
		t.Errorf("Depth = %d", q.UnresolvedCount())
	}
}

func TestWritersShareFsyncs(t *testing.T) {
	t.Parallel()
	q := mustOpen(t, config(newPath(t)))
	const writers, each = 32, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				id := mustAdd(t, q, record(newID(t), op.Reserved))
				if _, err := q.Change(id, become(op.Succeeded)); !errors.Is(err, edge.ErrIllegal) {
					t.Errorf("an illegal step in a batch: %v", err)
				}
				mustBecome(t, q, id, op.Queued, op.Sent, op.Succeeded)
			}
		})
	}
	wg.Wait()
	if got, err := q.Recent("", 1000); err != nil || len(got) != writers*each || q.UnresolvedCount() != 0 {
		t.Errorf("%d operations, %v; depth %d", len(got), err, q.UnresolvedCount())
	}
}

func TestClosed(t *testing.T) {
	q := mustOpen(t, config(newPath(t)))
	id := mustAdd(t, q, record(newID(t), op.Reserved))
	for range 2 {
		if err := q.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	_, getErr := q.Get(id)
	_, changeErr := q.Change(id, become(op.Queued))
	_, listErr := q.Unresolved()
	_, _, _, cacheErr := q.GetCache("x")
	_, cursorErr := q.Cursor()
	_, purgeErr := q.Purge(time.Now())
	for i, err := range []error{getErr, changeErr, listErr, cacheErr, cursorErr, purgeErr, q.Add(record(newID(t), op.Reserved))} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("call %d of a closed queue: %v", i, err)
		}
	}
}

func TestConfig(t *testing.T) {
	good := config(newPath(t))
	for name, spoil := range map[string]func(*Config){
		"no path":       func(c *Config) { c.Path = "" },
		"no key":        func(c *Config) { c.Key = secret.Key{} },
		"a short key":   func(c *Config) { c.Key = secret.NewKey([]byte("short")) },
		"no randomness": func(c *Config) { c.Rand = nil },
		"no logger":     func(c *Config) { c.Logger = nil },
		"no space":      func(c *Config) { c.MaxSize = 1 },
		"a folder":      func(c *Config) { c.Path = filepath.Dir(t.TempDir()) },
	} {
		cfg := good
		spoil(&cfg)
		if q, _, err := Open(cfg); err == nil {
			t.Errorf("%s: opened", name)
			_ = q.Close()
		}
	}
	cfg := good
	cfg.Rand = io.LimitReader(rand.Reader, 40) // enough for little
	if q, _, err := Open(cfg); err == nil {
		if err := q.Add(record(newID(t), op.Reserved)); err == nil {
			t.Error("a record was sealed without randomness")
		}
		_ = q.Close()
	}
}

// filesOf reads every file in the queue's folder.
