package aeps

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui"
	"galla/edge/ui/uitest"
)

// refreshes: a page is rendered a second time only for a change, and a change between its
// rendering and the opening of its stream shows, too.
func refreshes(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	s, err := compose(f, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	var parts, streams atomic.Int64
	var hold atomic.Pointer[chan struct{}]
	pages := s.Handler()
	srv := uitest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case ui.IsPartial(r) && r.URL.Path == "/new/withdrawal":
			parts.Add(1)
		case r.URL.Path == "/events":
			streams.Add(1)
			if gate := hold.Load(); gate != nil {
				select {
				case <-*gate:
				case <-r.Context().Done():
					return
				}
			}
		}
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(s.Close)
	b := uitest.Open(t, chromium, srv.URL, 1366, 768)
	b.Navigate("/")
	b.WaitForFocus("#pin")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitForHeading("What does the customer need?")

	setOnline := func(online bool, shows string) {
		t.Helper()
		f.change(func(s *edge.Status) { s.Link.Online, s.Link.Since = online, fakeNow })
		b.WaitFor(`document.querySelector("#readiness").innerText.includes("Offline since") === ` + shows)
	}
	parts.Store(0)
	streams.Store(0)
	b.Navigate("/new/withdrawal")
	b.WaitForHeading("Cash withdrawal")
	waitFor(t, "the page's stream", func() bool { return streams.Load() > 0 && f.watching() == 1 })
	setOnline(false, "true")
	setOnline(true, "false")
	if n := parts.Load(); n != 2 {
		t.Errorf("the page was fetched %d times for 2 changes", n)
	}

	gate := make(chan struct{})
	hold.Store(&gate)
	b.Navigate("/new/withdrawal")
	b.WaitForHeading("Cash withdrawal")
	waitFor(t, "a stream that is not open yet", func() bool { return streams.Load() > 1 })
	f.change(func(s *edge.Status) { s.Link.Online, s.Link.Since = false, fakeNow })
	close(gate)
	b.WaitFor(`document.querySelector("#readiness").innerText.includes("Offline since")`)
}
