package release

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json"
)

// ProgramName is the program that is released.
const ProgramName = "galla-edge"

// Manifest describes a release. It is the custom data of its target, signed by the
// role targets.
type Manifest struct {
	Version Version `json:"version"`
	OS      string  `json:"os"`   // as Go names it: linux, windows
	Arch    string  `json:"arch"` // as Go names it: amd64, arm64
	// Percent of the counters that may take it, 0 to 100. Each counter has a fixed
	// place in every release's hundred (InRollout), so raising Percent only adds
	// counters.
	Percent int `json:"percent"`
	// MinPrevious is the lowest version that may be replaced by this one; empty: any.
	MinPrevious Version `json:"follows,omitempty"`
	// Reads and Writes are the formats of the counter's files (Formats).
	Reads  int `json:"reads"`
	Writes int `json:"writes"`
}

// Formats are the versions of the counter's files, the queue's above all: Writes
// is what a program leaves behind, Reads the newest that it can take up.
type Formats struct{ Reads, Writes int }

// systemForm is what an operating system or an architecture may be called.
var systemForm = regexp.MustCompile(`^[a-z0-9]{1,16}$`)

// Validate reports the first fault of facts.
func (f Manifest) Validate() error {
	if _, err := ParseVersion(string(f.Version)); err != nil {
		return err
	}
	if _, err := ParseVersion(string(f.MinPrevious)); err != nil && f.MinPrevious != "" {
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

// TargetName is the name of the release's target: one file for each version and
// system.
func (f Manifest) TargetName() string {
	name := fmt.Sprintf("%s-%s-%s-%s", ProgramName, f.Version, f.OS, f.Arch)
	if f.OS == "windows" {
		name += ".exe"
	}
	return name
}

// FileName is what the program's file is called on an operating system.
func FileName(os string) string {
	if os == "windows" {
		return ProgramName + ".exe"
	}
	return ProgramName
}

// ParseManifest parses the custom data of a target. Unknown members are ignored;
// duplicate or missing ones are errors.
func ParseManifest(custom []byte) (Manifest, error) {
	if len(custom) > maxCustom {
		return Manifest{}, fmt.Errorf("custom data of %d bytes, want at most %d", len(custom), maxCustom)
	}
	var f Manifest
	if err := json.Unmarshal(custom, &f); err != nil {
		return Manifest{}, errors.New("custom data that is no JSON of a release's facts")
	}
	return f, f.Validate()
}

// maxCustom bounds custom data, in bytes: seven short members.
const maxCustom = 4 << 10

// InRollout reports whether a counter is within the release's percentage. It depends
// on the terminal's id and the version only, so the answer for a counter changes
// only when the percentage passes its place.
func (f Manifest) InRollout(terminal string) bool {
	sum := sha256.Sum256([]byte(terminal + "\x00" + string(f.Version)))
	return int(binary.BigEndian.Uint64(sum[:8])%100) < f.Percent
}

// CheckUpgrade returns why a program must not be replaced by this release, or nil. A
// release must not write a format that the replaced program can't read, since that
// one may run again.
func (f Manifest) CheckUpgrade(os, arch string, own Version, formats Formats) error {
	switch {
	case f.OS != os || f.Arch != arch:
		return fmt.Errorf("release %s is for %s on %s, and this is %s on %s", f.Version, f.OS, f.Arch, os, arch)
	case f.Version.Compare(own) <= 0:
		return fmt.Errorf("release %s is not newer than %s", f.Version, own)
	case own.Compare(f.MinPrevious) < 0:
		return fmt.Errorf("release %s follows %s at the earliest, and this is %s", f.Version, f.MinPrevious, own)
	case f.Writes > formats.Reads:
		return fmt.Errorf("release %s writes format %d, and %s could not read it again (up to %d)", f.Version, f.Writes, own, formats.Reads)
	case f.Reads < formats.Writes:
		return fmt.Errorf("release %s reads formats up to %d, and %s has written %d", f.Version, f.Reads, own, formats.Writes)
	}
	return nil
}
