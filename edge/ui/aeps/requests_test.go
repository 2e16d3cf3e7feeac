package aeps

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge/ui"
	"galla/edge/ui/uitest"
)

// maxFirstRequests is what a page may ask for when the browser has nothing of it: the
// page, its styles, its script, and the icon of the tab.
const maxFirstRequests = 4

// requests: what a page asks for before it is complete, and that a browser which has it
// asks for the page alone. The stream of events and the refreshes that it causes are no
// part of it.
func requests(t *testing.T, chromium context.Context) {
	t.Parallel()
	s, err := compose(newFake(), testConfig())
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var asked []string
	pages := s.Handler()
	srv := uitest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/events" && !ui.IsPartial(r) {
			mu.Lock()
			asked = append(asked, r.Method+" "+r.URL.String())
			mu.Unlock()
		}
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(s.Close)
	b := uitest.Open(t, chromium, srv.URL, 1366, 768)
	load := func(path, heading string, atMost int) {
		t.Helper()
		mu.Lock()
		asked = nil
		mu.Unlock()
		b.Navigate(path)
		b.WaitForHeading(heading)
		b.WaitFor(`document.readyState === "complete"`)
		mu.Lock()
		defer mu.Unlock()
		if len(asked) == 0 || len(asked) > atMost {
			t.Errorf("%s: %d requests, at most %d: %q", path, len(asked), atMost, slices.Clone(asked))
		}
	}
	load("/unlock", "Unlock the counter", maxFirstRequests)
	b.WaitForFocus("#pin")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitForHeading("What does the customer need?")
	b.WaitFor(`document.readyState === "complete"`)
	load("/nowhere", "Page not found", maxFirstRequests)
	load("/new/withdrawal", "Cash withdrawal", maxFirstRequests)
	load("/", "What does the customer need?", 1)
	load("/new/withdrawal", "Cash withdrawal", 1)
}
