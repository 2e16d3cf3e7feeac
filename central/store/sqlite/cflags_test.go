package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryBuildHasTheFlags: a program that is handed out syncs by fdatasync.
func TestEveryBuildHasTheFlags(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	for _, name := range []string{"Makefile", "installers/dist.sh", "deploy/container/Containerfile"} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "cat central/store/sqlite/cflags") {
			t.Errorf("%s builds without central/store/sqlite/cflags", name)
		}
	}
	flags, err := os.ReadFile("cflags")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(flags), "-DHAVE_FDATASYNC=1") {
		t.Errorf("the flags are %s", flags)
	}
}
