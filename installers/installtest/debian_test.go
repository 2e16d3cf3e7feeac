//go:build linux

package installtest

import (
	"maps"
	"os"
	"strings"
	"testing"

	"galla/installers"
	"galla/shared/freeport"
)

const (
	edgeData    = installers.LinuxEdgeData
	centralData = installers.LinuxCentralData
	openOnes    = "3 operation(s) without an outcome, Rs 1500.00 in all"
)

// listens replaces systemctl: what the scripts of the packages ask of systemd is
// written down. The Debian with a systemd of its own is in TestBoot.
const listens = "#!/bin/sh\necho \"$*\" >>/systemctl.log\n"

// asked gives what systemd was asked since the last call.
func (c *chroot) asked() string {
	c.t.Helper()
	text, err := os.ReadFile(c.path("/systemctl.log"))
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	_ = os.Remove(c.path("/systemctl.log"))
	return strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; ")
}

// asks holds what systemd was asked.
func (c *chroot) asks(want string) {
	c.t.Helper()
	if got := c.asked(); got != want {
		c.t.Errorf("systemd was asked\n%s\nwant\n%s", got, want)
	}
}

// underSystemd makes the packages' scripts find a systemd that writes down.
func (c *chroot) underSystemd() {
	c.t.Helper()
	c.do("mkdir", "-p", "/run/systemd/system")
	c.do("rm", "-f", "/usr/bin/systemctl", "/bin/systemctl")
	if err := os.WriteFile(c.path("/usr/bin/systemctl"), []byte(listens), 0o755); err != nil {
		c.t.Fatal(err)
	}
}

// enrol enrols the counter as its user.
func (c *chroot) enrol() {
	c.t.Helper()
	secrets(c.t, c.path("/tmp"))
	text, status := c.as(installers.Edge, "galla-edge", "--data", edgeData, "enrol", "--central", testCentral(c.t), "--code-file", "/tmp/code", "--name", "Counter 1",
		"--agent-name", "Asha", "--agent-pin-file", "/tmp/pin", "--agent-aadhaar-file", "/tmp/aadhaar", "--latitude", "28.6139", "--longitude", "77.2090")
	if status != 0 || !strings.Contains(text, "Test Stores") {
		c.t.Fatalf("enrol: exit status %d\n%s", status, text)
	}
}

// serveCounter starts the counter as its user and waits for its pages.
func (c *chroot) serveCounter() (stop func() int) {
	c.t.Helper()
	address := "http://" + freeport.For(c.t)
	log, stop := c.serve(installers.Edge, []string{"GALLA_DATA=" + edgeData, "GALLA_COUNTER_ADDR=" + address}, "galla-edge", "run")
	until(c.t, "the counter's page answers", log, func() bool {
		page, ok := answers(address + "/healthz")
		return ok && strings.Contains(page, "alive")
	})
	return stop
}

// unfinished holds what the program counts.
func (c *chroot) unfinished(status int, want string) {
	c.t.Helper()
	text, got := c.as(installers.Edge, "galla-edge", "--data", edgeData, "unfinished")
	if got != status || !strings.Contains(text, want) {
		c.t.Errorf("unfinished: exit status %d, %q, want %d, %q", got, text, status, want)
	}
}

// unchanged holds the files of a folder against their sums of before.
func (c *chroot) unchanged(folder string, before map[string]string) {
	c.t.Helper()
	if after := sums(c.t, c.path(folder)); !maps.Equal(before, after) {
		c.t.Errorf("the files of %s changed from\n%v\nto\n%v", folder, before, after)
	}
}

