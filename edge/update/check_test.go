package update

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge/update/release"
	"galla/edge/update/releases"
	"galla/installers/publish"
)

// what is offered is taken where it is for this counter, and nothing else is.
func TestLook(t *testing.T) {
	with := func(v release.Version, alter func(f *release.Manifest)) release.Manifest {
		f := facts(v)
		alter(&f)
		return f
	}
	for name, c := range map[string]struct {
		offered []release.Manifest
		state   releases.State
		want    release.Version
	}{
		"nothing":             {nil, releases.State{}, ""},
		"good":                {[]release.Manifest{facts("1.1.0")}, releases.State{}, "1.1.0"},
		"the newest":          {[]release.Manifest{facts("1.1.0"), facts("1.10.0"), facts("1.9.0")}, releases.State{}, "1.10.0"},
		"lower":               {[]release.Manifest{facts("0.9.0")}, releases.State{}, ""},
		"the same":            {[]release.Manifest{facts("1.0.0")}, releases.State{}, ""},
		"another system":      {[]release.Manifest{with("1.1.0", func(f *release.Manifest) { f.OS = "windows" })}, releases.State{}, ""},
		"another machine":     {[]release.Manifest{with("1.1.0", func(f *release.Manifest) { f.Arch = "arm64" })}, releases.State{}, ""},
		"staged at none":      {[]release.Manifest{with("1.1.0", func(f *release.Manifest) { f.Percent = 0 })}, releases.State{}, ""},
		"the one for all":     {[]release.Manifest{facts("1.1.0"), with("1.2.0", func(f *release.Manifest) { f.Percent = 0 })}, releases.State{}, "1.1.0"},
		"too far ahead":       {[]release.Manifest{with("2.0.0", func(f *release.Manifest) { f.MinPrevious = "1.5.0" })}, releases.State{}, ""},
		"a step before it":    {[]release.Manifest{with("2.0.0", func(f *release.Manifest) { f.MinPrevious = "1.5.0" }), facts("1.5.0")}, releases.State{}, "1.5.0"},
		"no way back":         {[]release.Manifest{with("1.1.0", func(f *release.Manifest) { f.Reads, f.Writes = 3, 3 })}, releases.State{}, ""},
		"prepared for it":     {[]release.Manifest{with("1.1.0", func(f *release.Manifest) { f.Reads = 3 })}, releases.State{}, "1.1.0"},
		"lower than what ran": {[]release.Manifest{facts("1.1.0")}, releases.State{Highest: "1.2.0"}, ""},
		"what ran and failed": {[]release.Manifest{facts("1.2.0")}, releases.State{Highest: "1.2.0", Releases: map[release.Version]releases.Record{"1.2.0": {Strikes: 1}}}, "1.2.0"},
		"put aside":           {[]release.Manifest{facts("1.2.0")}, releases.State{Highest: "1.2.0", Releases: map[release.Version]releases.Record{"1.2.0": {Blocked: "it failed"}}}, ""},
		"after one aside":     {[]release.Manifest{facts("1.2.0"), facts("1.2.1")}, releases.State{Highest: "1.2.0", Releases: map[release.Version]releases.Record{"1.2.0": {Blocked: "it failed"}}}, "1.2.1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestRepository(t)
			for _, f := range c.offered {
				w.add(f)
			}
			counter := w.counter(nil)
			w.must(counter.releases.WriteState(c.state))
			got, err := counter.Check(t.Context())
			if err != nil || got != c.want || counter.has(t) != string(c.want) || counter.Status().Waiting != c.want {
				t.Fatalf("%q, %v; stored: %q\n%s", got, err, counter.has(t), counter.log)
			}
			// Looked at again, nothing is fetched again.
			w.requests = nil
			if got, err := counter.Check(t.Context()); err != nil || got != c.want || strings.Contains(strings.Join(w.requests, " "), "targets/") {
				t.Errorf("again: %q, %v, %v", got, err, w.requests)
			}
			if counter.partials(t) != 0 {
				t.Error("something lies half fetched")
			}
		})
	}
}

