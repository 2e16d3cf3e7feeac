//go:build linux

package installtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Versions that are made: one, and the one above it.
const (
	older = "1.0.0"
	newer = "1.0.1"
)

// Waits for things that must happen; their length says nothing but 'never'.
const (
	makeWait  = 35 * time.Minute // a whole `make dist` without a cache; the tests end after 40
	toolWait  = 5 * time.Minute
	startWait = 2 * time.Minute
)

// buildCache is what all tests of a run share.
type buildCache struct {
	root  string // of the repository
	work  string // everything that is made
	start chan func()

	copied func() error            // makes the two copies of the tree, once
	builds map[string]func() error // makes each build, once
	debian func() error            // makes the Debian that all others are unpacked from, once
	making sync.Mutex              // one at a time: each has work for all processors
}

// cache is set once by TestMain, before any test runs.
var cache buildCache

func TestMain(m *testing.M) {
	code, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "installtest:", err)
		code = 1
	}
	os.Exit(code)
}

func runAll(m *testing.M) (int, error) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return 1, err
	}
	work, err := os.MkdirTemp("", "galla-installtest-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(work)
	cache.root, cache.work, cache.start = root, work, make(chan func())
	cache.copied, cache.builds = sync.OnceValue(copyTrees), map[string]func() error{}
	cache.debian = sync.OnceValue(makeDebian)
	for _, b := range builds {
		cache.builds[b.out] = sync.OnceValue(b.make)
	}
	go serveStarts(cache.start)
	return m.Run(), nil
}

// serveStarts starts processes from one thread that lives as long as the tests:
// the kernel ends them with it, even where a test's time limit ends everything.
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
	cache.start <- func() { result <- cmd.Start() }
	return <-result
}

// build is one run of `make dist`.
type build struct {
	out, tree, version, mask string
	env                      []string
}

// The builds: "first" and "again" are the older version, made of two copies of the tree, of
// which nothing around them may show in what is made; "next" is the newer one, whose setup
// is packed quickly, for its packing is tested by the two others. With AFRESH=1 "again"
// compiles a program of Go alone and the C code anew: that takes minutes, and is for a
// release (make test-all AFRESH=1).
var builds = []build{
	{"first", "tree", older, "022", nil},
	{"again", "elsewhere/of another name", older, "077", []string{"TZ=Asia/Kolkata", "LC_ALL=C.UTF-8", "USER=somebody", "AFRESH=" + os.Getenv("AFRESH")}},
	{"next", "tree", newer, "022", []string{"SETUP_COMPRESSOR=zlib"}},
}

// dist is the folder of one build, which is made where no test asked for it before.
func dist(t *testing.T, name string) string {
	t.Helper()
	if kept := os.Getenv("GALLA_DIST"); kept != "" {
		return filepath.Join(kept, name)
	}
	if err := cache.builds[name](); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache.work, name)
}

// copyTrees makes the signer's key, and the two copies of the tree.
func copyTrees() error {
	key, cert := signerFiles(cache.work)
	if _, err := tool(cache.work, nil, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Galla's tests",
		"-addext", "keyUsage=digitalSignature", "-addext", "extendedKeyUsage=codeSigning", "-keyout", key, "-out", cert); err != nil {
		return err
	}
	moment := time.Now().UTC().Format(time.RFC3339)
	for _, b := range builds[:2] {
		if err := clone(filepath.Join(cache.work, b.tree), moment); err != nil {
			return err
		}
	}
	return nil
}

// make makes it, signed by the one key.
func (b build) make() error {
	cache.making.Lock()
	defer cache.making.Unlock()
	if err := cache.copied(); err != nil {
		return err
	}
	began := time.Now()
	key, cert := signerFiles(cache.work)
	out := filepath.Join(cache.work, b.out)
	err := run(filepath.Join(cache.work, b.tree), append([]string{"SIGN_KEY=" + key, "SIGN_CERT=" + cert, "OUT=" + out}, b.env...), makeWait,
		"sh", "-c", `umask "$0" && exec make --no-print-directory dist VERSION="$1"`, b.mask, b.version)
	if err != nil {
		return err
	}
	fmt.Printf("    the build %q took %.0f s\n", b.out, time.Since(began).Seconds())
	if keep := os.Getenv("GALLA_KEEP_DIST"); keep != "" {
		_, err = tool(cache.work, nil, "cp", "-a", b.out, key, cert, keep)
	}
	return err
}

func signerFiles(folder string) (key, cert string) {
	return filepath.Join(folder, "signer.key"), filepath.Join(folder, "signer.crt")
}

// clone puts the tree, as it stands and without what git ignores, into a folder
// as a repository of one commit, of the given moment.
func clone(folder, moment string) error {
	list, err := tool(cache.root, nil, "git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimRight(list, "\x00"), "\x00") {
		if err := copyFile(filepath.Join(cache.root, name), filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	dates := []string{"GIT_AUTHOR_DATE=" + moment, "GIT_COMMITTER_DATE=" + moment}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=Test", "-c", "user.email=test@galla.invalid", "commit", "-q", "-m", "The tree as it stands."}} {
		if _, err := tool(folder, dates, "git", args...); err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies with the mode; a file that is gone from the tree is left out.
func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}

// run runs a command whose output only matters where it fails.
func run(dir string, env []string, limit time.Duration, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.WaitDelay = 10 * time.Second
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, text[max(0, len(text)-8000):])
	}
	return nil
}

// tool runs a command and gives what it wrote to standard output.
func tool(dir string, env []string, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), toolWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.WaitDelay = 10 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String(), nil
}

// need fails where a program is missing, and names Debian's package of it.
func need(t *testing.T, program, pack string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("%s is missing: apt-get install %s", program, pack)
	}
}

// asRoot fails where another user runs the tests.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("a Debian of its own can only be made by root: run make test-all as root")
	}
}

// answers tells whether an address answers, and with what text.
func answers(url string) (text string, ok bool) {
	client := http.Client{Timeout: 10 * time.Second}
	reply, err := client.Get(url)
	if err != nil {
		return err.Error(), false
	}
	defer func() { _ = reply.Body.Close() }()
	body, err := io.ReadAll(reply.Body)
	return string(body), err == nil && reply.StatusCode == http.StatusOK
}

// until waits for something that must happen; why tells more where it never does.
func until(t *testing.T, what string, why func() string, cond func() bool) {
	t.Helper()
	for began := time.Now(); !cond(); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > startWait {
			t.Fatalf("never happened in %s: %s\n%s", startWait, what, why())
		}
	}
}