// TestDebianCounter is the life of a counter's package: installed, used, upgraded
// with open operations, removed, a purge that is refused, installed again, and
// purged.
func TestDebianCounter(t *testing.T) {
	t.Parallel()
	c := openChroot(t)
	c.underSystemd()
	folder := dist(t, "first")

	text := c.do(append([]string{"dpkg", "--install"}, c.bring(folder, older, installers.Edge)...)...)
	if !strings.Contains(text, "galla-edge: enrol it as its user") {
		t.Errorf("the package does not say what to do next:\n%s", text)
	}
	c.asks("daemon-reload; try-restart galla-edge.service")
	account := strings.Split(strings.TrimSpace(c.do("getent", "passwd", installers.Edge)), ":")
	if uid, gid := c.owner(installers.Edge); uid < 100 || uid > 999 || gid == 0 || account[5] != edgeData || account[6] != "/usr/sbin/nologin" {
		t.Errorf("the account is %v", account)
	}
	c.rights("/usr/bin/galla-edge", 0o755, "root", "root")
	c.rights(installers.LinuxConfig, 0o755, "root", "root")
	c.rights(installers.LinuxConfig+"/edge.env", 0o640, "root", installers.Edge)
	c.rights(installers.LinuxConfig+"/edge.toml", 0o644, "root", "root")
	c.rights(installers.LinuxData, 0o755, "root", "root")
	c.rights(edgeData, 0o700, installers.Edge, installers.Edge)
	if text, status := c.as(installers.Edge, "galla-edge", "--version"); status != 0 || text != older+"\n" {
		t.Errorf("--version: %d, %q", status, text)
	}
	if text, status := c.as(installers.Edge, "galla-edge", "--data", edgeData, "doctor"); status == 0 || !strings.Contains(text, "enrol") {
		t.Errorf("doctor of a counter that is not enrolled: %d\n%s", status, text)
	}
	c.unfinished(0, "not enrolled")

	c.enrol()
	if status := c.serveCounter()(); status != 0 {
		t.Errorf("the counter ended with %d", status)
	}
	for _, file := range []string{edgeData + "/edge/keys/queue.key", edgeData + "/edge/queue.db", installers.LinuxConfig + "/edge.env"} {
		if text, status := c.as("nobody", "cat", file); status == 0 {
			t.Errorf("everybody reads %s:\n%s", file, text)
		}
	}
	leaveOpen(t, c.path(edgeData), 3)
	c.own(installers.Edge, edgeData)
	c.unfinished(3, openOnes)

	next := dist(t, "next")
	// What the people who run it wrote into its settings stays.
	c.do("sh", "-c", "echo '#GALLA_RDSIM_ADDR=ours' >>/etc/galla/edge.env; echo 'log-format = \"text\"' >>/etc/galla/edge.toml")
	before := sums(t, c.path(edgeData))
	c.asked()
	c.do(append([]string{"dpkg", "--install", "--force-confold"}, c.bring(next, newer, installers.Edge)...)...)
	c.asks("daemon-reload; try-restart galla-edge.service")
	c.unchanged(edgeData, before)
	if text := c.do("cat", "/etc/galla/edge.env", "/etc/galla/edge.toml"); !strings.Contains(text, "=ours") || !strings.Contains(text, "log-format = \"text\"\n") {
		t.Error("the upgrade forgot the settings")
	}
	if text, status := c.as(installers.Edge, "galla-edge", "--config", "/etc/galla/edge.toml", "config"); status != 0 || !strings.Contains(text, "/etc/galla/edge.toml:") {
		t.Errorf("config: exit status %d\n%s", status, text)
	}
	if text, _ := c.as(installers.Edge, "galla-edge", "--version"); text != newer+"\n" {
		t.Errorf("after the upgrade: %q", text)
	}
	c.unfinished(3, openOnes)
	if status := c.serveCounter()(); status != 0 {
		t.Errorf("the upgraded counter ended with %d", status)
	}
	c.unfinished(3, openOnes)
	c.rights(edgeData, 0o700, installers.Edge, installers.Edge)

	// An older program does not take its place unasked.
	back := append([]string{"dpkg", "--install", "--force-confold"}, c.bring(folder, older, installers.Edge)...)
	if text, status := c.try(back...); status == 0 || !strings.Contains(text, "galla-edge: "+newer+" was installed here, and "+older+" is older. Nothing was changed.") {
		t.Errorf("an older package: exit status %d\n%s", status, text)
	}
	if text, _ := c.as(installers.Edge, "galla-edge", "--version"); text != newer+"\n" {
		t.Errorf("after an older package was refused: %q", text)
	}
	c.unfinished(3, openOnes)
	c.do(append([]string{"env", "GALLA_ALLOW_OLDER=1"}, back...)...)
	if text, _ := c.as(installers.Edge, "galla-edge", "--version"); text != older+"\n" {
		t.Errorf("after an older package was insisted on: %q", text)
	}
	c.unfinished(3, openOnes)

	leaves(t, c, next)
}

