//go:build unix

package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"galla/shared/freeport"
	"galla/shared/localname"

	"go.uber.org/goleak"
)

// TestMain lets the test binary play the four programs, under their names.
func TestMain(m *testing.M) {
	name, isProgram := strings.CutPrefix(filepath.Base(os.Args[0]), "galla-")
	switch {
	case !isProgram:
		goleak.VerifyTestMain(m)
	case len(os.Args) > 1 && os.Args[1] == "enrol":
		os.Exit(playEnrolment(os.Args[2:]))
	case len(os.Args) > 1 && os.Args[1] == "devices":
		if err := os.WriteFile(filepath.Join(os.Getenv("GALLA_DATA"), "pinned"), []byte(strings.Join(os.Args[2:], " ")), 0o600); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	default:
		os.Exit(playProgram(name))
	}
}

// playProgram serves what the supervisor and the enrolment ask for.
func playProgram(name string) int {
	must := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	must(os.WriteFile(filepath.Join(os.Getenv("GALLA_DATA"), name+".pid"), fmt.Appendf(nil, "%d", os.Getpid()), 0o600))
	serve := func(variable string, paths map[string]string) {
		u, err := url.Parse(os.Getenv(variable))
		must(err)
		l, err := net.Listen("tcp", u.Host)
		must(err)
		mux := http.NewServeMux()
		for path, body := range paths {
			mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
		}
		go func() { _ = http.Serve(l, mux) }()
	}
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	switch name {
	case "rdsim":
		serve("GALLA_RDSIM_ADDR", map[string]string{"/{$}": "simulator"})
	case "bank":
		serve("GALLA_BANK_ADDR", map[string]string{"/books/trial": "{}"})
		serve("GALLA_BANK_NETWORK_ADDR", nil)
	case "central":
		serve("GALLA_UPLINK_ADDR", nil)
		serve("GALLA_CENTRAL_ADDR", map[string]string{
			"POST /oauth/token": `{"access_token":"the-token","token_type":"Bearer","expires_in":900}`,
			"POST /terminals":   `{"statusCode":"00","message":"ok","data":{"code":"THE-CODE"}}`,
		})
		serve("GALLA_ADMIN_ADDR", map[string]string{"/readyz": "ok"})
	case "edge":
		if _, err := localname.Ensure(filepath.Join(os.Getenv("GALLA_DATA"), "edge"), rand.Reader); err != nil {
			panic(err)
		}
		serve("GALLA_COUNTER_ADDR", map[string]string{"/healthz": "ok"})
	}
	<-term
	return 0
}

// playEnrolment records what the enrolment got, and the files' modes.
func playEnrolment(args []string) int {
	notes := map[string]string{"args": strings.Join(args, " "), "sandbox": os.Getenv("GALLA_SANDBOX")}
	for i, a := range args {
		if strings.HasSuffix(a, "-file") {
			info, err := os.Stat(args[i+1])
			if err != nil {
				fmt.Println(err)
				return 1
			}
			b, _ := os.ReadFile(args[i+1])
			notes[a] = fmt.Sprintf("%s %s", info.Mode(), b)
		}
	}
	b, _ := json.Marshal(notes)
	if err := os.WriteFile(filepath.Join(os.Getenv("GALLA_DATA"), "enrolled.json"), b, 0o600); err != nil {
		return 1
	}
	return 0
}

// sandbox gives a configuration on free ports, and a folder of programs.
func sandbox(t *testing.T) (Config, string) {
	t.Helper()
	env := map[string]string{"GALLA_DATA": filepath.Join(t.TempDir(), "data")}
	for _, name := range []string{"CENTRAL", "ADMIN", "UPLINK", "COUNTER", "BANK", "RDSIM"} {
		env["GALLA_"+name+"_ADDR"] = freeport.For(t)
	}
	cfg, err := ReadConfig(func(k string) string { return env[k] })
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for _, name := range []string{"rdsim", "bank", "central", "edge"} {
		if err := os.Symlink(self, filepath.Join(bin, "galla-"+name)); err != nil {
			t.Fatal(err)
		}
	}
	return cfg, bin
}

