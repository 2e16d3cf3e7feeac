package sdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTypes lets the TypeScript compiler judge the types of the package for Node, and a
// program that uses them, as strictly as it can.
func TestTypes(t *testing.T) {
	t.Parallel()
	tsc, err := filepath.Abs(filepath.Join("..", "..", "build", "npm", "node_modules", ".bin", "tsc"))
	if err == nil {
		_, err = os.Stat(tsc)
	}
	if err != nil {
		if os.Getenv("GALLA_WITHOUT_NEWMAN") != "" {
			t.Skip("GALLA_WITHOUT_NEWMAN is set")
		}
		t.Fatalf("%v: run deploy/tools/need.sh partner, or set GALLA_WITHOUT_NEWMAN=1 to leave it out", err)
	}
	if out, err := exec.CommandContext(t.Context(), tsc, "-p", filepath.Join("node", "test", "tsconfig.json")).CombinedOutput(); err != nil {
		t.Errorf("the types of the package: %v\n%s", err, out)
	}
}
