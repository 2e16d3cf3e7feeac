package webguard

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func TestIsCrossSite(t *testing.T) {
	const own = "http://counter.localhost:8080"
	for name, c := range map[string]struct {
		method, site, mode, origin string
		secure, want               bool
	}{
		"a page":                         {"GET", "", "", "", false, false},
		"a link on another site":         {"GET", "cross-site", "navigate", "", false, false},
		"a picture on another site":      {"GET", "cross-site", "no-cors", "", false, true},
		"a script on another site":       {"GET", "cross-site", "cors", "https://evil.example", false, true},
		"another port of this host":      {"GET", "same-site", "no-cors", "", false, true},
		"an own form":                    {"POST", "same-origin", "navigate", own, false, false},
		"an own form, origin hidden":     {"POST", "same-origin", "navigate", "null", false, false},
		"an own form of an old browser":  {"POST", "", "", own, false, false},
		"an old browser, origin hidden":  {"POST", "", "", "null", false, true},
		"a form on another site":         {"POST", "cross-site", "navigate", "null", false, true},
		"a form, typed address":          {"POST", "none", "navigate", "", false, true},
		"another site's origin":          {"POST", "", "", "https://evil.example", false, true},
		"an own origin without TLS":      {"POST", "", "", own, true, true},
		"an own origin over TLS":         {"POST", "", "", strings.Replace(own, "http", "https", 1), true, false},
		"another origin in spite of all": {"POST", "same-origin", "navigate", "https://evil.example", false, true},
	} {
		r := httptest.NewRequest(c.method, own+"/page", nil)
		if c.secure {
			r.TLS = &tls.ConnectionState{}
		}
		for header, value := range map[string]string{"Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode, "Origin": c.origin} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		if got := IsCrossSite(r); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestLocalPath(t *testing.T) {
	for _, c := range []struct{ s, root, want string }{
		{"/a?b=c", "/", "/a?b=c"}, {"", "/", "/"}, {"a", "/", "/"}, {"//evil.example", "/", "/"}, {`/\evil.example`, "/", "/"},
		{"https://evil.example/", "/", "/"}, {"javascript:alert(1)", "/", "/"}, {"/a\r\nSet-Cookie: x", "/", "/"},
		{"/console/people", "/console/", "/console/people"}, {"/console/", "/console/", "/console/"}, {"/console/../metrics", "/console/", "/console/"},
		{"/console/%2e%2e/metrics", "/console/", "/console/"}, {"/metrics", "/console/", "/console/"}, {"/consoles/", "/console/", "/console/"},
	} {
		if got := LocalPath(c.s, c.root); got != c.want {
			t.Errorf("LocalPath(%q, %q) = %q, want %q", c.s, c.root, got, c.want)
		}
	}
}

func TestCookieName(t *testing.T) {
	for target, want := range map[string]string{
		"http://a.localhost:8080/": "x_8080", "http://a.localhost/": "x_80", "https://a.example/": "__Host-x_443", "https://a.example:7101/": "__Host-x_7101",
	} {
		if got := CookieName(httptest.NewRequest("GET", target, nil), "x"); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

func TestParseForm(t *testing.T) {
	post := func(kind, body string) error {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		return ParseForm(httptest.NewRecorder(), r, 10)
	}
	const form = "application/x-www-form-urlencoded"
	if err := post(form+"; charset=utf-8", "a=12345678"); err != nil {
		t.Error(err)
	}
	if err := post("text/plain", "a=1"); !errors.Is(err, ErrMediaType) {
		t.Errorf("plain text: %v", err)
	}
	var large *http.MaxBytesError
	if err := post(form, "a=123456789"); !errors.As(err, &large) {
		t.Errorf("a long form: %v", err)
	}
}

func TestGuard(t *testing.T) {
	var log bytes.Buffer
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	h := Guard{
		Policy: "default-src 'none'", MaxBody: 4, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Host: func(w http.ResponseWriter, r *http.Request) bool {
			if r.Host == "own.localhost" {
				return true
			}
			w.WriteHeader(http.StatusMisdirectedRequest)
			return false
		},
		CrossSite: status(http.StatusForbidden), Failed: status(http.StatusInternalServerError),
	}.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("broken")
		}
		if _, err := bytes.NewBuffer(nil).ReadFrom(r.Body); err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	}))
	for _, c := range []struct {
		method, url, origin, body string
		want                      int
	}{
		{"GET", "http://own.localhost/", "", "", 200}, {"GET", "http://other.localhost/", "", "", 421}, {"POST", "http://own.localhost/", "", "", 403},
		{"POST", "http://own.localhost/", "http://own.localhost", "1234", 200}, {"POST", "http://own.localhost/", "http://own.localhost", "12345", 413},
		{"GET", "http://own.localhost/panic", "", "", 500},
	} {
		r := httptest.NewRequest(c.method, c.url, strings.NewReader(c.body))
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want || w.Header().Get("Content-Security-Policy") != "default-src 'none'" || w.Header().Get("X-Frame-Options") != "DENY" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: HTTP %d with %v, want %d", c.method, c.url, w.Code, w.Header(), c.want)
		}
	}
	for camera, want := range map[bool]string{false: "camera=(),", true: "camera=(self),"} {
		w := httptest.NewRecorder()
		setHeaders(w.Header(), "", camera)
		if got := w.Header().Get("Permissions-Policy"); !strings.HasPrefix(got, want) {
			t.Errorf("camera %v: %s", camera, got)
		}
	}
	if !strings.Contains(log.String(), "a page panicked") || !strings.Contains(log.String(), "broken") || !strings.Contains(log.String(), "another site") {
		t.Errorf("the log: %s", &log)
	}
}

