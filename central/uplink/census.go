package uplink

import (
	"strings"
	"time"

	"galla/shared/wire"
)

// Limits of a census.
const (
	// maxVersions limits the versions that are counted separately: during an
	// update there are three or four. The terminals of others are counted as
	// OtherVersion.
	maxVersions = 20
	// clockTolerance is how far a terminal's clock may be wrong before it is
	// counted: the edge corrects for it, but people read that clock.
	clockTolerance = time.Minute
)

// OtherVersion is the version of terminals beyond the first maxVersions, and of
// invalid versions.
const OtherVersion = "other"

// helloReport is what a terminal's hello reported.
type helloReport struct {
	received   bool
	version    string
	unresolved int
	clockAhead time.Duration // its clock minus ours
	at         time.Time     // of the hello
}

// Census sums up the hellos of the connected terminals.
type Census struct {
	Connected int
	// Versions counts the terminals by their program's version.
	Versions map[string]int
	// Unresolved is how many operations they had without a final outcome, all
	// together; Deepest is the largest number of one terminal; Waiting is how many
	// terminals had any.
	Unresolved, Deepest, Waiting int
	// ClockWrong counts terminals whose clock is wrong by more than a minute.
	ClockWrong int
}

// Census counts the connected terminals. It changes when one connects or leaves:
// what a terminal queues meanwhile is reported in its next hello.
func (s *Server) Census() Census {
	s.mu.Lock()
	current := make([]*session, 0, len(s.current))
	for _, x := range s.current {
		current = append(current, x)
	}
	s.mu.Unlock()
	c := Census{Connected: len(current), Versions: map[string]int{}}
	for _, x := range current {
		r := x.lastHello()
		if !r.received {
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
		if r.clockAhead.Abs() > clockTolerance {
			c.ClockWrong++
		}
	}
	return c
}

// recordHello stores a hello's report for the census.
func (x *session) recordHello(hello wire.Frame, clock int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hello = helloReport{
		received: true, version: cleanVersion(hello.Version), unresolved: len(hello.Unresolved),
		clockAhead: time.Duration(hello.Clock-clock) * time.Millisecond, at: time.UnixMilli(clock),
	}
}

// cleanVersion is a program's version, or OtherVersion for a text that no build would
// have.
func cleanVersion(s string) string {
	odd := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(".-+()_", r)
	}
	if s == "" || len(s) > maxVersion || strings.ContainsFunc(s, odd) {
		return OtherVersion
	}
	return s
}

// maxVersion is the length of a version in bytes: a pseudo-version of Go has some
// forty.
const maxVersion = 64
