package queue

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/shared/op"
)

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

// damage is a copy of a stock with one file replaced.
type damage struct {
	name string // of the file
	data []byte
	path string // of the copy's queue file
}

// verify verifies the copies' queue files as ChildVerifier does, but as many as
// it survives in one child. What crashes it goes through ChildVerifier itself.
func verify(t *testing.T, all []damage) []error {
	t.Helper()
	var verdicts []error
	for len(verdicts) < len(all) {
		args := []string{verifyManyCommand}
		for _, d := range all[len(verdicts):] {
			args = append(args, d.path)
		}
		out, err := exec.CommandContext(t.Context(), os.Args[0], args...).Output()
		for _, status := range strings.Fields(string(out)) {
			switch status {
			case "0":
				verdicts = append(verdicts, nil)
			case strconv.Itoa(statusDamaged):
				verdicts = append(verdicts, damaged("found by the child"))
			default:
				verdicts = append(verdicts, fmt.Errorf("the check ended with status %s", status)) // of an empty file, which Open does not check
			}
		}
		if len(verdicts) == len(all) {
			break
		}
		path := all[len(verdicts)].path
		if err = errors.Join(err, ChildVerifier(os.Args[0])(path)); !isDamage(err) {
			t.Fatalf("%s crashed the child, and is not reported as damaged: %v", path, err)
		}
		verdicts = append(verdicts, err)
	}
	return verdicts
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

// check opens a damaged copy, which was verified, and gives what is wrong silently.
func (s stock) check(t testing.TB, d damage, verdict error) (report Report, complaint string) {
	name, data, path := d.name, d.data, d.path
	cfg := config(path)
	cfg.Verify = func(string) error { return verdict }
	q, report, err := Open(cfg)
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
		if len(report.Warnings) == 0 || q.UnresolvedCount() != 0 {
			return report, "a new file was started silently, or is not empty"
		}
		return report, ""
	}
	wrong := func(format string, args ...any) string {
		if len(report.Warnings) > 0 && len(args) == 0 {
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
		case want.State == op.Queued && got.State == op.Sent && len(report.Warnings) > 0: // may have been sent
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
	if err != nil && len(report.Warnings) == 0 || len(open) != unresolved || q.UnresolvedCount() != unresolved {
		return report, wrong("%d of %d unresolved, depth %d: %v", len(open), unresolved, q.UnresolvedCount(), err)
	}
	for _, cached := range []string{"banks", "pin", "session"} {
		value, _, ok, err := q.GetCache(cached)
		if err != nil || ok && !bytes.Equal(value, bytes.Repeat([]byte(cached), 100)) {
			return report, wrong("the cache gives %q, %v", value, err)
		}
		if !ok && len(report.Warnings) == 0 {
			return report, "a cached value is gone silently"
		}
	}
	if c, err := q.Cursor(); err != nil || c > 77 || c != 77 && len(report.Warnings) == 0 {
		return report, wrong("the cursor is %d, %v", c, err)
	}
	// It works, and the next start is quiet but for what stays damaged.
	id := mustAdd(t, q, record(newID(t), op.Reserved))
	if err := q.Close(); err != nil {
		return report, err.Error()
	}
	again, second, err := Open(config(path))
	if err != nil {
		return report, err.Error()
	}
	defer func() { _ = again.Close() }()
	if _, err := again.Get(id); err != nil || second.SetAside != "" || len(second.Warnings) > 0 && len(second.Damaged)+len(second.LostBodies) == 0 {
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
	var all []damage
	var where []string
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
		all = append(all, damage{name, data, s.lay(t, name, data)})
		where = append(where, fmt.Sprintf("%s, byte %d, bit %d", name, at, bit))
	}
	seen := map[string]int{}
	for i, verdict := range verify(t, all) {
		report, complaint := s.check(t, all[i], verdict)
		if complaint != "" {
			t.Errorf("%s: %s (%+v)", where[i], complaint, report)
		}
		switch {
		case report.SetAside != "":
			seen["set aside"]++
		case len(report.Damaged) > 0:
			seen["records damaged"]++
		case len(report.LostBodies) > 0:
			seen["bodies lost"]++
		case len(report.Warnings) > 0:
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
	cuts := map[string][]byte{
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
	}
	for name, data := range map[string][]byte{"empty": nil, "cut": s.files["queue.db.keys"][:200], "noise": noise[:8192], "endless": make([]byte, 8<<20)} {
		cuts["keys file, "+name] = data
	}
	names := slices.Sorted(maps.Keys(cuts))
	var all []damage
	for _, name := range names {
		file := "queue.db"
		if strings.HasPrefix(name, "keys file") {
			file = "queue.db.keys"
		}
		all = append(all, damage{file, cuts[name], s.lay(t, file, cuts[name])})
	}
	for i, verdict := range verify(t, all) {
		report, complaint := s.check(t, all[i], verdict)
		if complaint != "" {
			t.Errorf("%s: %s", names[i], complaint)
		}
		if all[i].name == "queue.db.keys" {
			if len(report.LostBodies) == 0 {
				t.Errorf("%s: %+v", names[i], report)
			}
		} else if report.SetAside == "" && names[i] != "empty" || len(report.Warnings) == 0 {
			t.Errorf("%s: %+v", names[i], report)
		}
	}
	path := s.lay(t, "", nil)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	q, report, err := Open(childConfig(path))
	if err != nil || !report.New || len(report.Warnings) == 0 {
		t.Fatalf("the file is missing: %+v, %v", report, err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
}
