//go:build linux

package container

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// root of the repository, from here.
const root = "../.."

// engine is buildah with a store of its own. It works without a daemon, without
// namespaces of its own (chroot), and by copying (vfs), so that it runs in a container,
// too.
type engine struct {
	t      *testing.T
	folder string
}

func newEngine(t *testing.T) engine {
	t.Helper()
	if os.Getenv("GALLA_WITHOUT_BUILDAH") != "" {
		t.Skip("the image is left out: GALLA_WITHOUT_BUILDAH is set")
	}
	if _, err := exec.LookPath("buildah"); err != nil || os.Getuid() != 0 {
		t.Fatal("buildah is missing, or this is not root: apt-get install --no-install-recommends buildah, and sudo (or set GALLA_WITHOUT_BUILDAH=1 to leave the image out)")
	}
	return engine{t, t.TempDir()}
}

func (e engine) run(args ...string) string {
	e.t.Helper()
	cmd := exec.Command("buildah", append([]string{"--root", filepath.Join(e.folder, "store"), "--runroot", filepath.Join(e.folder, "run"), "--storage-driver", "vfs"}, args...)...)
	cmd.Env = append(os.Environ(), "BUILDAH_ISOLATION=chroot")
	cmd.Dir = root
	var said strings.Builder
	cmd.Stderr = &said
	began := time.Now()
	out, err := cmd.Output()
	e.t.Logf("buildah %s took %.1f s", args[0], time.Since(began).Seconds())
	if err != nil {
		e.t.Fatalf("buildah %s: %v\n%s%s", args[0], err, out, said.String())
	}
	return strings.TrimSpace(string(out))
}

// builder makes the image that compiles: an empty root into which this machine's /usr
// is mounted.
func (e engine) builder(name string) {
	e.t.Helper()
	dir := filepath.Join(e.folder, "builder")
	for _, sub := range []string{"etc/ssl/certs", "usr", "tmp", "root"} {
		must(e.t, os.MkdirAll(filepath.Join(dir, sub), 0o755))
	}
	for _, link := range []string{"bin", "sbin", "lib", "lib64"} {
		must(e.t, os.Symlink("usr/"+link, filepath.Join(dir, link)))
	}
	certificates, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	must(e.t, err)
	must(e.t, os.WriteFile(filepath.Join(dir, "etc/ssl/certs/ca-certificates.crt"), certificates, 0o644))
	must(e.t, os.WriteFile(filepath.Join(dir, "etc/passwd"), []byte("root:x:0:0:root:/root:/bin/sh\n"), 0o644))
	c := e.run("from", "--name", "builder", "scratch")
	e.run("add", "--quiet", c, dir, "/")
	e.run("config", "--env", "PATH="+filepath.Join(goEnv(e.t, "GOROOT"), "bin")+":/usr/bin:/bin", "--env", "GOPROXY=off", "--env", "GOFLAGS=-mod=mod", c)
	e.run("commit", "--quiet", c, name)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}

