package aeps

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"galla/edge/i18n"
	"galla/edge/ui/uitest"
)

// cookieName is the beginning of the session cookie's name; the counter's port follows.
const cookieName = "galla_session_"

// TestHost: the counter has one host name; under any other there is no session, no data
// and not the name itself.
func TestHost(t *testing.T) {
	v := unlocked(t)
	port := v.Base[strings.LastIndex(v.Base, ":"):]
	session := v.HTTP.Jar.Cookies(v.Request(http.MethodGet, "/", nil).URL)
	if len(session) == 0 {
		t.Fatal("there is no session to try")
	}
	for _, host := range []string{
		"127.0.0.1" + port, "localhost" + port, "[::1]" + port, "127.0.0.1", "localhost", "127.0.0.1:1", "evil.example", "evil.example" + port,
		"127.0.0.1" + port + ".evil.example", "127.0.0.2" + port, "0.0.0.0" + port, uitest.Hostname, uitest.Hostname + ":1", uitest.Hostname + "." + port,
		"x" + uitest.Hostname + port, uitest.Hostname + port + ".evil.example", "galla-otherotherother2.localhost" + port,
	} {
		for _, path := range []string{"/", "/unlock", "/operations", "/events", "/language", "/static/x/kit.js", "/keep-alive"} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				r := v.Form(path, "pin", rightPIN)
				r.Method, r.Host = method, host
				for _, c := range session {
					r.AddCookie(c)
				}
				reply, body := v.Do(r)
				if reply.StatusCode != http.StatusMisdirectedRequest || len(reply.Cookies()) > 0 {
					t.Errorf("%s %s at %q: HTTP %d, cookies %v", method, path, host, reply.StatusCode, reply.Cookies())
				}
				uitest.Contains(t, body, "Open the counter another way", "galla-edge open")
				uitest.NotContains(t, body, uitest.Hostname, "Lakshmi", "Fatima", "GAL00101", "csrf")
			}
		}
	}
	for host, status := range map[string]int{
		"127.0.0.1" + port: 200, "localhost" + port: 200, "[::1]" + port: 200, uitest.Hostname + port: 200, "evil.example" + port: 421, "127.0.0.1:1": 421,
	} {
		r := v.Request(http.MethodGet, "/healthz", nil)
		r.Host = host
		if reply, _ := v.Do(r); reply.StatusCode != status || len(reply.Cookies()) > 0 {
			t.Errorf("/healthz at %q: HTTP %d, want %d", host, reply.StatusCode, status)
		}
	}
	v.Get("/", http.StatusOK) // the session is unaffected
	for _, c := range session {
		if c.Domain != "" {
			t.Errorf("the cookie %s names the domain %s", c.Name, c.Domain)
		}
	}
}

// TestWrongHostLanguage: the page of a wrong host has the browser's language.
func TestWrongHostLanguage(t *testing.T) {
	v := visit(t)
	for _, l := range i18n.Languages() {
		r := v.Request(http.MethodGet, "/", nil)
		r.Host = "127.0.0.1" + v.Base[strings.LastIndex(v.Base, ":"):]
		r.Header.Set("Accept-Language", l.Code)
		_, body := v.Do(r)
		uitest.Contains(t, body, `<html lang="`+l.Code+`">`, v.s.In(l.Code).Text("error.host.title"), "galla-edge open", "“Galla”")
	}
}

// TestNotLoopback: a connection that did not come over the loopback address is refused,
// whatever its headers.
func TestNotLoopback(t *testing.T) {
	v := visit(t)
	for _, local := range []net.Addr{&net.TCPAddr{IP: net.IPv4(192, 168, 1, 5), Port: 7200}, &net.UnixAddr{Name: "x"}, nil} {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:7200/unlock", nil)
		if local != nil {
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
		}
		w := httptest.NewRecorder()
		v.s.Handler().ServeHTTP(w, r)
		if w.Code != http.StatusMisdirectedRequest {
			t.Errorf("over %v: HTTP %d", local, w.Code)
		}
	}
}

