package uitest

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

// throughSlowProxy puts a proxy before a counter that delays pages and their parts by
// GALLA_SLOW_PAGES, such as 400ms. A test that acts too early, because the old page looks
// like the one it waits for, then always fails, and not once in a hundred runs on a busy
// machine.
func throughSlowProxy(t testing.TB, base string) string {
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
		Transport:     LoopbackTransport(),
		FlushInterval: -1, // events pass at once
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
		// A stopped counter sends no reply.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	line = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isPageRequest(r) {
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

// isPageRequest reports whether a request is for a page or a part of one, and not for
// styles, scripts or events.
func isPageRequest(r *http.Request) bool {
	to := r.Header.Get("Sec-Fetch-Dest")
	return to == "document" || to == "empty" && r.Header.Get("Accept") != "text/event-stream"
}

// PressAndWait presses keys that load another page, or the same again, and waits for it:
// what the test waits for next may be on this page already.
func (b *Browser) PressAndWait(keys ...string) {
	b.T.Helper()
	Eval[any](b, `void (window.before = true)`)
	b.Press(keys...)
	b.WaitFor(`!window.before && document.readyState === "complete"`)
}
