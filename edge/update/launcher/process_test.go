package launcher

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"galla/edge/update/release"
	"galla/edge/update/releases"
)

// Environment by which this test's program is a parent, or a release of some
// behaviour: what it is, and the folder of everything.
const (
	asLauncher = "GALLA_TEST_LAUNCHER"
	stageDir   = "GALLA_TEST_BENCH"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(EnvVar) == Protocol:
		os.Exit(runAsRelease(os.Getenv(stageDir)))
	case os.Getenv(asLauncher) != "":
		os.Exit(runAsLauncher(os.Getenv(stageDir)))
	}
	os.Exit(m.Run())
}

func openStage(dir string) (*releases.Store, error) {
	root, err := os.ReadFile(filepath.Join(dir, "repo", "1.root.json"))
	if err != nil {
		return nil, err
	}
	return releases.Open(releases.Config{Folder: filepath.Join(dir, "releases"), Root: root, OS: "linux", Arch: "amd64"})
}

// runAsLauncher is the installed program.
func runAsLauncher(dir string) int {
	s, err := openStage(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p, err := New(Config{
		Releases: s, Version: installed, Program: os.Args[0], Env: os.Environ(), Stderr: os.Stderr,
		HealthyWithin: time.Second, StopWithin: 300 * time.Millisecond, RetryAfter: time.Millisecond, StableAfter: time.Hour, Pause: 20 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := p.Run(ctx); err != nil {
		return 1
	}
	return 0
}

// runAsRelease is a release: its version is its folder's, and what it does stands in a
// file. While it runs it writes into a journal, as a counter into its queue, and
// finds out whether another one does.
func runAsRelease(dir string) int {
	s, err := openStage(dir)
	if err != nil {
		return 1
	}
	own := installed
	if program, err := os.Executable(); err == nil && strings.HasPrefix(program, filepath.Join(dir, "releases")) {
		own = release.Version(filepath.Base(filepath.Dir(program)))
	}
	child := Attach(os.Getenv, os.Stdin, os.Stdout)
	stopped := make(chan struct{})
	go func() { child.Wait(); close(stopped) }()
	waiting, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := s.LockServe(waiting); err != nil {
		return 1
	}
	j, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return 1
	}
	note := func(what string) { _, _ = fmt.Fprintf(j, "%d %s %s\n", os.Getpid(), own, what) }
	note("begins")
	text, err := os.ReadFile(filepath.Join(dir, "play-"+string(own)))
	if err != nil {
		text = []byte("good")
	}
	fmt.Println("a line that is for nobody")
	switch string(text) {
	case "crashes":
		return 2
	case "hangs":
		note("hangs")
		select {}
	case "unlinked":
		<-stopped
		note("ends")
		return 0
	}
	if child.Healthy(own) != nil {
		return 1
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stopped:
			note("ends")
			return 0
		case <-tick.C:
			note("works")
			if versions, err := s.Versions(); err == nil && len(versions) > 0 && versions[0].Compare(own) > 0 {
				_ = child.Switch(versions[0])
			}
		}
	}
}

// processBench is a stage with real processes.
type processBench struct {
	*testBench
	cmd *exec.Cmd
	in  io.Closer
	log bytes.Buffer
}

func newProcesses(t *testing.T) *processBench { return &processBench{testBench: newTestBench(t)} }

// release publishes this test's own program as a release.
func (w *processBench) release(v release.Version, play string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, "play-"+string(v)), []byte(play), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.putFile(v, os.Args[0])
}

func (w *processBench) start() {
	w.t.Helper()
	w.cmd = exec.Command(os.Args[0])
	w.cmd.Env = append(os.Environ(), asLauncher+"=1", stageDir+"="+w.dir, "GORACE=atexit_sleep_ms=0")
	w.cmd.Stderr = &w.log
	w.cmd.WaitDelay = 10 * time.Second
	in, err := w.cmd.StdinPipe()
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.in = in
	w.t.Cleanup(func() { _ = w.cmd.Process.Kill() })
}

// stop ends the parent, which ends its child first.
func (w *processBench) stop() {
	w.t.Helper()
	if err := errors.Join(w.in.Close(), w.cmd.Wait()); err != nil {
		w.t.Errorf("%v\n%s", err, w.log.String())
	}
}

// entry is a line of the journal.
type entry struct {
	pid  int
	v    release.Version
	what string
}

