//go:build !linux

package smalldisk

import (
	"os"
	"testing"
)

// Run runs a test on the file system that GALLA_SMALL_DISK names.
func Run(t *testing.T, _ int, test func(t *testing.T, dir string)) {
	t.Helper()
	dir := os.Getenv("GALLA_SMALL_DISK")
	if dir == "" {
		t.Skip("let GALLA_SMALL_DISK name a folder on a file system of some megabytes: this system gives a test none of its own")
	}
	test(t, dir)
}
