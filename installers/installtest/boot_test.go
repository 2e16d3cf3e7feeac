//go:build linux

package installtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"galla/installers"
	"galla/shared/freeport"
)

// scores bound what `systemd-analyze security` says of the units: 0 is the best,
// 10 the worst. What is left is what they need: the network, and at the counter
// the printer's devices.
var scores = map[string]float64{installers.Edge: 1.4, installers.Central: 1.1}

// units holds that systemd finds no fault in the units, and that their score is good.
func (c *chroot) units() {
	c.t.Helper()
	overall := regexp.MustCompile(`Overall exposure level for (\S+)\.service: ([0-9.]+)`)
	for name, bound := range scores {
		unit := "/usr/lib/systemd/system/" + name + ".service"
		if text, status := c.try("systemd-analyze", "verify", "--man=no", unit); status != 0 || strings.TrimSpace(text) != "" {
			c.t.Errorf("%s: exit status %d\n%s", unit, status, text)
		}
		text := c.do("systemd-analyze", "security", "--offline=true", "--no-pager", unit)
		found := overall.FindStringSubmatch(text)
		if found == nil || found[1] != name {
			c.t.Fatalf("systemd gives no score:\n%s", text)
		}
		score, err := strconv.ParseFloat(found[2], 64)
		if err != nil || score > bound {
			c.t.Errorf("%s has a score of %s, worse than %v:\n%s", name, found[2], bound, text)
		}
		c.t.Logf("%s: %s", name, found[2])
	}
}

// The first process of a Debian that boots: its own control group, the mounts that
// systemd wants to find in a container, and a root that it may pivot, as its units
// do.
const (
	bootOuter = `
mkdir -p "$1"
echo $$ >"$1/cgroup.procs"
exec unshare --mount --propagation private --pid --fork --kill-child --uts --ipc --cgroup -- sh -ec "$2" "$0"`
	bootInner = `
mount --bind "$0" "$0"
cd "$0"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for node in null zero full random urandom tty; do touch dev/$node; mount --bind /dev/$node dev/$node; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,mode=620,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs tmpfs dev/shm
mkdir -p former
pivot_root . former
exec env -i container=galla PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -ec 'umount --lazy /former; exec /lib/systemd/systemd --system --unit=multi-user.target'`
)

// machine is a Debian that systemd has booted.
type machine struct {
	*chroot
	init int // systemd's process id, as this test sees it
}

// boot starts systemd in a Debian, and ends it with the test.
func boot(t *testing.T) *machine {
	t.Helper()
	if os.Getenv("GALLA_WITHOUT_SYSTEMD") == "1" {
		t.Skip("GALLA_WITHOUT_SYSTEMD=1: THE UNITS WERE NOT RUN BY A SYSTEMD")
	}
	c := openChroot(t)
	for _, unit := range []string{"systemd-udevd.service", "systemd-networkd.service", "systemd-timesyncd.service", "getty@.service", "console-getty.service"} {
		c.do("ln", "-sf", "/dev/null", "/etc/systemd/system/"+unit)
	}
	group := filepath.Join(unified(t), fmt.Sprintf("galla-installtest-%d", os.Getpid()))
	cmd := exec.Command("sh", "-ec", bootOuter, c.root, group, bootInner)
	said, err := os.Create(filepath.Join(t.TempDir(), "console"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = said, said
	if err := launch(cmd); err != nil {
		t.Fatal(err)
	}
	m := &machine{chroot: c}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		m.dropGroup(group)
	})
	console := func() string { text, _ := os.ReadFile(said.Name()); return string(text) }
	until(t, "a systemd is there (GALLA_WITHOUT_SYSTEMD=1 leaves it out where none can be)", console, func() bool {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", cmd.Process.Pid, cmd.Process.Pid))
		m.init, _ = strconv.Atoi(strings.TrimSpace(string(children)))
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", m.init))
		return m.init > 0 && strings.TrimSpace(string(name)) == "systemd"
	})
	until(t, "systemd has booted", console, func() bool {
		text, _ := m.try("systemctl", "is-system-running")
		return strings.Contains(text, "running") || strings.Contains(text, "degraded")
	})
	return m
}

// unified is where the control groups of version 2 are.
func unified(t *testing.T) string {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); fields[2] == "cgroup2" {
			return fields[1]
		}
	}
	t.Fatal("this machine has no control groups of version 2, which systemd needs; GALLA_WITHOUT_SYSTEMD=1 leaves it out")
	return ""
}

// dropGroup removes a control group with all below it, once its processes ended.
func (m *machine) dropGroup(group string) {
	for range 100 {
		_ = filepath.WalkDir(group, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				_ = syscall.Rmdir(path)
			}
			return nil
		})
		if _, err := os.Stat(group); err != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	m.t.Errorf("the control group %s stays", group)
}