// A counter takes a release when the percentage has passed its place: at 0 none
// does, at 100 all, and who has it at 50 has it at 100.
func TestStages(t *testing.T) {
	w := newTestRepository(t)
	f := facts("1.1.0")
	f.Percent = 0
	w.add(f)
	const counters = 12
	had := map[int]bool{}
	for _, percent := range []int{0, 50, 100} {
		w.must(w.repo.Stage("1.1.0", percent))
		n := 0
		for i := range counters {
			c := w.counter(func(cfg *Config) { cfg.Terminal = fmt.Sprint("terminal-", i) })
			v, err := c.Check(t.Context())
			w.must(err)
			if took := v == "1.1.0"; took {
				n++
				had[i] = true
			} else if had[i] {
				t.Errorf("counter %d had it and has it not at %d %%", i, percent)
			}
		}
		if percent == 0 && n != 0 || percent == 100 && n != counters || percent == 50 && (n == 0 || n == counters) {
			t.Errorf("%d %%: %d of %d", percent, n, counters)
		}
	}
}

var oneSignature = regexp.MustCompile(`\{"keyid":"[0-9a-f]{64}","sig":"[0-9a-f]+"\},`)

// Whoever is on the line, or has taken the central over, brings nothing: what was
// tampered with, signed by too few, or is of another publisher is refused, whatever
// it is; and when the good comes again, it is taken.
func TestTampered(t *testing.T) {
	flip := func(text []byte) []byte {
		out := bytes.Clone(text)
		out[len(out)/2] ^= 1
		return out
	}
	html := func([]byte) []byte { return []byte("<html>Log in to the Wi-Fi</html>") }
	for name, alter := range map[string]func(w *testRepository){
		"program": func(w *testRepository) { w.edit("targets/*", flip) },
		"program is longer": func(w *testRepository) {
			w.edit("targets/*", func(b []byte) []byte { return append([]byte("x"), b...) })
		},
		"program is shorter":    func(w *testRepository) { w.edit("targets/*", func(b []byte) []byte { return b[:100] }) },
		"program is a portal":   func(w *testRepository) { w.edit("targets/*", html) },
		"timestamp":             func(w *testRepository) { w.edit("timestamp.json", flip) },
		"timestamp is a portal": func(w *testRepository) { w.edit("timestamp.json", html) },
		"timestamp is empty":    func(w *testRepository) { w.edit("timestamp.json", func([]byte) []byte { return nil }) },
		"timestamp says more": func(w *testRepository) {
			w.edit("timestamp.json", func(b []byte) []byte { return bytes.Replace(b, []byte(`"version":`), []byte(`"version":1`), 1) })
		},
		"snapshot": func(w *testRepository) { w.edit("3.snapshot.json", flip) },
		"targets":  func(w *testRepository) { w.edit("2.targets.json", flip) },
		"targets offer more": func(w *testRepository) {
			w.edit("2.targets.json", func(b []byte) []byte { return bytes.Replace(b, []byte(`"percent":0`), []byte(`"percent":100`), 1) })
		},
		"too few signatures": func(w *testRepository) {
			w.edit("2.targets.json", func(b []byte) []byte { return oneSignature.ReplaceAll(b, nil) })
		},
		"one signature twice": func(w *testRepository) { w.edit("2.targets.json", twice) },
		"a root of others": func(w *testRepository) {
			w.must(os.WriteFile(filepath.Join(w.serves, "2.root.json"), newTestRepository(w.t).repo.First(), 0o600))
		},
		"a root that is a portal": func(w *testRepository) {
			w.must(os.WriteFile(filepath.Join(w.serves, "2.root.json"), html(nil), 0o600))
		},
		"all is of others": func(w *testRepository) { o := newTestRepository(w.t); o.add(facts("1.1.0")); w.serves = o.serves },
		"metadata without an end": func(w *testRepository) {
			w.edit("timestamp.json", func([]byte) []byte { return bytes.Repeat([]byte(" "), 1<<20) })
		},
		"a redirect":               func(w *testRepository) { w.twist = status(http.StatusFound) },
		"an error of the central":  func(w *testRepository) { w.twist = status(http.StatusInternalServerError) },
		"root answers with errors": func(w *testRepository) { w.twist = only(".root.json", status(http.StatusBadGateway)) },
		"program is not there":     func(w *testRepository) { w.twist = only("targets/", status(http.StatusNotFound)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestRepository(t)
			f := facts("1.1.0")
			if f.Percent = 100; name == "targets offer more" {
				f.Percent = 0
			}
			w.add(f)
			good := w.serves
			w.serves = w.copied()
			alter(w)
			c := w.counter(nil)
			synctest.Test(t, func(t *testing.T) { // what is tried again is tried in no time
				v, err := c.Check(t.Context())
				if err == nil && v != "" || c.has(t) != "" {
					t.Fatalf("%q was taken", v)
				}
				if err == nil || c.Status().Problem == "" {
					t.Error("no change is reported")
				}
				if errors.Is(err, releases.ErrAltered) && c.partials(t) != 0 {
					t.Error("what was tampered with is kept, and would be gone on with")
				}
			})
			w.twist, w.serves = nil, good
			w.must(w.repo.Stage("1.1.0", 100))
			if v, err := c.Check(t.Context()); err != nil || v != "1.1.0" || c.has(t) != "1.1.0" {
				t.Errorf("the good is not taken: %q, %v", v, err)
			}
		})
	}
}

