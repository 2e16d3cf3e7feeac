package console

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"galla/central/staff"
	"galla/shared/secret"
	"galla/shared/webguard"
)

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// TestEveryRouteByRole requests each route as nobody and with each role. What is
// refused does nothing, and gives 403 or the sign-in page.
func TestEveryRouteByRole(t *testing.T) {
	h := newHarness(t)
	visitors := map[staff.Role]*browser{"": h.browser(t)}
	for role, login := range map[staff.Role]string{staff.Viewer: "vikram", staff.Operator: "ravi", staff.Admin: "asha"} {
		visitors[role] = h.browser(t).enter(login)
	}
	open := 0
	for _, rt := range h.console.routes {
		method, path, ok := strings.Cut(rt.pattern, " ")
		if !ok || method != http.MethodGet && method != http.MethodPost {
			t.Errorf("route %q has no method", rt.pattern)
			continue
		}
		if rt.public {
			open++
			continue
		}
		path = parameter.ReplaceAllString(path, "none")
		for role, v := range visitors {
			may := role.May(rt.minRole)
			if may && method == http.MethodPost && strings.Contains(path, "sign-out") {
				continue // it would end the session
			}
			r := v.request(method, path, nil)
			if method == http.MethodPost {
				r = v.form(path)
			}
			reply, body := v.do(r)
			at := string(role) + " " + rt.pattern
			switch {
			case role == "":
				if to, _ := url.Parse(reply.Header.Get("Location")); reply.StatusCode != http.StatusSeeOther || to.Path != "/console/sign-in" {
					t.Errorf("nobody,%s: HTTP %d to %v", at, reply.StatusCode, to)
				}
			case !may:
				if reply.StatusCode != http.StatusForbidden || !strings.Contains(body, "Your role does not allow this") {
					t.Errorf("%s: HTTP %d", at, reply.StatusCode)
				}
			case reply.StatusCode == http.StatusForbidden || reply.StatusCode >= http.StatusInternalServerError ||
				reply.StatusCode == http.StatusSeeOther && strings.Contains(reply.Header.Get("Location"), "sign-in"):
				t.Errorf("%s: HTTP %d: %s", at, reply.StatusCode, body)
			}
		}
	}
	if open != 5 {
		t.Errorf("%d routes are open to everybody: sign-in and set-up are five", open)
	}
	// A route without a role keeps the program from starting.
	for _, need := range []staff.Role{"", "nobody"} {
		if err := checkRoute(route{pattern: "GET " + Root + "forgotten", minRole: need}); err == nil || !strings.Contains(err.Error(), "which does not exist") {
			t.Errorf("a route for the role %q: %v", need, err)
		}
	}
}

// TestEveryFormNeedsItsToken: a form without the session's own token, or sent by
// another site, does nothing.
func TestEveryFormNeedsItsToken(t *testing.T) {
	h := newHarness(t)
	asha, other, nobody := h.browser(t).enter("asha"), h.browser(t).enter("ravi"), h.browser(t)
	nobody.get("/console/sign-in", http.StatusOK)
	before := len(h.did(t))
	for _, rt := range h.console.routes {
		method, path, _ := strings.Cut(rt.pattern, " ")
		if method != http.MethodPost {
			continue
		}
		path = parameter.ReplaceAllString(path, "none")
		for name, bad := range map[string]string{"none": "", "another's": other.csrf, "a unknown's": nobody.csrf, "a wrong one": "x"} {
			r := asha.form(path, "csrf", bad, "confirmed", "yes")
			if reply, body := asha.do(r); reply.StatusCode != http.StatusForbidden && reply.StatusCode != http.StatusUnsupportedMediaType {
				t.Errorf("%s with %s token: HTTP %d: %s", rt.pattern, name, reply.StatusCode, body)
			}
			asha.get("/console/me", http.StatusOK) // the last page's token is asha's again
		}
		for name, set := range map[string]func(http.Header){
			"another origin":          func(h http.Header) { h.Set("Origin", "https://evil.example") },
			"another site":            func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site"); h.Del("Origin") },
			"another of the domain's": func(h http.Header) { h.Set("Sec-Fetch-Site", "same-site"); h.Del("Origin") },
			"an old browser":          func(h http.Header) { h.Del("Sec-Fetch-Site"); h.Del("Origin") },
		} {
			r := asha.form(path, "confirmed", "yes")
			set(r.Header)
			if reply, _ := asha.do(r); reply.StatusCode != http.StatusForbidden {
				t.Errorf("%s from %s: HTTP %d", rt.pattern, name, reply.StatusCode)
			}
		}
	}
	if after := h.did(t); len(after) != before {
		t.Errorf("a refused form did something: %q", after[before:])
	}
}

