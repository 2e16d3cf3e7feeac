package console

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
)

var bare = regexp.MustCompile(`(^|[^A-Za-z0-9-])[0-9]([ -]?[0-9]){9,}`)

// FuzzHushed: whatever was looked for, no number of ten digits or more stands
// alone in what the trail has of it.
func FuzzHushed(f *testing.F) {
	for _, seed := range []string{"999941057058", "GL261121000002", "9876543210 and 9876543210", "99994105705899994105705812", "x\n9876543210", "of 9999 4105 7058", "9999-4105-7058,98765 43210"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		if got := hushed(typed); bare.MatchString(got) {
			t.Errorf("%q is hushed to %q", typed, got)
		}
		if got := kept(typed); bare.MatchString(got) {
			t.Errorf("%q is sent back as %q", typed, got)
		}
	})
}

// FuzzLocalPath: wherever 'next' wants to lead, it leads into the console.
func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/console/trail", "//evil.example/console/", "https://evil.example", "/console/../metrics", "/console/\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, next string) {
		got := localPath(next)
		u, err := url.Parse(got)
		if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(got, Root) || !strings.HasPrefix(path.Clean(u.Path)+"/", Root) || strings.ContainsAny(got, "\r\n\\") {
			t.Errorf("%q leads to %q", next, got)
		}
	})
}
