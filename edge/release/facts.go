package release

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json"
)

// Program is the program that is released.
const Program = "galla-edge"

// Facts are what a release says of itself. They stand in the custom data of its
// target, below the signatures of the role targets.
type Facts struct {
	Version Version `json:"version"`
	OS      string  `json:"os"`   // as Go names it: linux, windows
	Arch    string  `json:"arch"` // as Go names it: amd64, arm64
	// Percent of the counters that may take it, 0 to 100. Each counter has a place
	// of its own in every release's hundred (Admits), so raising it adds counters
	// and takes none away.
	Percent int `json:"percent"`
	// Follows is the lowest version that may be replaced by this one; empty: any.
	Follows Version `json:"follows,omitempty"`
	// Reads and Writes are the formats of the counter's files (Formats).
	Reads  int `json:"reads"`
	Writes int `json:"writes"`
}

// Formats are the versions of the counter's files, the queue's above all: Writes
// is what a program leaves behind, Reads the newest that it can take up.
type Formats struct{ Reads, Writes int }

// systemForm is what an operating system or an architecture may be called.
var systemForm = regexp.MustCompile(`^[a-z0-9]{1,16}$`)

// Check reports the first fault of facts.
func (f Facts) Check() error {
	if _, err := ParseVersion(string(f.Version)); err != nil {
		return err
	}
	if _, err := ParseVersion(string(f.Follows)); err != nil && f.Follows != "" {
		return fmt.Errorf("the version that it may follow: %w", err)
	}
	switch {
	case !systemForm.MatchString(f.OS) || !systemForm.MatchString(f.Arch):
		return fmt.Errorf("%.40q on %.40q is no system: write them as Go does, such as windows and amd64", f.OS, f.Arch)
	case f.Percent < 0 || f.Percent > 100:
		return fmt.Errorf("%d percent: it is 0 to 100", f.Percent)
	case f.Writes < 1 || f.Reads < f.Writes:
		return fmt.Errorf("it writes format %d and reads up to %d: a program reads what it writes", f.Writes, f.Reads)
	}
	return nil
}

// Target is the name of the release's target: one file for each version and
// system.
func (f Facts) Target() string {
	name := fmt.Sprintf("%s-%s-%s-%s", Program, f.Version, f.OS, f.Arch)
	if f.OS == "windows" {
		name += ".exe"
	}
	return name
}

// File is what the program's file is called on an operating system.
func File(os string) string {
	if os == "windows" {
		return Program + ".exe"
	}
	return Program
}

// ParseFacts reads the custom data of a target. Members that are not known are
// left out, for a later release may bring more; a member that stands twice, or is
// missing, is an error.
func ParseFacts(custom []byte) (Facts, error) {
	if len(custom) > maxCustom {
		return Facts{}, fmt.Errorf("custom data of %d bytes, want at most %d", len(custom), maxCustom)
	}
	var f Facts
	if err := json.Unmarshal(custom, &f); err != nil {
		return Facts{}, errors.New("custom data that is no JSON of a release's facts")
	}
	return f, f.Check()
}

// maxCustom bounds custom data, in bytes: seven short members.
const maxCustom = 4 << 10

// Admits tells whether a counter is among the release's hundredths. It is a
// function of the terminal's id and the version: a counter stays on its side when
// it asks again, is on the admitted side once the percentage has passed its place,
// and has another place in another release.
func (f Facts) Admits(terminal string) bool {
	sum := sha256.Sum256([]byte(terminal + "\x00" + string(f.Version)))
	return int(binary.BigEndian.Uint64(sum[:8])%100) < f.Percent
}

// Fits says why a program must not be replaced by this release, or gives nil. The
// one before must be able to take its files up again, whatever happens: so a
// release never writes a format that the program which it replaces can't read.
func (f Facts) Fits(os, arch string, own Version, formats Formats) error {
	switch {
	case f.OS != os || f.Arch != arch:
		return fmt.Errorf("release %s is for %s on %s, and this is %s on %s", f.Version, f.OS, f.Arch, os, arch)
	case f.Version.Compare(own) <= 0:
		return fmt.Errorf("release %s is not newer than %s", f.Version, own)
	case own.Compare(f.Follows) < 0:
		return fmt.Errorf("release %s follows %s at the earliest, and this is %s", f.Version, f.Follows, own)
	case f.Writes > formats.Reads:
		return fmt.Errorf("release %s writes format %d, and %s could not read it again (up to %d)", f.Version, f.Writes, own, formats.Reads)
	case f.Reads < formats.Writes:
		return fmt.Errorf("release %s reads formats up to %d, and %s has written %d", f.Version, f.Reads, own, formats.Writes)
	}
	return nil
}
