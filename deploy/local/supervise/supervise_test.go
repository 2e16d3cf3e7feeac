//go:build unix

package supervise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"galla/shared/files"
	"galla/shared/freeport"

	"go.uber.org/goleak"
)

// TestMain lets the test binary play the programs, and a supervisor that is killed.
func TestMain(m *testing.M) {
	switch os.Getenv("FAKE") {
	case "":
		goleak.VerifyTestMain(m)
	case "supervisor":
		os.Exit(fakeSupervisor())
	default:
		os.Exit(fakeProgram(os.Getenv("FAKE")))
	}
}

// fakeProgram serves on FAKE_ADDR and writes FAKE_PID. Its name says how it behaves:
// steady, stubborn (ignores SIGTERM), broken (ends at once), wrong (writes another
// pid), slow (ends before it serves, twice).
func fakeProgram(kind string) int {
	journal(os.Getenv("FAKE_NAME") + " start")
	fmt.Println("hello from", os.Getenv("FAKE_NAME"))
	fmt.Fprint(os.Stderr, "no line end")
	if kind == "broken" {
		return 3
	}
	if kind == "slow" {
		b, _ := os.ReadFile(os.Getenv("FAKE_JOURNAL"))
		if strings.Count(string(b), os.Getenv("FAKE_NAME")+" start") < 3 {
			return 4
		}
	}
	pid := os.Getpid()
	if kind == "wrong" {
		pid++
	}
	if err := os.WriteFile(os.Getenv("FAKE_PID"), fmt.Appendf(nil, "%d\n", pid), 0o600); err != nil {
		fmt.Println(err)
		return 1
	}
	l, err := net.Listen("tcp", os.Getenv("FAKE_ADDR"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	go func() { _ = http.Serve(l, http.NotFoundHandler()) }()
	term := make(chan os.Signal, 1)
	notify(term)
	for {
		<-term
		journal(os.Getenv("FAKE_NAME") + " term")
		if kind != "stubborn" {
			return 0
		}
	}
}

// journal records what happened, in order.
func journal(line string) {
	f, err := os.OpenFile(os.Getenv("FAKE_JOURNAL"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, line)
}

// quickExit removes the second that a program under the race detector waits before it
// ends.
const quickExit = "GORACE=atexit_sleep_ms=0"

// testSupervisor is a folder with fake programs.
type testSupervisor struct {
	t    *testing.T
	dir  string
	self string
	out  *lockedBuffer
}

func newStage(t *testing.T) *testSupervisor {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &testSupervisor{t: t, dir: t.TempDir(), self: self, out: &lockedBuffer{}}
}

func (s *testSupervisor) program(name, kind string) Program {
	addr := freeport.For(s.t)
	p := Program{
		Name: name, Path: s.self, PIDFile: filepath.Join(s.dir, name+".pid"),
		Env: []string{quickExit, "FAKE=" + kind, "FAKE_NAME=" + name, "FAKE_ADDR=" + addr,
			"FAKE_PID=" + filepath.Join(s.dir, name+".pid"), "FAKE_JOURNAL=" + filepath.Join(s.dir, "journal")},
		Ready: func(ctx context.Context) error { return dial(ctx, addr) },
	}
	return p
}

func dial(ctx context.Context, addr string) error {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return c.Close()
}

func (s *testSupervisor) journal() []string {
	b, err := os.ReadFile(filepath.Join(s.dir, "journal"))
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func (s *testSupervisor) config(programs ...Program) Config {
	c := Config{LogDir: filepath.Join(s.dir, "log"), Screen: s.out, Logger: slog.New(slog.NewTextHandler(s.out, nil))}
	for _, p := range programs {
		c.Steps = append(c.Steps, Step{Program: &p})
	}
	return c
}

// run starts a supervisor and waits until it is ready; the returned function
// stops it and gives Run's result.
func (s *testSupervisor) run(c Config) (*Supervisor, func() error) {
	ready := make(chan struct{})
	c.OnReady = func() { close(ready) }
	sup, err := New(c)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- sup.Run(ctx) }()
	stop := sync.OnceValue(func() error { cancel(); return <-result })
	s.t.Cleanup(func() { _ = stop() })
	select {
	case <-ready:
	case err := <-result:
		s.t.Fatalf("the start failed: %v\n%s", err, s.out)
	}
	return sup, stop
}

func (s *testSupervisor) pid(name string) int {
	pid, err := files.ReadPID(filepath.Join(s.dir, name+".pid"))
	if err != nil {
		return 0
	}
	return pid
}

func alive(pid int) bool { return files.Signal(pid, syscall.Signal(0)) == nil }

// eventually waits for something that must happen; only the test's own time limit ends
// it.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for began := time.Now(); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestOrderOfStartAndStop(t *testing.T) {
	s := newStage(t)
	c := s.config(s.program("rdsim", "steady"), s.program("bank", "steady"), s.program("central", "steady"), s.program("edge", "steady"))
	enrolled := Step{Do: func(context.Context) error {
		if got := s.journal(); !slices.Equal(got, []string{"rdsim start", "bank start", "central start"}) {
			return fmt.Errorf("enrolment came after %v", got)
		}
		return nil
	}}
	c.Steps = slices.Insert(c.Steps, 3, enrolled)
	c.StopOrder = []string{"edge", "central", "bank"}
	_, stop := s.run(c)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	want := []string{"rdsim start", "bank start", "central start", "edge start", "edge term", "central term", "bank term", "rdsim term"}
	if got := s.journal(); !slices.Equal(got, want) {
		t.Errorf("order: %v", got)
	}
	for _, name := range []string{"rdsim", "bank", "central", "edge"} {
		if _, err := os.Stat(filepath.Join(s.dir, name+".pid")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s.pid was left behind (%v)", name, err)
		}
	}
}

func TestKilledIsStartedAgain(t *testing.T) {
	s := newStage(t)
	_, stop := s.run(s.config(s.program("bank", "steady")))
	for range 12 { // more than patience: being killed is not its own fault
		old := s.pid("bank")
		if err := files.Signal(old, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a new process writes its pid", func() bool { p := s.pid("bank"); return p != old && alive(p) })
	}
	if strings.Contains(s.out.String(), "every five seconds") {
		t.Error("kills from outside were counted as its own fault")
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
}

func TestOwnFaultIsGivenTime(t *testing.T) {
	s := newStage(t)
	_, stop := s.run(s.config(s.program("bank", "slow"))) // ends twice by itself, then serves
	if got := s.journal(); len(got) != 3 {
		t.Errorf("starts: %v", got)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}

	k := &processRunner{gaveUp: make(chan struct{}), logger: slog.New(slog.DiscardHandler), log: &logFile{}}
	quick := 0
	for i := range gaveUpAfter - 1 {
		if d := k.pause(nil, time.Second, &quick); d >= time.Second {
			t.Errorf("end %d: pause %s is not below a second", i+1, d)
		}
	}
	if d := k.pause(nil, time.Second, &quick); d != longPause {
		t.Errorf("after %d ends: pause %s", gaveUpAfter, d)
	}
	if d := k.pause(nil, time.Hour, &quick); d != 0 || quick != 1 {
		t.Errorf("after an hour of life: pause %s, count %d", d, quick)
	}
}

func TestHopelessStartSaysWhy(t *testing.T) {
	s := newStage(t)
	sup, err := New(s.config(s.program("bank", "steady"), s.program("central", "broken")))
	if err != nil {
		t.Fatal(err)
	}
	err = sup.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "central ended 10 times before it served") || !strings.Contains(err.Error(), "hello from central") {
		t.Errorf("error: %v", err)
	}
	if got := s.journal(); got[len(got)-1] != "bank term" {
		t.Errorf("the others were not stopped: %v", got)
	}
}

func TestWrongPIDFile(t *testing.T) {
	var err error
	for wait := 300 * time.Millisecond; wait < time.Minute; wait *= 4 {
		s := newStage(t)
		c := s.config(s.program("bank", "wrong"))
		c.ReadyWait = wait
		sup, newErr := New(c)
		if newErr != nil {
			t.Fatal(newErr)
		}
		if err = sup.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "connection refused") {
			break // on a busy machine, a program needs longer until it serves
		}
	}
	if err == nil || !strings.Contains(err.Error(), "names process") {
		t.Errorf("error: %v", err)
	}
}

func TestStubbornIsKilled(t *testing.T) {
	s := newStage(t)
	c := s.config(s.program("bank", "stubborn"), s.program("edge", "stubborn"))
	c.StopGrace = 100 * time.Millisecond
	_, stop := s.run(c)
	pids := []int{s.pid("bank"), s.pid("edge")}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}

	s = newStage(t)
	c = s.config(s.program("bank", "stubborn"), s.program("edge", "stubborn"))
	c.StopGrace = time.Hour
	sup, stop := s.run(c)
	sup.Hurry()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
}

func TestFrozenProgramStops(t *testing.T) {
	s := newStage(t)
	c := s.config(s.program("bank", "steady"))
	c.StopGrace = time.Hour
	_, stop := s.run(c)
	if err := files.Signal(s.pid("bank"), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if got := s.journal(); got[len(got)-1] != "bank term" {
		t.Errorf("it did not end in order: %v", got)
	}
}

func TestStoppedWhileStarting(t *testing.T) {
	s := newStage(t)
	p := s.program("bank", "steady")
	ctx, cancel := context.WithCancel(context.Background())
	p.Ready = func(context.Context) error { cancel(); return errors.New("not yet") }
	sup, err := New(s.config(p))
	if err != nil {
		t.Fatal(err)
	}
	if err := sup.Run(ctx); err != nil {
		t.Errorf("a stop that was asked for is no failure: %v", err)
	}
}

func TestLogs(t *testing.T) {
	s := newStage(t)
	_, stop := s.run(s.config(s.program("bank", "steady")))
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(s.dir, "log", "bank.log"))
	if err != nil || string(b) != "hello from bank\nno line end\n" {
		t.Errorf("log file: %q, %v", b, err)
	}
	if got := s.out.String(); !strings.Contains(got, "bank    | hello from bank\n") || !strings.Contains(got, "bank    | no line end\n") {
		t.Errorf("screen: %s", got)
	}
}

func TestLogLimits(t *testing.T) {
	dir := t.TempDir()
	l, err := openLog(filepath.Join(dir, "x.log"), &screen{out: io.Discard}, "x")
	if err != nil {
		t.Fatal(err)
	}
	line := bytes.Repeat([]byte("a"), maxLine+10)
	for range maxLog/maxLine + 3 {
		_, _ = l.Write(line)
		_, _ = l.Write([]byte("\n"))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x.log", "x.log.1"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Size() > maxLog+2*maxLine {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if n := len(l.last); n != linesKept {
		t.Errorf("%d last words", n)
	}
}

func TestNewRefuses(t *testing.T) {
	good := func() Config {
		return Config{LogDir: "x", Screen: io.Discard, Logger: slog.New(slog.DiscardHandler)}
	}
	ready := func(context.Context) error { return nil }
	for name, change := range map[string]func(*Config){
		"no screen":      func(c *Config) { c.Screen = nil },
		"empty step":     func(c *Config) { c.Steps = []Step{{}} },
		"nameless":       func(c *Config) { c.Steps = []Step{{Program: &Program{Ready: ready}}} },
		"never ready":    func(c *Config) { c.Steps = []Step{{Program: &Program{Name: "a"}}} },
		"twice the name": func(c *Config) { p := &Program{Name: "a", Ready: ready}; c.Steps = []Step{{Program: p}, {Program: p}} },
	} {
		c := good()
		change(&c)
		if _, err := New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestNothingIsLeftBehind kills a supervisor with SIGKILL; its programs must end with
// it.
func TestNothingIsLeftBehind(t *testing.T) {
	s := newStage(t)
	cmd := exec.Command(s.self)
	cmd.Env = append(os.Environ(), "FAKE=supervisor", "FAKE_DIR="+s.dir, "FAKE_ONE="+freeport.For(t), "FAKE_TWO="+freeport.For(t))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("ready"))
	if _, err := io.ReadFull(out, line); err != nil {
		t.Fatalf("the supervisor did not start: %v", err)
	}
	pids := []int{s.pid("one"), s.pid("two")}
	for _, pid := range pids {
		if !alive(pid) {
			t.Fatalf("process %d does not run", pid)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, pid := range pids {
		eventually(t, "its programs end", func() bool { return !alive(pid) || zombie(pid) })
	}
}

// zombie reports a process that has ended but was not awaited: in a container without
// an init nobody does.
func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(b), ") Z ")
}

func fakeSupervisor() int {
	dir := os.Getenv("FAKE_DIR")
	self, _ := os.Executable()
	var steps []Step
	for name, addr := range map[string]string{"one": os.Getenv("FAKE_ONE"), "two": os.Getenv("FAKE_TWO")} {
		pid := filepath.Join(dir, name+".pid")
		steps = append(steps, Step{Program: &Program{
			Name: name, Path: self, PIDFile: pid,
			Env:   []string{quickExit, "FAKE=stubborn", "FAKE_NAME=" + name, "FAKE_ADDR=" + addr, "FAKE_PID=" + pid, "FAKE_JOURNAL=" + filepath.Join(dir, "journal")},
			Ready: func(ctx context.Context) error { return dial(ctx, addr) },
		}})
	}
	sup, err := New(Config{
		Steps: steps, LogDir: filepath.Join(dir, "log"), Screen: io.Discard, Logger: slog.New(slog.DiscardHandler),
		OnReady: func() { fmt.Print("ready") },
	})
	if err == nil {
		err = sup.Run(context.Background())
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// lockedBuffer is a buffer that many may write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func notify(c chan os.Signal) { signal.Notify(c, syscall.SIGTERM) }
