// Package smalldisk gives tests a file system that is really full: a tmpfs of some
// megabytes, in its own mount namespace that ends with the test. It needs unshare and
// mount of util-linux, and either root or user namespaces.
package smalldisk

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// inside names the folder to the process inside the namespace.
const inside = "GALLA_SMALL_DISK"

// Run runs a top-level test once more in its own process, with dir a folder on a file
// system of so many megabytes. The environment variable GALLA_SMALL_DISK names a folder
// to use instead.
func Run(t *testing.T, megabytes int, test func(t *testing.T, dir string)) {
	t.Helper()
	if dir := os.Getenv(inside); dir != "" {
		test(t, dir)
		return
	}
	dir := t.TempDir()
	// Root keeps its user inside; others become root.
	own := "-rm"
	if os.Geteuid() == 0 {
		own = "-m"
	}
	mount := fmt.Sprintf(`mount -t tmpfs -o size=%dm galla "$%s" && exec "$0" "$@"`, megabytes, inside)
	cmd := exec.CommandContext(t.Context(), "unshare", own, "sh", "-c", mount, os.Args[0],
		"-test.v", "-test.count=1", "-test.run=^"+regexp.QuoteMeta(t.Name())+"$")
	cmd.Env = append(os.Environ(), inside+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("on a small file system (it takes root or user namespaces; or let %s name a folder on one): %v\n%s", inside, err, out)
		return
	}
	t.Logf("on a small file system:\n%s", out)
}