func (w *processBench) journal() (out []entry) {
	w.t.Helper()
	f, err := os.Open(filepath.Join(w.dir, "journal"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			continue // the last line of one that was killed while it wrote
		}
		pid, err := strconv.Atoi(fields[0])
		if err != nil {
			w.t.Fatalf("%q", lines.Text())
		}
		out = append(out, entry{pid, release.Version(fields[1]), fields[2]})
	}
	return out
}

// awaits waits until a version works, after so many entries.
func (w *processBench) awaits(v release.Version, after int) {
	w.t.Helper()
	for range 3000 {
		if all := w.journal(); len(all) > after+3 {
			if last := all[len(all)-1]; last.v == v && last.what == "works" {
				return
			}
		}
		<-time.After(10 * time.Millisecond)
	}
	w.t.Fatalf("%s does not come to work\n%v\n%s", v, w.journal(), w.log.String())
}

// alone holds the journal to its one promise: nobody writes between another's
// beginning and its last word.
func (w *processBench) alone() {
	w.t.Helper()
	over := map[int]bool{}
	last := 0
	for _, e := range w.journal() {
		if e.pid != last {
			if e.what != "begins" || over[e.pid] {
				w.t.Errorf("%+v stands between the lines of another", e)
			}
			over[last], last = true, e.pid
		}
	}
}

// The ways of a release, with processes: a good one serves, one that crashes, hangs
// or never links is put aside and the one before serves.
func TestProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	for play, want := range map[string]release.Version{"good": "1.1.0", "crashes": "1.0.0", "hangs": "1.0.0", "unlinked": "1.0.0"} {
		t.Run(play, func(t *testing.T) {
			t.Parallel()
			w := newProcesses(t)
			w.start()
			w.awaits(installed, 0)
			w.release("1.1.0", play)
			for range 3000 {
				if known := w.state().Get("1.1.0"); known.Blocked != "" || known.Proven {
					break
				}
				<-time.After(10 * time.Millisecond)
			}
			w.awaits(want, len(w.journal()))
			known := w.state().Get("1.1.0")
			if (known.Blocked != "") != (play != "good") || known.Proven != (play == "good") {
				t.Errorf("it is %+v\n%s", known, w.log.String())
			}
			w.stop()
			w.alone()
			if all := w.journal(); all[len(all)-1].what != "ends" {
				t.Errorf("the parent ended and its child did not: %v", all[len(all)-1])
			}
		})
	}
}

// TestKilledProcesses: parent and child are killed at any moment of the way from
// one release to the next. There is never more than one that runs, it is one that
// was verified, and in the end it is the newest that works.
func TestKilledProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	t.Parallel()
	random := rand.New(rand.NewPCG(22, 11))
	w := newProcesses(t)
	w.start()
	w.awaits(installed, 0)
	for i, play := range []string{"good", "crashes", "good", "hangs", "good"} {
		v := release.Version(fmt.Sprintf("1.%d.0", i+1))
		w.release(v, play)
		for range 4 {
			<-time.After(time.Duration(random.IntN(120)) * time.Millisecond)
			all := w.journal()
			if random.IntN(2) == 0 { // the child; one that is gone, or another's by now, is spared
				if last := all[len(all)-1]; last.what == "works" {
					if p, err := os.FindProcess(last.pid); err == nil {
						_ = p.Kill()
					}
				}
				continue
			}
			if err := w.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = w.cmd.Wait()
			w.start()
		}
	}
	w.awaits("1.5.0", len(w.journal()))
	w.stop()
	w.alone()
	if s := w.state(); s.Highest != "1.5.0" || s.Trial != "" || !s.Get("1.5.0").Proven {
		t.Errorf("%+v\n%s", s, w.log.String())
	}
}

// A second parent is refused, and leaves the first one's child alone.
func TestSecondLauncher(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	t.Parallel()
	w := newProcesses(t)
	w.start()
	w.awaits(installed, 0)
	second := exec.Command(os.Args[0])
	second.Env = append(os.Environ(), asLauncher+"=1", stageDir+"="+w.dir, "GORACE=atexit_sleep_ms=0")
	in, err := second.StdinPipe() // open: it is not told to stop
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if err := second.Run(); err == nil {
		t.Error("two parents look after one counter")
	}
	w.stop()
	w.alone()
}

// A child that can't be started is a failure like others, and Attach is for
// children alone.
func TestStartFails(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	if _, err := (childCommand{}).start(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("nothing was started")
	}
	if Attach(func(string) string { return "" }, nil, nil) != nil || Attach(func(string) string { return "2" }, nil, nil) != nil {
		t.Error("a program without a parent of this protocol is a child")
	}
}
