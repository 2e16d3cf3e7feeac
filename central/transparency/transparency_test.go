package transparency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"galla/central"
	"galla/central/staff"
	"galla/shared/op"
	"galla/shared/secret"
)

var seed = secret.NewKey(bytes.Repeat([]byte{7}, 32))

func keysOf(t testing.TB, seeds ...secret.Key) Keys {
	t.Helper()
	var texts []string
	for _, s := range seeds {
		text, err := PublicKey(s)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	k, err := ParseKeys(texts...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func signed(t testing.TB, c Checkpoint) string {
	t.Helper()
	s, err := NewSigner(seed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var aCheckpoint = Checkpoint{Log: "0123456789abcdef", Epoch: 2, Size: 42, Root: tlog.Hash{1, 2, 3}, At: time.UnixMilli(1_795_000_000_123).UTC()}

// TestCheckpoint: what was signed is read, by its key alone, and no changed byte is.
func TestCheckpoint(t *testing.T) {
	text, known := signed(t, aCheckpoint), keysOf(t, seed)
	if c, err := known.Open(text); err != nil || c != aCheckpoint {
		t.Fatalf("read %+v, %v", c, err)
	}
	if _, err := keysOf(t, secret.NewKey(bytes.Repeat([]byte{8}, 32))).Open(text); !errors.Is(err, ErrCheckpoint) {
		t.Errorf("another key opens it: %v", err)
	}
	if _, err := keysOf(t, secret.NewKey(bytes.Repeat([]byte{8}, 32)), seed).Open(text); err != nil {
		t.Errorf("a former key does not open it: %v", err)
	}
	for i := range len(text) {
		changed := []byte(text)
		changed[i] ^= 1
		if c, err := known.Open(string(changed)); err == nil && c != aCheckpoint {
			t.Errorf("a change of byte %d was taken: %+v", i, c)
		}
	}
	if _, err := ParseKeys("sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"); err == nil {
		t.Error("a key of another log was taken")
	}
}

func FuzzCheckpoint(f *testing.F) {
	f.Add(aCheckpoint.text())
	f.Add("galla-log/x/0\n1\n\n0\n")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := parseCheckpoint(text); err == nil && c.text() != text {
			t.Errorf("%q is read as %q", text, c.text())
		}
	})
}

// memory is tiles in memory.
type memory map[[2]int64][]byte

func (m memory) read(level int, at int64) ([]byte, error) { return m[[2]int64{int64(level), at}], nil }

// TestTree: a tree that grows in steps of any size has the hash of one that was built at once,
// by the tiles and without them.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tiles, size := memory{}, int64(0)
		var all frontier
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 600), 1, 5).Draw(t, "steps") {
			leaves := make([][]byte, n)
			for i := range leaves {
				leaves[i] = fmt.Append(nil, "leaf ", size+int64(i))
				all.add(tlog.RecordHash(leaves[i]))
			}
			list, root, err := grow(tiles.read, size, leaves)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range list {
				tiles[[2]int64{int64(x.Level), x.At}] = x.Data
			}
			if size += int64(n); root != all.root() {
				t.Fatalf("at %d leaves the tree and the tiles have different hashes", size)
			}
		}
		if root, err := tlog.TreeHash(size, newStored(tiles.read)); err != nil || root != all.root() {
			t.Fatalf("the stored tree has another hash: %v", err)
		}
	})
	if h, _ := tlog.TreeHash(0, nil); (&frontier{}).root() != h {
		t.Error("the empty tree has another hash")
	}
}

// TestRecordsDiffer: no two different rows have one leaf.
func TestRecordsDiffer(t *testing.T) {
	at := time.UnixMilli(1_795_000_000_000)
	base := OperationParts{Operation: central.Operation{ID: "a", Amount: 500, State: op.Succeeded, FinishedAt: at}, Steps: []central.Step{{At: at, Node: "n", To: op.Received}, {At: at, Node: "n", From: op.Received, To: op.Sent}}}
	seen := map[string]string{}
	add := func(name string, r Record) {
		leaf := string(r.leaf())
		if other, twice := seen[leaf]; twice {
			t.Errorf("%s has the leaf of %s", name, other)
		}
		seen[leaf] = name
	}
	add("base", OperationRecord(base))
	for name, change := range map[string]func(*OperationParts){
		"amount":   func(p *OperationParts) { p.Amount = 501 },
		"caller":   func(p *OperationParts) { p.Caller = "x\nidentity \"y\"" },
		"identity": func(p *OperationParts) { p.Caller, p.Identity = "x", "y" },
		"reply":    func(p *OperationParts) { p.Reply = []byte("r") },
		"reason": func(p *OperationParts) {
			p.Steps = append([]central.Step{{At: at, Node: "n", To: op.Received, Reason: "r"}}, p.Steps[1])
		},
		"steps": func(p *OperationParts) { p.Steps = p.Steps[:1] },
		"node": func(p *OperationParts) {
			p.Steps = append([]central.Step{{At: at, Node: "m", To: op.Received}}, p.Steps[1])
		},
		"earning": func(p *OperationParts) { p.Earning = &Earning{Day: "2026-11-21"} },
		"ledger":  func(p *OperationParts) { p.Ledger = []LedgerEntry{{Operation: "a"}} },
	} {
		p := base
		change(&p)
		add(name, OperationRecord(p))
	}
	add("open after one step", OpenRecord(base, 1))
	add("open after two steps", OpenRecord(base, 2))
	add("audit", AuditRecord(staff.AuditEntry{ID: "a", At: at}))
	add("audit with a note", AuditRecord(staff.AuditEntry{ID: "a", At: at, Note: "n"}))
}

// TestFolder: a checkpoint is kept once, and what lies there is never replaced.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"one", "one", "another hour"} {
		if err := Folder(dir).Keep(context.Background(), "c", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "c")); err != nil || string(got) != "one" {
		t.Errorf("the folder has %q, %v", got, err)
	}
	if err := Folder(filepath.Join(dir, "absent")).Keep(context.Background(), "c", nil); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestDailyPart: each day compares the newest entries, and in some days all.
func TestDailyPart(t *testing.T) {
	const size = 2_300_000
	seen := map[int64]bool{}
	for day := range 5 {
		compare := dailyPart(size, time.Unix(int64(day)*24*60*60, 0))
		if !compare(size - 1) {
			t.Error("the newest entry is not compared")
		}
		for n := int64(0); n < size; n += 50_000 {
			if compare(n) {
				seen[n] = true
			}
		}
	}
	if len(seen) != size/50_000 {
		t.Errorf("%d of %d entries are compared in five days", len(seen), size/50_000)
	}
}
