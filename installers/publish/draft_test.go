package publish

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/secret"
)

// knows is somebody who knows one passphrase, and counts how often it was asked for.
func knows(passphrase string, asked *int) AskPassphrase {
	return func(string, bool) (secret.Key, error) {
		*asked++
		return secret.NewKey([]byte(passphrase)), nil
	}
}

// people are a repository whose two keys of targets and two of root lie in two places:
// each person sees one of them, and a machine those of snapshot and timestamp.
func people(t *testing.T) (first, second, machine Config) {
	t.Helper()
	cfg := testRepository(t)
	second, machine = cfg, cfg
	second.Keys = []string{away(t, cfg, "root-2.key", "targets-2.key")}
	machine.Keys = []string{away(t, cfg, "snapshot-1.key", "timestamp-1.key")}
	away(t, cfg, "root-3.key")
	return cfg, second, machine
}

// opened opens a draft with the keys of somebody.
func opened(t *testing.T, cfg Config, draft string) *Draft {
	t.Helper()
	d, err := open(t, cfg).OpenDraft(draft)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDraft: two people in two places sign one after the other, and a machine that has
// neither's key publishes; before both have, nobody can.
func TestDraft(t *testing.T) {
	first, second, machine := people(t)
	draft := filepath.Join(t.TempDir(), "draft.json")
	drafting := first
	drafting.Draft = draft
	if err := open(t, drafting).Add(facts("1.0.0"), built(t, "one")); err != nil {
		t.Fatal(err)
	}
	if err := open(t, drafting).Add(facts("1.1.0"), built(t, "two")); !errors.Is(err, os.ErrExist) {
		t.Errorf("a draft was written over: %v", err)
	}
	var short *ThresholdError
	if err := opened(t, machine, draft).Publish(); !errors.As(err, &short) || short.Role != "targets" || short.Have != 1 {
		t.Errorf("published with one signature: %v", err)
	}
	if n := len(open(t, first).Catalogue().Releases); n != 0 {
		t.Errorf("%d releases are in force", n)
	}
	d := opened(t, second, draft)
	var said bytes.Buffer
	if err := d.Show(&said); err != nil || !strings.Contains(said.String(), "+ galla-edge-1.0.0-linux-amd64: 10 % of the counters") {
		t.Errorf("%v\n%s", err, said.String())
	}
	if sums := d.AddedPrograms(); len(sums) != 1 || len(sums[0]) != 32 {
		t.Errorf("adds %x", sums)
	}
	if missing, err := d.Sign(draft); err != nil || len(missing) != 0 {
		t.Errorf("%v, %v", missing, err)
	}
	if err := opened(t, machine, draft).Publish(); err != nil {
		t.Fatal(err)
	}
	r := open(t, machine)
	c, err := proof(t, r).Open(r.First())
	if err != nil || len(c.Releases) != 1 || c.Releases[0].Version != "1.0.0" {
		t.Fatalf("%v, %v", c, err)
	}
	if _, err := r.OpenDraft(draft); err == nil || !strings.Contains(err.Error(), "make it anew") {
		t.Errorf("published twice: %v", err)
	}
}

// TestDraftOfRoot: a key of targets is replaced by one whose private half the others
// never saw.
func TestDraftOfRoot(t *testing.T) {
	first, second, machine := people(t)
	_, public, err := MakeKey(t.TempDir(), "ravi", rand.Reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	ravi := filepath.Dir(public)
	keys, _ := open(t, second).Keys("targets")
	old := keys[slices.IndexFunc(keys, func(k Key) bool { return k.File != "" })].ID
	draft := filepath.Join(t.TempDir(), "draft.json")
	drafting := first
	drafting.Draft = draft
	if err := open(t, drafting).Rotate("targets", old, public); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	d := opened(t, second, draft)
	if err := d.Show(&said); err != nil || !strings.Contains(said.String(), "- key "+old[:16]+" of targets") || !strings.Contains(said.String(), "+ key ") {
		t.Errorf("%v\n%s", err, said.String())
	}
	missing, err := d.Sign(draft) // root is whole now; the new key has not signed the releases
	if err != nil || len(missing) != 1 || missing[0].Role != "targets" || missing[0].Have != 1 {
		t.Fatalf("%v, %v", missing, err)
	}
	theirs := second
	theirs.Keys = []string{ravi}
	if missing, err = opened(t, theirs, draft).Sign(draft); err != nil || len(missing) != 0 {
		t.Fatalf("%v, %v", missing, err)
	}
	if err := opened(t, machine, draft).Publish(); err != nil {
		t.Fatal(err)
	}
	after, _ := open(t, theirs).Keys("targets")
	if slices.ContainsFunc(after, func(k Key) bool { return k.ID == old }) || !slices.ContainsFunc(after, func(k Key) bool { return strings.HasPrefix(k.File, ravi) }) {
		t.Errorf("the keys are %v", after)
	}
	// One key can't stand for two.
	both := first
	both.Keys = append(slices.Clone(first.Keys), second.Keys...)
	both.Keys = append(both.Keys, machine.Keys...)
	if err := open(t, both).Rotate("root", rootKey(t, both), public); err == nil || !strings.Contains(err.Error(), "a key of its own for each role") {
		t.Errorf("%v", err)
	}
}

func rootKey(t *testing.T, cfg Config) string {
	t.Helper()
	keys, _ := open(t, cfg).Keys("root")
	return keys[0].ID
}

// TestDraftAltered: whoever hands a draft on can't change it, and it is good for what
// it was made over alone.
func TestDraftAltered(t *testing.T) {
	first, second, machine := people(t)
	draft := filepath.Join(t.TempDir(), "draft.json")
	drafting := first
	drafting.Draft = draft
	program := built(t, "one")
	if err := open(t, drafting).Add(facts("1.0.0"), program); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(draft)
	if err != nil {
		t.Fatal(err)
	}
	for name, alter := range map[string][2]string{
		"a percentage":          {`"percent": 10`, `"percent": 11`},
		"a signature":           {`"sig": "`, `"sig": "00`},
		"somebody's key":        {`"keyid": "`, `"keyid": "00`},
		"what it was made over": {`"overTargets": 1`, `"overTargets": 2`},
		"an unknown word":       {`"overTargets": 1`, `"overTargets": 1, "and": 2`},
		"cut":                   {string(text[len(text)/2:]), ""},
	} {
		changed := strings.Replace(string(text), alter[0], alter[1], 1)
		if changed == string(text) {
			t.Fatalf("%s: nothing was altered in\n%s", name, text)
		}
		if _, err := open(t, second).parseDraft([]byte(changed)); err == nil {
			t.Errorf("%s was altered, and the draft is good", name)
		}
	}
	if missing, err := opened(t, second, draft).Sign(draft); err != nil || len(missing) != 0 {
		t.Fatalf("%v, %v", missing, err)
	}
	// The program did not come along.
	folder := filepath.Join(first.Folder, targetsFolder)
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	path := filepath.Join(folder, entries[0].Name())
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if err := opened(t, machine, draft).Publish(); err == nil || !strings.Contains(err.Error(), "copy it there") {
		t.Errorf("a release without its program was published: %v", err)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	// Another change came between.
	both := machine
	both.Keys = append(slices.Concat(first.Keys, second.Keys), machine.Keys...)
	if err := open(t, both).Add(facts("1.1.0"), built(t, "two")); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, machine).OpenDraft(draft); err == nil || !strings.Contains(err.Error(), "make it anew") {
		t.Errorf("an old draft is good: %v", err)
	}
}

// TestDraftEnds: a draft that lay around for longer than its word is good is not
// published: counters would take nothing from then on.
func TestDraftEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, machine := people(t)
		draft := filepath.Join(t.TempDir(), "draft.json")
		drafting := first
		drafting.Draft = draft
		if err := open(t, drafting).Add(facts("1.0.0"), built(t, "one")); err != nil {
			t.Fatal(err)
		}
		if _, err := opened(t, second, draft).Sign(draft); err != nil {
			t.Fatal(err)
		}
		time.Sleep(366 * day)
		if err := opened(t, machine, draft).Publish(); err == nil || !strings.Contains(err.Error(), "has ended meanwhile") {
			t.Errorf("published: %v", err)
		}
	})
}

