package launcher

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge/update/release"
	"galla/edge/update/releases"
)

// A new release is tried when the one before asks, and serves if it works; if not,
// the one before serves, and after three strikes the new one is put aside for good.
func TestReleases(t *testing.T) {
	for name, c := range map[string]struct {
		play    func(*fakeProcess)
		runs    release.Version // after a day
		aside   bool
		atLeast int // starts of it
		atMost  int
	}{
		"good":     {good, "1.1.0", false, 1, 1},
		"crashes":  {crashes, "1.0.0", true, 3, 3},
		"hangs":    {hangs, "1.0.0", true, 3, 3},
		"unlinked": {unlinked, "1.0.0", true, 3, 3},
		"lies":     {liar, "1.0.0", true, 3, 3},
		// It works, so it is started again; five ends in a row are a failure.
		"brief":  {brief, "1.0.0", true, 5, 30},
		"absent": {nil, "1.0.0", true, 3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestBench(t)
				s.play[installed] = good
				s.put("1.1.0", c.play)
				got := s.run(24 * time.Hour)
				known := s.state().Get("1.1.0")
				if got != c.runs || (known.Blocked != "") != c.aside {
					t.Errorf("%s runs, and 1.1.0 is %+v", got, known)
				}
				if n := s.starts("1.1.0"); n < c.atLeast || n > c.atMost {
					t.Errorf("it was started %d times", n)
				}
				// Over the parent's next start nothing changes.
				before := s.starts("1.1.0")
				if got := s.run(24 * time.Hour); got != c.runs || c.aside && s.starts("1.1.0") != before {
					t.Errorf("the next day %s runs, started %d times", got, s.starts("1.1.0"))
				}
				if t.Failed() {
					t.Log(s.log.String())
				}
			})
		})
	}
}

// A line or a disk that fails condemns no release: what fails with the one before
// too is not the new one's fault, and it has its turn again.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestBench(t)
		begun := time.Now()
		down := func() bool { at := time.Since(begun); return at > 5*time.Minute && at < 10*time.Hour }
		play := func(a *fakeProcess) {
			for a.wait(2 * time.Second); down(); {
				a.wait(time.Minute)
			}
			good(a)
		}
		s.play[installed] = func(a *fakeProcess) { // asks for it just when the line goes
			if time.Since(begun) < 5*time.Minute {
				a.wait(2 * time.Second)
				a.say(kindHealthy, a.v)
				a.wait(6 * time.Minute)
				a.say(kindSwitch, "1.1.0")
			}
			play(a)
		}
		s.put("1.1.0", play)
		if got, known := s.run(24*time.Hour), s.state().Get("1.1.0"); got != "1.1.0" || known.Strikes != 0 || known.Blocked != "" || !known.Proven {
			t.Errorf("%s runs, and 1.1.0 is %+v\n%s", got, known, s.log.String())
		}
	})
}

// Nothing is started that is older than what ran, was altered, failed a moment ago,
// or is put aside, whoever asks.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		asks    release.Version
		prepare func(s *testBench)
	}{
		"not there": {"1.5.0", func(*testBench) {}},
		"older":     {"0.9.0", func(s *testBench) { s.put("0.9.0", good) }},
		"itself":    {"1.0.0", func(*testBench) {}},
		"aside":     {"1.1.0", func(s *testBench) { s.put("1.1.0", good); s.know("1.1.0", releases.Record{Blocked: "no"}) }},
		"just now":  {"1.1.0", func(s *testBench) { s.put("1.1.0", good); s.know("1.1.0", releases.Record{Failed: time.Now()}) }},
		"in a year": {"1.1.0", func(s *testBench) {
			s.put("1.1.0", good)
			s.know("1.1.0", releases.Record{Blocked: "no", Failed: time.Now().Add(9000 * time.Hour)})
		}},
		"not as high": {"1.1.0", func(s *testBench) {
			s.put("1.1.0", good)
			s.put("1.2.0", good)
			var state releases.State
			state.MarkStarted("1.2.0")
			if err := s.WriteState(state); err != nil {
				s.t.Fatal(err)
			}
		}},
		"altered": {"1.1.0", func(s *testBench) {
			s.put("1.1.0", good)
			if err := os.WriteFile(s.ProgramPath("1.1.0"), []byte("evil"), 0o700); err != nil {
				s.t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestBench(t)
				s.play[installed] = func(a *fakeProcess) {
					a.say(kindHealthy, a.v)
					a.say(kindSwitch, c.asks)
					a.wait(ever)
				}
				c.prepare(s)
				if got := s.run(30 * time.Minute); got != installed || len(s.started) != 1 {
					t.Errorf("%v were started\n%s", s.started, s.log.String())
				}
			})
		})
	}
}

func (s *testBench) know(v release.Version, r releases.Record) {
	s.t.Helper()
	state := s.state()
	state.Set(v, r)
	if err := s.WriteState(state); err != nil {
		s.t.Fatal(err)
	}
}

