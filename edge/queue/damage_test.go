package queue

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/shared/ist"
	"galla/shared/op"
)

// childConfig verifies the file in a child process, as galla-edge does.
func childConfig(path string) Config {
	cfg := config(path)
	cfg.Verify = ChildVerifier(os.Args[0])
	return cfg
}

// stock is a queue file with something of everything, and what it holds.
type stock struct {
	files   map[string][]byte
	records map[op.ID]edge.Record
}

func newStock(t testing.TB) stock {
	t.Helper()
	path := newPath(t)
	q := mustOpen(t, childConfig(path))
	s := stock{records: map[op.ID]edge.Record{}}
	for i := range 60 {
		r := record(newID(t), op.Reserved)
		r.Reply = bytes.Repeat([]byte("reply "), i)
		mustAdd(t, q, r)
		switch i % 4 {
		case 1:
			mustBecome(t, q, r.ID, op.Queued)
		case 2:
			mustBecome(t, q, r.ID, op.Queued, op.Sent, op.Succeeded)
		case 3:
			mustBecome(t, q, r.ID, op.Queued, op.Sent, op.Pending)
		}
	}
	for _, name := range []string{"banks", "pin", "session"} {
		if err := q.PutCache(name, bytes.Repeat([]byte(name), 100), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.ApplyEvent(77, "", nil); err != nil {
		t.Fatal(err)
	}
	all, err := q.Recent("", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		s.records[r.ID] = r
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	dense(t, path)
	s.files = filesOf(t, path)
	return s
}

// dense rewrites a file without free pages, so that each byte of it counts.
func dense(t testing.TB, path string) {
	t.Helper()
	from, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	to, err := bbolt.Open(path+".dense", 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(bbolt.Compact(to, from, 0), from.Close(), to.Close(), os.Rename(path+".dense", path)); err != nil {
		t.Fatal(err)
	}
}

// lay writes the stock's files into a new folder, the named one replaced.
func (s stock) lay(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "queue.db")
	for n, d := range s.files {
		if n == name {
			d = data
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), n), d, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// check opens a damaged copy and gives what is wrong silently.
func (s stock) check(t testing.TB, name string, data []byte) (report Report, complaint string) {
	path := s.lay(t, name, data)
	q, report, err := Open(childConfig(path))
	if errors.Is(err, ErrWrongKey) || errors.Is(err, ErrNewer) {
		if !bytes.Equal(filesOf(t, path)[name], data) {
			return report, fmt.Sprintf("%v, and the file was changed", err)
		}
		return report, ""
	}
	if err != nil {
		return report, err.Error()
	}
	defer func() { _ = q.Close() }()
	if report.SetAside != "" {
		if kept, err := os.ReadFile(report.SetAside); err != nil || !bytes.Equal(kept, data) {
			return report, fmt.Sprintf("the damaged file was not kept as it was: %v", err)
		}
		if report.Warning == "" || q.UnresolvedCount() != 0 {
			return report, "a new file was started silently, or is not empty"
		}
		return report, ""
	}
	wrong := func(format string, args ...any) string {
		if report.Warning != "" && len(args) == 0 {
			return ""
		}
		return fmt.Sprintf(format, args...)
	}
	bad := map[op.ID]bool{}
	for _, id := range report.Damaged {
		bad[id] = true
	}
	unresolved := 0
	for id, want := range s.records {
		got, err := q.Get(id)
		if err != nil {
			if c := wrong("an operation is gone silently"); c != "" {
				return report, c
			}
			continue
		}
		if !got.State.Final() {
			unresolved++
		}
		switch {
		case want.State == op.Queued && got.State == op.Sent && report.Warning != "": // may have been sent
		case slices.Contains(report.LostBodies, id) && got.Body == nil:
			got.Body = want.Body
			fallthrough
		default:
			if got.State == want.State && !same(got, want) {
				return report, wrong("operation %s is %+v, want %+v", id, got, want)
			}
		}
	}
	open, err := q.Unresolved()
	if err != nil && report.Warning == "" || len(open) != unresolved || q.UnresolvedCount() != unresolved {
		return report, wrong("%d of %d unresolved, depth %d: %v", len(open), unresolved, q.UnresolvedCount(), err)
	}
	for _, cached := range []string{"banks", "pin", "session"} {
		value, _, ok, err := q.GetCache(cached)
		if err != nil || ok && !bytes.Equal(value, bytes.Repeat([]byte(cached), 100)) {
			return report, wrong("the cache gives %q, %v", value, err)
		}
		if !ok && report.Warning == "" {
			return report, "a cached value is gone silently"
		}
	}
	if c, err := q.Cursor(); err != nil || c > 77 || c != 77 && report.Warning == "" {
		return report, wrong("the cursor is %d, %v", c, err)
	}
	// It works, and the next start is quiet but for what stays damaged.
	id := mustAdd(t, q, record(newID(t), op.Reserved))
	if err := q.Close(); err != nil {
		return report, err.Error()
	}
	again, second, err := Open(childConfig(path))
	if err != nil {
		return report, err.Error()
	}
	defer func() { _ = again.Close() }()
	if _, err := again.Get(id); err != nil || second.SetAside != "" || second.Warning != "" && len(second.Damaged)+len(second.LostBodies) == 0 {
		return report, fmt.Sprintf("the second start: %+v, %v", second, err)
	}
	return report, ""
}

// flips is how many bits TestFlippedBytes turns; GALLA_QUEUE_FLIPS for more.
func flips(t *testing.T) int {
	text := os.Getenv("GALLA_QUEUE_FLIPS")
	if text == "" {
		return 100
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("GALLA_QUEUE_FLIPS: %v", err)
	}
	return n
}

// TestFlippedBytes damages the files anywhere. No damage may be used silently,
// none may crash the program.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	rnd := mathrand.New(mathrand.NewPCG(1, 2))
	used := len(s.files["queue.db"])
	seen := map[string]int{}
	for i := range flips(t) {
		name, limit := "queue.db", used
		switch i % 10 {
		case 0:
			name, limit = "queue.db.keys", len(s.files["queue.db.keys"])
		case 1:
			limit = 8192 // the meta pages
		}
		data := slices.Clone(s.files[name])
		at, bit := rnd.IntN(limit), byte(1)<<rnd.IntN(8)
		if i%3 == 0 { // where bbolt keeps its numbers: heads of pages and elements
			at = at&^4095 + rnd.IntN(64)
		}
		data[at%len(data)] ^= bit
		report, complaint := s.check(t, name, data)
		if complaint != "" {
			t.Errorf("%s, byte %d, bit %d: %s (%+v)", name, at, bit, complaint, report)
		}
		switch {
		case report.SetAside != "":
			seen["set aside"]++
		case len(report.Damaged) > 0:
			seen["records damaged"]++
		case len(report.LostBodies) > 0:
			seen["bodies lost"]++
		case report.Warning != "":
			seen["other trouble"]++
		default:
			seen["nothing"]++
		}
	}
	t.Log(seen)
}

// turned gives the pages in the opposite order.
func turned(data []byte) []byte {
	var out []byte
	for page := range slices.Chunk(data, 4096) {
		out = append(slices.Clone(page), out...)
	}
	return out
}

func TestCutAndOverwritten(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	whole := s.files["queue.db"]
	rnd := mathrand.New(mathrand.NewPCG(3, 4))
	noise := make([]byte, len(whole))
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	for name, data := range map[string][]byte{
		"empty":        nil,
		"one byte":     whole[:1],
		"half a page":  whole[:2000],
		"two pages":    whole[:8192],
		"half":         whole[:len(whole)/2/4096*4096],
		"zeros":        make([]byte, len(whole)),
		"noise":        noise,
		"text":         []byte(strings.Repeat("this is no database\n", 1000)),
		"zeroed tail":  append(slices.Clone(whole[:20480]), make([]byte, len(whole)-20480)...),
		"shifted":      append([]byte{0}, whole...),
		"pages turned": append(slices.Clone(whole[:8192]), turned(whole[8192:])...),
	} {
		report, complaint := s.check(t, "queue.db", data)
		if complaint != "" {
			t.Errorf("%s: %s", name, complaint)
		}
		if report.SetAside == "" && name != "empty" || report.Warning == "" {
			t.Errorf("%s: %+v", name, report)
		}
	}
	for name, data := range map[string][]byte{"empty": nil, "cut": s.files["queue.db.keys"][:200], "noise": noise[:8192], "endless": make([]byte, 8<<20)} {
		report, complaint := s.check(t, "queue.db.keys", data)
		if complaint != "" || len(report.LostBodies) == 0 {
			t.Errorf("keys file, %s: %s, %+v", name, complaint, report)
		}
	}
	path := s.lay(t, "", nil)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	q, report, err := Open(childConfig(path))
	if err != nil || !report.New || report.Warning == "" {
		t.Fatalf("the file is missing: %+v, %v", report, err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
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
		if report.SetAside != path+want || !strings.Contains(report.Warning, report.SetAside) {
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
		return txWriter{q: q, tx: tx}.putMeta(keyCheck, []byte(`{"schema":2}`))
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
		t.Errorf("an event of a damaged operation stops the line: %v", err)
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
	if !slices.Equal(report.Damaged, ids[:4]) || report.SetAside != "" || !strings.Contains(report.Warning, string(ids[3])) {
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

// TestOneTransactionBehind damages the newest meta page. What seemed queued may
// have been sent.
func TestOneTransactionBehind(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, childConfig(path))
	queued := mustAdd(t, q, record(newID(t), op.Reserved))
	mustBecome(t, q, queued, op.Queued)
	var txid int
	sent := mustAdd(t, q, record(newID(t), op.Reserved))
	mustBecome(t, q, sent, op.Queued, op.Sent)
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
	if err != nil || report.Warning == "" || report.SetAside != "" {
		t.Fatalf("%+v, %v", report, err)
	}
	for _, id := range []op.ID{queued, sent} {
		r, err := q.Get(id)
		if err != nil || r.State != op.Sent || r.Body == nil || r.Reason != edge.ReasonQueueDamaged {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, childConfig(path)) // both meta pages are whole again
}

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
	if err != nil || !report.Compacted || report.Warning != "" {
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
	if len(after) != 3 || len(after["queue.db"])*2 > before { // the file, its keys, its lock
		t.Errorf("%d files; the queue's has %d bytes, before %d", len(after), len(after["queue.db"]), before)
	}
	q, report, err = Open(childConfig(path))
	if err != nil || report.Compacted {
		t.Errorf("compacted again: %+v, %v", report, err)
	}
	_ = q.Close()
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
