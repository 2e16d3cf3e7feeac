//go:build linux

package installtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"galla/shared/files"
)

// What the Debian of the tests is made of: the least that boots systemd.
const (
	suite   = "bookworm"
	mirror  = "http://deb.debian.org/debian"
	include = "systemd,dbus"
)

// chroot is a Debian of its own.
type chroot struct {
	t    *testing.T
	root string
}

// archive is where the Debian lies that all others are unpacked from.
func archive() string {
	return filepath.Join(cache.root, "build", "installtest", suite+"-"+strings.ReplaceAll(include, ",", "-")+".tar")
}

// openChroot unpacks one. The first ever is made from Debian's mirror and kept in
// build/, for later runs. Tests open theirs before they ask for a build, so that both
// are made at once.
func openChroot(t *testing.T) *chroot {
	t.Helper()
	asRoot(t)
	need(t, "debootstrap", "debootstrap")
	if err := cache.debian(); err != nil {
		t.Fatal(err)
	}
	c := &chroot{t: t, root: filepath.Join(t.TempDir(), "debian")}
	if err := os.Mkdir(c.root, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := tool(c.root, nil, "tar", "--extract", "--numeric-owner", "--preserve-permissions", "--file", archive()); err != nil {
		t.Fatal(err)
	}
	return c
}

// makeDebian makes it where it was not made before.
func makeDebian() error {
	if _, err := os.Stat(archive()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	root := filepath.Join(cache.work, "debian")
	if err := run("/", nil, makeWait, "debootstrap", "--variant=minbase", "--include="+include, suite, root, mirror); err != nil {
		return fmt.Errorf("no Debian could be made; is %s in reach? %w", mirror, err)
	}
	if err := os.MkdirAll(filepath.Dir(archive()), 0o755); err != nil {
		return err
	}
	unready := archive() + ".unready"
	return errors.Join(
		// Nothing of it outlives a test, so nothing waits for the disk.
		os.WriteFile(filepath.Join(root, "etc", "dpkg", "dpkg.cfg.d", "galla-installtest"), []byte("force-unsafe-io\n"), 0o644),
		os.RemoveAll(filepath.Join(root, "var", "cache", "apt")),
		os.RemoveAll(filepath.Join(root, "var", "lib", "apt", "lists")),
		run(root, nil, toolWait, "tar", "--create", "--numeric-owner", "--file", unready, "."),
		os.Rename(unready, archive()),
	)
}

// inside is a script's line that mounts what programs look for and becomes the
// command, in namespaces that end with it.
const inside = `mount -t proc proc "$0/proc" && exec chroot "$0" "$@"`

// command is a command in it.
func (c *chroot) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "unshare", append([]string{
		"--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--", "sh", "-c", inside, c.root,
	}, args...)...)
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "HOME=/root"}
	cmd.Dir = "/"
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// try runs a command and gives what it said and its exit status.
func (c *chroot) try(args ...string) (text string, status int) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), toolWait)
	defer cancel()
	out, err := c.command(ctx, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatalf("%v: %v", args, err)
	}
	if exit != nil {
		return string(out), exit.ExitCode()
	}
	return string(out), 0
}

// do runs a command that must succeed.
func (c *chroot) do(args ...string) string {
	c.t.Helper()
	text, status := c.try(args...)
	if status != 0 {
		c.t.Fatalf("%v: exit status %d\n%s", args, status, text)
	}
	return text
}

// as runs a command as a user of it.
func (c *chroot) as(user string, args ...string) (text string, status int) {
	c.t.Helper()
	return c.try(append([]string{"runuser", "-u", user, "--"}, args...)...)
}

// path is a file of it, as this test sees it.
func (c *chroot) path(name string) string { return filepath.Join(c.root, name) }

// exists tells whether a file of it is there.
func (c *chroot) exists(name string) bool {
	_, err := os.Lstat(c.path(name))
	return err == nil
}

// bring puts packages of a build into it and gives their names there.
func (c *chroot) bring(folder, version string, programs ...string) []string {
	c.t.Helper()
	var names []string
	for _, program := range programs {
		name := program + "_" + version + "_amd64.deb"
		if err := copyFile(filepath.Join(folder, name), c.path("/root/"+name)); err != nil {
			c.t.Fatal(err)
		}
		names = append(names, "/root/"+name)
	}
	return names
}

// owner gives a user's numbers.
func (c *chroot) owner(user string) (uid, gid int) {
	c.t.Helper()
	var name string
	if _, err := fmt.Sscanf(strings.ReplaceAll(c.do("getent", "passwd", user), ":", " "), "%s x %d %d", &name, &uid, &gid); err != nil {
		c.t.Fatalf("user %s: %v", user, err)
	}
	return uid, gid
}

// own gives a folder and all below it to a user.
func (c *chroot) own(user, folder string) {
	c.t.Helper()
	c.do("chown", "-R", user+":"+user, folder)
}

// rights holds a file's mode and owners.
func (c *chroot) rights(name string, mode fs.FileMode, user, group string) {
	c.t.Helper()
	got := strings.TrimSpace(c.do("stat", "--format", "%a %U %G", name))
	if want := fmt.Sprintf("%o %s %s", mode, user, group); got != want {
		c.t.Errorf("%s is %s, want %s", name, got, want)
	}
}

// serve starts a program as a user until stop is called, which gives its log and
// its exit status.
func (c *chroot) serve(user string, env []string, args ...string) (log func() string, stop func() int) {
	c.t.Helper()
	cmd := c.command(context.Background(), append(append([]string{"runuser", "-u", user, "--", "env"}, env...), args...)...)
	file, err := os.Create(filepath.Join(c.t.TempDir(), "log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	cmd.Stdout, cmd.Stderr = file, file
	if err := launch(cmd); err != nil {
		c.t.Fatal(err)
	}
	stopped := false
	stop = func() int {
		if !stopped {
			stopped = true
			// The program is the one that bears its name in this family.
			_ = signalFamily(cmd.Process.Pid, filepath.Base(args[0]), syscall.SIGTERM)
			_ = cmd.Wait()
		}
		return cmd.ProcessState.ExitCode()
	}
	c.t.Cleanup(func() { stop() })
	return func() string { text, _ := os.ReadFile(file.Name()); return string(text) }, stop
}

// signalFamily signals the descendant of a process that has a name.
func signalFamily(pid int, name string, sig syscall.Signal) error {
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return err
	}
	for _, field := range strings.Fields(string(children)) {
		var child int
		if _, err := fmt.Sscan(field, &child); err != nil {
			return err
		}
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", child))
		if err == nil && strings.TrimSpace(string(comm)) == name {
			return files.Signal(child, sig)
		}
		if err := signalFamily(child, name, sig); err == nil {
			return nil
		}
	}
	return fmt.Errorf("no process %s below %d", name, pid)
}
