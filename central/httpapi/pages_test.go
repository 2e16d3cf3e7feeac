package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"galla/central"
)

// get reads a page, without the promises of JSON replies.
func (h *system) get(t *testing.T, method, path, match string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest(method, "http://"+h.addr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if match != "" {
		req.Header.Set("If-None-Match", match)
	}
	res, err := h.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, text
}

func TestPages(t *testing.T) {
	const style = "body { margin: 0 }"
	page := []byte("<!DOCTYPE html><title>x</title><style>" + style + "</style>")
	h := startServer(t, func(c *Config, _ *central.Handler) {
		c.Pages = map[string]Page{
			"/docs":         {ContentType: "text/html; charset=utf-8", Body: page, Style: style},
			"/openapi.json": {ContentType: "application/json", Body: []byte(`{"openapi":"3.1.0"}`)},
			"/docs/try":     {ContentType: "text/html; charset=utf-8", Body: page, Style: style, Scripts: true, Connect: []string{"http://127.0.0.1:7300"}},
		}
	})
	res, text := h.get(t, "GET", "/docs", "")
	if res.StatusCode != 200 || !bytes.Equal(text, page) || res.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("HTTP %d, %s: %s", res.StatusCode, res.Header.Get("Content-Type"), text)
	}
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if got := res.Header.Get("Content-Security-Policy"); got != want {
		t.Errorf("policy %q, want %q", got, want)
	}
	scripts, _ := h.get(t, "GET", "/docs/try", "")
	if got := scripts.Header.Get("Content-Security-Policy"); got != want+"; script-src 'self'; connect-src 'self' http://127.0.0.1:7300" {
		t.Errorf("policy of a page with scripts %q", got)
	}
	for name, want := range map[string]string{"Cache-Control": "public, max-age=300", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	tag := res.Header.Get("Etag")
	if len(tag) < 20 || res.Header.Get("X-Request-Id") == "" {
		t.Errorf("headers are %v", res.Header)
	}
	for _, match := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		if res, text := h.get(t, "GET", "/docs", match); res.StatusCode != 304 || len(text) > 0 || res.Header.Get("Etag") != tag {
			t.Errorf("If-None-Match %s: HTTP %d, %d bytes", match, res.StatusCode, len(text))
		}
	}
	for _, match := range []string{`"other"`, strings.Trim(tag, `"`), `""`} {
		if res, _ := h.get(t, "GET", "/docs", match); res.StatusCode != 200 {
			t.Errorf("If-None-Match %s: HTTP %d", match, res.StatusCode)
		}
	}
	res, text = h.get(t, "GET", "/openapi.json", "")
	if res.StatusCode != 200 || string(text) != `{"openapi":"3.1.0"}` || strings.Contains(res.Header.Get("Content-Security-Policy"), "style-src") || res.Header.Get("Etag") == tag {
		t.Errorf("HTTP %d: %s %v", res.StatusCode, text, res.Header)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
		if a := expect(t, h.do(t, method, "/docs", ""), 405, "04"); !strings.Contains(a.header.Get("Allow"), "GET") {
			t.Errorf("%s: Allow is %q", method, a.header.Get("Allow"))
		}
	}
	for _, path := range []string{"/docs/", "/Docs", "/docs/x", "/openapi"} {
		expect(t, h.do(t, "GET", path, ""), 404, "04")
	}
}

// TestAnsweredPage: a page is made of a query, nobody keeps it, and only the page's own
// script runs and its own form is sent.
func TestAnsweredPage(t *testing.T) {
	h := startServer(t, func(c *Config, _ *central.Handler) {
		c.Pages = map[string]Page{"/docs/search": {ContentType: "text/html", Style: "a {}", Script: "f()", Forms: true, Answer: func(query string) ([]byte, error) {
			if query == "broken" {
				return nil, errors.New("no template")
			}
			return []byte("<p>" + query), nil
		}}}
	})
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	for path, want := range map[string]string{"/docs/search": "<p>", "/docs/search?q=bank+down%20now&q=b&p=c": "<p>bank down now", "/docs/search?q=%e0": "<p>\xe0"} {
		res, text := h.get(t, "GET", path, "")
		policy := "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; style-src " + hash("a {}") + "; script-src " + hash("f()")
		if res.StatusCode != 200 || string(text) != want || res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Etag") != "" || res.Header.Get("Content-Security-Policy") != policy {
			t.Errorf("%s: HTTP %d %q, headers %v, want %q and the policy %s", path, res.StatusCode, text, res.Header, want, policy)
		}
	}
	expect(t, h.do(t, "GET", "/docs/search?q=broken", ""), 500, "500")
}

func TestPagesAreCountedByNetwork(t *testing.T) {
	h := startServer(t, func(c *Config, _ *central.Handler) {
		c.Rate, c.Burst = 0.001, 2
		c.Pages = map[string]Page{"/docs": {ContentType: "text/html", Body: []byte("x")}}
	})
	for range 2 {
		if res, _ := h.get(t, "GET", "/docs", ""); res.StatusCode != 200 {
			t.Errorf("HTTP %d", res.StatusCode)
		}
	}
	expect(t, h.do(t, "GET", "/docs", ""), 429, "07")
}

func TestPagesThatCannotBe(t *testing.T) {
	for path, page := range map[string]Page{
		"docs": {ContentType: "text/html"}, "": {ContentType: "text/html"}, "/docs": {}, "/docs/:id": {ContentType: "text/html"}, "/*": {ContentType: "text/html"},
		"/page": {ContentType: "text/html", Connect: []string{"http://a; script-src *"}}, "/other": {ContentType: "text/html", Connect: []string{"*"}},
		"/aeps/banks": {ContentType: "text/html"}, "/oauth/token": {ContentType: "text/html"},
	} {
		cfg := testConfig(io.Discard)
		cfg.Pages = map[string]Page{path: page}
		if _, err := New(nil, nil, nil, cfg); err == nil || !strings.Contains(err.Error(), "page") {
			t.Errorf("%q: error is %v", path, err)
		}
	}
}
