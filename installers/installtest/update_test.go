//go:build linux

package installtest

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"galla/edge/queue"
	"galla/edge/update/release"
	"galla/edge/update/releases"
	"galla/installers"
	"galla/installers/publish"
	"galla/shared/files"
	"galla/shared/freeport"
)

// publisher is a central that runs on this machine, of a build, with a folder of
// releases that it offers.
type publisher struct {
	t              *testing.T
	direct, admin  string
	releases, root string
	repo           *publish.Repository
	log            string
}

// openCentral starts the central of a build, with an empty repository of releases.
func openCentral(t *testing.T, folder, version string) *publisher {
	t.Helper()
	dir := t.TempDir()
	h := &publisher{
		t: t, direct: "http://" + freeport.For(t), admin: "http://" + freeport.For(t),
		releases: filepath.Join(dir, "releases"), root: filepath.Join(dir, "root.json"), log: filepath.Join(dir, "log"),
	}
	var err error
	h.repo, err = publish.Init(publish.Config{Folder: h.releases, Keys: []string{filepath.Join(dir, "keys")}, Rand: rand.Reader},
		publish.KeyCount{Keys: 1, Threshold: 1}, publish.KeyCount{Keys: 2, Threshold: 2})
	if err == nil {
		err = os.WriteFile(h.root, h.repo.Root(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(h.log)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(unpack(t, filepath.Join(folder, "galla-central_"+version+"_amd64.deb"), installers.Central), "run")
	cmd.Env = append(os.Environ(), "GALLA_SANDBOX=1", "GALLA_DATA="+filepath.Join(dir, "data"), "GALLA_UPDATES="+h.releases,
		"GALLA_CENTRAL_ADDR="+h.direct, "GALLA_ADMIN_ADDR="+h.admin, "GALLA_UPLINK_ADDR=ws://"+freeport.For(t))
	cmd.Stdout, cmd.Stderr = log, log
	if err := launch(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	until(t, "the central lives", h.said, func() bool { _, ok := answers(h.admin + "/healthz"); return ok })
	return h
}

func (h *publisher) said() string { text, _ := os.ReadFile(h.log); return string(text) }

// mint gives a one-time code of a merchant of the sandbox.
func (h *publisher) mint() string {
	h.t.Helper()
	post := func(path, kind, auth, body string) string {
		h.t.Helper()
		r, err := http.NewRequest(http.MethodPost, h.direct+path, strings.NewReader(body))
		if err != nil {
			h.t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Authorization", auth)
		if auth == "" {
			r.SetBasicAuth("merchant-lakshmi", "sandbox-merchant-1")
		}
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			h.t.Fatal(err)
		}
		defer func() { _ = reply.Body.Close() }()
		text, err := io.ReadAll(reply.Body)
		if err != nil || reply.StatusCode/100 != 2 {
			h.t.Fatalf("%s: HTTP %d, %v\n%s", path, reply.StatusCode, err, text)
		}
		return string(text)
	}
	part := func(text, name string) string {
		h.t.Helper()
		found := regexp.MustCompile(`"` + name + `":"([^"]+)"`).FindStringSubmatch(text)
		if found == nil {
			h.t.Fatalf("no %s in the answer", name)
		}
		return found[1]
	}
	token := part(post("/oauth/token", "application/x-www-form-urlencoded", "", url.Values{"grant_type": {"client_credentials"}}.Encode()), "access_token")
	return part(post("/terminals", "application/json", "Bearer "+token, `{"name":"Counter 1"}`), "code")
}

// publish offers a program to all counters of Windows.
func (h *publisher) publish(version release.Version, program string) {
	h.t.Helper()
	facts := release.Manifest{Version: version, OS: "windows", Arch: "amd64", Percent: 100, Reads: queue.Reads, Writes: queue.Writes}
	if err := h.repo.Add(facts, program); err != nil {
		h.t.Fatal(err)
	}
}

// sees tells whether the counter is on line in a version.
func (h *publisher) sees(version string) bool {
	text, ok := answers(h.admin + "/metrics")
	return ok && regexp.MustCompile(`terminals_version\{version="`+regexp.QuoteMeta(version)+`"\} 1\n`).MatchString(text)
}

// became is what the parent wrote down of the releases.
func (c *counterOfWindows) became(s *releases.Store) releases.State {
	state, err := s.ReadState()
	if err != nil {
		c.t.Log(err) // it is being replaced
	}
	return state
}

// processes gives this machine's ids of a counter's processes whose program lies
// below a folder of Windows, the parent's first.
func (c *counterOfWindows) processes(folder string) (pids []int) {
	c.t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		c.t.Fatal(err)
	}
	for _, line := range lines {
		about := filepath.Dir(line)
		text, _ := os.ReadFile(line) // it may have ended
		env, _ := os.ReadFile(filepath.Join(about, "environ"))
		if strings.HasPrefix(string(text), folder) && strings.Contains(string(env), "WINEPREFIX="+c.prefix+"\x00") {
			pid, err := strconv.Atoi(filepath.Base(about))
			if err != nil {
				c.t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestWindowsUpdate: the service takes a release that the central offers, and goes
// back from one that does not work, though it was killed while it tried that.
func TestWindowsUpdate(t *testing.T) {
	t.Parallel()
	c := &counterOfWindows{openWine(t), "http://" + freeport.For(t)}
	folder := dist(t, "first")
	h := openCentral(t, folder, older)

	// Settings that a person has written are taken, and kept.
	settings := "addr = \"" + c.address + "\"\r\nupdate-root = 'C:\\root.json'\r\nupdate-every = \"4s\"\r\nupdate-idle = \"1s\"\r\n"
	c.bring(h.root)
	if err := os.MkdirAll(c.path(programs), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		programs + "/edge.toml": settings,
		"answers.ini": fmt.Sprintf("[enrol]\r\ncentral=%s\r\ncode=%s\r\nname=Counter 1\r\nagent=Asha\r\npin=%s\r\naadhaar=%s\r\nlatitude=28.6139\r\nlongitude=77.2090\r\n",
			h.direct, h.mint(), pin, aadhaar),
	} {
		if err := os.WriteFile(c.path(file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if status := c.setup(folder, older, `/ENROL=C:\answers.ini`); status != 0 {
		t.Fatalf("setup: exit status %d\n%s", status, c.log())
	}
	if text, err := os.ReadFile(c.path(programs + "/edge.toml")); err != nil || string(text) != settings {
		t.Errorf("the settings are %q, %v", text, err)
	}
	until(t, older+" is on line", c.log, func() bool { return h.sees(older) })

	s, err := releases.Open(releases.Config{Folder: c.path(data + "/releases"), Root: h.repo.Root(), OS: "windows", Arch: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	h.publish(newer, filepath.Join(dist(t, "next"), "galla-edge-"+newer+".exe"))
	until(t, newer+" works", c.log, func() bool { return c.became(s).Get(newer).Proven && h.sees(newer) })
	c.serves()

	// One that does not work: the parent is killed while it is tried, and its child
	// ends with it; started again, it is tried again, and gone back from.
	const bad = "1.0.2"
	if err := os.WriteFile(c.path("hang"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.publish(bad, c.path("broken.exe"))
	const published = `C:\ProgramData\Galla\releases\` + bad
	// The parent says so when it has bound the child: one that dies before that leaves
	// the child to the next parent.
	started := `"a release was started","release":"` + bad + `"`
	until(t, bad+" is tried", c.log, func() bool {
		return c.became(s).Trial == bad && len(c.processes(published)) == 1 && strings.Contains(c.log(), started)
	})
	parent := c.processes(`C:\Program Files\Galla\galla-edge.exe`)
	if len(parent) != 1 {
		t.Fatalf("the installed program runs as %v", parent)
	}
	if err := files.Signal(parent[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the child ends with its parent", c.log, func() bool { return len(c.processes(published)) == 0 })
	if state := c.became(s); state.Trial != bad || state.Previous != newer {
		t.Errorf("after the kill the parent knows %+v", state)
	}
	if err := os.Remove(c.path("hang")); err != nil {
		t.Fatal(err)
	}
	if text, status := c.edge("service", "start"); status != 0 {
		t.Fatalf("service start: exit status %d\n%s", status, text)
	}
	until(t, newer+" works in its place", c.log, func() bool { return c.became(s).Get(bad).Strikes == 1 && h.sees(newer) })
	if state := c.became(s); state.Running != newer || state.Trial != "" || state.Highest != bad {
		t.Errorf("the parent knows %+v", state)
	}
	c.stop()
	for _, folder := range []string{`C:\Program Files\Galla`, `C:\ProgramData\Galla`} {
		if left := c.processes(folder); len(left) != 0 {
			t.Errorf("the service has ended, and %v run still", left)
		}
	}
	if text, status := c.edge("releases"); status != 0 || !strings.Contains(text, newer+"  works") || !strings.Contains(text, bad+"  failed 1 time(s)") {
		t.Errorf("releases: exit status %d\n%s", status, text)
	}
}