// TestFixation: cookies from before a sign-in are worthless after it, and each sign-in
// makes a new session value.
func TestFixation(t *testing.T) {
	h := newHarness(t)
	v := h.browser(t)
	v.get("/console/sign-in", http.StatusOK)
	base, _ := url.Parse(h.server.URL)
	planted := strings.Repeat("A", 43)
	before := map[string]string{}
	for _, k := range v.http.Jar.Cookies(base) {
		before[k.Name] = k.Value
	}
	port := base.Port()
	v.http.Jar.SetCookies(base, []*http.Cookie{{Name: "__Host-galla_console_" + port, Value: planted, Path: "/", Secure: true}})
	v.get("/console/sign-in", http.StatusOK)
	v.enter("asha")
	for _, k := range v.http.Jar.Cookies(base) {
		if k.Value == planted || before[k.Name] != "" && k.Value == before[k.Name] {
			t.Errorf("cookie %s has its value from before the sign-in", k.Name)
		}
	}
	unknown := h.browser(t)
	for name := range before {
		unknown.http.Jar.SetCookies(base, []*http.Cookie{{Name: "__Host-galla_console_" + port, Value: before[name], Path: "/", Secure: true}})
		if to := unknown.get("/console/me", http.StatusSeeOther); !strings.HasPrefix(to, "/console/sign-in") {
			t.Errorf("the ticket of before opens a session: %s", to)
		}
	}
}

func TestCookiesAndHeaders(t *testing.T) {
	h := newHarness(t)
	v := h.browser(t).enter("asha")
	v.get("/console/staff", http.StatusOK)
	reply, _ := v.do(v.form("/console/me/password", "old", "x", "password", "x", "again", "x", "code", "1"))
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; script-src 'self'; connect-src 'self'",
		"Cache-Control":           "no-store", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
	} {
		if got := reply.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	fresh := h.browser(t)
	fresh.get("/console/sign-in", http.StatusOK)
	r := fresh.form("/console/sign-in", "login", "asha")
	fresh.http.Jar = nil
	reply, _ = fresh.do(fresh.request(http.MethodGet, "/console/sign-in", nil))
	cookie := reply.Header.Get("Set-Cookie")
	for _, part := range []string{"__Host-galla_console_form_", "; Path=/;", "; HttpOnly", "; Secure", "; SameSite=Strict"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie %q has no %q", cookie, part)
		}
	}
	if reply, _ := fresh.do(r); reply.StatusCode != http.StatusForbidden {
		t.Errorf("a sign-in without its page's cookie: HTTP %d", reply.StatusCode)
	}
}

