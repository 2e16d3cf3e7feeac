//go:build linux

package installtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"galla/installers"
	"galla/shared/freeport"
)

// Where things are on Windows, below drive C:.
const (
	programs = "Program Files/" + installers.WindowsPrograms
	data     = "ProgramData/" + installers.WindowsData
	desktop  = "users/Public/Desktop/Galla.url"
	menu     = "ProgramData/Microsoft/Windows/Start Menu/Programs/Galla.url"
	uninst   = `HKLM\Software\Microsoft\Windows\CurrentVersion\Uninstall\Galla`
	service  = `HKLM\System\CurrentControlSet\Services\` + installers.EdgeService
)

// counterOfWindows is what the setup makes.
type counterOfWindows struct {
	*wine
	address string
}

// bare holds that the bare program starts: its release, its doctor, and its refusal.
func (c *counterOfWindows) bare(folder string) {
	c.t.Helper()
	program := c.bring(filepath.Join(folder, "galla-edge-"+older+".exe"))
	if text := c.do(program, "--version"); text != older+"\n" {
		c.t.Errorf("--version: %q", text)
	}
	if text, status := c.try(program, "--data", `C:\here`, "doctor"); status != 1 || !strings.Contains(text, "Galla "+older) || !strings.Contains(text, "enrolment") {
		c.t.Errorf("doctor: exit status %d\n%s", status, text)
	}
	if text, status := c.try(program, "--data", `C:\here`, "run"); status != 1 || !strings.Contains(text, "not enrolled") {
		c.t.Errorf("run without enrolment: exit status %d\n%s", status, text)
	}
}

// setup runs the silent setup of a build.
func (c *counterOfWindows) setup(folder, version string, args ...string) (status int) {
	c.t.Helper()
	_, status = c.try(append([]string{c.bring(filepath.Join(folder, "galla-edge-"+version+"-setup.exe")), "/S"}, args...)...)
	if status == noService {
		c.t.Logf("the setup said: %s", c.whyNoService())
	}
	return status
}

// noService is the exit status of a setup that could not make the service.
const noService = 5

// whyNoService is what such a setup wrote.
func (c *counterOfWindows) whyNoService() (why string) {
	c.t.Helper()
	err := filepath.WalkDir(c.path("users"), func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(file) != "galla-setup.txt" {
			return err
		}
		text, err := os.ReadFile(file)
		why += string(text)
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return why
}

// uninstall runs the silent uninstaller where it lies, so that its exit status
// is known. What follows _?= may have no quotes, which a batch file can write.
func (c *counterOfWindows) uninstall(args ...string) (status int) {
	c.t.Helper()
	line := `"C:\Program Files\Galla\uninstall.exe" /S ` + strings.Join(args, " ") + ` _?=C:\Program Files\Galla`
	if err := os.WriteFile(c.path("uninstall.bat"), []byte("@"+line+"\r\n@exit %ERRORLEVEL%\r\n"), 0o644); err != nil {
		c.t.Fatal(err)
	}
	_, status = c.try("cmd", "/c", `C:\uninstall.bat`)
	return status
}

// edge runs the installed program.
func (c *counterOfWindows) edge(args ...string) (string, int) {
	c.t.Helper()
	return c.try(append([]string{`C:\Program Files\Galla\galla-edge.exe`, "--data", `C:\ProgramData\Galla`}, args...)...)
}

// serves waits until the service's pages answer.
func (c *counterOfWindows) serves() {
	c.t.Helper()
	until(c.t, "the service's page answers", c.log, func() bool {
		page, ok := answers(c.address + "/healthz")
		return ok && strings.Contains(page, "alive")
	})
}

// log is what the service wrote.
func (c *counterOfWindows) log() string {
	text, err := os.ReadFile(c.path(data + "/edge/edge.log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// stop stops the service.
func (c *counterOfWindows) stop() {
	c.t.Helper()
	if text, status := c.edge("service", "stop"); status != 0 {
		c.t.Fatalf("service stop: exit status %d\n%s\n%s", status, text, c.log())
	}
}

// unfinished holds what the installed program counts.
func (c *counterOfWindows) unfinished(status int, want string) {
	c.t.Helper()
	if text, got := c.edge("unfinished"); got != status || !strings.Contains(text, want) {
		c.t.Errorf("unfinished: exit status %d, %q, want %d, %q", got, text, status, want)
	}
}

// TestWindowsSetup is the life of a counter on Windows: the setup with the
// one-time code, the service and who may read its folder, an upgrade with open
// operations, an uninstaller that refuses, one that is told to go on, a second
// setup that finds the counter enrolled, and the end.
func TestWindowsSetup(t *testing.T) {
	t.Parallel()
	address := "http://" + freeport.For(t)
	c := &counterOfWindows{openWine(t, "GALLA_COUNTER_ADDR="+address), address}
	folder := dist(t, "first")

	c.bare(folder)
	central := testCentral(t)
	// What is missing or wrong leaves the counter installed, and not enrolled.
	file := c.path("answers.ini")
	enrol := func(code, place string) (status int) {
		t.Helper()
		text := fmt.Sprintf("[enrol]\r\ncentral=%s\r\ncode=%s\r\nname=Counter 1\r\nagent=Asha\r\npin=%s\r\naadhaar=%s\r\n%s",
			central, code, pin, aadhaar, place)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		status = c.setup(folder, older, `/ENROL=C:\answers.ini`)
		if c.exists("answers.ini") {
			t.Error("the setup left the file with the code, the PIN and the Aadhaar number")
		}
		return status
	}
	if status := c.setup(folder, older, `/ENROL=C:\answers.ini`); status != 2 || c.exists(programs) {
		t.Errorf("a setup without its file: exit status %d", status)
	}
	c.refusesPlanted(t, folder)
	const place = "latitude=28.6139\r\nlongitude=77.2090\r\n"
	if status := enrol(code, ""); status != 3 || c.exists(data+"/edge/settings.sealed") {
		t.Errorf("a setup that does not say where the counter stands: exit status %d", status)
	}
	if status := enrol("0000-0000", place); status != 3 || c.exists(data+"/edge/settings.sealed") {
		t.Errorf("a setup with a wrong code: exit status %d", status)
	}
	c.unfinished(0, "not enrolled")
	if status := enrol(code, place); status != 0 {
		t.Fatalf("setup: exit status %d\n%s", status, c.log())
	}
	c.serves()
	c.installed(t, folder, older)
	c.closed(t, data)
	c.settings(older, "")

	c.stop()
	leaveOpen(t, c.path(data), 3)
	c.unfinished(3, openOnes)
	before, next := sums(t, c.path(data)), dist(t, "next")
	if status := c.setup(next, newer); status != 0 {
		t.Fatalf("upgrade: exit status %d\n%s", status, c.log())
	}
	c.serves()
	c.installed(t, next, newer)
	c.closed(t, data, data+"/edge", data+"/edge/settings.sealed", data+"/edge/keys", data+"/edge/keys/queue.key", data+"/edge/keys/terminal.key", data+"/edge/queue.db")
	if text, _ := c.try(`C:\Program Files\Galla\galla-edge.previous.exe`, "--version"); text != older+"\n" {
		t.Errorf("the program of before the upgrade is %q", text)
	}
	after := sums(t, c.path(data))
	for _, file := range []string{"edge/settings.sealed", "edge/keys/queue.key", "edge/keys/terminal.key"} {
		if before[file] == "" || before[file] != after[file] {
			t.Errorf("the upgrade changed %s", file)
		}
	}

	c.settings(newer, "")

	// An older program does not take its place unasked; and one that is asked for
	// leaves settings that were changed by hand.
	const changed = "\r\nlog-format = \"text\"\r\n"
	c.change(changed)
	if status := c.setup(folder, older); status != 2 {
		t.Errorf("an older setup: exit status %d", status)
	}
	c.serves()
	c.installed(t, next, newer)
	if status := c.setup(folder, older, "/ALLOWOLDER"); status != 0 {
		t.Errorf("an older setup that was insisted on: exit status %d\n%s", status, c.log())
	}
	c.serves()
	c.installed(t, folder, older)
	c.settings(older, changed)
	if status := c.setup(next, newer); status != 0 {
		t.Errorf("upgrade: exit status %d\n%s", status, c.log())
	}
	c.settings(newer, changed)

	// The uninstaller refuses, and the counter runs on.
	if status := c.uninstall(); status != 3 {
		t.Errorf("uninstalling with open operations: exit status %d", status)
	}
	c.serves()
	c.installed(t, next, newer)
	c.stop()
	c.unfinished(3, openOnes)
	if status := c.uninstall("/EVENUNFINISHED"); status != 0 {
		t.Errorf("uninstalling all the same: exit status %d", status)
	}
	c.gone(t)

	if !c.exists(programs + "/edge.toml") {
		t.Error("uninstalling took settings that were changed by hand")
	}
	if err := os.Remove(c.path(programs + "/edge.toml")); err != nil {
		t.Fatal(err)
	}

	// What is enrolled stays so; and without open operations nothing is asked.
	if status := c.setup(next, newer); status != 0 {
		t.Fatalf("setup over the data of before: exit status %d\n%s", status, c.log())
	}
	c.serves()
	c.stop()
	c.unfinished(3, openOnes)
	finishOperations(t, c.path(data))
	if status := c.uninstall(); status != 0 {
		t.Errorf("uninstalling: exit status %d", status)
	}
	c.gone(t)
	if c.exists(programs + "/edge.toml") {
		t.Error("uninstalling left settings that nobody had changed")
	}
}

// refusesPlanted: every user may make folders in ProgramData. One that another
// user has laid down beforehand, with a counter of theirs in it, is not taken over.
func (c *counterOfWindows) refusesPlanted(t *testing.T, folder string) {
	t.Helper()
	const another = 4711
	if err := os.MkdirAll(c.path(data+"/edge"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.path(data+"/edge/settings.sealed"), []byte("another's"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{data, data + "/edge", data + "/edge/settings.sealed"} {
		if err := os.Chown(c.path(name), another, another); err != nil {
			t.Fatalf("give a file away, which only root can: %v", err)
		}
	}
	if status := c.setup(folder, older); status != noService {
		t.Errorf("a setup over another user's folder: exit status %d", status)
	}
	if why := c.whyNoService(); !strings.Contains(why, "was not installed") || !strings.Contains(why, "was there already") {
		t.Errorf("a setup over another user's folder says %q", why)
	}
	if _, there := c.registry(service); there {
		t.Error("the service is there, over another user's folder")
	}
	for _, name := range []string{data, programs} {
		if err := os.RemoveAll(c.path(name)); err != nil {
			t.Fatal(err)
		}
	}
}

// installed holds files, shortcuts, service and what Windows lists as installed.
func (c *counterOfWindows) installed(t *testing.T, folder, version string) {
	t.Helper()
	if got, want := sums(t, c.path(programs))["galla-edge.exe"], sums(t, folder)["galla-edge-"+version+".exe"]; got != want {
		t.Error("another program was installed than was built")
	}
	_, cert := signerFiles(filepath.Dir(folder))
	signed(t, c.path(programs+"/uninstall.exe"), cert)
	for _, shortcut := range []string{desktop, menu} {
		text, err := os.ReadFile(c.path(shortcut))
		for _, want := range []string{"URL=http://galla-", ".localhost:", `IconFile=C:\Program Files\Galla\galla.ico`} {
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("shortcut %s has no %s: %q, %v", shortcut, want, text, err)
			}
		}
	}
	if !c.exists(programs + "/galla.ico") {
		t.Error("the shortcuts' sign was not installed")
	}
	text, there := c.registry(service)
	for _, want := range []string{`ObjectName    REG_SZ    NT SERVICE\galla-edge`, `galla-edge.exe" --data C:\ProgramData\Galla --config "C:\Program Files\Galla\edge.toml" --as-service run`, "Start    REG_DWORD    0x2"} {
		if !there || !strings.Contains(text, want) {
			t.Errorf("the service has no %s:\n%s", want, text)
		}
	}
	if text, there := c.registry(uninst); !there || !regexp.MustCompile(`DisplayVersion +REG_SZ +`+regexp.QuoteMeta(version)).MatchString(text) {
		t.Errorf("Windows lists\n%s", text)
	}
	if text, there := c.registry(environment); !there || !strings.Contains(text, `C:\ProgramData\Galla`) || !strings.Contains(text, `C:\Program Files\Galla\edge.toml`) {
		t.Errorf("GALLA_DATA or GALLA_CONFIG is not set:\n%s", text)
	}
}

