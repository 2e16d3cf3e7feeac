package queue

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"galla/shared/op"
)

// contentsOf are the contents of a folder, by name.
func contentsOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = text
	}
	return out
}

// TestLook: what Look says is what a start meets, and it changes no byte.
func TestLook(t *testing.T) {
	cfg := config(newPath(t))
	cfg.LockTimeout = 20 * time.Millisecond
	if _, err := Inspect(cfg); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no queue: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(cfg.Path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
	q := mustOpen(t, cfg)
	waiting := newID(t)
	for _, id := range []op.ID{waiting, newID(t)} {
		if err := q.Add(record(id, op.Reserved)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.Change(waiting, become(op.Expired)); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(cfg); !errors.Is(err, ErrLocked) {
		t.Errorf("in use: %v", err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(cfg.Path)
	before := contentsOf(t, folder)
	look := func(cfg Config) (Inspection, error) {
		t.Helper()
		seen, err := Inspect(cfg)
		after := contentsOf(t, folder)
		if len(after) != len(before) {
			t.Errorf("files before and after: %d, %d", len(before), len(after))
		}
		for name, text := range before {
			if !bytes.Equal(text, after[name]) {
				t.Errorf("%s was changed", name)
			}
		}
		return seen, err
	}
	if seen, err := look(cfg); err != nil || seen != (Inspection{Operations: 2, Unresolved: 1}) {
		t.Errorf("%+v, %v", seen, err)
	}
	other := cfg
	other.Key = testKey(2)
	if _, err := look(other); !errors.Is(err, ErrWrongKey) {
		t.Errorf("another key: %v", err)
	}
	spoiled := bytes.Clone(before[cfg.Path])
	for i := range 2 * 4096 { // both meta pages
		spoiled[i] ^= 0x55
	}
	if err := os.WriteFile(cfg.Path, spoiled, 0o600); err != nil {
		t.Fatal(err)
	}
	before = contentsOf(t, folder)
	if _, err := look(cfg); err == nil || !isDamage(err) {
		t.Errorf("a damaged file: %v", err)
	}
}
