package retention_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"galla/central/retention"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/store"
	"galla/shared/ist"
	"galla/shared/op"
)

var now = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

func newArchiver(t *testing.T, s retention.ArchiveStore, folder string, lines int) *retention.Archiver {
	t.Helper()
	a, err := retention.NewArchiver(s, retention.ArchiverConfig{Folder: folder, Lines: lines, Node: "node/a", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// verified fails unless all archives are intact.
func verified(t *testing.T, s retention.ArchiveStore, folder string) retention.VerifyResult {
	t.Helper()
	v, err := retention.Verify(background, s, folder)
	if err != nil || len(v.Faults) > 0 {
		t.Fatalf("verify: %v, %v", v.Faults, err)
	}
	return v
}

// read returns the lines of all archives of a folder.
func readAll(t *testing.T, folder string) (lines map[op.ID][]string) {
	t.Helper()
	lines = map[op.ID][]string{}
	names, err := filepath.Glob(filepath.Join(folder, "operations-*"+retention.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err == nil {
			err = retention.ReadArchive(bytes.NewReader(text), func(l retention.ArchiveLine) error {
				lines[l.ID] = append(lines[l.ID], string(l.Text))
				return nil
			})
		}
		if err != nil {
			t.Fatal(name, err)
		}
	}
	return lines
}

// TestArchive: due bodies go into one file a month without personal data; others stay.
func TestArchive(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		var due []central.Operation
		// 18:30 UTC is midnight in India: two months, three files of two.
		for _, at := range []string{"2026-03-31T18:00:00Z", "2026-03-31T18:29:59Z", "2026-03-30T00:00:00Z", "2026-03-31T18:30:00Z"} {
			end, err := time.Parse(time.RFC3339, at)
			if err != nil {
				t.Fatal(err)
			}
			due = append(due, finished(t, s, end))
		}
		fresh := finished(t, s, now.Add(-retention.BodyRetention+time.Hour))
		folder := filepath.Join(t.TempDir(), "archive")
		a := newArchiver(t, s, folder, 2)
		done, err := a.Run(background, now)
		if err != nil || done != (retention.ArchiveResult{3, 4}) {
			t.Fatalf("archived %+v, %v", done, err)
		}
		v := verified(t, s, folder)
		if v.Files != 3 || v.Operations != 4 || len(v.Strays) != 0 {
			t.Errorf("verified %+v", v)
		}
		lines := readAll(t, folder)
		for _, o := range due {
			if len(lines[o.ID]) != 1 || !strings.Contains(lines[o.ID][0], `"rrn":"612309000042"`) || !strings.Contains(lines[o.ID][0], `"reason":"the bank answered …"`) {
				t.Errorf("%s is archived as %v", o.ID, lines[o.ID])
			}
			for _, hidden := range []string{canary, "123456789012", "XXXXXXXX7058"} {
				if strings.Contains(strings.Join(lines[o.ID], ""), hidden) {
					t.Errorf("an archive has %q", hidden)
				}
			}
			got, err := s.ByIdentity(background, o.Caller, o.Identity)
			if err != nil || got.State != op.Succeeded || got.HTTP != 200 || got.RRN != o.RRN || bytes.Contains(got.Reply, []byte(canary)) ||
				!bytes.Contains(got.Reply, []byte(`"txnStatus":"SUCCESS"`)) {
				t.Errorf("a repeat is answered with %s (%v)", got.Reply, err)
			}
			where, err := s.ArchiveOf(background, o.ID)
			if err != nil || !strings.Contains(where.File, ist.MonthOf(o.FinishedAt)) || strings.Contains(where.File, "/") {
				t.Errorf("it ended in %s and is in %s, %v", ist.MonthOf(o.FinishedAt), where.File, err)
			}
		}
		if got, err := s.Operation(background, fresh.ID); err != nil || !bytes.Equal(got.Reply, fresh.Reply) {
			t.Errorf("what is not due: %s, %v", got.Reply, err)
		}
		if done, err := a.Run(background, now.Add(time.Minute)); err != nil || done != (retention.ArchiveResult{}) {
			t.Errorf("archived again: %+v, %v", done, err)
		}
	})
}

// errCrash stands for the end of the process.
var errCrash = errors.New("crash")

// crashing is a store whose process ends at the n-th change.
type crashing struct {
	retention.ArchiveStore
	left int
}

func (c *crashing) RemoveBodies(ctx context.Context, a retention.Archive, list []retention.BodyRemoval) (int, error) {
	if c.left--; c.left < 0 {
		return 0, errCrash
	}
	return c.ArchiveStore.RemoveBodies(ctx, a, list)
}

// TestCrashBetweenFileAndRow: after a crash at any change the next run ends the work, and
// every body is in a file before it leaves its row.
func TestCrashBetweenFileAndRow(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		const n = 2*retention.ShrinkRows + 5
		var all []central.Operation
		for i := range n {
			all = append(all, finished(t, s, now.Add(-200*24*time.Hour+time.Duration(i)*time.Second)))
		}
		folder := t.TempDir()
		for left := range 3 {
			a := newArchiver(t, &crashing{s, left}, folder, 0)
			_, err := a.Run(background, now.Add(time.Duration(left)*time.Second))
			if !errors.Is(err, errCrash) && left < 2 {
				t.Fatalf("%d changes before the crash: %v", left, err)
			}
			lines, gone := readAll(t, folder), 0
			for _, o := range all {
				got, err := s.Operation(background, o.ID)
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Equal(got.Reply, o.Reply) {
					continue
				}
				gone++
				if len(lines[o.ID]) == 0 {
					t.Fatalf("the body of %s is in no file and in no row", o.ID)
				}
			}
			if want := []int{0, retention.ShrinkRows, n}[left]; gone != want {
				t.Errorf("after %d changes %d bodies are gone, want %d", left, gone, want)
			}
		}
		v := verified(t, s, folder)
		if v.Files != 2 || len(v.Strays) != 1 {
			t.Errorf("verified %+v", v)
		}
		// An unfinished file is not an archive.
		if err := os.WriteFile(filepath.Join(folder, "operations-x"+retention.Suffix+retention.PartSuffix), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if v := verified(t, s, folder); len(v.Strays) != 2 {
			t.Errorf("strays: %v", v.Strays)
		}
	})
}

// TestArchiversAtOnce: several nodes on one database and one folder.
func TestArchiversAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		const n = 30
		for i := range n {
			finished(t, s, now.Add(-200*24*time.Hour+time.Duration(i)*time.Second))
		}
		folder, total := t.TempDir(), 0
		var mu sync.Mutex
		var nodes sync.WaitGroup
		for range 4 {
			a := newArchiver(t, s, folder, 10)
			nodes.Go(func() {
				done, err := a.Run(background, now)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				total += done.Operations
			})
		}
		nodes.Wait()
		done, err := newArchiver(t, s, folder, 10).Run(background, now)
		if total+done.Operations != n || err != nil {
			t.Errorf("%d and %d bodies of %d left their rows, %v", total, done.Operations, n, err)
		}
		verified(t, s, folder)
	})
}

