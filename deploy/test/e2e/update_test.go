//go:build linux

package e2e

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"galla/shared/files"
)

// publisher publishes releases by the command that people use.
type publisher struct {
	t         *testing.T
	dir, repo string
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	dir := t.TempDir()
	p := &publisher{t, dir, filepath.Join(dir, "repo")}
	must(t, os.WriteFile(p.passphrase(), []byte("five words that nobody guesses\n"), 0o600))
	// Without the race detector, under which opening a key takes many times as long.
	p.compile([]string{"build", "-buildvcs=false", "-o", filepath.Join(dir, "galla-release"), "./installers/cmd/galla-release"})
	p.run("init")
	must(t, os.WriteFile(p.root(), []byte(p.run("root")), 0o600))
	return p
}

// root is the file of the root of trust.
func (p *publisher) root() string { return filepath.Join(p.dir, "root.json") }

// passphrase is the file with the passphrase of the publisher's keys.
func (p *publisher) passphrase() string { return filepath.Join(p.dir, "passphrase") }

func (p *publisher) run(args ...string) string {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(p.dir, "galla-release"), args...)
	cmd.Env = append(os.Environ(), "GALLA_RELEASES="+p.repo, "GALLA_RELEASE_KEYS="+filepath.Join(p.dir, "keys"), "GALLA_RELEASE_PASSPHRASE_FILE="+p.passphrase(), "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("galla-release %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// released builds galla-edge as a version.
func (p *publisher) released(version string) string {
	p.t.Helper()
	out := filepath.Join(p.dir, "galla-edge-"+version)
	args := []string{"build", "-buildvcs=false", "-ldflags", "-X galla/installers.release=" + version, "-o", out}
	if raceOn {
		args = append(args, "-race")
	}
	p.compile(append(args, "./edge/cmd/galla-edge"))
	return out
}

// crashing builds a program that ends at once.
func (p *publisher) crashing() string {
	p.t.Helper()
	source, out := filepath.Join(p.dir, "crash.go"), filepath.Join(p.dir, "crash")
	must(p.t, os.WriteFile(source, []byte("package main\n\nimport \"os\"\n\nfunc main() { os.Exit(2) }\n"), 0o600))
	p.compile([]string{"build", "-o", out, source})
	return out
}

func (p *publisher) compile(args []string) {
	p.t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = shop.root
	if text, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("go %v: %v\n%s", args, err, text)
	}
}

// reportsVersion reports whether the central sees the counter at a version.
func (h *sandbox) reportsVersion(version string) bool {
	resp, err := http.Get(h.url("ADMIN") + "/metrics")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return err == nil && regexp.MustCompile(`terminals_version\{version="`+regexp.QuoteMeta(version)+`"\} 1\n`).Match(text)
}

// childPID is the process of the release that serves, below the launcher that edge.pid
// names; 0: none.
func (h *sandbox) childPID() int {
	pid, err := files.ReadPID(filepath.Join(h.data, "releases", "serving.pid"))
	if err != nil {
		return 0
	}
	return pid
}

func (h *sandbox) hasLogged(text string) bool {
	b, err := os.ReadFile(h.logPath())
	return err == nil && strings.Contains(string(b), text)
}

