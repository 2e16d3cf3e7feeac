package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/installers/publish"
)

// The commands, one after the other, and what a build has recorded: a file that is
// another program, or for another system, is not published by mistake.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	c := &cli{Folder: filepath.Join(dir, "releases"), Keys: []string{filepath.Join(dir, "keys")}, out: io.Discard}
	if err := os.Mkdir(c.Keys[0], 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(what string, err error, want string) {
		t.Helper()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	add := func(version, program string, other bool) *addCmd {
		return &addCmd{Version: version, Program: []string{program}, OS: "linux", Arch: "amd64", Percent: 5, Other: other}
	}
	run("show before init", (&showCmd{}).Run(c), "has no root")
	run("init", (&initCmd{RootKeys: 3, RootThreshold: 2, TargetsKeys: 2, TargetsThreshold: 2}).Run(c), "")
	run("no version", add("v1", os.Args[0], false).Run(c), "is no version")
	run("no program", add("1.0.0", text, false).Run(c), "no program of Go")
	run("another program", add("1.0.0", os.Args[0], false).Run(c), "releases are of galla/edge/cmd/galla-edge")
	run("on demand", add("1.0.0", text, true).Run(c), "")
	run("twice", (&addCmd{Version: "1.0.1", Program: []string{text, text}, OS: "linux", Arch: "amd64", Percent: 5, Other: true}).Run(c), "is published already")
	run("stage", (&stageCmd{Version: "1.0.0", Percent: 50}).Run(c), "")
	run("stage nothing", (&stageCmd{Version: "2.0.0", Percent: 50}).Run(c), publish.ErrNoRelease.Error())
	run("refresh", (&refreshCmd{}).Run(c), "")
	run("renew", (&rotateCmd{Role: "root"}).Run(c), "")
	run("ends soon", (&showCmd{Within: 30 * 24 * time.Hour}).Run(c), errEnding.Error())
	run("does not end soon", (&showCmd{Within: time.Hour}).Run(c), "")
	run("withdraw", (&withdrawCmd{Version: "1.0.0"}).Run(c), "")
	run("root", (&rootCmd{}).Run(c), "")
	draftFile := filepath.Join(dir, "draft.json")
	drafted := add("1.1.0", text, true)
	drafted.Draft = draftFile
	run("a draft", drafted.Run(c), "")
	run("another program was seen", (&signCmd{File: draftFile, Program: []string{os.Args[0]}}).Run(c), "nothing was signed")
	run("more programs were seen", (&signCmd{File: draftFile, Program: []string{text, os.Args[0]}}).Run(c), "does not add")
	run("look", (&signCmd{File: draftFile, Look: true}).Run(c), "")
	run("sign", (&signCmd{File: draftFile, Program: []string{text}}).Run(c), "")
	run("publish", (&publishCmd{File: draftFile}).Run(c), "")
	run("publish again", (&publishCmd{File: draftFile}).Run(c), "make it anew")
	run("withdraw the draft's", (&withdrawCmd{Version: "1.1.0"}).Run(c), "")
	run("a path for a key's name", (&keyCmd{Name: "../asha"}).Run(c), "no name for a key")
	run("a key", (&keyCmd{Name: "asha"}).Run(c), "")
	r, err := publish.Open(c.config(validity{}))
	if err != nil || len(r.Catalogue().Releases) != 0 {
		t.Errorf("%v, %v", r.Catalogue(), err)
	}
}

// TestProvenanceCommands: what was built is described, signed by one after the other, and
// verified by the root.
func TestProvenanceCommands(t *testing.T) {
	dir := t.TempDir()
	var said strings.Builder
	c := &cli{Folder: filepath.Join(dir, "releases"), Keys: []string{filepath.Join(dir, "keys")}, out: &said}
	built, root := filepath.Join(dir, "dist"), filepath.Join(dir, "root.json")
	file := filepath.Join(built, "galla-edge.deb")
	ravi := *c
	ravi.Keys = []string{filepath.Join(dir, "ravi")}
	for _, folder := range []string{c.Keys[0], ravi.Keys[0], built} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte("package"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(err error, want string) {
		t.Helper()
		if err != nil || !strings.Contains(said.String(), want) {
			t.Fatalf("%v, %q, want %q", err, said.String(), want)
		}
		said.Reset()
	}
	run((&initCmd{RootKeys: 1, RootThreshold: 1, TargetsKeys: 2, TargetsThreshold: 2}).Run(c), "")
	if err := os.Rename(filepath.Join(c.Keys[0], "targets-2.key"), filepath.Join(ravi.Keys[0], "targets-2.key")); err != nil {
		t.Fatal(err)
	}
	said.Reset()
	run((&rootCmd{}).Run(c), "")
	r, err := publish.Open(c.config(validity{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root, r.Root(), 0o600); err != nil {
		t.Fatal(err)
	}
	run((&provenanceCmd{Files: built, Version: "1.4.0", Revision: strings.Repeat("5e", 20), Builder: "urn:galla:publisher"}).Run(), "")
	run((&attestCmd{Files: built}).Run(c), "1 of 2 signatures")
	verify := &verifyCmd{File: []string{file}, Root: root}
	if err := verify.Run(c); err == nil {
		t.Error("it verifies with one signature")
	}
	said.Reset()
	run((&attestCmd{Files: built}).Run(&ravi), "all have signed")
	run(verify.Run(c), "is of release 1.4.0, made from commit 5e5e")
	if err := os.WriteFile(file, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := verify.Run(c); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("a file that was changed: %v", err)
	}
	if err := (&verifyCmd{File: []string{file}, Provenance: filepath.Join(built, publish.EnvelopeFile)}).Run(c); err == nil {
		t.Error("it verifies without the root of those who signed")
	}
}

// TestPassphrases: they come from a file, are long enough where they are new, and all
// keys of one command have the same.
func TestPassphrases(t *testing.T) {
	file := func(text string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "passphrase")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for text, want := range map[string]string{
		"five words that nobody guesses\r\n": "", "short\n": "can be guessed", "\n": "is empty",
		strings.Repeat("x", maxPassphrase+1): "more than",
	} {
		given, err := passphrases(file(text))("targets-1.key", true)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) || want == "" && (err != nil || string(given.Reveal()) != "five words that nobody guesses") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if _, err := passphrases(file("short"))("targets-1.key", false); err != nil {
		t.Errorf("a passphrase of before: %v", err)
	}
	name := file("five words that nobody guesses")
	ask := passphrases(name)
	if _, err := ask("targets-1.key", true); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if _, err := ask("targets-2.key", true); err != nil {
		t.Errorf("it was asked for twice: %v", err)
	}
	// A key without one gets its first.
	dir := t.TempDir()
	c := &cli{Keys: []string{dir}, out: io.Discard}
	if err := (&keyCmd{Name: "asha"}).Run(c); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "asha-1.key")
	c.ask = passphrases(file("five words that nobody guesses"))
	if err := (&resealCmd{File: key, New: file("five others that nobody knows")}).Run(c); err != nil {
		t.Fatal(err)
	}
	if err := (&resealCmd{File: key, New: file("five words that nobody guesses")}).Run(c); err == nil || !strings.Contains(err.Error(), "not opened by this passphrase") {
		t.Errorf("another passphrase opens it: %v", err)
	}
}
