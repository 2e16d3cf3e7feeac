package store

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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
		{"another file", junk, testConfig(), "damaged or not a database"},
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
	o := created(t, s)
	wantErr(t, "close", s.Close(), nil)
	again := openAt(t, path, testConfig())
	_, err = again.Operation(background, o.ID)
	wantErr(t, "read after opening again", err, nil)
}
