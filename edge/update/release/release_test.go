package release

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestVersions(t *testing.T) {
	for text, good := range map[string]bool{
		"1.0.0": true, "0.0.0": true, "1.5.0-rc.1": true, "10.20.30-a-b.0": true, "999999999.0.0": true,
		"": false, "1": false, "1.0": false, "v1.0.0": false, "1.0.0.0": false, "01.0.0": false, "1.0.0-": false, "1.0.0-a..b": false,
		"1.0.0+7": false, "1.0.0/..": false, "..": false, "1.0.0-..": false, "1.0.0\n": false, "9999999999.0.0": false,
		"1.0.0-" + strings.Repeat("a", maxVersion): false,
	} {
		if _, err := ParseVersion(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
	// The order of semver.org, and the empty version before all.
	order := []Version{"", "0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0"}
	for i, a := range order {
		for j, b := range order {
			if got := a.Compare(b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%q to %q is %d", a, b, got)
			}
		}
	}
}

func version() *rapid.Generator[Version] {
	return rapid.Custom(func(t *rapid.T) Version {
		n := rapid.IntRange(0, 3)
		v := fmt.Sprintf("%d.%d.%d", n.Draw(t, "major"), n.Draw(t, "minor"), n.Draw(t, "patch"))
		return Version(v + rapid.SampledFrom([]string{"", "", "-rc.1", "-rc.10", "-rc", "-1", "-a.b"}).Draw(t, "pre"))
	})
}

// The order of versions is one: what is newer than what is newer is newer.
func TestVersionsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := version().Draw(t, "a"), version().Draw(t, "b"), version().Draw(t, "c")
		if a.Compare(b) != -b.Compare(a) || (a.Compare(b) == 0) != (a == b) {
			t.Fatalf("%s and %s: %d and %d", a, b, a.Compare(b), b.Compare(a))
		}
		if a.Compare(b) < 0 && b.Compare(c) < 0 && a.Compare(c) >= 0 {
			t.Fatalf("%s before %s before %s, and yet not", a, b, c)
		}
	})
}

var good = Manifest{Version: "1.1.0", OS: "linux", Arch: "amd64", Percent: 50, Reads: 2, Writes: 2}

