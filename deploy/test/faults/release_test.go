package faults

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOverlay checks that each change of the overlay has its place in the code.
func TestOverlay(t *testing.T) {
	if _, err := writeOverlay(root, t.TempDir()); err != nil {
		t.Error(err)
	}
}

// TestProductHasNoFaults checks that no code outside this package reads the variable
// that chooses a fault.
func TestProductHasNoFaults(t *testing.T) {
	read := 0
	for _, top := range []string{"central", "edge", "shared", "rdservice", "installers", "deploy"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || filepath.Base(filepath.Dir(path)) == "faults" {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), variable) || strings.Contains(string(text), "deliberateFault") {
				t.Errorf("%s has a deliberate fault", path)
			}
			read++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 500 {
		t.Errorf("only %d files were read", read)
	}
}

// cleanBuild are the tags that released programs are built with: the first two leave C
// out of names and users, the third removes SQLite's loading of extensions.
var cleanBuild = []string{"netgo", "osusergo", "sqlite_omit_load_extension"}

// tagged finds a build's tags.
var tagged = regexp.MustCompile(`(?:^|\s|")-tags[ =]"?([^\s"]+)`)

// TestNobodyBuildsWithFaults reads the scripts that build programs for people.
func TestNobodyBuildsWithFaults(t *testing.T) {
	read := 0
	for _, pattern := range []string{"Makefile", ".ci/*", "installers/*", "installers/*/*", "deploy/*/*.sh", "deploy/*/*ontainerfile", "deploy/*/Dockerfile"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				continue // a folder
			}
			read++
			if strings.Contains(string(text), "-overlay") {
				t.Errorf("%s builds with an overlay", strings.TrimPrefix(file, root))
			}
			for _, found := range tagged.FindAllSubmatch(text, -1) {
				for tag := range strings.SplitSeq(string(found[1]), ",") {
					if !slices.Contains(cleanBuild, tag) {
						t.Errorf("%s builds with the tag %s", strings.TrimPrefix(file, root), tag)
					}
				}
			}
		}
	}
	if read == 0 {
		t.Error("no file was read")
	}
}