// TestWhereTheConsoleAnswers: over loopback under its own name, or over TLS, and
// nowhere else.
func TestWhereTheConsoleAnswers(t *testing.T) {
	h := newHarness(t)
	for name, c := range map[string]struct {
		local string
		host  string
		want  bool
	}{
		"its own name":                 {"127.0.0.1:7101", localName + ":7101", true},
		"its own name, IPv6":           {"[::1]:7101", localName + ":7101", true},
		"loopback":                     {"127.0.0.1:7101", "127.0.0.1:7101", false},
		"localhost":                    {"127.0.0.1:7101", "localhost:7101", false},
		"IPv6":                         {"[::1]:7101", "[::1]:7101", false},
		"another installation's name":  {"127.0.0.1:7101", "galla-abcdefghijklmnoq.localhost:7101", false},
		"a name pointed here":          {"127.0.0.1:7101", "console.evil.example:7101", false},
		"another port":                 {"127.0.0.1:7101", localName + ":80", false},
		"another interface":            {"192.0.2.1:7101", "192.0.2.1:7101", false},
		"its own name from outside":    {"192.0.2.1:7101", localName + ":7101", false},
		"loopback's name from outside": {"192.0.2.1:7101", "127.0.0.1:7101", false},
		"nothing":                      {"127.0.0.1:7101", "", false},
	} {
		at, err := net.ResolveTCPAddr("tcp", c.local)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, "/console/sign-in", nil)
		r.Host = c.host
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at))
		w := httptest.NewRecorder()
		h.console.Handler().ServeHTTP(w, r)
		if got := w.Code == http.StatusOK; got != c.want {
			t.Errorf("%s: HTTP %d", name, w.Code)
		}
		if !c.want && (strings.Contains(w.Body.String(), localName) || w.Header().Get("Set-Cookie") != "") {
			t.Errorf("%s discloses the name, or sets a cookie:\n%s", name, w.Body)
		}
		if !c.want && strings.HasPrefix(c.local, "127.") {
			has(t, w.Body.String(), "galla-central console")
		}
	}
}

func TestNextStaysHere(t *testing.T) {
	for next, want := range map[string]string{
		"": "/console/", "/console/audit?person=asha": "/console/audit?person=asha", "https://evil.example/console/": "/console/",
		"//evil.example/console/": "/console/", "/metrics": "/console/", "/console/\\evil": "/console/", "/console/\r\nX: y": "/console/", "javascript:1": "/console/",
	} {
		if got := webguard.LocalPath(next, Root); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
	h := newHarness(t)
	v := h.browser(t)
	to := v.get("/console/audit?person=asha", http.StatusSeeOther)
	has(t, v.get(to, http.StatusOK), `value="/console/audit?person=asha"`)
}

// TestBrowserToken: a browser in which somebody signed in sends its token, and can
// sign in while unknown callers try the login.
func TestBrowserToken(t *testing.T) {
	h := newHarness(t)
	v := h.browser(t).enter("asha")
	base, _ := url.Parse(h.server.URL)
	name := "__Host-galla_console_browser_" + base.Port()
	token := ""
	for _, k := range v.http.Jar.Cookies(base) {
		if k.Name == name {
			token = k.Value
		}
	}
	if token == "" {
		t.Fatal("the browser has no token cookie after a sign-in")
	}
	for range 8 {
		if _, err := h.staff.SignIn(t.Context(), "asha", secret.NewToken("wrong"), secret.OTP{}, "192.0.2.1"); err == nil {
			t.Fatal("a wrong password opens a session")
		}
	}
	wrong := []string{"login", "asha", "password", "wrong", "code", "000000"}
	unknown := h.browser(t)
	unknown.get("/console/sign-in", http.StatusOK)
	unknown.post("/console/sign-in", http.StatusTooManyRequests, wrong...)
	v.post("/console/sign-out", http.StatusSeeOther)
	v.get("/console/sign-in", http.StatusOK)
	v.post("/console/sign-in", http.StatusUnauthorized, wrong...) // it is judged
	// A browser token grants nothing.
	unknown.http.Jar.SetCookies(base, []*http.Cookie{
		{Name: name, Value: token, Path: "/", Secure: true}, {Name: strings.Replace(name, "_browser", "", 1), Value: token, Path: "/", Secure: true},
	})
	if to := unknown.get("/console/me", http.StatusSeeOther); !strings.HasPrefix(to, "/console/sign-in") {
		t.Errorf("a browser token leads to %s", to)
	}
	if strings.Contains(h.log.String(), token) {
		t.Error("the log has a browser token")
	}
}
