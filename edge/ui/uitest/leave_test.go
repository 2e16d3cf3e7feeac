package uitest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestChromiumLeave: after PressAndWait the checked page is the one that a form led to, also on a
// slow connection and if both pages have the same text.
func TestChromiumLeave(t *testing.T) {
	t.Setenv("GALLA_SLOW_PAGES", "300ms")
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if r.Header.Get("Origin") != "http://"+r.Host {
				t.Errorf("a form came from %s to %s", r.Header.Get("Origin"), r.Host)
			}
			sent++
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>leave</title><h1>Same</h1><b>%d</b>
<form method="post"><input autofocus></form></html>`, sent)
	}))
	t.Cleanup(server.Close)
	b := Open(t, Chromium(t), server.URL, 360, 740)
	b.Navigate("/")
	for n := 1; n <= 2; n++ {
		b.PressAndWait(kb.Enter)
		b.WaitForHeading("Same")
		if text := Eval[string](b, `document.querySelector("b").textContent`); text != fmt.Sprint(n) {
			t.Errorf("page %s was looked at, not %d", text, n)
		}
	}
}
