package console

import (
	"os"
	"strings"
	"testing"

	"galla/central/docs"
)

// TestEachPageHasItsHelp: every page of console and portal links a part of the handbook
// that exists, and no line of the tables is left over.
func TestEachPageHasItsHelp(t *testing.T) {
	handbook, err := docs.NewHandbook(docs.Config{Documents: os.DirFS("../../deploy/docs"), Style: docs.Style()})
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t)
	portal := newPortalHarness(t)
	for name, site := range map[string]struct {
		c     *Console
		parts map[string]string
	}{"console": {h.console, consoleHelp()}, "portal": {portal.portal.Console, portalHelp()}} {
		for page := range site.c.pages {
			if page == "layout" {
				continue // it is around all of them
			}
			to, ok := site.parts[page]
			if !ok {
				t.Errorf("the page %s of the %s has no line in help.go", page, name)
				continue
			}
			chapter, anchor, _ := strings.Cut(to, "#")
			body := string(handbook.Pages()[docs.HandbookRoot+chapter])
			if body == "" || anchor != "" && !strings.Contains(body, `id="`+anchor+`"`) {
				t.Errorf("the page %s of the %s leads to %s, which deploy/docs has not", page, name, to)
			}
		}
		for page := range site.parts {
			if site.c.pages[page] == nil {
				t.Errorf("help.go has a line for %s of the %s, which is no page", page, name)
			}
		}
	}
}

// TestPagesShowTheirHelp: the link is in the head of a page, and of an error, too.
func TestPagesShowTheirHelp(t *testing.T) {
	b := newHarness(t).browser(t).enter("ravi")
	for path, want := range map[string]string{"/console/waiting": "/docs/console#what-waits", "/console/me": "/docs/console#signing-in"} {
		has(t, b.get(path, 200), `<a class="help" href="`+want+`"`)
	}
	has(t, b.get("/console/none", 404), `<a class="help" href="/docs/console"`)
}