func TestOrigin(t *testing.T) {
	v := unlocked(t)
	own := v.Base
	for _, c := range []struct {
		method, path, origin, site, mode string
		refused                          bool
	}{
		{"POST", "/keep-alive", own, "same-origin", "", false},
		{"POST", "/keep-alive", own, "", "", false},
		{"POST", "/keep-alive", "null", "same-origin", "", false}, // a form under no-referrer
		{"POST", "/keep-alive", "null", "", "", true},
		{"POST", "/keep-alive", "", "", "", true},
		{"POST", "/keep-alive", "", "none", "", true},
		{"POST", "/keep-alive", "", "same-origin", "", false},
		{"POST", "/keep-alive", own, "cross-site", "navigate", true},
		{"POST", "/keep-alive", own, "same-site", "", true}, // another port of this machine
		{"POST", "/keep-alive", "http://127.0.0.1:7300", "same-site", "", true},
		{"POST", "/keep-alive", "http://evil.example", "", "", true},
		{"POST", "/keep-alive", "https" + strings.TrimPrefix(own, "http"), "", "", true},
		{"GET", "/unlock", "", "", "", false},
		{"GET", "/unlock", "", "none", "navigate", false},
		{"GET", "/", "", "cross-site", "navigate", false}, // a link; the cookie is not sent
		{"GET", "/", "", "cross-site", "no-cors", true},
		{"GET", "/", "", "same-site", "cors", true},
		{"GET", "/", "http://evil.example", "", "", true},
		{"GET", "/events", "", "cross-site", "cors", true},
		{"GET", "/events", "", "same-site", "cors", true},
		{"GET", "/events", "http://evil.example", "", "", true},
		{"HEAD", "/", "", "cross-site", "no-cors", true},
	} {
		var r *http.Request
		if c.method == "POST" {
			r = v.Form(c.path)
		} else {
			r = v.Request(c.method, c.path, nil)
		}
		r.Header.Del("Origin")
		r.Header.Del("Sec-Fetch-Site")
		for name, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		if reply, _ := v.Do(r); (reply.StatusCode == http.StatusForbidden) != c.refused {
			t.Errorf("%+v: HTTP %d", c, reply.StatusCode)
		}
	}
}

func TestToken(t *testing.T) {
	another := unlocked(t).CSRF
	v := unlocked(t)
	for _, path := range []string{"/new/withdrawal", "/sign-in", "/language", "/lock", "/keep-alive", "/op/01a1fd9d-5dff-70af-bbe2-a29581a5d260/cash"} {
		for _, token := range []string{"", "x", another} {
			body := v.Post(path, http.StatusForbidden, "csrf", token)
			uitest.Contains(t, body, "Nothing was done")
		}
	}
	if v.f.begun() != 0 {
		t.Error("something was begun without a token")
	}
	v.Get("/", http.StatusOK) // still unlocked
	v.Post("/unlock", http.StatusForbidden, "csrf", "", "pin", rightPIN)
}

func TestForms(t *testing.T) {
	v := unlocked(t)
	for kind, status := range map[string]int{
		"application/x-www-form-urlencoded": 204, "application/x-www-form-urlencoded; charset=utf-8": 204,
		"text/plain": 415, "multipart/form-data; boundary=x": 415, "application/json": 415, "": 415,
	} {
		r := v.Form("/keep-alive")
		r.Header.Set("Content-Type", kind)
		if reply, _ := v.Do(r); reply.StatusCode != status {
			t.Errorf("Content-Type %q: HTTP %d, want %d", kind, reply.StatusCode, status)
		}
	}
	v.Post("/new/withdrawal", http.StatusRequestEntityTooLarge, "customer", strings.Repeat("x", 16<<10))
	r := v.Form("/keep-alive")
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader("csrf=%zz")), 8
	if reply, _ := v.Do(r); reply.StatusCode != http.StatusBadRequest {
		t.Errorf("a broken form: HTTP %d", reply.StatusCode)
	}
	// The token counts in the body only: a URL ends up in histories.
	r = v.Form("/keep-alive?csrf=" + url.QueryEscape(v.CSRF))
	r.Body = io.NopCloser(strings.NewReader(""))
	r.ContentLength = 0
	if reply, _ := v.Do(r); reply.StatusCode != http.StatusForbidden {
		t.Errorf("a token in the URL: HTTP %d", reply.StatusCode)
	}
	for _, path := range []string{"/new/withdrawal", "/op/x/capture", "/unlock"} {
		reply, _ := v.Do(v.Request(http.MethodPut, path, nil))
		if reply.StatusCode != http.StatusForbidden && reply.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("PUT %s: HTTP %d", path, reply.StatusCode)
		}
	}
}