// TestUpdates is the life of a counter in the field: it is installed at 1.0.0, installs
// a release that the publisher signed and the central offers, goes back from one that
// crashes, refuses one that was tampered with, is killed at any point, and keeps its
// operations through all of it.
func TestUpdates(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	h := newSandbox(t, "GALLA_UPDATES="+p.repo, "GALLA_COUNTER_UPDATES=on", "GALLA_UPDATE_ROOT="+p.root(),
		"GALLA_COUNTER_UPDATE_EVERY=4s", "GALLA_COUNTER_UPDATE_IDLE=2s")
	installed := filepath.Join(h.bin, "galla-edge")
	must(t, os.Remove(installed))
	must(t, os.Rename(p.released("1.0.0"), installed))
	h.start()
	t.Cleanup(func() { h.close() })
	waitUntil(t, "1.0.0 runs", time.Minute, func() bool { return h.reportsVersion("1.0.0") })

	agent, err := newAgent(h.url("COUNTER"))
	must(t, err)
	must(t, h.placeFinger(fatima))
	agent.signIn(t)
	must(t, h.placeFinger(choudhury))
	var pays [2]string
	for i, paise := range []int64{500_00, 510_97} { // the second executes, and the bank never answers
		must(t, agent.unlocked(func() error {
			id, page, err := agent.begin(choudhury, paise)
			pays[i] = id
			if err != nil {
				return err
			}
			return agent.capture(id, page)
		}))
		waitUntil(t, "the finger was taken", time.Minute, func() bool {
			state, _, err := agent.look(pays[i])
			return err == nil && state != "ready" && state != "capturing" && state != "reserved" && (i == 1 || state == "succeeded")
		})
	}

	good := p.released("1.1.0")
	p.run("add", "1.1.0", good, "--percent", "0")
	waitUntil(t, "it was looked for a release", time.Minute, func() bool {
		entries, err := os.ReadDir(filepath.Join(h.data, "releases", "tuf"))
		return err == nil && len(entries) >= 4
	})
	if h.reportsVersion("1.1.0") {
		t.Error("a release for none of the counters was taken")
	}
	p.run("stage", "1.1.0", "--percent", "100")
	waitUntil(t, "1.1.0 runs", 2*time.Minute, func() bool { return h.reportsVersion("1.1.0") })
	waitUntil(t, "1.1.0 is known to work", time.Minute, func() bool {
		return h.hasLogged(`msg="a release is healthy" release=1.1.0`) || h.hasLogged(`"a release is healthy","release":"1.1.0"`)
	})

	// Killed, child or launcher, it comes back as what it was.
	for _, whom := range []string{"child", "parent"} {
		old := h.childPID()
		pid := old
		if whom == "parent" {
			pid = h.pid("edge")
		}
		must(t, files.Signal(pid, syscall.SIGKILL))
		waitUntil(t, "the "+whom+" was killed, and 1.1.0 runs", time.Minute, func() bool { return h.childPID() != old && h.reportsVersion("1.1.0") })
	}

	// It goes back from a release that crashes.
	p.run("add", "1.2.0", p.crashing(), "--percent", "100", "--other", "--os", "linux", "--arch", "amd64")
	releases := func() string {
		cmd := exec.Command(installed, "releases")
		cmd.Env = append(os.Environ(), "GALLA_DATA="+h.data, "GALLA_UPDATE_ROOT="+p.root(), "GORACE=atexit_sleep_ms=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	waitUntil(t, "1.2.0 crashes, and 1.1.0 works in its place", 2*time.Minute, func() bool { return strings.Contains(releases(), "failed 1 time(s)") })
	waitUntil(t, "1.1.0 runs again", time.Minute, func() bool { return h.reportsVersion("1.1.0") })

	// It refuses a release that was tampered with; the signed original it installs.
	p.run("add", "1.3.0", p.released("1.3.0"), "--percent", "0")
	targets, err := filepath.Glob(filepath.Join(p.repo, "targets", "*1.3.0*"))
	must(t, err)
	whole, err := os.ReadFile(targets[0])
	must(t, err)
	whole[len(whole)/2] ^= 1
	must(t, os.WriteFile(targets[0], whole, 0o644))
	p.run("stage", "1.3.0", "--percent", "100")
	waitUntil(t, "the tampered release is noticed", time.Minute, func() bool { return h.hasLogged("the file is not the one that was signed") })
	if !h.reportsVersion("1.1.0") {
		t.Error("1.1.0 does not run")
	}
	whole[len(whole)/2] ^= 1
	must(t, os.WriteFile(targets[0], whole, 0o644))
	waitUntil(t, "1.3.0 runs", 2*time.Minute, func() bool { return h.reportsVersion("1.3.0") })

	// The page says so, and every operation is there.
	must(t, agent.unlocked(func() error {
		_, page, err := agent.get("/program")
		if err == nil && !strings.Contains(page, "1.3.0") {
			t.Errorf("the page of the program:\n%s", page)
		}
		return err
	}))
	for _, id := range pays {
		waitUntil(t, "operation "+id+" succeeded", 2*time.Minute, func() bool {
			state, _, err := agent.look(id)
			return err == nil && state == "succeeded"
		})
	}
	h.checkDoubleEntry()
}
