package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCopyByRelativePaths copies by the paths that the commands have by default:
// they begin in the folder in which the command was started.
func TestCopyByRelativePaths(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("data", 0o700); err != nil {
		t.Fatal(err)
	}
	from, to := filepath.Join("data", "central.db"), filepath.Join("data", "copy.db")
	absolute, err := filepath.Abs(from)
	if err != nil {
		t.Fatal(err)
	}
	own := Connect(absolute)
	if err := errors.Join(making(t.Context(), own), own.Close()); err != nil {
		t.Fatal(err)
	}
	if err := Copy(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	if err := Check(to); err != nil {
		t.Error(err)
	}
}
