package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge/update/release"
	"galla/edge/update/releases"
	"galla/shared/smalldisk"
)

// broken is a body that breaks off after some bytes; silent ones give nothing more
// until their request is given up.
type broken struct {
	io.Reader
	left   int
	silent <-chan struct{}
}

func (b *broken) Read(p []byte) (int, error) {
	if b.left == 0 {
		if b.silent != nil {
			<-b.silent
			return 0, context.Canceled
		}
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
func (b *broken) Close() error { return nil }

// asked gives the ranges in which a program was asked for.
func (w *testRepository) asked() (ranges []string) {
	for _, r := range w.requests {
		if path, from, _ := strings.Cut(r, " "); strings.HasPrefix(path, "targets/") {
			ranges = append(ranges, from)
		}
	}
	return ranges
}

// A line that breaks off costs what it broke off of, and no more: the fetch goes on
// where it was, in the same look and in the next, over restarts too.
func TestResumes(t *testing.T) {
	whole := len(content("1.1.0"))
	for name, c := range map[string]struct {
		twist func(n int, resp *http.Response) *http.Response // of the nth answer with a program, from 1
		want  []string
		fails bool
	}{
		"whole": {func(_ int, r *http.Response) *http.Response { return r }, []string{""}, false},
		"breaks off twice": {func(n int, r *http.Response) *http.Response {
			if n < 3 {
				r.Body = &broken{r.Body, 100_000, nil}
			}
			return r
		}, []string{"", "bytes=100000-", "bytes=200000-"}, false},
		"no answer once": {func(n int, r *http.Response) *http.Response {
			if n == 1 {
				return nil
			}
			return r
		}, []string{"", ""}, false},
		"busy once": {func(n int, r *http.Response) *http.Response {
			if n == 1 {
				r.StatusCode = http.StatusServiceUnavailable
			}
			return r
		}, []string{"", ""}, false},
		"begins anew each time": {func(n int, r *http.Response) *http.Response {
			if n == 1 {
				r.Body = &broken{r.Body, 100_000, nil}
			} else if r.StatusCode == http.StatusPartialContent { // a proxy that knows no ranges
				r.StatusCode, r.Body = http.StatusOK, io.NopCloser(strings.NewReader(string(content("1.1.0"))))
			}
			return r
		}, []string{"", "bytes=100000-"}, false},
		"another range than asked": {func(n int, r *http.Response) *http.Response {
			if n == 1 {
				r.Body = &broken{r.Body, 100_000, nil}
			} else {
				r.Header.Set("Content-Range", "bytes 5-10/100")
			}
			return r
		}, []string{"", "bytes=100000-"}, true},
		"never whole": {func(_ int, r *http.Response) *http.Response {
			r.Body = &broken{r.Body, 1, nil}
			return r
		}, nil, true},
		"more than there is": {func(_ int, r *http.Response) *http.Response {
			r.Body = io.NopCloser(io.MultiReader(r.Body, strings.NewReader("and more")))
			return r
		}, []string{""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestRepository(t)
				w.add(facts("1.1.0"))
				n := 0
				w.twist = only("targets/", func(_ string, r *http.Response) *http.Response { n++; return c.twist(n, r) })
				at := w.counter(nil)
				v, err := at.Check(t.Context())
				if (err != nil) != c.fails || (v == "1.1.0") == c.fails {
					t.Fatalf("%q, %v", v, err)
				}
				if got := w.asked(); c.want != nil && fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("asked for %q, want %q", got, c.want)
				}
				if name == "never whole" {
					if n != maxResumes+1 || at.partials(t) != 1 {
						t.Errorf("%d requests, %d partial files", n, at.partials(t))
					}
					// The next look, of another life, goes on.
					w.twist, w.requests = nil, nil
					at = w.counterIn(at.dir, nil)
					if v, err := at.Check(t.Context()); err != nil || v != "1.1.0" || w.asked()[0] != fmt.Sprintf("bytes=%d-", n) {
						t.Errorf("%q, %v, %v", v, err, w.asked())
					}
				}
				if !c.fails {
					if info, err := os.Stat(at.releases.ProgramPath("1.1.0")); err != nil || info.Size() != int64(whole) {
						t.Errorf("%v, %v", info, err)
					}
				}
			})
		})
	}
}