func TestHeaders(t *testing.T) {
	v := unlocked(t)
	want := map[string]string{
		"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Embedder-Policy": "require-corp",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-store",
	}
	for _, path := range []string{"/", "/unlock", "/new/withdrawal", "/sign-in", "/operations", "/nowhere", "/static/x/y"} {
		reply, body := v.Do(v.Request(http.MethodGet, path, nil))
		for name, value := range want {
			if got := reply.Header.Get(name); got != value {
				t.Errorf("GET %s: %s: %q", path, name, got)
			}
		}
		for _, inline := range []string{"<style", " style=", "javascript:", " onclick", "<script>"} {
			if strings.Contains(body, inline) {
				t.Errorf("GET %s: the page holds %q, which its own policy refuses", path, inline)
			}
		}
	}
	assets := regexp.MustCompile(`/static/[0-9a-f]{16}/[a-z-]+\.(?:css|js|svg)`).FindAllString(v.Get("/", http.StatusOK), -1)
	if len(assets) != 3 {
		t.Errorf("the page loads %v", assets)
	}
	for _, at := range assets {
		reply, _ := v.Do(v.Request(http.MethodGet, at, nil))
		if got := reply.Header.Get("Cache-Control"); reply.StatusCode != 200 || !strings.Contains(got, "immutable") {
			t.Errorf("GET %s: HTTP %d, Cache-Control %q", at, reply.StatusCode, got)
		}
	}
}

func sessionCookie(all []*http.Cookie) string {
	for _, c := range all {
		if strings.HasPrefix(c.Name, cookieName) {
			return c.Value
		}
	}
	return ""
}

func TestCookie(t *testing.T) {
	v := visit(t)
	v.Get("/unlock", http.StatusOK)
	home, err := url.Parse(v.Base)
	if err != nil {
		t.Fatal(err)
	}
	before := sessionCookie(v.HTTP.Jar.Cookies(home))
	reply, _ := v.Do(v.Form("/unlock", "pin", rightPIN))
	names := map[string]bool{}
	for _, c := range reply.Cookies() {
		names[c.Name] = true
		// For this host alone: no Domain. The browser's id outlives the session.
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("the cookie %s is %v", c.Name, c)
		}
		if lasting := c.MaxAge > 0; lasting == strings.HasPrefix(c.Name, cookieName) {
			t.Errorf("the cookie %s lasts %d s", c.Name, c.MaxAge)
		}
	}
	if !names[cookieName+home.Port()] || !names["galla_browser_"+home.Port()] {
		t.Errorf("the cookies are %v", names)
	}
	if after := sessionCookie(v.HTTP.Jar.Cookies(home)); after == before || len(after) != 43 {
		t.Errorf("the cookie after the PIN is %d characters, and the same as before: %v", len(after), after == before)
	}
	r := v.Request(http.MethodGet, "/", nil)
	r.AddCookie(&http.Cookie{Name: cookieName + home.Port(), Value: before})
	v.HTTP.Jar = nil
	if reply, _ := v.Do(r); reply.StatusCode != http.StatusSeeOther {
		t.Error("the cookie of before the PIN is unlocked")
	}
}

func TestRunRefusesForeignListeners(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := compose(newFake(), testConfig())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), l); err == nil || !strings.Contains(err.Error(), "loopback") {
		t.Errorf("Run on 0.0.0.0: %v", err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("the refused listener is open")
	}
}

// TestRunEnds: open streams do not delay the end, and nothing is left running.
func TestRunEnds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := newFake()
	s, err := compose(f, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, l) }()
	transport := uitest.LoopbackTransport()
	reply, err := (&http.Client{Transport: transport}).Get(uitest.WithHostname("http://"+l.Addr().String()) + "/events")
	if err != nil {
		t.Fatal(err)
	}
	for f.watching() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
	if _, err := io.ReadAll(reply.Body); err != nil {
		t.Errorf("the stream was cut, not ended: %v", err)
	}
	_ = reply.Body.Close()
	transport.CloseIdleConnections()
	if f.watching() != 0 {
		t.Error("a watch was left")
	}
}

func TestNewNeedsItsParts(t *testing.T) {
	for _, cut := range []func(*composition){
		func(c *composition) { c.Receipt = nil }, func(c *composition) { c.Logger = nil }, func(c *composition) { c.Name = "127.0.0.1" },
		func(c *composition) { c.Rand = strings.NewReader("") },
	} {
		cfg := testConfig()
		cut(&cfg)
		if _, err := compose(newFake(), cfg); err == nil {
			t.Errorf("New accepted %+v", cfg)
		}
	}
	if _, err := New(nil, testConfig().Config); err == nil {
		t.Error("New accepted no counter")
	}
}
