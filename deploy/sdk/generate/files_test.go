package generate

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the files instead of comparing them")

// TestFilesAreNew compares the checked-in files with what the document gives now.
func TestFilesAreNew(t *testing.T) {
	files, err := Files(model(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join("..", filepath.FromSlash(name))
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		old, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(old, text) {
			t.Errorf("deploy/sdk/%s is not what the OpenAPI document gives (%v): go test ./deploy/sdk/generate -update", name, err)
		}
	}
}