func TestWholeSandbox(t *testing.T) {
	cfg, bin := sandbox(t)
	for range 2 { // the second start finds what the first left
		screen := &waiting{ready: make(chan struct{})}
		logs := &waiting{}
		h, err := New(cfg, bin, []string{"GORACE=atexit_sleep_ms=0", "GALLA_DATA=/elsewhere", "GALLA_LOG=x"}, screen, logs)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(cfg, bin, nil, screen, logs); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("in use by another supervisor (process %d)", os.Getpid())) {
			t.Errorf("a second supervisor on the same data: %v", err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		result := make(chan error, 1)
		go func() { result <- h.Run(ctx) }()
		select {
		case <-screen.ready:
		case err := <-result:
			t.Fatalf("the sandbox did not start: %v\n%s", err, logs)
		}
		checkBanner(t, cfg, screen.String())
		checkEnrolment(t, cfg)
		cancel()
		if err := <-result; err != nil {
			t.Errorf("stop: %v", err)
		}
		left, err := os.ReadDir(cfg.Data)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range left {
			names = append(names, e.Name())
		}
		if !slices.Equal(names, []string{"edge", "enrolled.json", "log", "pinned", lockName}) {
			t.Errorf("left in the data folder: %v", names)
		}
	}
}

func checkBanner(t *testing.T, cfg Config, got string) {
	t.Helper()
	if !strings.HasSuffix(got, "\ngalla: ready\n") {
		t.Errorf("the last line is not 'galla: ready': %s", got)
	}
	link, err := counterLink(cfg)
	if err != nil || !strings.Contains(got, link) || strings.Contains(got, cfg.Counter.URL()) {
		t.Errorf("the counter's link %s is not named (%v): %s", link, err, got)
	}
	for _, a := range cfg.all() {
		if a != cfg.Counter && !strings.Contains(got, a.URL()) {
			t.Errorf("%s is not named: %s", a.URL(), got)
		}
	}
	for _, want := range []string{"merchant-lakshmi", "sandbox-merchant-5", "vendor-deccan", "PIN 2580", cfg.Data, "  console         "} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not named: %s", want, got)
		}
	}
	if strings.Contains(got, agentAadhaar) {
		t.Error("the banner shows an Aadhaar number")
	}
}

func checkEnrolment(t *testing.T, cfg Config) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(cfg.Data, "enrolled.json"))
	if err != nil {
		t.Fatal(err)
	}
	var notes map[string]string
	if err := json.Unmarshal(b, &notes); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"--code-file":          "-rw------- THE-CODE",
		"--agent-pin-file":     "-rw------- " + agentPIN,
		"--agent-aadhaar-file": "-rw------- " + agentAadhaar,
		"sandbox":              "1",
	} {
		if notes[name] != want {
			t.Errorf("%s: %q, want %q", name, notes[name], want)
		}
	}
	// The simulator of this sandbox is the counter's reader, whoever else listens.
	if pinned, err := os.ReadFile(filepath.Join(cfg.Data, "pinned")); err != nil || string(pinned) != "--use "+cfg.RDSim.URL() {
		t.Errorf("the counter's reader: %q, %v", pinned, err)
	}
	args := notes["args"]
	for _, never := range []string{"THE-CODE", agentPIN, agentAadhaar} {
		if strings.Contains(args, never) {
			t.Errorf("a secret stands on the command line: %s", args)
		}
	}
	for _, want := range []string{"--if-needed", "--central " + cfg.Central.URL(), "--agent-name Fatima", "--name Counter 1"} {
		if !strings.Contains(args, want) {
			t.Errorf("%q is not on the command line: %s", want, args)
		}
	}
}

