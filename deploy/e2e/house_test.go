//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"io"
	"net"
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

	"galla/edge/web/webtest"
	"galla/shared/freeport"
	"galla/shared/localname"
)

// house is one running sandbox: programs, ports and data of its own.
type house struct {
	t    *testing.T
	bin  string
	data string
	env  map[string]string
	cmd  *exec.Cmd
	out  string            // everything that came on the supervisor's stdout
	gone chan struct{}     // closed when the supervisor has ended
	err  error             // of its end; read after gone
	pids map[string]string // of a site's programs, by name: the file; nil: <name>.pid in the data folder
	end  func()            // of a site: stops it and waits

	tokens   sync.Map // client → token
	reader   *reader  // the house's own
	captures captures
	cookies  []string // of the counter's sessions
	otps     []string // that were read in the bank's inboxes
}

// Waits for things that must happen; their length says nothing but 'never'.
const (
	startWait = 3 * time.Minute
	stopWait  = 2 * time.Minute
)

// open starts a house and closes it at the test's end. extra is environment.
func open(t *testing.T, extra ...string) *house {
	t.Helper()
	h := furnish(t, extra...)
	h.start()
	t.Cleanup(func() { h.close() })
	return h
}

// furnish makes a house that does not run yet.
func furnish(t *testing.T, extra ...string) *house {
	t.Helper()
	h := &house{t: t, bin: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	// Hard links, not copies: a test takes a program away to keep it down, and
	// the supervisor finds its neighbours beside the link that it was started by.
	for name := range programs {
		if err := os.Link(filepath.Join(shop.bin, name), filepath.Join(h.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	h.env = map[string]string{"GALLA_DATA": h.data, "GALLA_BANK_TIME_SCALE": "0.05"}
	for name, host := range addresses(t, "CENTRAL", "ADMIN", "UPLINK", "COUNTER", "BANK", "BANK_NETWORK", "RDSIM") {
		h.env["GALLA_"+name+"_ADDR"] = host
	}
	for _, kv := range extra {
		k, v, _ := strings.Cut(kv, "=")
		h.env[k] = v
	}
	h.reader = &reader{url: h.url("RDSIM")}
	return h
}

// addresses gives an address to each name.
func addresses(t *testing.T, names ...string) map[string]string {
	t.Helper()
	at := map[string]string{}
	for _, name := range names {
		at[name] = freeport.For(t)
	}
	return at
}

// url gives the address of a part, such as CENTRAL.
func (h *house) url(part string) string {
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
	return webtest.NamedAs("http://"+host, name)
}

// start runs the supervisor and waits for its word.
func (h *house) start() {
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
	h.gone = make(chan struct{})
	go func() {
		h.err = h.cmd.Wait()
		close(h.gone)
	}()
	h.awaitReady(r)
}

func (h *house) awaitReady(r *os.File) {
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
	case <-h.gone:
		h.t.Fatalf("the supervisor ended (%v):\n%s", h.err, h.lastLog())
	case <-time.After(startWait):
		h.t.Fatalf("the house is not ready:\n%s", h.lastLog())
	}
}

// stop ends the house as Ctrl-C does and holds it to what it promises.
func (h *house) stop() {
	h.t.Helper()
	select {
	case <-h.gone:
		return
	default:
	}
	_ = h.cmd.Process.Signal(os.Interrupt)
	select {
	case <-h.gone:
	case <-time.After(stopWait):
		_ = h.cmd.Process.Kill()
		<-h.gone
		h.t.Errorf("the house does not stop:\n%s", h.lastLog())
	}
	if h.err != nil {
		h.t.Errorf("the supervisor's end: %v\n%s", h.err, h.lastLog())
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

// close stops the house and looks through its logs.
func (h *house) close() {
	h.stop()
	if fault := h.faultInLogs(); fault != "" {
		h.t.Errorf("a program's log tells of a fault:\n%s", fault)
	}
	if h.t.Failed() {
		h.t.Logf("the end of the logs:\n%s", h.lastLog())
	}
}

func (h *house) logPath() string { return filepath.Join(filepath.Dir(h.data), "supervisor.log") }

// lastLog is the end of everything that was logged.
func (h *house) lastLog() string {
	b, _ := os.ReadFile(h.logPath())
	return string(b[max(0, len(b)-8000):])
}

// faults are what no log may hold.
var faults = regexp.MustCompile(`WARNING: DATA RACE|(^|\| )panic: |(^|\| )fatal error: |msg"?[=:]"?panic|runtime error`)

func (h *house) faultInLogs() string {
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
func (h *house) pid(name string) int {
	file := h.pids[name]
	if file == "" {
		file = filepath.Join(h.data, name+".pid")
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}

// signal sends a signal to a program; false: it was not there.
func (h *house) signal(name string, sig syscall.Signal) bool {
	pid := h.pid(name)
	return pid > 0 && syscall.Kill(pid, sig) == nil
}

// takeAway kills a program and keeps it down until the returned function is
// called: its file is moved, so that the supervisor can't start it.
func (h *house) takeAway(name string) (giveBack func()) {
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

// until waits for something that must happen.
func until(t *testing.T, what string, limit time.Duration, cond func() bool) {
	t.Helper()
	for began := time.Now(); !cond(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("never happened in %s: %s", limit, what)
		}
	}
}

// killAndAwait kills a program and waits until the next one has written its pid.
func (h *house) killAndAwait(name string) {
	h.t.Helper()
	old := h.pid(name)
	if !h.signal(name, syscall.SIGKILL) {
		h.t.Fatalf("%s does not run", name)
	}
	until(h.t, name+" is started again", time.Minute, func() bool { p := h.pid(name); return p != old && h.signal(name, 0) })
}

// awaitExecution waits until the books hold a debit of an amount that the test
// uses once.
func (h *house) awaitExecution(t *testing.T, paise int64) {
	t.Helper()
	began := time.Now().Add(-time.Minute)
	until(t, "the bank executes "+rupees(paise), time.Minute, func() bool {
		for _, e := range h.executions(began, time.Now().Add(time.Minute)) {
			if e.AmountPaise == paise && e.Status == "EXECUTED" {
				return true
			}
		}
		return false
	})
}

func itoa(n int) string { return strconv.Itoa(n) }