// TestVerifyFinds: a changed byte anywhere, and a missing file.
func TestVerifyFinds(t *testing.T) {
	s, err := store.OpenSQLite(background, filepath.Join(t.TempDir(), "central.db"), settings())
	if err == nil {
		err = seed(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 3 {
		finished(t, s, now.Add(-200*24*time.Hour+time.Duration(i)*time.Second))
	}
	folder := t.TempDir()
	if _, err := newArchiver(t, s, folder, 0).Run(background, now); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(folder, "*"+retention.Suffix))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	whole, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, text []byte) {
		t.Helper()
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	faults := func(what string) {
		t.Helper()
		if v, err := retention.Verify(background, s, folder); err != nil || len(v.Faults) != 1 || v.Files != 0 {
			t.Errorf("%s: %+v, %v", what, v, err)
		}
	}
	for at := range whole {
		flipped := slices.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		put(names[0], flipped)
		faults("a flipped byte")
	}
	put(names[0], whole[:len(whole)-1])
	faults("a cut file")
	put(names[0], whole)
	verified(t, s, folder)
	sum, err := os.ReadFile(names[0] + retention.SumSuffix)
	if err != nil {
		t.Fatal(err)
	}
	put(names[0]+retention.SumSuffix, bytes.Replace(sum, sum[:1], []byte("x"), 1))
	faults("another checksum file")
	put(names[0]+retention.SumSuffix, sum)
	verified(t, s, folder)
	if err := os.Remove(names[0]); err != nil {
		t.Fatal(err)
	}
	faults("a file that is gone")
}

func TestArchiverRefuses(t *testing.T) {
	logger := slog.New(slog.DiscardHandler)
	for name, cfg := range map[string]retention.ArchiverConfig{
		"no folder":      {Node: "n", Logger: logger},
		"no node":        {Folder: "f", Logger: logger},
		"no logger":      {Folder: "f", Node: "n"},
		"too short":      {Folder: "f", Node: "n", Logger: logger, KeepFor: retention.MinBodyRetention - 1},
		"too many lines": {Folder: "f", Node: "n", Logger: logger, Lines: retention.MaxLines + 1},
		"minus one line": {Folder: "f", Node: "n", Logger: logger, Lines: -1},
	} {
		if _, err := retention.NewArchiver(nil, cfg); err == nil {
			t.Errorf("an archiver with %s", name)
		}
	}
}

// FuzzEachArchived: any other file is an error, without a hang or a panic.
func FuzzEachArchived(f *testing.F) {
	pack := func(text string) []byte {
		var out bytes.Buffer
		zip := gzip.NewWriter(&out)
		if _, err := io.WriteString(zip, text); err != nil {
			f.Fatal(err)
		}
		if err := zip.Close(); err != nil {
			f.Fatal(err)
		}
		return out.Bytes()
	}
	f.Add(pack(`{"v":1,"id":"a"}` + "\n"))
	f.Add(pack(`{"v":2,"id":"a"}` + "\n"))
	f.Add(pack("\n\n"))
	f.Add([]byte("no gzip"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = retention.ReadArchive(bytes.NewReader(text), func(l retention.ArchiveLine) error {
			if l.V != retention.EntryVersion || l.ID == "" {
				t.Errorf("a line was accepted: %+v", l)
			}
			return nil
		})
	})
}

// TestPurgeIsBounded runs until nothing is left, and stops with its caller.
func TestPurgeIsBounded(t *testing.T) {
	left := map[retention.PurgeKind]int{retention.SpentTokens: 3*retention.PurgeRows + 1, retention.QuotaUsage: 1}
	p := purges(func(what retention.PurgeKind, before time.Time, limit int) int {
		for _, k := range retention.PurgeRules() {
			if k.Kind == what && !before.Equal(now.Add(-k.After)) {
				t.Errorf("%s is purged before %v", what, before)
			}
		}
		n := min(limit, left[what])
		left[what] -= n
		return n
	})
	done, err := retention.Purge(background, p, now)
	if err != nil || done[retention.SpentTokens] != 3*retention.PurgeRows+1 || done.String() != "purged 769 spent-tokens, 1 quota-usage" {
		t.Errorf("%v, %v", done, err)
	}
	gone, leave := context.WithCancel(background)
	leave()
	if _, err := retention.Purge(gone, p, now); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}

type purges func(what retention.PurgeKind, before time.Time, limit int) int

func (p purges) Purge(_ context.Context, what retention.PurgeKind, before time.Time, limit int) (int, error) {
	return p(what, before, limit), nil
}
