package aeps

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui/uitest"
)

// sameDocument is what a page that took another's place still has.
const sameDocument = `window.stamp === 1`

// visits: the page of a link takes this one's place without being loaded, and is the same
// as if it were: its fields work, it follows the counter, the way back shows the present
// state. What can't take its place is loaded.
func visits(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	s, err := compose(f, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var streams atomic.Int32
	var down atomic.Bool
	pages := s.Handler()
	srv := uitest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/events" {
			streams.Add(1)
		} else if down.Load() {
			panic(http.ErrAbortHandler)
		}
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	b := uitest.Open(t, chromium, srv.URL, 1366, 768)
	b.Navigate("/")
	b.WaitForFocus("#pin")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitForHeading("What does the customer need?")
	b.WaitFor(`document.readyState === "complete"`)
	uitest.Eval[any](b, `void (window.stamp = 1)`)
	same := func(heading string) {
		t.Helper()
		b.WaitForHeading(heading)
		if !uitest.Eval[bool](b, sameDocument) {
			t.Errorf("%s was loaded", heading)
		}
	}

	b.Press("1")
	same("Cash withdrawal")
	b.WaitFor(`location.pathname === "/new/withdrawal" && document.querySelector("meta[name=here]").content === "/new/withdrawal"`)
	b.WaitFor(`document.title.startsWith("Cash withdrawal") && document.querySelector("#say").textContent === document.title`)
	b.WaitForFocus("#aadhaar")
	b.Press("9", "9", "9", "9", "4")
	b.WaitFor(`document.querySelector("#aadhaar").value === "9999 4" && document.querySelectorAll("[role=combobox]").length === 1`)
	f.change(func(s *edge.Status) { s.Link.Online = false; s.Link.Since = fakeNow })
	b.WaitFor(`document.querySelector("#readiness").innerText.includes("Offline since") && document.querySelector("#aadhaar").value === "9999 4"`)
	opened := streams.Load()

	b.Press(kb.Escape)
	same("What does the customer need?")
	b.Do(chromedp.NavigateBack())
	same("Cash withdrawal")
	b.WaitForFocus("#aadhaar")
	if typed := uitest.Eval[string](b, `document.querySelector("#aadhaar").value`); typed != "" {
		t.Errorf("on the way back the Aadhaar field holds %q", typed)
	}
	b.Press("9")
	b.WaitFor(`document.querySelector("#aadhaar").value === "9"`)
	b.Press(kb.Escape)
	same("What does the customer need?")
	f.change(func(s *edge.Status) { s.Link.Online = true; s.Link.Since = fakeNow })
	b.WaitFor(`document.querySelector("#chips").innerText.includes("Online")`)
	if now := streams.Load(); now != opened {
		t.Errorf("four pages opened %d more event streams", now-opened)
	}

	// The program does not answer for a while.
	down.Store(true)
	b.Press("1")
	b.WaitFor(`!document.querySelector("#stale").hidden`)
	same("What does the customer need?")
	down.Store(false)
	b.Press("2")
	same("Balance")
	b.WaitFor(`document.querySelector("#stale").hidden`)

	// A form's answer has the form's address. The way back to it is the form's page.
	b.Navigate("/new/withdrawal")
	b.WaitForHeading("Cash withdrawal")
	uitest.Eval[any](b, `document.querySelector("main form[method=post]").submit()`)
	b.WaitFor(`document.readyState === "complete" && document.querySelector("main [aria-invalid]")`)
	uitest.Eval[any](b, `void (window.stamp = 1)`)
	b.Press(kb.Escape)
	same("What does the customer need?")
	b.Do(chromedp.NavigateBack())
	same("Cash withdrawal")
	if wrong := uitest.Eval[int](b, `document.querySelectorAll("main [aria-invalid]").length`); wrong != 0 {
		t.Errorf("the page of a form has %d wrong fields before it was sent", wrong)
	}

	uitest.Eval[any](b, `(() => { const a = document.createElement("a"); a.href = "/nowhere"; document.querySelector("main").append(a); a.click(); })()`)
	b.WaitForHeading("Page not found")
	if uitest.Eval[bool](b, sameDocument) {
		t.Error("a missing page took the place of another")
	}
	uitest.Eval[any](b, `void (window.stamp = 1)`)
	uitest.Eval[any](b, `document.querySelector(".locker button").click()`)
	b.WaitForHeading("Unlock the counter")
	if uitest.Eval[bool](b, sameDocument) {
		t.Error("the page of a form took the place of another")
	}
}
