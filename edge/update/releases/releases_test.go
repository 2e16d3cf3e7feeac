package releases

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"galla/edge/update/release"
	"galla/installers/publish"
)

// testStore is a store of releases with a publisher.
type testStore struct {
	*Store
	t    *testing.T
	repo *publish.Repository
	dir  string
}

func newKit(t *testing.T) *testStore {
	t.Helper()
	dir := t.TempDir()
	repo, err := publish.Init(publish.Config{Folder: filepath.Join(dir, "repo"), Keys: []string{filepath.Join(dir, "keys")}, Rand: rand.Reader}, publish.KeyCount{Keys: 1, Threshold: 1}, publish.KeyCount{Keys: 1, Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(Config{Folder: filepath.Join(dir, "releases"), Root: repo.First(), OS: "linux", Arch: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	return &testStore{s, t, repo, dir}
}

// publish publishes a program and gives target and proof.
func (k *testStore) publish(v release.Version, content string) (release.Target, release.Proof) {
	k.t.Helper()
	path := filepath.Join(k.t.TempDir(), "program")
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		k.t.Fatal(err)
	}
	facts := release.Manifest{Version: v, OS: "linux", Arch: "amd64", Percent: 100, Reads: 2, Writes: 2}
	if err := k.repo.Add(facts, path); err != nil {
		k.t.Fatal(err)
	}
	p, err := k.repo.Proof(time.Now())
	if err != nil {
		k.t.Fatal(err)
	}
	t, _ := k.repo.Catalogue().Find(facts.TargetName())
	return t, p
}

// fetched writes what was fetched.
func (k *testStore) fetched(t release.Target, content string) string {
	k.t.Helper()
	if err := os.WriteFile(k.PartialPath(t), []byte(content), 0o600); err != nil {
		k.t.Fatal(err)
	}
	return k.PartialPath(t)
}

func (k *testStore) put(v release.Version) release.Target {
	k.t.Helper()
	t, p := k.publish(v, "program "+string(v))
	if err := k.Add(t, p, k.fetched(t, "program "+string(v))); err != nil {
		k.t.Fatal(err)
	}
	return t
}

func TestPutAndVerify(t *testing.T) {
	k := newKit(t)
	target := k.put("1.0.0")
	got, err := k.Verify("1.0.0")
	if err != nil || got != target {
		t.Fatalf("%+v, %v", got, err)
	}
	if text, err := os.ReadFile(k.ProgramPath("1.0.0")); err != nil || string(text) != "program 1.0.0" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(k.ProgramPath("1.0.0")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(k.PartialPath(target)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was fetched lies there still: %v", err)
	}
	// Put again, by a second process that had fetched it too: it stays.
	p, err := k.repo.Proof(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Add(target, p, k.fetched(target, "program 1.0.0")); err != nil {
		t.Error(err)
	}
	// One that was damaged is mended by another fetch.
	if err := os.WriteFile(k.ProgramPath("1.0.0"), []byte("program 6.6.6"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := k.Add(target, p, k.fetched(target, "program 1.0.0")); err != nil {
		t.Error(err)
	}
	if _, err := k.Verify("1.0.0"); err != nil {
		t.Error(err)
	}
}

// What is not proved is not added, and what was altered in the store is not good:
// whoever may write in the folder, and has no key, can bring nothing.
func TestAltered(t *testing.T) {
	k := newKit(t)
	target, proof := k.publish("1.0.0", "good")
	if err := k.Add(target, proof, k.fetched(target, "evil")); !errors.Is(err, ErrAltered) {
		t.Errorf("%v", err)
	}
	if err := k.Add(target, proof, k.fetched(target, "good and more")); !errors.Is(err, ErrAltered) {
		t.Errorf("%v", err)
	}
	windows := target
	windows.OS = "windows"
	if err := k.Add(windows, proof, k.fetched(target, "good")); err == nil {
		t.Error("a program of another system was put")
	}
	foreign := newKit(t)
	_, theirs := foreign.publish("1.0.0", "evil")
	for name, alter := range map[string]func(folder string){
		"program":          func(folder string) { k.write(filepath.Join(folder, "galla-edge"), "evil") },
		"program is gone":  func(folder string) { _ = os.Remove(filepath.Join(folder, "galla-edge")) },
		"proof is gone":    func(folder string) { _ = os.Remove(filepath.Join(folder, proofFile)) },
		"proof is nothing": func(folder string) { k.write(filepath.Join(folder, proofFile), "{}") },
		"proof of others": func(folder string) {
			text, err := theirs.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			k.write(filepath.Join(folder, proofFile), string(text))
			k.write(filepath.Join(folder, "galla-edge"), "evil")
		},
		"another version": func(folder string) {
			if err := os.Rename(folder, filepath.Join(filepath.Dir(folder), "9.9.9")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		if err := k.Prune(only()); err != nil {
			t.Fatal(err)
		}
		if err := k.Add(target, proof, k.fetched(target, "good")); err != nil {
			t.Fatal(err)
		}
		alter(k.folder("1.0.0"))
		versions, err := k.Versions()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range versions {
			if _, err := k.Verify(v); err == nil {
				t.Errorf("%s: %s was good", name, v)
			}
		}
	}
	if _, err := k.Verify("../../etc"); err == nil {
		t.Error("a path was a version")
	}
}

func (k *testStore) write(path, text string) {
	k.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		k.t.Fatal(err)
	}
}

// A proof of an expired catalogue stays one: what runs goes on running.
func TestExpiredProof(t *testing.T) {
	k := newKit(t)
	target, _ := k.publish("1.0.0", "good")
	long, err := k.repo.Proof(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Add(target, long, k.fetched(target, "good")); err != nil {
		t.Fatal(err)
	}
	long.CheckedAt = time.Now().Add(100 * 24 * time.Hour)
	if _, err := long.Open(k.Root()); err == nil {
		t.Error("it was found good after its end")
	}
	if _, err := k.Verify("1.0.0"); err != nil {
		t.Error(err)
	}
}

// only keeps the named versions, whatever lies there.
func only(versions ...release.Version) func([]release.Version) []release.Version {
	return func([]release.Version) []release.Version { return versions }
}

// A release is not put while old ones are removed, and stays: neither its half-made
// folder nor itself is taken for old.
func TestAddWhilePruning(t *testing.T) {
	k := newKit(t)
	k.put("1.0.0")
	target, proof := k.publish("1.1.0", "good")
	fetched := k.fetched(target, "good")
	put := make(chan error, 1)
	if err := k.Prune(func(all []release.Version) []release.Version {
		go func() { put <- k.Add(target, proof, fetched) }()
		select {
		case err := <-put:
			t.Errorf("a release was put while old ones are removed: %v", err)
			put <- err
		case <-time.After(300 * time.Millisecond):
		}
		return all
	}); err != nil {
		t.Error(err)
	}
	if err := <-put; err != nil {
		t.Error(err)
	}
	if got, err := k.Versions(); err != nil || fmt.Sprint(got) != "[1.1.0 1.0.0]" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestPrune(t *testing.T) {
	k := newKit(t)
	for _, v := range []release.Version{"1.0.0", "1.1.0", "1.2.0", "1.10.0"} {
		k.put(v)
	}
	for _, left := range []string{"making-77", "tuf/x", "partial/x", "other"} {
		if err := os.MkdirAll(filepath.Join(k.cfg.Folder, left), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := k.Versions(); err != nil || fmt.Sprint(got) != "[1.10.0 1.2.0 1.1.0 1.0.0]" {
		t.Errorf("%v, %v", got, err)
	}
	if err := k.Prune(only("1.10.0", "1.1.0")); err != nil {
		t.Fatal(err)
	}
	if got, err := k.Versions(); err != nil || fmt.Sprint(got) != "[1.10.0 1.1.0]" {
		t.Errorf("%v, %v", got, err)
	}
	for left, stays := range map[string]bool{"making-77": false, "tuf/x": true, "partial/x": true, "other": true} {
		if _, err := os.Stat(filepath.Join(k.cfg.Folder, left)); (err == nil) != stays {
			t.Errorf("%s: %v", left, err)
		}
	}
	if err := k.PrunePartial(release.Target{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(k.cfg.Folder, "partial", "x")); err == nil {
		t.Error("an old partial file stays")
	}
}

func TestState(t *testing.T) {
	k := newKit(t)
	if s, err := k.ReadState(); err != nil || !reflect.DeepEqual(s, State{}) {
		t.Errorf("%+v, %v", s, err)
	}
	var want State
	want.MarkStarted("1.1.0")
	want.MarkStarted("1.0.0") // the one before, after it failed
	want.Set("1.1.0", Record{Strikes: 1, Failed: time.Unix(1_800_000_000, 0).UTC(), LastError: "it ended"})
	if err := k.WriteState(want); err != nil {
		t.Fatal(err)
	}
	if got, err := k.ReadState(); err != nil || !reflect.DeepEqual(got, want) || got.Highest != "1.1.0" || got.Running != "1.0.0" {
		t.Errorf("%+v, %v", got, err)
	}
	for i := range 3 * maxKnown {
		want.Set(release.Version(fmt.Sprintf("2.%d.0", i)), Record{})
	}
	if _, kept := want.Releases[release.Version(fmt.Sprintf("2.%d.0", 3*maxKnown-1))]; len(want.Releases) != maxKnown || !kept {
		t.Errorf("%d are known", len(want.Releases))
	}
	for name, text := range map[string]string{"cut off": `{"highest": "1.1`, "empty": "", "a path": `{"trial": "../../bin"}`, "known path": `{"known": {"..": {}}}`, "long": strings.Repeat(" ", maxState+1)} {
		k.write(filepath.Join(k.cfg.Folder, stateFile), text)
		if s, err := k.ReadState(); err == nil || s.Trial != "" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// holder is the environment by which this test's program holds a lock.
const holder = "GALLA_TEST_HOLD"

func TestMain(m *testing.M) {
	if folder := os.Getenv(holder); folder != "" {
		s := &Store{Config{Folder: folder}}
		if _, err := s.LockServe(context.Background()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("serving")
		_, _ = io.Copy(io.Discard, os.Stdin)
		if os.Getenv(holder+"_STUCK") != "" {
			select {}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// hold starts a process that serves.
func (k *testStore) hold(stuck bool) (stop io.Closer, cmd *exec.Cmd) {
	k.t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holder+"="+k.cfg.Folder)
	if stuck {
		cmd.Env = append(cmd.Env, holder+"_STUCK=1")
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { _ = cmd.Process.Kill() })
	said := make([]byte, len("serving"))
	if _, err := io.ReadFull(out, said); err != nil || string(said) != "serving" {
		k.t.Fatalf("%q, %v", said, err)
	}
	return in, cmd
}

// One process serves. One that ends makes place, and so does one that was killed;
// one that outlived its parent and hangs is ended.
func TestServing(t *testing.T) {
	k := newKit(t)
	stop, cmd := k.hold(false)
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := k.LockServe(short); !errors.Is(err, ErrLocked) {
		t.Fatalf("two serve: %v", err)
	}
	if err := errors.Join(stop.Close(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	if pid, err := k.StopLeftover(t.Context(), time.Minute); pid != 0 || err != nil {
		t.Errorf("%d, %v", pid, err)
	}
	_, killed := k.hold(false)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if pid, err := k.StopLeftover(t.Context(), time.Minute); pid != 0 || err != nil {
		t.Errorf("%d, %v", pid, err)
	}
	_ = killed.Wait()
	stop, hung := k.hold(true)
	if err := stop.Close(); err != nil {
		t.Fatal(err)
	}
	reaped := make(chan error, 1)
	go func() { reaped <- hung.Wait() }()
	if pid, err := k.StopLeftover(t.Context(), 300*time.Millisecond); pid != hung.Process.Pid || err != nil {
		t.Errorf("%d of %d, %v", pid, hung.Process.Pid, err)
	}
	<-reaped
	done, err := k.LockServe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done()
	fetched, err := k.LockFetch()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.LockFetch(); !errors.Is(err, ErrLocked) {
		t.Errorf("two fetch: %v", err)
	}
	fetched()
	parent, err := k.LockLauncher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	soon, cancelSoon := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancelSoon()
	if _, err := k.LockLauncher(soon); !errors.Is(err, ErrLocked) {
		t.Errorf("two parents: %v", err)
	}
	parent()
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, cfg := range map[string]Config{
		"no root": {Folder: dir, OS: "linux", Arch: "amd64"}, "no system": {Folder: dir, Root: []byte("{}")},
		"a root that is none": {Folder: dir, Root: []byte(`{"signed":{},"signatures":[]}`), OS: "linux", Arch: "amd64"},
	} {
		if _, err := Open(cfg); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	hash := sha256.Sum256(nil)
	if s := (&Store{Config{Folder: dir}}); filepath.Dir(s.PartialPath(release.Target{SHA256: hash})) != filepath.Join(dir, "partial") {
		t.Error(s.PartialPath(release.Target{SHA256: hash}))
	}
}