// twice counts the first signature for the second, too.
func twice(text []byte) []byte {
	all := regexp.MustCompile(`\{"keyid":"[0-9a-f]{64}","sig":"[0-9a-f]+"\}`).FindAll(text, -1)
	return bytes.Replace(text, all[1], all[0], 1)
}

// status answers everything with a status.
func status(code int) func(string, *http.Response) *http.Response {
	return func(_ string, resp *http.Response) *http.Response {
		resp.StatusCode, resp.Body = code, io.NopCloser(strings.NewReader("no"))
		resp.Header = http.Header{"Location": {"https://evil.example/"}}
		return resp
	}
}

// only twists answers to paths that have a part.
func only(part string, twist func(string, *http.Response) *http.Response) func(string, *http.Response) *http.Response {
	return func(path string, resp *http.Response) *http.Response {
		if strings.Contains(path, part) {
			return twist(path, resp)
		}
		return resp
	}
}

// A central that stays behind, or goes back, is noticed: by the end of the
// timestamp, and before that by what was seen already, over restarts too.
func TestFreezeAndRollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestRepository(t)
		w.add(facts("1.1.0"))
		old := w.copied()
		w.add(facts("1.2.0"))
		c := w.counter(nil)
		if v, err := c.Check(t.Context()); err != nil || v != "1.2.0" {
			t.Fatal(v, err)
		}
		w.serves = old
		if v, err := c.Check(t.Context()); err == nil {
			t.Errorf("rolled back to %q", v)
		}
		c = w.counterIn(c.dir, nil) // another life of the program
		if v, err := c.Check(t.Context()); err == nil {
			t.Errorf("rolled back to %q after a restart", v)
		}
		// The old snapshot under the new timestamp, and the other way round.
		w.serves = w.copied()
		w.edit("4.snapshot.json", func([]byte) []byte { text, _ := os.ReadFile(filepath.Join(old, "3.snapshot.json")); return text })
		if v, err := w.counter(nil).Check(t.Context()); err == nil {
			t.Errorf("a mixture was taken: %q", v)
		}
		fresh := w.counter(nil)
		w.serves = old
		if v, err := fresh.Check(t.Context()); err != nil || v != "1.1.0" {
			t.Errorf("a counter that saw nothing yet: %q, %v", v, err) // what the end of the timestamp bounds
		}
		time.Sleep(8 * 24 * time.Hour)
		if v, err := w.counter(nil).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "expired") {
			t.Errorf("frozen at %q: %v", v, err)
		}
		w.serves = w.cfg.Folder
		if v, err := c.Check(t.Context()); err == nil {
			t.Errorf("the publisher forgot to refresh, and %q was taken", v)
		}
		w.must(w.repo.Refresh())
		if v, err := c.Check(t.Context()); err != nil || v != "1.2.0" {
			t.Errorf("after a refresh: %q, %v", v, err)
		}
	})
}