func TestFits(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(f *Manifest)
		own   Version
		want  string // part of why not; empty: it fits
	}{
		"good":              {func(*Manifest) {}, "1.0.0", ""},
		"other system":      {func(f *Manifest) { f.OS = "windows" }, "1.0.0", "is for windows on amd64"},
		"other machine":     {func(f *Manifest) { f.Arch = "arm64" }, "1.0.0", "is for linux on arm64"},
		"the same":          {func(*Manifest) {}, "1.1.0", "not newer than 1.1.0"},
		"older":             {func(*Manifest) {}, "2.0.0", "not newer than 2.0.0"},
		"follows it":        {func(f *Manifest) { f.MinPrevious = "1.0.0" }, "1.0.0", ""},
		"too far ahead":     {func(f *Manifest) { f.MinPrevious = "1.0.5" }, "1.0.4", "follows 1.0.5 at the earliest"},
		"reads more":        {func(f *Manifest) { f.Reads = 3 }, "1.0.0", ""},
		"no way back":       {func(f *Manifest) { f.Reads, f.Writes = 3, 3 }, "1.0.0", "could not read it again"},
		"can't read ours":   {func(f *Manifest) { f.Reads, f.Writes = 1, 1 }, "1.0.0", "reads formats up to 1"},
		"a candidate of it": {func(f *Manifest) { f.Version = "1.1.0-rc.1" }, "1.1.0", "not newer"},
	} {
		f := good
		c.alter(&f)
		err := f.CheckUpgrade("linux", "amd64", c.own, Formats{Reads: 2, Writes: 2})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A counter keeps its side: a higher percentage takes none away, 0 has none and
// 100 all, and another version is another hundred.
func TestAdmits(t *testing.T) {
	const counters = 4000
	admitted := func(v Version, percent int) map[int]bool {
		f := Manifest{Version: v, Percent: percent}
		in := map[int]bool{}
		for i := range counters {
			if f.InRollout(fmt.Sprintf("terminal-%d", i)) {
				in[i] = true
			}
		}
		return in
	}
	before := map[int]bool{}
	for _, percent := range []int{0, 1, 10, 50, 99, 100} {
		in := admitted("1.1.0", percent)
		for i := range before {
			if !in[i] {
				t.Fatalf("counter %d had it and lost it at %d %%", i, percent)
			}
		}
		// Four standard deviations of a fair draw.
		if want, got := counters*percent/100, len(in); got < want-130 || got > want+130 || percent%100 == 0 && got != want {
			t.Errorf("%d %% are %d of %d", percent, got, counters)
		}
		before = in
	}
	same, other := 0, admitted("1.2.0", 50)
	for i := range admitted("1.1.0", 50) {
		if other[i] {
			same++
		}
	}
	if same < counters/4-130 || same > counters/4+130 {
		t.Errorf("%d counters are first in both of two releases: they take all risks", same)
	}
}

func TestFacts(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":"1.1.0","os":"linux","arch":"amd64","percent":50,"reads":2,"writes":2}`:                                  "",
		`{"version":"1.1.0","os":"linux","arch":"amd64","percent":50,"reads":2,"writes":2,"later":{"a":1}}`:                  "",
		`{"version":"1.1.0","os":"linux","arch":"amd64","percent":50,"percent":100,"reads":2,"writes":2}`:                    "no JSON",
		`{"version":"../..","os":"linux","arch":"amd64","percent":50,"reads":2,"writes":2}`:                                  "no version",
		`{"version":"1.1.0","os":"../x","arch":"amd64","percent":50,"reads":2,"writes":2}`:                                   "no system",
		`{"version":"1.1.0","os":"linux","arch":"amd64","percent":101,"reads":2,"writes":2}`:                                 "101 percent",
		`{"version":"1.1.0","os":"linux","arch":"amd64","percent":-1,"reads":2,"writes":2}`:                                  "-1 percent",
		`{"version":"1.1.0","os":"linux","arch":"amd64","percent":50,"reads":1,"writes":2}`:                                  "reads what it writes",
		`{"version":"1.1.0","os":"linux","arch":"amd64","percent":50}`:                                                       "reads what it writes",
		`{"version":"1.1.0","os":"linux","arch":"amd64","percent":50,"reads":2,"writes":2,"follows":"always"}`:               "may follow",
		`{"version":"1.1.0","os":"linux","arch":"amd64","percent":50,"reads":2,"writes":2}` + strings.Repeat(" ", maxCustom): "bytes",
		``: "no JSON",
	} {
		_, err := ParseManifest([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.120s: %v, want %q", text, err, want)
		}
	}
	f := good
	if got := f.TargetName(); got != "galla-edge-1.1.0-linux-amd64" {
		t.Error(got)
	}
	if f.OS = "windows"; f.TargetName() != "galla-edge-1.1.0-windows-amd64.exe" || FileName(f.OS) != "galla-edge.exe" {
		t.Error(f.TargetName(), FileName(f.OS))
	}
}

// FuzzFacts: whatever a target says of itself, it is refused or can be a name of a
// folder and of a target.
func FuzzFacts(f *testing.F) {
	f.Add([]byte(`{"version":"1.1.0","os":"linux","arch":"amd64","percent":50,"reads":2,"writes":2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		facts, err := ParseManifest(text)
		if err == nil && (strings.ContainsAny(facts.TargetName(), "/\\\x00 ") || strings.Contains(facts.TargetName(), "..") && strings.Contains(string(facts.Version), "..")) {
			t.Fatalf("%q became %q", text, facts.TargetName())
		}
	})
}

// FuzzProof: metadata of others never opens under a root that is not theirs,
// and never breaks the program.
func FuzzProof(f *testing.F) {
	f.Add([]byte(`{"checkedAt":"2026-11-22T00:00:00Z","roots":["e30="],"timestamp":"e30=","snapshot":"e30=","targets":"e30="}`), []byte(`{"signed":{"_type":"root"},"signatures":[]}`))
	f.Fuzz(func(t *testing.T, text, root []byte) {
		p, err := ParseProof(text)
		if err != nil {
			return
		}
		if c, err := p.Open(root); err == nil && len(c.Releases) > 0 {
			t.Fatalf("%q opened under %q", text, root)
		}
	})
}
