//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"galla/edge/ui/uitest"
	"galla/shared/files"
	"galla/shared/freeport"
	"galla/shared/localname"
)

// sandbox is one running sandbox: programs, ports and data of its own.
type sandbox struct {
	t        *testing.T
	bin      string
	data     string
	env      map[string]string
	cmd      *exec.Cmd
	out      string            // everything that came on the supervisor's stdout
	exited   chan struct{}     // closed when the supervisor has ended
	err      error             // of its end; read after gone
	pids     map[string]string // of a site's programs, by name: the file; nil: <name>.pid in the data folder
	stopSite func()            // of a site: stops it and waits

	tokens   sync.Map // client → token
	reader   *reader  // the sandbox's own
	captures captures
	cookies  []string // of the counter's sessions
	otps     []string // that were read in the bank's inboxes
}

// Timeouts of things that must happen; they only bound a failure.
const (
	startWait = 3 * time.Minute
	stopWait  = 2 * time.Minute
)

// startSandbox starts a sandbox and closes it at the test's end. extra is environment.
func startSandbox(t *testing.T, extra ...string) *sandbox {
	t.Helper()
	h := newSandbox(t, extra...)
	h.start()
	t.Cleanup(func() { h.close() })
	return h
}

// newSandbox makes a sandbox that does not run yet.
func newSandbox(t *testing.T, extra ...string) *sandbox {
	t.Helper()
	h := &sandbox{t: t, bin: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	// Hard links, not copies: a test takes a program away to keep it down, and the
	// supervisor finds the other programs beside the link that it was started by.
	for name := range programs {
		if err := os.Link(filepath.Join(shop.bin, name), filepath.Join(h.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	h.env = map[string]string{"GALLA_DATA": h.data, "GALLA_BANK_TIME_SCALE": "0.05"}
	for name, host := range freeAddresses(t, "CENTRAL", "ADMIN", "UPLINK", "COUNTER", "BANK", "BANK_NETWORK", "RDSIM") {
		h.env["GALLA_"+name+"_ADDR"] = host
	}
	for _, kv := range extra {
		k, v, _ := strings.Cut(kv, "=")
		h.env[k] = v
	}
	h.reader = &reader{url: h.url("RDSIM")}
	return h
}

// freeAddresses gives an address to each name.
func freeAddresses(t *testing.T, names ...string) map[string]string {
	t.Helper()
	at := map[string]string{}
	for _, name := range names {
		at[name] = freeport.For(t)
	}
	return at
}

// url gives the address of a part, such as CENTRAL.
func (h *sandbox) url(part string) string {
	if part == "COUNTER" {
		return named(h.t, h.data, h.env["GALLA_COUNTER_ADDR"])
	}
	return "http://" + h.env["GALLA_"+part+"_ADDR"]
}

// named gives the address at which browsers open the counter of a data folder.
func named(t *testing.T, data, host string) string {
	t.Helper()
	name, err := localname.Ensure(filepath.Join(data, "edge"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return uitest.WithHost("http://"+host, name)
}

// start runs the supervisor and waits until it is ready.
func (h *sandbox) start() {
	h.t.Helper()
	h.cmd = exec.Command(filepath.Join(h.bin, "galla-local"))
	h.cmd.Env = os.Environ()
	for k, v := range h.env {
		h.cmd.Env = append(h.cmd.Env, k+"="+v)
	}
	h.cmd.Env = append(h.cmd.Env, "GORACE=atexit_sleep_ms=0")
	logs, err := os.OpenFile(h.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.t.Fatal(err)
	}
	h.cmd.Stderr = logs
	r, w, err := os.Pipe()
	if err != nil {
		h.t.Fatal(err)
	}
	h.cmd.Stdout = w
	if err := launch(h.cmd); err != nil {
		h.t.Fatal(err)
	}
	_, _ = w.Close(), logs.Close()
	h.exited = make(chan struct{})
	go func() {
		h.err = h.cmd.Wait()
		close(h.exited)
	}()
	h.waitReady(r)
}

func (h *sandbox) waitReady(r *os.File) {
	h.t.Helper()
	ready := make(chan string, 1)
	go func() {
		defer r.Close()
		var all strings.Builder
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
			if lines.Text() == "galla: ready" {
				ready <- all.String()
				_, _ = io.Copy(io.Discard, r)
				return
			}
		}
	}()
	select {
	case h.out = <-ready:
	case <-h.exited:
		h.t.Fatalf("the supervisor ended (%v):\n%s", h.err, h.logTail())
	case <-time.After(startWait):
		h.t.Fatalf("the sandbox is not ready:\n%s", h.logTail())
	}
}

// stop ends the sandbox as Ctrl-C does and checks what it promises.
func (h *sandbox) stop() {
	h.t.Helper()
	select {
	case <-h.exited:
		return
	default:
	}
	_ = h.cmd.Process.Signal(os.Interrupt)
	select {
	case <-h.exited:
	case <-time.After(stopWait):
		_ = h.cmd.Process.Kill()
		<-h.exited
		h.t.Errorf("the sandbox does not stop:\n%s", h.logTail())
	}
	if h.err != nil {
		h.t.Errorf("the supervisor's end: %v\n%s", h.err, h.logTail())
	}
	left, _ := filepath.Glob(filepath.Join(h.data, "*.pid"))
	if len(left) > 0 {
		h.t.Errorf("pid files left behind: %v", left)
	}
	for name, host := range h.env {
		if !strings.HasSuffix(name, "_ADDR") {
			continue
		}
		l, err := net.Listen("tcp", host)
		if err != nil {
			h.t.Errorf("%s is still taken after the stop: %v", name, err)
			continue
		}
		_ = l.Close()
	}
}

// close stops the sandbox and checks its logs.
func (h *sandbox) close() {
	h.stop()
	if fault := h.findFaultInLogs(); fault != "" {
		h.t.Errorf("a program's log tells of a fault:\n%s", fault)
	}
	if h.t.Failed() {
		h.t.Logf("the end of the logs:\n%s", h.logTail())
	}
}

func (h *sandbox) logPath() string { return filepath.Join(filepath.Dir(h.data), "supervisor.log") }

// logTail is the end of everything that was logged.
func (h *sandbox) logTail() string {
	b, _ := os.ReadFile(h.logPath())
	return string(b[max(0, len(b)-8000):])
}

// faults are what no log may contain.
var faults = regexp.MustCompile(`WARNING: DATA RACE|(^|\| )panic: |(^|\| )fatal error: |msg"?[=:]"?panic|runtime error`)

func (h *sandbox) findFaultInLogs() string {
	b, err := os.ReadFile(h.logPath())
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(b, []byte("\n"))
	for i, l := range lines {
		if faults.Match(l) {
			return string(bytes.Join(lines[max(0, i-2):min(len(lines), i+60)], []byte("\n")))
		}
	}
	return ""
}

// pid is the process that a program's file names; 0: none.
func (h *sandbox) pid(name string) int {
	file := h.pids[name]
	if file == "" {
		file = filepath.Join(h.data, name+".pid")
	}
	pid, err := files.ReadPID(file)
	if err != nil {
		return 0
	}
	return pid
}

// signal sends a signal to a program; false: it was not there.
func (h *sandbox) signal(name string, sig syscall.Signal) bool {
	return files.Signal(h.pid(name), sig) == nil
}

// keepDown kills a program and keeps it down until the returned function is
// called: its file is moved, so that the supervisor can't start it.
func (h *sandbox) keepDown(name string) (giveBack func()) {
	h.t.Helper()
	file := filepath.Join(h.bin, "galla-"+name)
	if err := os.Rename(file, file+".away"); err != nil {
		h.t.Fatal(err)
	}
	if !h.signal(name, syscall.SIGKILL) {
		h.t.Fatalf("%s does not run", name)
	}
	return func() {
		if err := os.Rename(file+".away", file); err != nil {
			h.t.Fatal(err)
		}
	}
}

// waitUntil waits for something that must happen.
func waitUntil(t testing.TB, what string, limit time.Duration, cond func() bool) {
	t.Helper()
	for began := time.Now(); !cond(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("never happened in %s: %s", limit, what)
		}
	}
}

// killAndWait kills a program and waits until the next one has written its pid.
func (h *sandbox) killAndWait(name string) {
	h.t.Helper()
	old := h.pid(name)
	if !h.signal(name, syscall.SIGKILL) {
		h.t.Fatalf("%s does not run", name)
	}
	waitUntil(h.t, name+" is started again", time.Minute, func() bool { p := h.pid(name); return p != old && h.signal(name, 0) })
}

// awaitCentral waits until the central is ready: its engine takes calls. Tokens are given before that.
func (h *sandbox) awaitCentral(t *testing.T) {
	t.Helper()
	waitUntil(t, "the central is ready", time.Minute, func() bool {
		code, _, _, err := h.do("GET", h.url("ADMIN")+"/readyz", nil)
		return err == nil && code == http.StatusOK
	})
}

// waitForExecution waits until the books hold a debit of an amount that the test
// uses once.
func (h *sandbox) waitForExecution(t *testing.T, paise int64) {
	t.Helper()
	began := time.Now().Add(-time.Minute)
	waitUntil(t, "the bank executes "+rupees(paise), time.Minute, func() bool {
		for _, e := range h.executions(began, time.Now().Add(time.Minute)) {
			if e.AmountPaise == paise && e.Status == "EXECUTED" {
				return true
			}
		}
		return false
	})
}

func itoa(n int) string { return strconv.Itoa(n) }
