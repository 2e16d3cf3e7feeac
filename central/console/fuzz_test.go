package console

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"galla/central/staff"
	"galla/shared/webguard"
)

var bare = regexp.MustCompile(`(^|[^A-Za-z0-9-])[0-9]([ -]?[0-9]){9,}`)

// FuzzRedactNumbers: the audit log's text of a search has no number of ten digits or
// more.
func FuzzRedactNumbers(f *testing.F) {
	for _, seed := range []string{"999941057058", "GL261121000002", "9876543210 and 9876543210", "99994105705899994105705812", "x\n9876543210", "of 9999 4105 7058", "9999-4105-7058,98765 43210"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		if got := staff.RedactNumbers(typed); bare.MatchString(got) {
			t.Errorf("%q is hushed to %q", typed, got)
		}
		if got := withoutNumbers(typed); bare.MatchString(got) {
			t.Errorf("%q is sent back as %q", typed, got)
		}
	})
}

// FuzzLocalPath: 'next' never leads out of the console.
func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/console/audit", "//evil.example/console/", "https://evil.example", "/console/../metrics", "/console/\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, next string) {
		got := webguard.LocalPath(next, Root)
		u, err := url.Parse(got)
		if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(got, Root) || !strings.HasPrefix(path.Clean(u.Path)+"/", Root) || strings.ContainsAny(got, "\r\n\\") {
			t.Errorf("%q leads to %q", next, got)
		}
	})
}
