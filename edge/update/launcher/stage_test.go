package launcher

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"galla/edge/update/release"
	"galla/edge/update/releases"
	"galla/installers/publish"
)

// testBench is a launcher's surroundings: a store with a publisher, and actors in
// place of processes.
type testBench struct {
	*releases.Store
	t    testing.TB
	repo *publish.Repository
	dir  string
	log  bytes.Buffer

	mu      sync.Mutex
	play    map[release.Version]func(a *fakeProcess)
	alive   int
	started []release.Version
	onStart func(v release.Version) // before each start, on the parent's goroutine
}

const installed release.Version = "1.0.0"

func newTestBench(t testing.TB) *testBench {
	t.Helper()
	dir := t.TempDir()
	repo, err := publish.Init(publish.Config{Folder: filepath.Join(dir, "repo"), Keys: []string{filepath.Join(dir, "keys")}, Rand: rand.Reader}, publish.KeyCount{Keys: 1, Threshold: 1}, publish.KeyCount{Keys: 1, Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := releases.Open(releases.Config{Folder: filepath.Join(dir, "releases"), Root: repo.First(), OS: "linux", Arch: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	return &testBench{Store: s, t: t, repo: repo, dir: dir, play: map[release.Version]func(*fakeProcess){}}
}

// put publishes a release, fetches it, and says how it will behave.
func (s *testBench) put(v release.Version, play func(a *fakeProcess)) {
	s.t.Helper()
	path := filepath.Join(s.dir, "built")
	if err := os.WriteFile(path, []byte(v), 0o700); err != nil {
		s.t.Fatal(err)
	}
	s.putFile(v, path)
	s.play[v] = play
}

func (s *testBench) putFile(v release.Version, path string) {
	s.t.Helper()
	facts := release.Manifest{Version: v, OS: "linux", Arch: "amd64", Percent: 100, Reads: 2, Writes: 2}
	if err := s.repo.Add(facts, path); err != nil {
		s.t.Fatal(err)
	}
	target, _ := s.repo.Catalogue().Find(facts.TargetName())
	proof, err := s.repo.Proof(time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(s.PartialPath(target), text, 0o600)
	}
	if err == nil {
		err = s.Add(target, proof, s.PartialPath(target))
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// newLauncher makes a parent over the stage.
func (s *testBench) newLauncher() *Launcher {
	s.t.Helper()
	p, err := New(Config{
		Releases: s.Store, Version: installed, Program: "/installed", Start: s.start,
		Logger: slog.New(slog.NewTextHandler(&s.log, nil)),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// start is the exec of this world. It holds what must always be so: one release
// runs, and it is the installed one or was verified.
func (s *testBench) start(path string) (*Process, error) {
	v := installed
	if path != "/installed" {
		v = release.Version(filepath.Base(filepath.Dir(path)))
		if _, err := s.Verify(v); err != nil {
			s.t.Errorf("%s was started unverified: %v", v, err)
		}
	}
	if s.onStart != nil {
		s.onStart(v)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alive != 0 {
		s.t.Errorf("%s was started beside another", v)
	}
	s.started = append(s.started, v)
	if s.play[v] == nil {
		return nil, errors.New("no such program")
	}
	s.alive++
	a := &fakeProcess{stage: s, v: v, says: make(chan message), ended: make(chan error, 1), stopped: make(chan struct{}), killed: make(chan struct{})}
	a.stop, a.kill = sync.OnceFunc(func() { close(a.stopped) }), sync.OnceFunc(func() { close(a.killed) })
	go func() {
		defer func() {
			recover() // how an actor leaves the stage
			s.mu.Lock()
			s.alive--
			s.mu.Unlock()
			close(a.says)
			a.ended <- a.err
		}()
		s.play[v](a)
	}()
	return &Process{a.says, a.stop, a.kill, a.ended}, nil
}

// fakeProcess is a release in place of a process.
type fakeProcess struct {
	stage           *testBench
	v               release.Version
	says            chan message
	ended           chan error
	stopped, killed chan struct{}
	stop, kill      func()
	err             error
	deaf            bool // to Stop
}

// leave ends the actor.
func (a *fakeProcess) leave(err error) {
	a.err = err
	panic("leaves")
}

// wait waits, and leaves when it is stopped.
func (a *fakeProcess) wait(d time.Duration) {
	stopped := a.stopped
	if a.deaf {
		stopped = nil
	}
	select {
	case <-time.After(d):
	case <-stopped:
		a.leave(nil)
	case <-a.killed:
		a.leave(errors.New("killed"))
	}
}

func (a *fakeProcess) say(word string, v release.Version) {
	select {
	case a.says <- message{word, v}:
	case <-a.stopped:
		a.leave(nil)
	case <-a.killed:
		a.leave(errors.New("killed"))
	}
}

// Plays.
const ever = 1000 * time.Hour

// good works after a moment, and asks for the newer release that is stored.
func good(a *fakeProcess) {
	a.wait(2 * time.Second)
	a.say(kindHealthy, a.v)
	for {
		a.wait(2 * time.Hour)
		versions, err := a.stage.Versions()
		if err == nil && len(versions) > 0 && versions[0].Compare(a.v) > 0 {
			a.say(kindSwitch, versions[0])
		}
	}
}

func crashes(a *fakeProcess) {
	a.wait(time.Second)
	a.leave(errors.New("exit status 2"))
}

func hangs(a *fakeProcess) {
	a.deaf = true
	a.wait(ever)
}

// unlinked runs well and never links.
func unlinked(a *fakeProcess) { a.wait(ever) }

// liar says that it is another one.
func liar(a *fakeProcess) {
	a.wait(time.Second)
	a.say(kindHealthy, "9.9.9")
	a.wait(ever)
}

// brief works, and ends soon after, every time.
func brief(a *fakeProcess) {
	a.wait(time.Second)
	a.say(kindHealthy, a.v)
	a.wait(time.Minute)
	a.leave(errors.New("exit status 2"))
}

// run lets the parent run for a time, and gives what is running at its end.
func (s *testBench) run(d time.Duration) release.Version {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.newLauncher().Run(ctx) }()
	time.Sleep(d)
	s.mu.Lock()
	running, alive := s.started[len(s.started)-1], s.alive
	s.mu.Unlock()
	cancel()
	if err := <-ended; err != nil {
		s.t.Error(err)
	}
	if alive != 1 {
		s.t.Errorf("%d were running", alive)
	}
	if s.alive != 0 {
		s.t.Error("the parent ended before its child")
	}
	return running
}

func (s *testBench) state() releases.State {
	s.t.Helper()
	state, err := s.ReadState()
	if err != nil {
		s.t.Fatal(err)
	}
	return state
}

func (s *testBench) starts(v release.Version) (n int) {
	for _, w := range s.started {
		if w == v {
			n++
		}
	}
	return n
}

func contextOf(most time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), most)
}
