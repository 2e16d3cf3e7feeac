package update

import (
	"bytes"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"galla/edge/update/release"
	"galla/edge/update/releases"
	"galla/installers/publish"
)

// testRepository is a publisher, a central that serves what it published, and the line
// between it and counters, which does what a test wants.
type testRepository struct {
	t    testing.TB
	dir  string
	cfg  publish.Config
	repo *publish.Repository

	mu       sync.Mutex
	serves   string                                                // the folder that the central serves
	twist    func(path string, resp *http.Response) *http.Response // what the line makes of an answer; nil: nothing
	requests []string                                              // path and range of each
}

func newTestRepository(t testing.TB) *testRepository {
	t.Helper()
	w := &testRepository{t: t, dir: t.TempDir()}
	w.cfg = publish.Config{Folder: filepath.Join(w.dir, "repo"), Keys: []string{filepath.Join(w.dir, "keys")}, Rand: rand.Reader}
	repo, err := publish.Init(w.cfg, publish.KeyCount{Keys: 2, Threshold: 1}, publish.KeyCount{Keys: 2, Threshold: 2})
	if err != nil {
		t.Fatal(err)
	}
	w.repo, w.serves = repo, w.cfg.Folder
	return w
}

func (w *testRepository) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// facts are of a release for the counters of these tests, all of them.
func facts(v release.Version) release.Manifest {
	return release.Manifest{Version: v, OS: "linux", Arch: "amd64", Percent: 100, Reads: 2, Writes: 2}
}

func content(v release.Version) []byte {
	return bytes.Repeat([]byte("program "+string(v)+"\n"), 30_000)
}

// add publishes a release.
func (w *testRepository) add(f release.Manifest) {
	w.t.Helper()
	path := filepath.Join(w.dir, "built")
	w.must(os.WriteFile(path, content(f.Version), 0o700))
	w.must(w.repo.Add(f, path))
}

// copied copies the repository as it is now, for a central that stays behind or
// lies.
func (w *testRepository) copied() string {
	w.t.Helper()
	to := filepath.Join(w.t.TempDir(), "repo")
	w.must(os.CopyFS(to, os.DirFS(w.cfg.Folder)))
	return to
}

// edit changes a file of a served folder.
func (w *testRepository) edit(pattern string, change func(text []byte) []byte) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.serves, pattern))
	if err != nil || len(files) == 0 {
		w.t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	file := files[len(files)-1]
	text, err := os.ReadFile(file)
	w.must(err)
	w.must(os.WriteFile(file, change(text), 0o600))
}

// RoundTrip implements http.RoundTripper: the line.
func (w *testRepository) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, Path)
	w.requests = append(w.requests, path+" "+r.Header.Get("Range"))
	out := httptest.NewRecorder()
	http.StripPrefix(strings.TrimSuffix(Path, "/"), http.FileServerFS(os.DirFS(w.serves))).ServeHTTP(out, r)
	resp := out.Result()
	if w.twist != nil {
		if resp = w.twist(path, resp); resp == nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
	resp.Request = r
	return resp, nil
}

// testCounter is one counter of a world.
type testCounter struct {
	*Updater
	releases *releases.Store
	dir      string
	log      *bytes.Buffer
}

// counter makes a counter at version 1.0.0; alter changes its configuration.
func (w *testRepository) counter(alter func(*Config)) *testCounter {
	w.t.Helper()
	return w.counterIn(filepath.Join(w.t.TempDir(), "releases"), alter)
}

func (w *testRepository) counterIn(dir string, alter func(*Config)) *testCounter {
	w.t.Helper()
	s, err := releases.Open(releases.Config{Folder: dir, Root: w.repo.First(), OS: "linux", Arch: "amd64"})
	w.must(err)
	log := &bytes.Buffer{}
	cfg := Config{
		Releases: s, Base: "https://central.example" + Path, Terminal: "terminal-1", Version: "1.0.0", Formats: release.Formats{Reads: 2, Writes: 2},
		OS: "linux", Arch: "amd64", HTTP: &http.Client{Transport: w}, Rand: rand.Reader,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if alter != nil {
		alter(&cfg)
	}
	u, err := New(cfg)
	w.must(err)
	return &testCounter{u, s, dir, log}
}

// has returns the good releases of a counter, and checks that nothing else is stored.
func (c *testCounter) has(t testing.TB) string {
	t.Helper()
	versions, err := c.releases.Versions()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range versions {
		if _, err := c.releases.Verify(v); err != nil {
			t.Errorf("%s is stored and not good: %v", v, err)
		}
		out = append(out, string(v))
	}
	return strings.Join(out, " ")
}

// partials counts what lies half fetched.
func (c *testCounter) partials(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(c.dir, "partial"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