// leaves is the end of that life.
func leaves(t *testing.T, c *chroot, next string) {
	t.Helper()
	c.asked()
	if text := c.do("dpkg", "--remove", installers.Edge); !strings.Contains(text, openOnes) || !strings.Contains(text, "The data stays in "+edgeData) {
		t.Errorf("a removal with open operations says\n%s", text)
	}
	c.asks("--quiet disable --now galla-edge.service; daemon-reload")
	before := sums(t, c.path(edgeData))
	if c.exists("/usr/bin/galla-edge") || !c.exists("/etc/galla/edge.env") {
		t.Error("the program stays, or its settings went")
	}
	text, status := c.try("dpkg", "--purge", installers.Edge)
	if status == 0 || !strings.Contains(text, "not purged: operations of this counter have no outcome yet") {
		t.Errorf("a purge with open operations: exit status %d\n%s", status, text)
	}
	c.unchanged(edgeData, before)
	c.rights(edgeData, 0o700, installers.Edge, installers.Edge)

	// Somebody who knows better says so.
	c.do("cp", "-a", edgeData, "/root/kept")
	c.do("env", "GALLA_PURGE_UNFINISHED=1", "dpkg", "--purge", installers.Edge)
	if c.exists(edgeData) || c.exists(installers.LinuxConfig) || c.exists(installers.LinuxData) {
		t.Error("a purge that was insisted on left something")
	}

	c.do("mkdir", "-p", installers.LinuxData)
	c.do("mv", "/root/kept", edgeData)
	again := append([]string{"dpkg", "--install"}, c.bring(next, newer, installers.Edge)...)
	c.do(again...)
	c.own(installers.Edge, edgeData)
	c.unfinished(3, openOnes)
	// A verdict of an earlier removal counts no more.
	finishOperations(t, c.path(edgeData))
	c.own(installers.Edge, edgeData)
	c.unfinished(0, "every operation has its outcome")
	if text := c.do("dpkg", "--remove", installers.Edge); strings.Contains(text, "no outcome") {
		t.Errorf("a removal without open operations says\n%s", text)
	}
	c.do(again...)
	if c.exists(edgeData + ".finished") {
		t.Error("a counter that works again still counts as finished")
	}
	c.do("dpkg", "--purge", installers.Edge)
	for _, left := range []string{edgeData, edgeData + ".finished", installers.LinuxData, installers.LinuxConfig, "/usr/lib/systemd/system/galla-edge.service"} {
		if c.exists(left) {
			t.Errorf("the purge left %s", left)
		}
	}
	if text, status := c.try("getent", "passwd", installers.Edge); status == 0 {
		t.Errorf("the purge left the account %s", text)
	}
	if text, status := c.try("getent", "group", installers.Edge); status == 0 {
		t.Errorf("the purge left the group %s", text)
	}
}

// TestDebianCentral: the central beside a counter: installed, serving as its
// user, upgraded with its books, purged with the books set aside for root.
func TestDebianCentral(t *testing.T) {
	t.Parallel()
	c := openChroot(t)
	folder := dist(t, "first")
	c.do(append([]string{"dpkg", "--install"}, c.bring(folder, older, installers.Central, installers.Edge)...)...)
	c.rights(installers.LinuxConfig+"/central.env", 0o640, "root", installers.Central)
	c.rights(installers.LinuxConfig+"/central.toml", 0o644, "root", "root")
	c.units()
	c.rights(centralData, 0o700, installers.Central, installers.Central)
	if text, status := c.as(installers.Central, "galla-central", "--version"); status != 0 || text != older+"\n" {
		t.Errorf("--version: %d, %q", status, text)
	}
	if text, status := c.as(installers.Edge, "ls", centralData); status == 0 {
		t.Errorf("the counter's account reads the central's data:\n%s", text)
	}

	admin := freeport.For(t)
	env := []string{"GALLA_DATA=" + centralData, "GALLA_SANDBOX=1", "GALLA_CENTRAL_ADDR=http://" + freeport.For(t), "GALLA_ADMIN_ADDR=http://" + admin, "GALLA_UPLINK_ADDR=ws://" + freeport.For(t)}
	log, stop := c.serve(installers.Central, env, "galla-central", "run")
	until(t, "the central lives", log, func() bool { _, ok := answers("http://" + admin + "/healthz"); return ok })
	if text, ok := answers("http://" + admin + "/metrics"); !ok || !strings.Contains(text, `version="`+older+`"`) {
		t.Errorf("the metrics do not tell the release %s", older)
	}
	if status := stop(); status != 0 {
		t.Errorf("the central ended with %d:\n%s", status, log())
	}
	before, next := sums(t, c.path(centralData)), dist(t, "next")
	c.do(append([]string{"dpkg", "--install"}, c.bring(next, newer, installers.Central)...)...)
	c.unchanged(centralData, before)
	if text, status := c.try(append([]string{"dpkg", "--install"}, c.bring(folder, older, installers.Central)...)...); status == 0 || !strings.Contains(text, "galla-central: "+newer+" was installed here") {
		t.Errorf("an older package: exit status %d\n%s", status, text)
	}

	text := c.do("dpkg", "--purge", installers.Central)
	if !strings.Contains(text, "books and keys are kept in "+centralData+".purged-") {
		t.Errorf("the purge says\n%s", text)
	}
	kept := strings.TrimSpace(c.do("sh", "-c", "ls -d "+centralData+".purged-*"))
	c.rights(kept, 0o700, "root", "root")
	c.unchanged(kept, before)
	if c.exists(centralData) || !c.exists(edgeData) || !c.exists(installers.LinuxConfig+"/edge.env") {
		t.Error("the purge left the central's data, or took the counter's")
	}
	if text, status := c.try("getent", "passwd", installers.Central); status == 0 {
		t.Errorf("the purge left the account %s", text)
	}

	// One that never had books leaves nothing.
	c.do(append([]string{"dpkg", "--install"}, c.bring(next, newer, installers.Central)...)...)
	c.do("dpkg", "--purge", installers.Central)
	if again := strings.Fields(c.do("sh", "-c", "ls -d "+centralData+"*")); len(again) != 1 || again[0] != kept {
		t.Errorf("a central without books left %v", again)
	}
}
