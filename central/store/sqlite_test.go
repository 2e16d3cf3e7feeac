package store

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

func TestReadersCannotWrite(t *testing.T) {
	s := openSeeded(t, testConfig())
	err := s.read(background, func(c conn) error {
		_, err := c.exec(`DELETE FROM events`)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Fatalf("a reader's write: error %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk.db")
	if err := os.WriteFile(junk, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(dir, "good.db")
	for _, c := range []struct {
		name, path string
		cfg        Config
		want       string
	}{
		{"no path", "", testConfig(), "database in memory"},
		{"memory", ":memory:", testConfig(), "database in memory"},
		{"no folder", filepath.Join(dir, "none", "central.db"), testConfig(), "folder must exist"},
		{"a folder", dir, testConfig(), "open or create the database file"},
		{"another file", junk, testConfig(), "damaged or no database"},
		{"no node", good, Config{Logger: slog.New(slog.DiscardHandler)}, "needs a node name"},
		{"no logger", good, Config{Node: testNode}, "needs a node name and a logger"},
		{"a negative limit", good, Config{Node: testNode, Logger: slog.New(slog.DiscardHandler), Queue: -1}, "cannot be negative"},
	} {
		s, err := OpenSQLite(background, c.path, c.cfg)
		if err == nil {
			t.Errorf("%s: opened", c.name)
			s.Close()
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %q does not say %q", c.name, err, c.want)
		}
	}
	if text, err := os.ReadFile(junk); err != nil || !bytes.HasPrefix(text, []byte("no database no")) {
		t.Errorf("a file that is no database was changed: %v", err)
	}
	gone, leave := context.WithCancel(background)
	leave()
	if s, err := OpenSQLite(gone, good, testConfig()); err == nil {
		t.Error("opened for a caller who had left")
		s.Close()
	}
}

func TestFile(t *testing.T) {
	// Characters that mean something in an address are plain in a file name.
	path := filepath.Join(t.TempDir(), "a ?#%41&mode=memory.db")
	s := openAt(t, path, testConfig())
	wantErr(t, "seed", s.Seed(background, testSeed()), nil)
	info, err := os.Stat(path)
	wantErr(t, "find the file", err, nil)
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the database's permissions are %v, others could read it", info.Mode())
	}
	o := begun(t, s)
	wantErr(t, "close", s.Close(), nil)
	again := openAt(t, path, testConfig())
	_, err = again.Operation(background, o.ID)
	wantErr(t, "read after opening again", err, nil)
}

func TestSeedAgain(t *testing.T) {
	s := openSeeded(t, testConfig())
	seed := testSeed()
	seed.Merchants[0].LegalName, seed.Merchants[0].Status = "Changed", central.MerchantSuspended
	seed.Merchants = append(seed.Merchants, central.Merchant{ID: "new", LegalName: "New Store", Status: central.MerchantPending})
	wantErr(t, "seed again", s.Seed(background, seed), nil)
	m, err := s.Merchant(background, merchant1)
	wantErr(t, "read", err, nil)
	if m.LegalName != "Test Store" || m.Status != central.MerchantApproved {
		t.Errorf("seeding again changed a merchant: %+v", m)
	}
	m, err = s.Merchant(background, "new")
	wantErr(t, "read", err, nil)
	if age := time.Since(m.CreatedAt); age < 0 || age > time.Hour {
		t.Errorf("a merchant without a moment was created at %v", m.CreatedAt)
	}

	terminal := enrolled(t, s, 1)
	for name, bad := range map[string]Seed{
		"a terminal's number":     {Merchants: []central.Merchant{{ID: "x", Status: central.MerchantPending, TID: terminal.TID}}},
		"a merchant's number":     {Merchants: []central.Merchant{{ID: "x", Status: central.MerchantPending, TID: "GAL00001"}}},
		"a status that is none":   {Merchants: []central.Merchant{{ID: "x", Status: "OPEN"}}},
		"a vendor that is none":   {Merchants: []central.Merchant{{ID: "x", Status: central.MerchantPending, Vendor: "nobody"}}},
		"a secret in the clear":   {Clients: []central.Client{{ID: "x", SecretHash: "sandbox-merchant-1", Principal: central.Principal{Role: op.Merchant, Merchant: merchant1}}}},
		"a role without a party":  {Clients: []central.Client{{ID: "x", SecretHash: argon, Principal: central.Principal{Role: op.Vendor, Merchant: merchant1}}}},
		"a role that is none":     {Clients: []central.Client{{ID: "x", SecretHash: argon, Principal: central.Principal{Role: "bank"}}}},
		"no aggregator of its id": {Vendors: []central.Vendor{{ID: "x", Aggregator: "nobody"}}},
		"no aggregator id":        {Aggregators: []Aggregator{{LegalName: "x"}}},
	} {
		bad.Vendors = append([]central.Vendor{{ID: "first", LegalName: "of the same seed"}}, bad.Vendors...)
		if err := s.Seed(background, bad); err == nil {
			t.Errorf("seeded with %s", name)
		}
		_, err := s.Vendor(background, "first")
		wantErr(t, "what a refused seed began with", err, central.ErrNotFound)
	}
}

func TestBacklog(t *testing.T) {
	s := openSeeded(t, testConfig())
	for _, state := range []op.State{op.Received, op.Dispatched, op.Pending, op.Pending, op.Succeeded, op.Reversed} {
		inState(t, s, state)
	}
	stuck := inState(t, s, op.Pending)
	wantErr(t, "give up", s.Postpone(background, stuck.ID, t0, t0, "", true), nil)
	pending, waiting, err := s.Backlog(background)
	if err != nil || pending != 3 || waiting != 1 {
		t.Errorf("backlog: %d pending, %d stuck, %v; want 3 and 1", pending, waiting, err)
	}
}

func TestRunsOutOfTerminalNumbers(t *testing.T) {
	s := openSeeded(t, testConfig())
	wantErr(t, "set the counter", s.write(background, func(c conn) error {
		_, err := c.exec(`UPDATE counters SET value = $1 WHERE name = 'terminal'`, lastTID)
		return err
	}), nil)
	if last := enrolled(t, s, 1); last.TID != "GAL99999" {
		t.Fatalf("the last terminal has %s", last.TID)
	}
	hash := [32]byte{1}
	wantErr(t, "add a code", s.AddCode(background, hash, merchant1, t0, t0.Add(time.Hour)), nil)
	if _, err := s.Enrol(background, hash, newTerminal(2)); err == nil || !strings.Contains(err.Error(), "GAL99999 are allotted") {
		t.Errorf("one terminal too many: %v", err)
	}
}

// TestTwoOnOneFile lets two stores, as two programs would, work on one file.
func TestTwoOnOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "central.db")
	stores := []*DB{openAt(t, path, testConfig()), openAt(t, path, testConfig())}
	wantErr(t, "seed", stores[0].Seed(background, testSeed()), nil)

	const each = 20
	shared := make([]central.Operation, each)
	for i := range shared {
		shared[i] = newOperation()
	}
	var mu sync.Mutex
	fresh, claims := 0, map[op.ID]int{}
	var wg sync.WaitGroup
	for _, s := range stores {
		for _, o := range shared {
			mine := newOperation()
			mine.Caller, mine.Identity = o.Caller, o.Identity
			wg.Go(func() {
				known, isNew, err := s.Begin(background, mine, nil)
				wantNil(t, err)
				if isNew {
					wantNil(t, step(s, known.ID, op.Dispatched))
					wantNil(t, step(s, known.ID, op.Pending))
				}
				mu.Lock()
				defer mu.Unlock()
				if isNew {
					fresh++
				}
			})
		}
	}
	wg.Wait()
	if fresh != each {
		t.Errorf("%d identities began %d operations over two stores", each, fresh)
	}
	now := t0.Add(time.Hour)
	for _, s := range stores {
		wg.Go(func() {
			for range each {
				got, err := s.Claim(background, now, now.Add(time.Hour), 2)
				wantNil(t, err)
				mu.Lock()
				for _, o := range got {
					claims[o.ID]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for id, n := range claims {
		if n != 1 {
			t.Errorf("operation %s was claimed %d times", id, n)
		}
	}
	if len(claims) != each {
		t.Errorf("%d of %d operations were claimed", len(claims), each)
	}
}
