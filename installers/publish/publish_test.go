package publish

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"galla/edge/update/release"
)

// testRepository makes a repository with two of three root keys and two of two for targets.
func testRepository(t testing.TB) Config {
	t.Helper()
	dir := t.TempDir()
	cfg := Config{Folder: filepath.Join(dir, "releases"), Keys: []string{filepath.Join(dir, "keys")}, Rand: rand.Reader}
	if _, err := Init(cfg, KeyCount{3, 2}, KeyCount{2, 2}); err != nil {
		t.Fatal(err)
	}
	return cfg
}

func open(t testing.TB, cfg Config) *Repository {
	t.Helper()
	r, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// built writes a program of some content.
func built(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "galla-edge")
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func facts(v release.Version) release.Manifest {
	return release.Manifest{Version: v, OS: "linux", Arch: "amd64", Percent: 10, Reads: 2, Writes: 2}
}

// proof is what a counter would have found that looked just now.
func proof(t testing.TB, r *Repository) release.Proof {
	t.Helper()
	p, err := r.Proof(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPublish(t *testing.T) {
	cfg := testRepository(t)
	r := open(t, cfg)
	for _, step := range []struct {
		name string
		do   func() error
		want string // percentages by version
	}{
		{"add", func() error { return r.Add(facts("1.0.0"), built(t, "one")) }, "1.0.0=10"},
		{"add another", func() error { return r.Add(facts("1.1.0"), built(t, "two")) }, "1.0.0=10 1.1.0=10"},
		{"stage", func() error { return r.Stage("1.1.0", 100) }, "1.0.0=10 1.1.0=100"},
		{"stage down", func() error { return r.Stage("1.1.0", 0) }, "1.0.0=10 1.1.0=0"},
		{"refresh", r.Refresh, "1.0.0=10 1.1.0=0"},
		{"withdraw", func() error { return r.Withdraw("1.1.0") }, "1.0.0=10"},
	} {
		before := r.timestamp.Signed.Version
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		var got []string
		c, err := proof(t, open(t, Config{Folder: cfg.Folder})).Open(r.First()) // without a key
		if err != nil {
			t.Fatal(step.name, err)
		}
		for _, p := range c.Releases {
			got = append(got, fmt.Sprintf("%s=%d", p.Version, p.Percent))
		}
		if said := strings.Join(got, " "); said != step.want {
			t.Errorf("%s: %s, want %s", step.name, said, step.want)
		}
		if r.timestamp.Signed.Version != before+1 {
			t.Errorf("%s: timestamp %d came after %d", step.name, r.timestamp.Signed.Version, before)
		}
	}
	for name, err := range map[string]error{
		"a version that is published": r.Add(facts("1.0.0"), built(t, "other")),
		"no program":                  r.Add(facts("1.2.0"), filepath.Join(t.TempDir(), "none")),
		"an empty program":            r.Add(facts("1.2.0"), built(t, "")),
		"bad facts":                   r.Add(facts("1.2"), built(t, "x")),
		"staging what is not there":   r.Stage("1.2.0", 5),
		"withdrawing it":              r.Withdraw("1.2.0"),
		"a bad percentage":            r.Stage("1.0.0", 101),
		"a second init":               func() error { _, err := Init(cfg, KeyCount{1, 1}, KeyCount{1, 1}); return err }(),
		"a threshold beyond the keys": func() error {
			_, err := Init(Config{Folder: t.TempDir(), Keys: cfg.Keys, Rand: rand.Reader}, KeyCount{1, 2}, KeyCount{1, 1})
			return err
		}(),
	} {
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	var out bytes.Buffer
	if err := r.Show(&out, time.Now()); err != nil || !strings.Contains(out.String(), "2 of 3 keys") || !strings.Contains(out.String(), "1.0.0") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Keys are files of their own that nobody else may read.
func TestKeyFiles(t *testing.T) {
	cfg := testRepository(t)
	files, err := filepath.Glob(filepath.Join(cfg.Keys[0], "*.key"))
	if err != nil || len(files) != 7 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	for name, spoil := range map[string]func(path string) error{
		"read by others": func(path string) error { return os.Chmod(path, 0o640) },
		"no key":         func(path string) error { return os.WriteFile(path, []byte("hello"), 0o600) },
	} {
		cfg := testRepository(t)
		path := filepath.Join(cfg.Keys[0], "targets-1.key")
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(cfg); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// away moves keys out of the folder to another, and gives that.
func away(t *testing.T, cfg Config, names ...string) string {
	t.Helper()
	stick := t.TempDir()
	for _, name := range names {
		if err := os.Rename(filepath.Join(cfg.Keys[0], name), filepath.Join(stick, name)); err != nil {
			t.Fatal(err)
		}
	}
	return stick
}

// Below its threshold a role publishes nothing, and nothing changes; with another
// stick it does. Refresh needs no key of root or targets.
func TestThreshold(t *testing.T) {
	cfg := testRepository(t)
	roots, second := away(t, cfg, "root-1.key", "root-2.key", "root-3.key"), away(t, cfg, "targets-2.key")
	r := open(t, cfg)
	before, err := os.ReadDir(cfg.Folder)
	if err != nil {
		t.Fatal(err)
	}
	var short *ThresholdError
	if err := r.Add(facts("1.0.0"), built(t, "one")); !errors.As(err, &short) || short.Role != "targets" || short.Have != 1 || short.Want != 2 {
		t.Fatalf("%v", err)
	}
	if err := r.Rotate("root", "", ""); !errors.As(err, &short) || short.Role != "root" || short.Have != 0 {
		t.Fatalf("%v", err)
	}
	if after, err := os.ReadDir(cfg.Folder); err != nil || len(after) != len(before) {
		t.Errorf("%d files became %d: %v", len(before), len(after), err)
	}
	if err := open(t, cfg).Refresh(); err != nil {
		t.Error(err)
	}
	both := cfg
	both.Keys = append(slices.Clone(cfg.Keys), second)
	if err := open(t, both).Add(facts("1.0.0"), built(t, "one")); err != nil {
		t.Error(err)
	}
	withRoot := cfg
	withRoot.Keys = append(slices.Clone(cfg.Keys), roots)
	if err := open(t, withRoot).Rotate("root", "", ""); err != nil {
		t.Error(err)
	}
}

// Each key of each role can be replaced; who trusts the first root follows, and the
// old key signs nothing any more.
func TestRotate(t *testing.T) {
	for _, role := range roles {
		cfg := testRepository(t)
		r := open(t, cfg)
		first := r.First()
		if err := r.Add(facts("1.0.0"), built(t, "one")); err != nil {
			t.Fatal(err)
		}
		keys, threshold := r.Keys(role)
		old := keys[0]
		if err := r.Rotate(role, old.ID[:8], ""); err != nil {
			t.Fatal(role, err)
		}
		after, still := r.Keys(role)
		if len(after) != len(keys) || still != threshold || slices.ContainsFunc(after, func(k Key) bool { return k.ID == old.ID }) {
			t.Errorf("%s: %v of %v became %v of %v", role, threshold, keys, still, after)
		}
		p := proof(t, r)
		c, err := p.Open(first)
		if err != nil || len(c.Releases) != 1 {
			t.Fatal(role, err)
		}
		// The same catalogue proves itself from the newest root, which knows no older.
		if _, err := p.Open(r.Root()); err != nil {
			t.Errorf("%s from the newest root: %v", role, err)
		}
		// A root that is left out of the chain is missed.
		if _, err := (release.Proof{CheckedAt: p.CheckedAt, Timestamp: p.Timestamp, Snapshot: p.Snapshot, Targets: p.Targets}).Open(first); err == nil && role != metadata.ROOT {
			t.Errorf("%s: what the new key signed was taken under the old root", role)
		}
		if err := os.Remove(old.File); err != nil {
			t.Fatal(err)
		}
		if err := open(t, cfg).Add(facts("1.1.0"), built(t, "two")); err != nil {
			t.Errorf("%s without the old key: %v", role, err)
		}
	}
	r := open(t, testRepository(t))
	for name, err := range map[string]error{"a key that is none": r.Rotate("root", "ffffffffffff", ""), "too little of an id": r.Rotate("root", "a", ""), "no role": r.Rotate("mirrors", "ffffffff", "")} {
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// What is published can be followed while it is: at no moment points a file to one
// that is not there, and no name is used twice for different bytes.
func TestPublishedInOrder(t *testing.T) {
	cfg := testRepository(t)
	r := open(t, cfg)
	// A change that was broken off has left a targets.json that nothing points to.
	left := filepath.Join(cfg.Folder, versionedName(r.targets.Signed.Version+1, metadata.TARGETS))
	if err := os.WriteFile(left, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := open(t, cfg).Add(facts("1.0.0"), built(t, "one")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(left); err != nil || string(text) != "{}" {
		t.Errorf("a name was used again: %v", err)
	}
	if c := open(t, cfg).Catalogue(); len(c.Releases) != 1 {
		t.Errorf("%v", c.Releases)
	}
}

// What a role signs ends when it was said to: shorter than Refresh comes round, a
// freeze is noticed.
func TestLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, testRepository(t))
		if err := r.Add(facts("1.0.0"), built(t, "one")); err != nil {
			t.Fatal(err)
		}
		p, now := proof(t, r), time.Now()
		for days, good := range map[int]bool{0: true, 6: true, 8: false, 40: false} {
			p.CheckedAt = now.Add(time.Duration(days) * day)
			if _, err := p.Open(r.First()); (err == nil) != good {
				t.Errorf("after %d days: %v", days, err)
			}
		}
		if c := r.Catalogue(); c.Expires.Sub(now) != 7*day {
			t.Errorf("it ends in %v", c.Expires.Sub(now))
		}
	})
}

// FuzzOpen: of metadata that is not the publisher's nothing opens under the
// publisher's root, or it says the same.
func FuzzOpen(f *testing.F) {
	r := open(f, testRepository(f))
	if err := r.Add(facts("1.0.0"), built(f, "one")); err != nil {
		f.Fatal(err)
	}
	if err := r.Rotate(metadata.ROOT, "", ""); err != nil {
		f.Fatal(err)
	}
	p := proof(f, r)
	good := r.Catalogue().Releases[0]
	f.Add(p.Roots[0], p.Timestamp, p.Snapshot, p.Targets)
	f.Add(p.Roots[0], p.Snapshot, p.Timestamp, p.Targets)
	f.Add([]byte("{}"), bytes.ReplaceAll(p.Timestamp, []byte("1"), []byte("2")), p.Snapshot, bytes.ReplaceAll(p.Targets, []byte("linux"), []byte("winux")))
	f.Fuzz(func(t *testing.T, root, timestamp, snapshot, targets []byte) {
		c, err := (release.Proof{CheckedAt: p.CheckedAt, Roots: [][]byte{root}, Timestamp: timestamp, Snapshot: snapshot, Targets: targets}).Open(r.First())
		if err != nil {
			return
		}
		for _, got := range c.Releases {
			if got != good {
				t.Fatalf("%+v was never published", got)
			}
		}
	})
}
