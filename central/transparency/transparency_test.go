package transparency

import (
	"context"
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
)

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