// While an operation has the line a fetch leaves it, and goes on where it was when
// the line is free again; that is no trouble of the line.
func TestYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestRepository(t)
		w.add(facts("1.1.0"))
		begun := time.Now()
		at := w.counter(func(c *Config) {
			c.ConnectionNeeded = func() bool {
				s := time.Since(begun)
				return s < time.Second || s >= 2*time.Second && s < 50*time.Second
			}
		})
		at.http = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			resp, err := w.RoundTrip(r)
			if err == nil && strings.Contains(r.URL.Path, "targets/") {
				resp.Body = slow{resp.Body}
			}
			return resp, err
		})}
		if v, err := at.Check(t.Context()); err != nil || v != "1.1.0" {
			t.Fatalf("%q, %v", v, err)
		}
		took := time.Since(begun)
		if got := w.asked(); len(got) != 2 || got[0] != "" || !strings.HasPrefix(got[1], "bytes=") || took < 50*time.Second || took > time.Minute {
			t.Errorf("asked for %q, took %v", got, took)
		}
	})
}

// slow gives 10,000 bytes each tenth of a second.
type slow struct{ io.ReadCloser }

func (s slow) Read(p []byte) (int, error) {
	<-time.After(100 * time.Millisecond)
	return s.ReadCloser.Read(p[:min(len(p), 10_000)])
}

// A line that gives no byte is given up after a minute, and tried again.
func TestStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestRepository(t)
		w.add(facts("1.1.0"))
		n, begun := 0, time.Now()
		at := w.counter(nil)
		at.http = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			resp, err := w.RoundTrip(r)
			if err == nil && strings.Contains(r.URL.Path, "targets/") {
				if n++; n == 1 {
					resp.Body = &broken{resp.Body, 100_000, r.Context().Done()}
				}
			}
			return resp, err
		})}
		if v, err := at.Check(t.Context()); err != nil || v != "1.1.0" {
			t.Fatalf("%q, %v", v, err)
		}
		if took := time.Since(begun); took != stall+resumePause || n != 2 {
			t.Errorf("%v, %d requests", took, n)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A disk that gets full while a release is fetched gets its space back, the counter's
// files are not touched, and the fetch is tried again when there is space.
func TestFullDisk(t *testing.T) {
	smalldisk.Run(t, 2, func(t *testing.T, dir string) {
		w := newTestRepository(t)
		w.add(facts("1.1.0"))
		ballast := filepath.Join(dir, "ballast")
		w.must(os.WriteFile(ballast, make([]byte, 1700<<10), 0o600)) // leaves less than a release
		// Others write on this disk too, after it was asked how much there is.
		at := w.counterIn(filepath.Join(dir, "releases"), func(c *Config) { c.FreeSpace = func() (int64, error) { return 1 << 40, nil } })
		v, err := at.Check(t.Context())
		if err == nil || v != "" || !strings.Contains(err.Error(), "no space left") || at.has(t) != "" {
			t.Fatalf("%q, %v", v, err)
		}
		if at.partials(t) != 0 {
			t.Error("what was fetched keeps the disk full")
		}
		// What an operation needs is there.
		w.must(os.WriteFile(filepath.Join(dir, "entry"), make([]byte, 64<<10), 0o600))
		w.must(os.Remove(ballast))
		if v, err := at.Check(t.Context()); err != nil || v != "1.1.0" || at.has(t) != "1.1.0" {
			t.Errorf("%q, %v", v, err)
		}
	})
}

// Onto a disk that has not enough for a release and for the operations of some days,
// nothing is fetched, and what was fetched in part goes; the page says what to do.
func TestFreeSpace(t *testing.T) {
	w := newTestRepository(t)
	w.add(facts("1.1.0"))
	size := int64(len(content("1.1.0")))
	var space int64
	at := w.counter(func(c *Config) { c.FreeSpace = func() (int64, error) { return space, nil } })
	published, err := os.ReadDir(filepath.Join(w.serves, "targets"))
	w.must(err)
	sum, _, _ := strings.Cut(published[0].Name(), ".")
	partial := filepath.Join(at.dir, "partial", sum)
	for _, c := range []struct {
		space, have int64
		taken       bool
	}{{0, 0, false}, {size + reservedSpace - 1, 0, false}, {size + reservedSpace - 2, 1, false}, {size + reservedSpace - 1, 1, true}, {size + reservedSpace, 0, true}} {
		w.requests, space = nil, c.space
		if have := content("1.1.0")[:c.have]; len(have) > 0 {
			w.must(os.WriteFile(partial, have, 0o600))
		}
		v, err := at.Check(t.Context())
		if c.taken && (err != nil || v != "1.1.0" || at.has(t) != "1.1.0") {
			t.Errorf("space for %d with %d there: %q, %v", c.space, c.have, v, err)
		}
		if !c.taken && (err == nil || !strings.Contains(at.Status().Problem, "free some space") || len(w.asked()) != 0 || at.partials(t) != 0) {
			t.Errorf("space for %d with %d there: %q, %v, asked %v", c.space, c.have, v, err, w.asked())
		}
		w.must(at.releases.Prune(func([]release.Version) []release.Version { return nil }))
	}
	// A disk that does not say is tried.
	silent := w.counter(func(c *Config) { c.FreeSpace = func() (int64, error) { return 0, errors.ErrUnsupported } })
	if v, err := silent.Check(t.Context()); err != nil || v != "1.1.0" {
		t.Errorf("%q, %v", v, err)
	}
}

// testRun is a counter whose emptiness and parent a test plays.
type testRun struct {
	*testCounter
	mu      sync.Mutex // of what follows: the updater's goroutines see it too
	busy    string
	asked   []release.Version
	when    []time.Time
	changes int
}

func (w *testRepository) newRun() *testRun {
	s := &testRun{}
	s.testCounter = w.counter(func(c *Config) {
		c.Busy = func() string {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.busy
		}
		c.Switch = func(v release.Version) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.asked, s.when = append(s.asked, v), append(s.when, time.Now())
			return nil
		}
		c.OnChange = func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.changes++
		}
	})
	return s
}