// try runs a command on the machine.
func (m *machine) try(args ...string) (text string, status int) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), toolWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nsenter", append([]string{"--target", strconv.Itoa(m.init), "--mount", "--pid", "--uts", "--ipc", "--cgroup", "--root", "--wd", "--"}, args...)...)
	cmd.Env = m.command(ctx).Env
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("%v: %v", args, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// do runs a command that must succeed.
func (m *machine) do(args ...string) string {
	m.t.Helper()
	text, status := m.try(args...)
	if status != 0 {
		m.t.Fatalf("%v: exit status %d\n%s", args, status, text)
	}
	return text
}

// journal is what a unit said.
func (m *machine) journal(unit string) func() string {
	return func() string {
		text, _ := m.try("journalctl", "--no-pager", "--unit", unit)
		state, _ := m.try("systemctl", "status", "--no-pager", unit)
		return state + text
	}
}

// property gives one of a unit's properties.
func (m *machine) property(unit, name string) string {
	m.t.Helper()
	return strings.TrimSpace(m.do("systemctl", "show", "--value", "--property", name, unit))
}

// TestBoot: systemd runs both units, hardened as they are: they serve, are
// started again when killed, restarted by an upgrade and stopped by a removal.
func TestBoot(t *testing.T) {
	t.Parallel()
	m := boot(t)
	folder := dist(t, "first")
	m.do(append([]string{"dpkg", "--install"}, m.bring(folder, older, installers.Central, installers.Edge)...)...)
	for name := range scores {
		if text, status := m.try("systemctl", "is-enabled", name); status == 0 {
			t.Errorf("%s is %s before anybody said so", name, text)
		}
	}
	secrets(t, m.path("/root"))
	m.do("install", "-o", installers.Edge, "-g", installers.Edge, "-m", "0600", "/root/code", "/root/pin", "/root/aadhaar", edgeData)
	m.do("runuser", "-u", installers.Edge, "--", "galla-edge", "--data", edgeData, "enrol", "--central", testCentral(t), "--code-file", edgeData+"/code", "--name", "Counter 1",
		"--agent-name", "Asha", "--agent-pin-file", edgeData+"/pin", "--agent-aadhaar-file", edgeData+"/aadhaar")

	counter, admin := "http://"+freeport.For(t), "http://"+freeport.For(t)
	settings := map[string]string{
		"edge":    "GALLA_COUNTER_ADDR=" + counter,
		"central": strings.Join([]string{"GALLA_SANDBOX=1", "GALLA_ADMIN_ADDR=" + admin, "GALLA_CENTRAL_ADDR=http://" + freeport.For(t), "GALLA_UPLINK_ADDR=ws://" + freeport.For(t)}, "\n"),
	}
	for part, text := range settings {
		if err := os.WriteFile(m.path("/etc/galla/"+part+".env"), []byte(text+"\n"), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	serve := map[string]func() bool{
		installers.Edge: func() bool {
			page, ok := answers(counter + "/healthz")
			return ok && strings.Contains(page, "alive")
		},
		installers.Central: func() bool { _, ok := answers(admin + "/healthz"); return ok },
	}
	m.do("systemctl", "enable", "--now", installers.Central, installers.Edge)
	main := map[string]string{}
	for name, answers := range serve {
		until(t, name+" serves", m.journal(name), answers)
		main[name] = m.property(name, "MainPID")
		m.hardened(name, main[name])
	}

	for name, answers := range serve {
		m.do("systemctl", "kill", "--signal=KILL", "--kill-who=main", name)
		until(t, name+" is started again", m.journal(name), func() bool {
			pid := m.property(name, "MainPID")
			return pid != "0" && pid != main[name] && answers()
		})
		main[name] = m.property(name, "MainPID")
	}

	m.do(append([]string{"dpkg", "--install", "--force-confold"}, m.bring(dist(t, "next"), newer, installers.Central, installers.Edge)...)...)
	for name, answers := range serve {
		until(t, name+" serves in its new version", m.journal(name), func() bool {
			pid := m.property(name, "MainPID")
			return pid != "0" && pid != main[name] && answers()
		})
		if got := m.property(name, "Result"); got != "success" {
			t.Errorf("%s was restarted with the result %s\n%s", name, got, m.journal(name)())
		}
	}
	if text, ok := answers(admin + "/metrics"); !ok || !strings.Contains(text, `version="`+newer+`"`) {
		t.Errorf("the metrics do not tell the release %s", newer)
	}

	m.do("dpkg", "--remove", installers.Central, installers.Edge)
	for name, answers := range serve {
		if answers() {
			t.Errorf("%s was removed, and serves", name)
		}
		if text, status := m.try("systemctl", "is-active", name); status == 0 {
			t.Errorf("%s was removed, and is %s", name, text)
		}
	}
	if !m.exists(edgeData + ".finished") {
		t.Error("the counter had no open operations, and they were not counted as none")
	}
}

// hardened holds what the kernel knows of a unit's process.
func (m *machine) hardened(name, pid string) {
	m.t.Helper()
	status := m.do("cat", "/proc/"+pid+"/status")
	for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000"} {
		if !strings.Contains(status, want+"\n") {
			m.t.Errorf("%s has no %q:\n%s", name, want, status)
		}
	}
	uid, _ := m.owner(name)
	if !strings.Contains(status, fmt.Sprintf("Uid:\t%d\t%d\t%d\t%d\n", uid, uid, uid, uid)) {
		m.t.Errorf("%s does not run as its user %d:\n%s", name, uid, status)
	}
	mounts := m.do("cat", "/proc/"+pid+"/mounts")
	data := map[string]string{installers.Edge: edgeData, installers.Central: centralData}[name]
	for folder, want := range map[string]string{"/": "ro", data: "rw"} {
		if !regexp.MustCompile(`(?m)^\S+ ` + regexp.QuoteMeta(folder) + ` \S+ ` + want + `\b`).MatchString(mounts) {
			m.t.Errorf("%s: %s is not mounted %s:\n%s", name, folder, want, mounts)
		}
	}
}
