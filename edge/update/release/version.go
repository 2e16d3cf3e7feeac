package release

import (
	"cmp"
	"fmt"
	"regexp"

	"golang.org/x/mod/semver"
)

// Version is a release's version, such as 1.4.0 or 1.5.0-rc.1 (semver.org,
// without build metadata). It is the name of a folder, too.
type Version string

// versionForm is the form of a Version: short enough numbers for an int, and no build
// metadata.
var versionForm = regexp.MustCompile(`^[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}(-[0-9A-Za-z.-]+)?$`)

// maxVersion bounds a version, in bytes.
const maxVersion = 64

// ParseVersion reads a version.
func ParseVersion(text string) (Version, error) {
	if len(text) > maxVersion || !versionForm.MatchString(text) || !semver.IsValid("v"+text) {
		return "", fmt.Errorf("%.80q is no version: write three numbers such as 1.4.0, and -rc.1 after them before it is final", text)
	}
	return Version(text), nil
}

// Compare orders versions as semver.org does: less than 0 where v is the older
// one. Both must have been parsed; the empty version is older than all.
func (v Version) Compare(w Version) int {
	if v == "" || w == "" {
		return cmp.Compare(len(v), len(w))
	}
	return semver.Compare("v"+string(v), "v"+string(w))
}
