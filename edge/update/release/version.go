package release

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Version is a release's version, such as 1.4.0 or 1.5.0-rc.1 (semver.org,
// without build metadata). It is the name of a folder, too.
type Version string

// versionForm is the form of a Version: numbers that fit an int, and short enough for
// a file name.
var versionForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// maxVersion bounds a version, in bytes.
const maxVersion = 64

// ParseVersion reads a version.
func ParseVersion(text string) (Version, error) {
	if len(text) > maxVersion || !versionForm.MatchString(text) {
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
	vCore, vPre, _ := strings.Cut(string(v), "-")
	wCore, wPre, _ := strings.Cut(string(w), "-")
	if c := compareParts(vCore, wCore); c != 0 {
		return c
	}
	switch {
	case vPre == wPre:
		return 0
	case vPre == "":
		return 1 // final comes after its candidates
	case wPre == "":
		return -1
	}
	return compareParts(vPre, wPre)
}

// compareParts compares identifiers between dots: numbers numerically and before
// words, words as ASCII, and a longer list after its prefix.
func compareParts(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, xErr := strconv.ParseUint(as[i], 10, 64)
		y, yErr := strconv.ParseUint(bs[i], 10, 64)
		c := 0
		switch {
		case xErr == nil && yErr == nil:
			c = cmp.Compare(x, y)
		case xErr == nil:
			c = -1
		case yErr == nil:
			c = 1
		default:
			c = strings.Compare(as[i], bs[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}