// is says from now on why the counter is not empty.
func (s *testRun) is(busy string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = busy
}

// heard gives what was asked for, and when.
func (s *testRun) heard() ([]release.Version, []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.when
}

// run runs the updater through a scene in virtual time.
func (s *testRun) run(t *testing.T, scene func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	scene()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A release that was fetched waits until the counter has been empty for a while,
// and is asked for then, again if nothing came of it.
func TestWaitsForAnEmptyCounter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestRepository(t)
		w.add(facts("1.1.0"))
		s := w.newRun()
		s.is("an operation is on its way")
		s.run(t, func() {
			time.Sleep(5 * time.Hour)
			s.mu.Lock()
			changes := s.changes
			s.mu.Unlock()
			if asked, _ := s.heard(); s.Status().Waiting != "1.1.0" || changes == 0 || len(asked) != 0 {
				t.Fatalf("%+v, asked for %v", s.Status(), asked)
			}
			s.is("")
			time.Sleep(30 * time.Second)
			s.is("somebody is at the counter") // not empty for long enough
			time.Sleep(time.Hour)
			if asked, _ := s.heard(); len(asked) != 0 {
				t.Fatalf("asked for %v of a counter that is used", asked)
			}
			s.is("")
			empty := time.Now()
			time.Sleep(5 * time.Minute)
			if asked, when := s.heard(); len(asked) != 1 || asked[0] != "1.1.0" || when[0].Sub(empty) < time.Minute {
				t.Fatalf("asked for %v at %v, empty since %v", asked, when, empty)
			}
			time.Sleep(30 * time.Minute) // the parent did nothing
			if asked, _ := s.heard(); len(asked) < 2 || len(asked) > 4 {
				t.Errorf("asked for %v", asked)
			}
		})
	})
}