// build builds a target of the Containerfile with this machine's compiler and
// caches.
func (e engine) build(tag string, args ...string) {
	e.t.Helper()
	// The builder asks nothing of the network: this machine provides what it would
	// fetch.
	fetch := exec.Command("go", "mod", "download")
	fetch.Dir = root
	if out, err := fetch.CombinedOutput(); err != nil {
		e.t.Fatalf("go mod download: %v\n%s", err, out)
	}
	mount := func(path, to string) []string { return []string{"--volume", path + ":" + to} }
	list := []string{"build", "--quiet", "--format", "docker", "--file", "deploy/container/Containerfile", "--ignorefile", ".containerignore",
		"--build-arg", "BUILDER=localhost/builder", "--build-arg", "VERSION=1.2.3", "--tag", tag, "--volume", "/usr:/usr:ro"}
	list = append(list, mount(goEnv(e.t, "GOMODCACHE"), "/root/go/pkg/mod")...)
	list = append(list, mount(goEnv(e.t, "GOCACHE"), "/root/.cache/go-build")...)
	e.run(append(append(list, args...), ".")...)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestImage builds the central's image and the sandbox bank's, checks the files of the
// central's, and runs it.
func TestImage(t *testing.T) {
	e := newEngine(t)
	e.builder("localhost/builder")
	e.build("galla-central")
	var image struct {
		Docker struct {
			Config struct {
				User, StopSignal string
				Env              []string
				Entrypoint, Cmd  []string
				ExposedPorts     map[string]any
				Healthcheck      struct{ Test []string }
			} `json:"config"`
		}
	}
	must(t, json.Unmarshal([]byte(e.run("inspect", "--type", "image", "galla-central")), &image))
	c := image.Docker.Config
	if c.User != "65532:65532" || c.StopSignal != "SIGTERM" || !slices.Equal(c.Entrypoint, []string{"/usr/bin/galla-central"}) || !slices.Equal(c.Cmd, []string{"run"}) ||
		len(c.ExposedPorts) != 3 || !slices.Equal(c.Healthcheck.Test, []string{"CMD", "/usr/bin/galla-central", "health"}) {
		t.Errorf("the image says of itself: %+v", c)
	}
	e.run("from", "--name", "central", "galla-central")
	inside := e.run("mount", "central")
	inspect(t, inside)
	serve(t, inside, c.Env)

	e.build("galla-bank", "--target", "sandbox")
	e.run("from", "--name", "bank", "galla-bank")
	if _, err := os.Stat(filepath.Join(e.run("mount", "bank"), "usr/bin/galla-bank")); err != nil {
		t.Error(err)
	}
}

// inspect walks through the image's files: they are only those that were put there on
// purpose.
func inspect(t *testing.T, inside string) {
	t.Helper()
	want := []string{"etc/group", "etc/passwd", "etc/ssl/certs/ca-certificates.crt", "usr/bin/galla-central"}
	var found []string
	size := int64(0)
	must(t, filepath.WalkDir(inside, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(inside, path)
		found, size = append(found, name), size+info.Size()
		if !d.Type().IsRegular() || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 || info.Mode().Perm()&0o022 != 0 {
			t.Errorf("%s is %s", name, info.Mode())
		}
		return nil
	}))
	slices.Sort(found)
	if !slices.Equal(found, want) {
		t.Errorf("the image holds %v, want %v", found, want)
	}
	own, err := os.Stat(filepath.Join(inside, "var/lib/galla"))
	must(t, err)
	if s := own.Sys().(*syscall.Stat_t); s.Uid != 65532 || own.Mode().Perm()&0o022 != 0 {
		t.Errorf("the data folder is of user %d, %s", s.Uid, own.Mode())
	}
	t.Logf("the image holds %d files, %.1f MB", len(found), float64(size)/1e6)
}

// inTheImage runs the program as an engine does: a read-only root, a writable data
// folder, an unprivileged user, a network of its own. It runs as a sandbox, whose
// central needs nothing but itself.
const inTheImage = `set -eu
ip link set lo up
mount --bind "$INSIDE" "$INSIDE"
mount -o remount,ro,bind "$INSIDE"
mount -t tmpfs -o uid=65532,gid=65532,mode=0700 none "$INSIDE/var/lib/galla"
central() { chroot --userspec=65532:65532 "$INSIDE" /usr/bin/galla-central "$@"; }
central migrate
central run > "$LOG" 2>&1 &
for _ in $(seq 600); do central health > /dev/null 2>&1 && break; sleep 0.1; done
central health
curl -sf 127.0.0.1:7101/healthz
curl -sf 127.0.0.1:7101/metrics | grep '^galla_build_info' || true
ps -o uid=,args= -C galla-central
test "$(ps -o uid= -C galla-central | tr -d ' ')" = 65532
chroot --userspec=65532:65532 "$INSIDE" /bin/sh -c true 2> /dev/null && { echo "there is a shell"; exit 1; }
touch "$INSIDE/etc/new" 2> /dev/null && { echo "the root can be written"; exit 1; }
kill -TERM "$(ps -o pid= -C galla-central | tr -d ' ')"
wait %1
echo stopped in order
`

func serve(t *testing.T, inside string, env []string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "bash", "-c", inTheImage)
	cmd.Env = append(slices.Clone(env), "INSIDE="+inside, "LOG="+log, "GALLA_SANDBOX=1", "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "stopped in order") {
		text, _ := os.ReadFile(log)
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	t.Logf("in the image:\n%s", out)
}
