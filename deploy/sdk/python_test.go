package sdk

import (
	"os"
	"os/exec"
	"testing"
)

// TestPythonTypes checks the types of the Python package and of its story, strictly.
func TestPythonTypes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("mypy"); err != nil {
		if os.Getenv("GALLA_WITHOUT_LANGUAGES") != "" {
			t.Skip("GALLA_WITHOUT_LANGUAGES is set")
		}
		t.Fatalf("%v: run deploy/tools/need.sh languages, or set GALLA_WITHOUT_LANGUAGES=1 to leave it out", err)
	}
	cmd := exec.CommandContext(t.Context(), "mypy", "--strict", "--python-version", "3.9", "--cache-dir", t.TempDir(), "src/galla", "examples/story.py", "examples/withdraw.py")
	cmd.Dir = "python"
	cmd.Env = append(os.Environ(), "MYPYPATH=src:examples")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("mypy: %v\n%s", err, out)
	}
}