func TestLoopbackPort(t *testing.T) {
	for address, want := range map[string]int{"127.0.0.1:7101": 7101, "[::1]:7101": 7101, "10.0.0.1:7101": 0} {
		at, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(at)))
		if port, ok := LoopbackPort(r); port != want || ok != (want != 0) {
			t.Errorf("%s: %d, %v", address, port, ok)
		}
	}
}

func TestStatic(t *testing.T) {
	one := fstest.MapFS{"static/a.css": {Data: []byte("a")}, "static/deep/b.js": {Data: []byte("b")}, "static/c.txt": {Data: []byte("c")}, "other/d.css": {Data: []byte("d")}}
	s, err := NewStatic("/files/", one, fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Size() != 3 || !s.Has("b.js") || s.Has("d.css") {
		t.Errorf("the files are %v", s.files)
	}
	mux := http.NewServeMux()
	mux.Handle(s.Pattern(), s)
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w
	}
	for name, want := range map[string]int{"a.css": 200, "b.js": 200, "c.txt": 404} {
		address, err := s.URL(name)
		if err != nil {
			t.Fatal(err)
		}
		if w := get(address); w.Code != want || want == 200 && !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: HTTP %d with %v", address, w.Code, w.Header())
		}
	}
	if w := get("/files/0000000000000000/a.css"); w.Code != 404 {
		t.Errorf("an older address: HTTP %d", w.Code)
	}
	if _, err := s.URL("d.css"); err == nil {
		t.Error("a file that is not there has an address")
	}
	if _, err := NewStatic("/files/", one, fstest.MapFS{"static/a.css": {Data: []byte("x")}}); err == nil {
		t.Error("two files of one name")
	}
}

func TestBundle(t *testing.T) {
	files := func(names ...string) fstest.MapFS {
		m := fstest.MapFS{}
		for i := 0; i < len(names); i += 2 {
			m["static/"+names[i]] = &fstest.MapFile{Data: []byte(names[i+1])}
		}
		return m
	}
	s, err := NewStatic("/files/", files(
		"one.css", "/* What a is,\n   and why. */\na{}", "two.css", "b{\n  x: y; /* z */\n}\n\n@media print {\n  c { d: 'e  f' }\n}\n",
		"main.js", "import { add, twice } from './sum.js';\nimport { name } from './own-name.js';\nconsole.log(name(), twice(add));",
		"sum.js", "// Sums.\nimport { name } from './own-name.js';\n\t// one\nconst own = 1;\nexport function add(n) { return n + own; }\nexport async function twice(f) { return f(f(1)); }",
		"own-name.js", "const own = 'x';\nexport function name() { return own; }",
		"wild.js", "import * as all from './sum.js';", "lost.js", "import { a } from './nowhere.js';",
		"left.js", "import { r } from './right.js';", "right.js", "import { l } from './left.js';",
	))
	if err != nil {
		t.Fatal(err)
	}
	before, _ := s.URL("one.css")
	for name, parts := range map[string][]string{
		"a part that is missing": {"all.css", "one.css", "none.css"}, "a part of another kind": {"all.css", "one.css", "main.js"},
		"a known name": {"two.css", "one.css"}, "an import of all": {"all.js", "wild.js"}, "a missing module": {"all.js", "lost.js"}, "a circle": {"all.js", "left.js"},
	} {
		if err := s.Bundle(parts[0], parts[1:]...); err == nil {
			t.Errorf("%s was bundled", name)
		}
	}
	if err := errors.Join(s.Bundle("all.css", "one.css", "two.css"), s.Bundle("all.js", "main.js", "sum.js")); err != nil {
		t.Fatal(err)
	}
	if after, _ := s.URL("one.css"); after == before {
		t.Error("the address is as it was, and browsers would keep an older bundle")
	}
	if got := string(s.files["all.css"]); got != "a{}\nb{\nx: y;\n}\n@media print {\nc { d: 'e  f' }\n}\n" {
		t.Errorf("the styles are %q", got)
	}
	want := "const module_own_name = (() => {\nconst own = 'x';\nfunction name() { return own; }\nreturn { name };\n})();\n" +
		"const module_sum = (() => {\nconst { name } = module_own_name;\nconst own = 1;\nfunction add(n) { return n + own; }\nasync function twice(f) { return f(f(1)); }\nreturn { add, twice };\n})();\n" +
		"const module_main = (() => {\nconst { add, twice } = module_sum;\nconst { name } = module_own_name;\nconsole.log(name(), twice(add));\nreturn {  };\n})();\n"
	if got := string(s.files["all.js"]); got != want {
		t.Errorf("the modules are\n%s\nwant\n%s", got, want)
	}
}