// Counters follow the publishers' roots, and never go back: what a key signs that
// was rotated out is refused, though the root built in names it.
func TestRotation(t *testing.T) {
	w := newTestRepository(t)
	w.add(facts("1.1.0"))
	c := w.counter(nil)
	if _, err := c.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The thief has the repository and its keys as they were.
	thiefs := publish.Config{Folder: w.copied(), Keys: []string{filepath.Join(t.TempDir(), "keys")}, Rand: w.cfg.Rand}
	w.must(os.CopyFS(thiefs.Keys[0], os.DirFS(w.cfg.Keys[0])))
	files, err := filepath.Glob(filepath.Join(thiefs.Keys[0], "*"))
	w.must(err)
	for _, file := range files {
		w.must(os.Chmod(file, 0o600))
	}
	for _, role := range []string{"root", "targets", "snapshot", "timestamp"} {
		keys, _ := w.repo.Keys(role)
		w.must(w.repo.Rotate(role, keys[0].ID, ""))
	}
	w.add(facts("1.2.0"))
	if v, err := c.Check(t.Context()); err != nil || v != "1.2.0" {
		t.Fatalf("after the rotation: %q, %v", v, err)
	}
	thief, err := publish.Open(thiefs)
	w.must(err)
	for range 20 { // beyond every version that the counter has seen
		w.must(thief.Refresh())
	}
	evil := facts("6.6.6")
	path := filepath.Join(t.TempDir(), "evil")
	w.must(os.WriteFile(path, []byte("evil"), 0o600))
	w.must(thief.Add(evil, path))
	w.serves = thiefs.Folder
	for _, at := range []*testCounter{c, w.counterIn(c.dir, nil)} {
		if v, err := at.Check(t.Context()); err == nil {
			t.Errorf("the thief's %q was taken", v)
		}
	}
	if c.has(t) != "1.2.0 1.1.0" {
		t.Errorf("stored: %s", c.has(t))
	}
	// A counter that comes anew follows all four roots at once.
	w.serves = w.cfg.Folder
	if v, err := w.counter(nil).Check(t.Context()); err != nil || v != "1.2.0" {
		t.Errorf("a new counter: %q, %v", v, err)
	}
}

// What a power cut leaves of the client's memory stops no look, and what was seen
// last is still known.
func TestMemoryDamaged(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"empty":     func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"half":      func(path string) error { return os.Truncate(path, 50) },
		"gone":      os.Remove,
		"something": func(path string) error { return os.WriteFile(path, []byte("{}"), 0o600) },
	} {
		for _, file := range []string{"timestamp.json", "snapshot.json", "proof.json"} {
			w := newTestRepository(t)
			w.add(facts("1.1.0"))
			old := w.copied()
			w.add(facts("1.2.0"))
			c := w.counter(nil)
			if _, err := c.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.must(spoil(filepath.Join(c.dir, "tuf", file)))
			if file != "proof.json" {
				w.serves = old
				if v, err := c.Check(t.Context()); err == nil {
					t.Errorf("%s is %s: rolled back to %q", file, name, v)
				}
			}
			w.serves = w.cfg.Folder
			if v, err := c.Check(t.Context()); err != nil || v != "1.2.0" {
				t.Errorf("%s is %s: %q, %v", file, name, v, err)
			}
		}
	}
}

// One look at a time, in this process or another.
func TestOneLook(t *testing.T) {
	w := newTestRepository(t)
	c := w.counter(nil)
	done, err := c.releases.LockFetch()
	w.must(err)
	if _, err := c.Check(t.Context()); !errors.Is(err, releases.ErrLocked) {
		t.Errorf("%v", err)
	}
	done()
	if _, err := c.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestBase(t *testing.T) {
	for uplink, want := range map[string]string{
		"wss://central.example/uplink": "https://central.example/updates/", "ws://127.0.0.1:7102/uplink": "http://127.0.0.1:7102/updates/",
		"http://x/uplink": "", "": "", "wss:///uplink": "",
	} {
		if got, err := Base(uplink); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", uplink, got, err)
		}
	}
}