// settings holds the file of settings: as it is handed out, and what was added by
// hand; beside it lies the one that is handed out.
func (c *counterOfWindows) settings(version, added string) {
	c.t.Helper()
	written, err := os.ReadFile(filepath.Join(cache.root, "installers", "windows", "edge.toml"))
	if err != nil {
		c.t.Fatal(err)
	}
	handedOut := strings.ReplaceAll(string(written), "\n", "\r\n")
	for file, want := range map[string]string{"edge.toml": handedOut + added, "edge.default.toml": handedOut} {
		if text, err := os.ReadFile(c.path(programs + "/" + file)); err != nil || string(text) != want {
			c.t.Errorf("%s of %s is\n%s\n%v", file, version, text, err)
		}
	}
	if text, status := c.edge("--config", `C:\Program Files\Galla\edge.toml`, "config"); status != 0 || (added != "") != strings.Contains(text, `C:\Program Files\Galla\edge.toml:`) {
		c.t.Errorf("config: exit status %d\n%s", status, text)
	}
}

// change adds to the file of settings, as a person would.
func (c *counterOfWindows) change(added string) {
	c.t.Helper()
	f, err := os.OpenFile(c.path(programs+"/edge.toml"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(added)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// closed holds that nobody but the owner's group may open a folder or a file, which
// is all that Wine keeps of Windows' rights, and keeps for what was there when they
// were set; Windows lets what is made later inherit its folder's.
func (c *counterOfWindows) closed(t *testing.T, files ...string) {
	t.Helper()
	for _, file := range files {
		info, err := os.Stat(c.path(file))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o007 != 0 {
			t.Errorf("everybody may open %s: %v", file, info.Mode())
		}
	}
	if text := c.do(`C:\rights.exe`, `C:\ProgramData\Galla`); strings.Contains(text, ";WD)") {
		t.Errorf("Windows says of the data folder %s", text)
	}
	if text := c.do(`C:\rights.exe`, `C:\ProgramData`); !strings.Contains(text, ";WD)") {
		t.Errorf("Wine keeps no rights of everybody at all, so that nothing is shown: %s", text)
	}
}

// gone holds that nothing is left but the data.
func (c *counterOfWindows) gone(t *testing.T) {
	t.Helper()
	for _, file := range []string{programs + "/galla-edge.exe", programs + "/galla-edge.previous.exe", programs + "/edge.default.toml", programs + "/edge.previous.toml", programs + "/galla.ico", desktop, menu} {
		if c.exists(file) {
			t.Errorf("uninstalling left %s", file)
		}
	}
	for _, key := range []string{service, uninst} {
		if text, there := c.registry(key); there {
			t.Errorf("uninstalling left %s\n%s", key, text)
		}
	}
	if !c.exists(data+"/edge/queue.db") || !c.exists(data+"/edge/settings.sealed") {
		t.Error("uninstalling took data")
	}
}