func TestTakenPorts(t *testing.T) {
	cfg, bin := sandbox(t)
	for _, a := range []Address{cfg.Central, cfg.RDSim} {
		l, err := net.Listen("tcp", a.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	_, err := New(cfg, bin, nil, &waiting{}, &waiting{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{cfg.Central.URL(), "GALLA_CENTRAL_ADDR", cfg.RDSim.URL(), "GALLA_RDSIM_ADDR", "address already in use", "to a free address"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "GALLA_BANK_ADDR") {
		t.Errorf("a free port is blamed: %v", err)
	}
	if _, err := New(cfg, bin, nil, &waiting{}, &waiting{}); err == nil || strings.Contains(err.Error(), "another supervisor") {
		t.Errorf("the lock was not given back: %v", err)
	}
}

func TestProgramsMissing(t *testing.T) {
	cfg, _ := sandbox(t)
	_, err := New(cfg, t.TempDir(), nil, &waiting{}, &waiting{})
	if err == nil || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "galla-edge") || !strings.Contains(err.Error(), "make build") {
		t.Errorf("error: %v", err)
	}
}

func TestBankNetworkAddress(t *testing.T) {
	cfg, _ := sandbox(t)
	if err := cfg.checkFree(); err != nil {
		t.Fatal(err)
	}
	var host, port string
	host, port, _ = net.SplitHostPort(cfg.Bank.Host)
	next := cfg.BankNetwork.Host
	if want := net.JoinHostPort(host, fmt.Sprint(atoi(t, port)+1)); next != want {
		t.Skipf("the port above the bank's is in use on this machine: %s instead of %s", next, want)
	}
	l, err := net.Listen("tcp", next)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cfg.BankNetwork.Host = ""
	if err := cfg.checkFree(); err != nil || cfg.BankNetwork.Host == next || cfg.BankNetwork.Host == "" {
		t.Errorf("the next port is taken: %q, %v", cfg.BankNetwork.Host, err)
	}

	cfg.BankNetwork.Host, cfg.Admin.Host = "", next
	_ = l.Close()
	if err := cfg.checkFree(); err != nil || cfg.BankNetwork.Host == next {
		t.Errorf("the next port is the administration's: %q, %v", cfg.BankNetwork.Host, err)
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestReadConfig(t *testing.T) {
	read := func(kv ...string) (Config, error) {
		env := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			env[kv[i]] = kv[i+1]
		}
		return ReadConfig(func(k string) string { return env[k] })
	}
	c, err := read()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"http://127.0.0.1:7100", "http://127.0.0.1:7101", "ws://127.0.0.1:7102", "http://127.0.0.1:7200", "http://127.0.0.1:7300", "http://127.0.0.1:11100"}
	for i, a := range c.all() {
		if a.URL() != want[i] {
			t.Errorf("%s is %s by default, want %s", a.Var, a.URL(), want[i])
		}
	}
	if !filepath.IsAbs(c.Data) || filepath.Base(c.Data) != ".galla" {
		t.Errorf("data folder %s", c.Data)
	}

	c, err = read("GALLA_CENTRAL_ADDR", "localhost:8100", "GALLA_UPLINK_ADDR", "127.0.0.1:8102", "GALLA_BANK_ADDR", "http://[::1]:8300/",
		"GALLA_BANK_NETWORK_ADDR", "127.0.0.1:8400", "GALLA_DATABASE_URL", "postgres://x", "GALLA_BANK_TIME_SCALE", "0.05")
	if err != nil {
		t.Fatal(err)
	}
	env := c.environment([]string{"PATH=/bin", "GALLA_CENTRAL_ADDR=old", "GALLA_LOG=debug"})
	for _, kv := range []string{
		"PATH=/bin", "GALLA_LOG=debug", "GALLA_SANDBOX=1", "GALLA_DATA=" + c.Data, "GALLA_CENTRAL_ADDR=http://localhost:8100",
		"GALLA_UPLINK_ADDR=ws://127.0.0.1:8102", "GALLA_BANK_ADDR=http://[::1]:8300", "GALLA_BANK_NETWORK_ADDR=http://127.0.0.1:8400",
		"GALLA_DATABASE_URL=postgres://x", "GALLA_BANK_TIME_SCALE=0.05", "GALLA_RDSIM_ADDR=http://127.0.0.1:11100",
	} {
		if !slices.Contains(env, kv) {
			t.Errorf("%s is not in the environment %v", kv, env)
		}
	}
	if slices.Contains(env, "GALLA_CENTRAL_ADDR=old") {
		t.Error("an inherited address stayed")
	}

	_, err = read("GALLA_CENTRAL_ADDR", "7100", "GALLA_ADMIN_ADDR", "https://127.0.0.1:1", "GALLA_COUNTER_ADDR", "127.0.0.1:0",
		"GALLA_BANK_ADDR", ":7300", "GALLA_RDSIM_ADDR", "http://127.0.0.1:1/path", "GALLA_BANK_TIME_SCALE", "fast")
	for _, name := range []string{"GALLA_CENTRAL_ADDR", "GALLA_ADMIN_ADDR", "GALLA_COUNTER_ADDR", "GALLA_BANK_ADDR", "GALLA_RDSIM_ADDR", "GALLA_BANK_TIME_SCALE"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not blamed: %v", name, err)
		}
	}
	if _, err = read("GALLA_ADMIN_ADDR", "127.0.0.1:7100"); err == nil || !strings.Contains(err.Error(), "GALLA_CENTRAL_ADDR and GALLA_ADMIN_ADDR") {
		t.Errorf("two parts on one address: %v", err)
	}
}

// TestCentralRefuses makes the central refuse the enrolment.
func TestCentralRefuses(t *testing.T) {
	for body, want := range map[string]string{
		`{"statusCode":"03","message":"no"}`: `HTTP 401 "no"`,
		`<html>`:                             `HTTP 401 ""`,
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, body)
		})}
		go func() { _ = srv.Serve(l) }()
		h := &Sandbox{cfg: Config{Central: Address{Scheme: "http", Host: l.Addr().String()}}}
		err = h.enrolTerminal(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ownerClient) {
			t.Errorf("error: %v", err)
		}
		if strings.Contains(fmt.Sprint(err), "sandbox-merchant-1") {
			t.Errorf("a secret stands in the error: %v", err)
		}
		_ = srv.Close()
	}
}

// waiting is a writer that reports when the last line is written.
type waiting struct {
	mu        sync.Mutex
	b         bytes.Buffer
	ready     chan struct{}
	signalled bool
}

func (w *waiting) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b.Write(b)
	if w.ready != nil && !w.signalled && strings.Contains(w.b.String(), "galla: ready\n") {
		w.signalled = true
		close(w.ready)
	}
	return len(b), nil
}

func (w *waiting) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}
