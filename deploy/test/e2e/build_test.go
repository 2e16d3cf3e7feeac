//go:build linux

package e2e

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// programs are what `make build` builds, by file name.
var programs = map[string]string{
	"galla-central": "./central/cmd/galla-central",
	"galla-bank":    "./central/cmd/galla-bank",
	"galla-rdsim":   "./rdservice/cmd/galla-rdsim",
	"galla-edge":    "./edge/cmd/galla-edge",
	"galla-local":   "./deploy/local",
}

// testBuild is what all tests of a run share.
type testBuild struct {
	root  string // of the repository
	bin   string // the built programs
	start chan func()
}

// shop is set once by TestMain, before any test runs.
var shop testBuild

func TestMain(m *testing.M) {
	code, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func runAll(m *testing.M) (int, error) {
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		return 1, err
	}
	bin, err := os.MkdirTemp("", "galla-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(bin)
	if made := os.Getenv(madeVariable); made != "" {
		bin = made
	} else if err := buildAll(root, bin); err != nil {
		return 1, err
	}
	shop.root, shop.bin, shop.start = root, bin, make(chan func())
	go serveStarts(shop.start)
	return m.Run(), nil
}

// madeVariable is the environment variable that names a folder with programs that were
// built before (deploy/test/faults).
const madeVariable = "GALLA_E2E_PROGRAMS"

// buildAll builds the programs into a folder.
func buildAll(root, bin string) error {
	if err := build(root, bin+"/", slices.Sorted(maps.Values(programs))...); err != nil {
		return err
	}
	return os.Rename(filepath.Join(bin, "local"), filepath.Join(bin, "galla-local"))
}

// build builds programs, into a folder where there are several.
func build(root, out string, pkgs ...string) error {
	args := []string{"build", "-buildvcs=false", "-o", out}
	if raceOn {
		args = append(args, "-race")
	}
	if tags := ownTags(); tags != "" {
		args = append(args, "-tags", tags)
	}
	cmd := exec.Command("go", append(args, pkgs...)...)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", strings.Join(pkgs, " "), err, text)
	}
	return nil
}

// ownTags are the build tags of the test, which its programs have too.
func ownTags() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			return s.Value
		}
	}
	return ""
}

// serveStarts starts processes from one thread that lives as long as the tests: the
// kernel ends them with it, even if a test's time limit ends everything.
func serveStarts(work <-chan func()) {
	runtime.LockOSThread()
	for f := range work {
		f()
	}
}

// launch starts a process that ends with the tests.
func launch(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	result := make(chan error, 1)
	shop.start <- func() { result <- cmd.Start() }
	return <-result
}