// What is withdrawn, put aside or failed a moment ago is not asked for, though it
// is stored; what a command has fetched is found.
func TestNotAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		then func(w *testRepository, s *testRun)
		want release.Version
	}{
		"withdrawn":   {func(w *testRepository, s *testRun) { w.must(w.repo.Withdraw("1.1.0")) }, ""},
		"staged down": {func(w *testRepository, s *testRun) { w.must(w.repo.Stage("1.1.0", 0)) }, ""},
		"put aside":   {func(w *testRepository, s *testRun) { s.know(w, releases.Record{Blocked: "by hand"}) }, ""},
		"failed": {func(w *testRepository, s *testRun) {
			s.know(w, releases.Record{Failed: time.Now().Add(6 * time.Hour), Strikes: 1})
		}, ""},
		"altered": {func(w *testRepository, s *testRun) {
			w.must(os.WriteFile(s.releases.ProgramPath("1.1.0"), []byte("evil"), 0o700))
			w.mu.Lock()
			defer w.mu.Unlock()
			w.serves = w.t.TempDir() // nor can it be fetched again
		}, ""},
		"as it was":    {func(*testRepository, *testRun) {}, "1.1.0"},
		"a newer came": {func(w *testRepository, s *testRun) { w.add(facts("1.2.0")) }, "1.2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestRepository(t)
				w.add(facts("1.1.0"))
				s := w.newRun()
				s.is("somebody is at the counter")
				if v, err := s.Check(t.Context()); err != nil || v != "1.1.0" { // as 'galla-edge update' does
					t.Fatal(v, err)
				}
				s.run(t, func() {
					time.Sleep(time.Minute)
					c.then(w, s)
					time.Sleep(6 * time.Hour) // it has looked again
					s.is("")
					time.Sleep(5 * time.Minute)
				})
				if asked, _ := s.heard(); c.want == "" && len(asked) != 0 || c.want != "" && (len(asked) != 1 || asked[0] != c.want) {
					t.Errorf("asked for %v\n%s", asked, s.log)
				}
			})
		})
	}
}

func (s *testRun) know(w *testRepository, r releases.Record) {
	state, err := s.releases.ReadState()
	w.must(err)
	state.Set("1.1.0", r)
	w.must(s.releases.WriteState(state))
}

// Counters look at times of their own, a few hours apart, whatever goes wrong.
func TestLooksNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestRepository(t)
		var at []time.Time
		w.twist = func(path string, r *http.Response) *http.Response {
			if strings.HasSuffix(path, ".root.json") { // what is asked for first
				at = append(at, time.Now())
			}
			if len(at)%3 == 2 {
				return nil // the line is bad
			}
			return r
		}
		begun := time.Now()
		w.newRun().run(t, func() { time.Sleep(5 * 24 * time.Hour) })
		if len(at) < 25 || len(at) > 40 || at[0].Sub(begun) > 10*time.Minute {
			t.Fatalf("%d looks, the first after %v", len(at), at[0].Sub(begun))
		}
		apart := map[time.Duration]bool{}
		for i := 1; i < len(at); i++ {
			d := at[i].Sub(at[i-1])
			if apart[d] = true; d < 3*time.Hour || d > 5*time.Hour+time.Minute {
				t.Errorf("%v apart", d)
			}
		}
		if len(apart) < len(at)/2 {
			t.Error("the looks are as far apart as each other")
		}
	})
}

func TestNewRefuses(t *testing.T) {
	w := newTestRepository(t)
	for name, alter := range map[string]func(c *Config){
		"no store": func(c *Config) { c.Releases = nil }, "no terminal": func(c *Config) { c.Terminal = "" }, "no address": func(c *Config) { c.Base = "central" },
		"no version": func(c *Config) { c.Version = "(devel)" }, "no randomness": func(c *Config) { c.Rand = nil }, "no logger": func(c *Config) { c.Logger = nil },
	} {
		good := w.counter(nil).cfg
		alter(&good)
		if _, err := New(good); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := (&metadataFetcher{ctx: canceled(t), http: &http.Client{Transport: w}}).DownloadFile("https://central.example/updates/timestamp.json", 100, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