// A release that works and was altered since is not started: an older one is, and
// with none the installed program. A newer installed program comes before all.
func TestAlteredSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestBench(t)
		for _, v := range []release.Version{installed, "1.1.0", "1.2.0"} {
			if s.play[installed] = good; v != installed {
				s.put(v, good)
				s.know(v, releases.Record{Proven: true})
			}
		}
		spoil := func(v release.Version) {
			if err := os.WriteFile(s.ProgramPath(v), []byte("evil"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []release.Version{"1.2.0", "1.1.0", "1.0.0"} {
			if got := s.run(time.Minute); got != want {
				t.Errorf("%s runs, want %s", got, want)
			}
			if want != installed {
				spoil(want)
			}
		}
	})
}

// A child that ends is started again, after pauses that grow and have a bound; the
// installed program is never put aside.
func TestInstalledEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestBench(t)
		begun := time.Now()
		s.play[installed] = func(a *fakeProcess) {
			if time.Since(begun) > time.Hour {
				good(a)
			}
			crashes(a)
		}
		if got, known := s.run(2*time.Hour), s.state().Get(installed); got != installed || known.Blocked != "" {
			t.Errorf("%s runs: %+v", got, known)
		}
		if n := len(s.started); n < 100 || n > 150 { // an hour of runs of 1 s and pauses of 30 s
			t.Errorf("it was started %d times in an hour", n)
		}
	})
}

// A state that can't be read costs what was known, and never the counter.
func TestDamagedState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestBench(t)
		s.play[installed] = good
		s.put("1.1.0", good)
		if got := s.run(3 * time.Hour); got != "1.1.0" {
			t.Fatal(got)
		}
		if err := os.WriteFile(filepath.Join(s.dir, "releases", "state.json"), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.run(time.Minute); got != installed {
			t.Errorf("%s was started, though nothing is known of it", got)
		}
		if got := s.run(3 * time.Hour); got != "1.1.0" {
			t.Errorf("%s runs", got)
		}
	})
}

// TestKilledAnywhere: a parent that is killed when it is about to start a child, at
// any time, leaves what the next one goes on with: one release runs, it is
// verified, and in the end it is the newest that works. Releases behave as the seed
// has it.
func TestKilledAnywhere(t *testing.T) {
	plays := map[string]func(*fakeProcess){"good": good, "crashes": crashes, "hangs": hangs, "unlinked": unlinked, "brief": brief, "lies": liar}
	names := []string{"good", "good", "crashes", "hangs", "unlinked", "brief", "lies"}
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 1))
				s := newTestBench(t)
				s.play[installed] = good
				best, said := installed, ""
				for _, v := range []release.Version{"1.1.0", "1.2.0", "1.3.0"}[:1+random.IntN(3)] {
					name := names[random.IntN(len(names))]
					said += fmt.Sprintf(" %s %s", v, name)
					s.put(v, plays[name])
					// The newest is asked for first; where it fails, what is between it and
					// the one before is older than what ran here.
					if best = installed; name == "good" {
						best = v
					}
				}
				for range 1 + random.IntN(6) {
					killed := s.killedAt(1+random.IntN(5), 6*time.Hour)
					said += fmt.Sprint(" killed=", killed)
				}
				got := s.run(30 * time.Hour)
				if got != best {
					t.Errorf("%s runs, want %s:%s\n%s", got, best, said, s.log.String())
				}
			})
		})
	}
}

// killedAt runs a parent that dies at its nth start of a child, or is stopped after
// a time.
func (s *testBench) killedAt(nth int, most time.Duration) (killed bool) {
	n, gone := 0, make(chan struct{})
	ctx, cancel := contextOf(most)
	defer cancel()
	s.onStart = func(release.Version) {
		if n++; n == nth {
			killed = true
			runtime.Goexit() // nothing of the parent runs after this
		}
	}
	go func() {
		defer close(gone)
		_ = s.newLauncher().Run(ctx)
	}()
	<-gone
	s.onStart = nil
	return killed
}

// What is no line for the parent is dropped, however long, and what is one is heard.
func TestListen(t *testing.T) {
	long := strings.Repeat("x", 3*maxLine)
	text := "hello\n" + linePrefix + "healthy 1.0.0\n" + long + "\n" + linePrefix + "switch 1.1.0\n" + linePrefix + "healthy ../x\n" + linePrefix + "sing 1.0.0\n" +
		linePrefix + "healthy\n" + long + linePrefix + "healthy 6.6.6\n" + linePrefix + "healthy 1.2.0"
	var got []message
	readMessages(strings.NewReader(text), func(s message) { got = append(got, s) })
	if want := "[{healthy 1.0.0} {switch 1.1.0} {healthy 1.2.0}]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// FuzzListen: whatever a child writes, what is heard names versions.
func FuzzListen(f *testing.F) {
	f.Add(linePrefix + "healthy 1.0.0\n" + linePrefix + "switch 2.0.0-rc.1\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		readMessages(strings.NewReader(text), func(s message) {
			if _, err := release.ParseVersion(string(s.version)); err != nil || s.kind != kindHealthy && s.kind != kindSwitch {
				t.Fatalf("%q: %+v", text, s)
			}
		})
	})
}