func FuzzDraft(f *testing.F) {
	cfg := testRepository(f)
	drafting := cfg
	drafting.Draft = filepath.Join(f.TempDir(), "draft.json")
	if err := open(f, drafting).Add(facts("1.0.0"), built(f, "one")); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(drafting.Draft)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"overRoot":1,"overTargets":1,"root":{"signed":{"_type":"root","version":2}}}`))
	r := open(f, cfg)
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := r.parseDraft(text)
		if err != nil {
			return
		}
		var said bytes.Buffer
		if err := d.Show(&said); err != nil || d.targets == nil && d.root == r.root {
			t.Errorf("%v, %+v", err, d)
		}
	})
}

// TestPassphrases: keys of root and targets are sealed where somebody can be asked;
// each is opened when it signs and not before, and those of the machine never ask.
func TestPassphrases(t *testing.T) {
	dir, asked := t.TempDir(), 0
	cfg := Config{Folder: filepath.Join(dir, "releases"), Keys: []string{filepath.Join(dir, "keys")}, Rand: rand.Reader, Ask: knows("five words that nobody guesses", &asked)}
	if _, err := Init(cfg, KeyCount{1, 1}, KeyCount{1, 1}); err != nil {
		t.Fatal(err)
	}
	for name, sealed := range map[string]bool{"root-1.key": true, "targets-1.key": true, "snapshot-1.key": false, "timestamp-1.key": false} {
		text, err := os.ReadFile(filepath.Join(cfg.Keys[0], name))
		if err != nil || bytes.Contains(text, []byte(sealedType)) != sealed || bytes.Contains(text, []byte(pemType)) == sealed {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	asked = 0
	if err := open(t, cfg).Refresh(); err != nil || asked != 0 {
		t.Errorf("the machine was asked %d times: %v", asked, err)
	}
	wrong := cfg
	wrong.Ask = knows("another", &asked)
	if err := open(t, wrong).Add(facts("1.0.0"), built(t, "one")); err == nil || !strings.Contains(err.Error(), "is not opened by this passphrase") || strings.Contains(err.Error(), "another") {
		t.Errorf("a wrong passphrase: %v", err)
	}
	wrong.Ask = nil
	if err := open(t, wrong).Add(facts("1.0.0"), built(t, "one")); err == nil || !strings.Contains(err.Error(), "nobody can be asked") {
		t.Errorf("no passphrase: %v", err)
	}
	file := filepath.Join(cfg.Keys[0], "targets-1.key")
	if err := Reseal(file, func(_ string, made bool) (secret.Key, error) {
		if made {
			return secret.NewKey([]byte("another")), nil
		}
		return cfg.Ask(file, made)
	}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	asked, wrong.Ask = 0, knows("another", &asked)
	if err := open(t, wrong).Add(facts("1.0.0"), built(t, "one")); err != nil || asked != 1 {
		t.Errorf("the new passphrase was asked for %d times: %v", asked, err)
	}
	folder := t.TempDir()
	_, _, err := MakeKey(folder, "ravi", rand.Reader, func(string, bool) (secret.Key, error) { return secret.Key{}, errors.New("gone for lunch") })
	if left, globErr := filepath.Glob(filepath.Join(folder, "*")); err == nil || globErr != nil || len(left) != 0 {
		t.Errorf("a key whose owner gave no passphrase: %v, %v, %v", err, left, globErr)
	}
}
