package uplink

import (
	"strings"
	"time"

	"galla/shared/wire"
)

// Limits of a census.
const (
	// maxVersions bounds the versions that are told apart: a fleet in the middle
	// of an update has three or four. The terminals of further ones are counted
	// under OtherVersion.
	maxVersions = 20
	// clockTolerance is how far a terminal's clock may be off before it is
	// counted: the edge corrects for it, but people read that clock.
	clockTolerance = time.Minute
)

// OtherVersion stands in a census for versions beyond the first maxVersions,
// and for what is no version.
const OtherVersion = "other"

// report is what a terminal said of itself in its hello.
type report struct {
	said       bool
	version    string
	unresolved int
	ahead      time.Duration // its clock minus ours
	at         time.Time     // of the hello
}

// Census is what the connected terminals said of themselves in their hellos.
type Census struct {
	Connected int
	// Versions counts the terminals by their program's version.
	Versions map[string]int
	// Unresolved is how many operations they had without a last word, all of
	// them together; Deepest how many the one with the most; Waiting how many
	// terminals had any.
	Unresolved, Deepest, Waiting int
	// ClockWrong counts those whose clock is off by more than a minute.
	ClockWrong int
}

// Census counts the connected terminals. It changes when one connects or
// leaves: what a terminal queues meanwhile it tells at its next hello.
func (s *Server) Census() Census {
	s.mu.Lock()
	current := make([]*session, 0, len(s.current))
	for _, x := range s.current {
		current = append(current, x)
	}
	s.mu.Unlock()
	c := Census{Connected: len(current), Versions: map[string]int{}}
	for _, x := range current {
		x.mu.Lock()
		r := x.report
		x.mu.Unlock()
		if !r.said {
			continue
		}
		version := r.version
		if _, known := c.Versions[version]; !known && len(c.Versions) >= maxVersions {
			version = OtherVersion
		}
		c.Versions[version]++
		c.Unresolved += r.unresolved
		c.Deepest = max(c.Deepest, r.unresolved)
		if r.unresolved > 0 {
			c.Waiting++
		}
		if r.ahead.Abs() > clockTolerance {
			c.ClockWrong++
		}
	}
	return c
}

// note keeps what a hello says for the census.
func (x *session) note(hello wire.Frame, clock int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.report = report{
		said: true, version: versionOf(hello.Version), unresolved: len(hello.Unresolved),
		ahead: time.Duration(hello.Clock-clock) * time.Millisecond, at: time.UnixMilli(clock),
	}
}

// versionOf is a program's version as a terminal may write it: what a build
// records, and nothing that looks otherwise.
func versionOf(s string) string {
	odd := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(".-+()_", r)
	}
	if s == "" || len(s) > maxVersion || strings.ContainsFunc(s, odd) {
		return OtherVersion
	}
	return s
}

// maxVersion is the length of a version, in bytes: a pseudo-version of Go has
// some forty.
const maxVersion = 64
