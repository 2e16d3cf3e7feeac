package bugs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"galla/shared/bug"
)

// confession is what a program with a fault inside says at its start.
const confession = "built with a deliberate fault"

// build builds a program and gives its bytes.
func build(t *testing.T, program, tags string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-tags="+tags, "-o", out, program)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s with tags %q: %v\n%s", program, tags, err, text)
	}
	bytes, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// TestReleasesAreSound looks through programs: without tags there is nothing of
// a fault in them, and with one they say so.
func TestReleasesAreSound(t *testing.T) {
	for _, program := range []string{"./central/cmd/galla-central", "./edge/cmd/galla-edge"} {
		if bytes.Contains(build(t, program, ""), []byte(confession)) {
			t.Errorf("%s has a deliberate fault inside", program)
		}
	}
	if !bytes.Contains(build(t, "./edge/cmd/galla-edge", bug.Tag), []byte(confession)) {
		t.Error("a program with a fault inside does not say so: the test above sees nothing")
	}
}

// harmless are the tags that programs for people are built with: the first two
// leave C out of names and users, the third leaves out what SQLite could load.
var harmless = []string{"netgo", "osusergo", "sqlite_omit_load_extension"}

// tagged finds a build's tags.
var tagged = regexp.MustCompile(`(?:^|\s|")-tags[ =]"?([^\s"]+)`)

// TestNobodyBuildsWithFaults reads what builds programs for people.
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
			if strings.Contains(string(text), "bug_") {
				t.Errorf("%s names a deliberate fault", strings.TrimPrefix(file, root))
			}
			for _, found := range tagged.FindAllSubmatch(text, -1) {
				for tag := range strings.SplitSeq(string(found[1]), ",") {
					if !slices.Contains(harmless, tag) {
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
