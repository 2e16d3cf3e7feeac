package webtest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// slowly puts a slow line before a counter where GALLA_SLOW_PAGES says how slow,
// such as 400ms: each page, and each part of one, comes that much later. What a
// test does too early, because the page that it has left looks like the one that it
// waits for, then fails always, and not once in a hundred runs on a busy machine.
func slowly(t testing.TB, base string) string {
	t.Helper()
	late := os.Getenv("GALLA_SLOW_PAGES")
	if late == "" {
		return base
	}
	delay, err := time.ParseDuration(late)
	if err != nil {
		t.Fatalf("GALLA_SLOW_PAGES: %v: it is a time such as 400ms", err)
	}
	counter, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	var line *httptest.Server
	proxy := &httputil.ReverseProxy{
		Transport:     Loopback(),
		FlushInterval: -1, // events pass as they come
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(counter)
			r.Out.Host = counter.Host
			for _, name := range []string{"Origin", "Referer"} {
				if v := r.In.Header.Get(name); v != "" {
					r.Out.Header.Set(name, strings.Replace(v, line.URL, base, 1))
				}
			}
		},
		ModifyResponse: func(r *http.Response) error {
			if to := r.Header.Get("Location"); to != "" {
				r.Header.Set("Location", strings.Replace(to, base, line.URL, 1))
			}
			return nil
		},
		// A counter that is down says nothing.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	line = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page(r) {
			select {
			case <-time.After(delay):
			case <-r.Context().Done():
				return
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		line.CloseClientConnections()
		line.Close()
	})
	return line.URL
}

// page tells whether a request is for a page or a part of one; styles, scripts and
// the stream of events are not.
func page(r *http.Request) bool {
	to := r.Header.Get("Sec-Fetch-Dest")
	return to == "document" || to == "empty" && r.Header.Get("Accept") != "text/event-stream"
}

// Leave presses keys that lead to another page, or to the same once more, and
// waits for it: where what is waited for next may be on this one already.
func (b *Browser) Leave(keys ...string) {
	b.T.Helper()
	Eval[any](b, `void (window.before = true)`)
	b.Press(keys...)
	b.Sees(`!window.before && document.readyState === "complete"`)
}
