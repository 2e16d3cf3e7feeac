package webtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestLeave: what is looked at after Leave is the page that a form led to, also
// where the line is slow and both say the same.
func TestLeave(t *testing.T) {
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
	b.Go("/")
	for n := 1; n <= 2; n++ {
		b.Leave(kb.Enter)
		b.Reads("Same")
		if text := Eval[string](b, `document.querySelector("b").textContent`); text != fmt.Sprint(n) {
			t.Errorf("page %s was looked at, not %d", text, n)
		}
	}
}
