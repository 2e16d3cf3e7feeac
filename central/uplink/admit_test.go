package uplink

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"galla/central"
)

func TestNewRefuses(t *testing.T) {
	good := Config{Audience: audience, Rand: rand.Reader, Logger: logger()}
	for _, spoil := range []func(*Config){
		func(c *Config) { c.Audience = "" }, func(c *Config) { c.Rand = nil }, func(c *Config) { c.Logger = nil },
		func(c *Config) { c.Window = -1 }, func(c *Config) { c.Greetings = -1 }, func(c *Config) { c.Poll = -1 },
	} {
		cfg := good
		spoil(&cfg)
		if _, err := New(&fakeHandler{}, newMemoryStore(), central.NewNotifier(), cfg); err == nil {
			t.Errorf("New(%+v) did not complain", cfg)
		}
	}
}

// What stands beside the uplink has its own paths and no other.
func TestOtherHandlers(t *testing.T) {
	other := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) })
	s, err := New(&fakeHandler{}, newMemoryStore(), central.NewNotifier(), Config{Audience: audience, Rand: rand.Reader, Logger: logger(), OtherHandlers: map[string]http.Handler{"/updates/": other}})
	if err != nil {
		t.Fatal(err)
	}
	for path, beside := range map[string]bool{"/updates/": true, "/updates/timestamp.json": true, "/updates": false, "/uplink": false, "/": false, "/x/updates/": false} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if got := w.Code == http.StatusTeapot; got != beside {
			t.Errorf("%s: HTTP %d", path, w.Code)
		}
	}
}

func TestAuthentication(t *testing.T) {
	type attempt struct {
		header http.Header
		path   string
		method string
	}
	bearer := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	changed := func(change func(*jwt.RegisteredClaims)) func(terminal) attempt {
		return func(t terminal) attempt {
			c := claims()
			change(&c)
			return attempt{header: bearer(t.token(c))}
		}
	}
	ago := func(d time.Duration) func(terminal) attempt {
		return changed(func(c *jwt.RegisteredClaims) {
			c.IssuedAt.Time, c.ExpiresAt.Time = c.IssuedAt.Add(-d), c.ExpiresAt.Add(-d)
		})
	}
	tests := []struct {
		name string
		make func(terminal) attempt
		want int
	}{
		{"good", changed(func(*jwt.RegisteredClaims) {}), 101},
		{"a clock 60 s behind, within the leeway", ago(61 * time.Second), 101},
		{"a clock 4 s ahead, within the leeway", ago(-4 * time.Second), 101},
		{"expired", ago(66 * time.Second), 401},
		{"from the future", ago(-7 * time.Second), 401},
		{"of another central", changed(func(c *jwt.RegisteredClaims) { c.Audience = jwt.ClaimStrings{"x"} }), 401},
		{"no audience", changed(func(c *jwt.RegisteredClaims) { c.Audience = nil }), 401},
		{"no end", changed(func(c *jwt.RegisteredClaims) { c.ExpiresAt = nil }), 401},
		{"no beginning", changed(func(c *jwt.RegisteredClaims) { c.IssuedAt = nil }), 401},
		{"lives too long", changed(func(c *jwt.RegisteredClaims) { c.ExpiresAt.Time = c.ExpiresAt.Add(time.Second) }), 401},
		{"no jti", changed(func(c *jwt.RegisteredClaims) { c.ID = "" }), 401},
		{"short jti", changed(func(c *jwt.RegisteredClaims) { c.ID = "1" }), 401},
		{"long jti", changed(func(c *jwt.RegisteredClaims) { c.ID = strings.Repeat("a", 65) }), 401},
		{"no token", func(terminal) attempt { return attempt{} }, 401},
		{"no JWT", func(terminal) attempt { return attempt{header: bearer("a.b.c")} }, 401},
		{"Basic", func(terminal) attempt { return attempt{header: http.Header{"Authorization": {"Basic YTpi"}}} }, 401},
		{"two tokens", func(x terminal) attempt {
			return attempt{header: http.Header{"Authorization": {"Bearer " + x.token(claims()), "Bearer " + x.token(claims())}}}
		}, 401},
		{"another's key", func(x terminal) attempt {
			other := (&system{t: t, store: newMemoryStore()}).enrol()
			other.id = x.id
			return attempt{header: bearer(other.token(claims()))}
		}, 401},
		{"unknown terminal", func(x terminal) attempt {
			x.id = "00000000-0000-4000-8000-000000000000"
			return attempt{header: bearer(x.token(claims()))}
		}, 401},
		{"kid of a thousand letters", func(x terminal) attempt {
			x.id = central.TerminalID(strings.Repeat("a", 1000))
			return attempt{header: bearer(x.token(claims()))}
		}, 401},
		{"not signed", func(x terminal) attempt {
			token := jwt.NewWithClaims(jwt.SigningMethodNone, claims())
			token.Header["kid"] = string(x.id)
			text, _ := token.SignedString(jwt.UnsafeAllowNoneSignatureType)
			return attempt{header: bearer(text)}
		}, 401},
		{"signed with the public key as a secret", func(x terminal) attempt {
			token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims())
			token.Header["kid"] = string(x.id)
			text, _ := token.SignedString([]byte(x.key.Public().(ed25519.PublicKey)))
			return attempt{header: bearer(text)}
		}, 401},
		{"a browser", func(x terminal) attempt {
			h := bearer(x.token(claims()))
			h["Origin"] = []string{"https://example.org"}
			return attempt{header: h}
		}, 403},
		{"another path", func(x terminal) attempt { return attempt{header: bearer(x.token(claims())), path: "/"} }, 404},
		{"a path below", func(x terminal) attempt { return attempt{header: bearer(x.token(claims())), path: Path + "/x"} }, 404},
		{"POST", func(x terminal) attempt { return attempt{header: bearer(x.token(claims())), method: "POST"} }, 405},
		{"no upgrade", func(x terminal) attempt { return attempt{header: bearer(x.token(claims())), method: "GET"} }, 400},
	}
	l := loopback(t)
	h := newSystem(t, l, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := tt.make(h.enrol())
			var resp *http.Response
			if a.method != "" || a.path != "" {
				resp = plain(t, "http://"+l.Addr().String()+or(a.path, Path), or(a.method, "GET"), a.header)
			} else {
				ws, r, err := h.open(a.header)
				if err == nil {
					_ = ws.Close()
				}
				resp = r
			}
			if resp == nil || resp.StatusCode != tt.want {
				t.Fatalf("answer %v, want HTTP %d", resp, tt.want)
			}
			if tt.want != 101 {
				checkEnvelope(t, resp)
			}
		})
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// loopback is a real listener.
func loopback(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func plain(t *testing.T, url, method string, header http.Header) *http.Response {
	t.Helper()
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func checkEnvelope(t *testing.T, resp *http.Response) {
	t.Helper()
	body, _ := io.ReadAll(resp.Body)
	var e struct{ StatusCode, Message string }
	if err := json.Unmarshal(body, &e); err != nil || e.Message == "" || resp.Header.Get("X-Request-Id") == "" {
		t.Errorf("body %s, header %v: want an envelope and a request id", body, resp.Header)
	}
	if resp.StatusCode == 401 {
		if e.StatusCode != "03" || e.Message != "Not authenticated" || resp.Header.Get(RevokedHeader) != "" {
			t.Errorf("401 says %s; one message for all causes is wanted", body)
		}
		if _, err := http.ParseTime(resp.Header.Get("Date")); err != nil {
			t.Errorf("a 401 must tell the central's clock: %v", err)
		}
	}
}

func TestTokenIsGoodOnce(t *testing.T) {
	h := newSystem(t, loopback(t), nil)
	x, y := h.enrol(), h.enrol()
	c := claims()
	for i, want := range []int{101, 401} {
		ws, resp, err := h.open(http.Header{"Authorization": {"Bearer " + x.token(c)}})
		if err == nil {
			_ = ws.Close()
		}
		if resp == nil || resp.StatusCode != want {
			t.Fatalf("use %d: %v, want HTTP %d", i+1, resp, want)
		}
	}
	// Another terminal's token of the same id is another token.
	ws, _, err := h.open(http.Header{"Authorization": {"Bearer " + y.token(c)}})
	if err != nil {
		t.Fatalf("another terminal's token: %v", err)
	}
	_ = ws.Close()
}

func TestRevokedIsTold(t *testing.T) {
	h := newSystem(t, loopback(t), nil)
	x := h.enrol()
	h.revoke(x)
	_, resp, _ := h.open(http.Header{"Authorization": {"Bearer " + x.token(claims())}})
	if resp == nil || resp.StatusCode != 401 || resp.Header.Get(RevokedHeader) != "1" {
		t.Fatalf("answer %v, want a 401 with %s", resp, RevokedHeader)
	}
	body, _ := io.ReadAll(resp.Body)
	if !strings.Contains(string(body), "Terminal revoked") || !strings.Contains(string(body), `"03"`) {
		t.Errorf("body %s", body)
	}
	// Who can't prove to be the terminal learns nothing.
	other := h.enrol()
	other.id = x.id
	_, resp, _ = h.open(http.Header{"Authorization": {"Bearer " + other.token(claims())}})
	if resp == nil || resp.StatusCode != 401 || resp.Header.Get(RevokedHeader) != "" {
		t.Errorf("an unknown terminal's answer %v", resp)
	}
}

func (h *system) revoke(x terminal) {
	h.store.mu.Lock()
	t := h.store.terminals[x.id]
	t.RevokedAt = time.Now()
	h.store.terminals[x.id] = t
	h.store.mu.Unlock()
	h.notifier.Notify(central.TerminalTopic(x.id))
}

func TestStoreFaultsMeanRetryLater(t *testing.T) {
	check := func(t *testing.T, resp *http.Response) {
		t.Helper()
		if resp == nil || resp.StatusCode != 503 {
			t.Fatalf("answer %v, want HTTP 503", resp)
		}
		if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || n < 1 || n > 60 {
			t.Errorf("Retry-After %q, want 1 to 60 seconds", resp.Header.Get("Retry-After"))
		}
	}
	t.Run("store", func(t *testing.T) {
		h := newSystem(t, loopback(t), nil)
		x := h.enrol()
		h.store.setFault(errors.New("disk on fire"))
		_, resp, _ := h.open(http.Header{"Authorization": {"Bearer " + x.token(claims())}})
		check(t, resp)
	})
	t.Run("full", func(t *testing.T) {
		h := newSystem(t, loopback(t), func(c *Config) { c.MaxConnections = 1 })
		first, _ := h.greeted(h.enrol(), 0)
		_, resp, _ := h.open(http.Header{"Authorization": {"Bearer " + h.enrol().token(claims())}})
		check(t, resp)
		_ = first.ws.Close()
		first.closed()
		for h.server.Census().Connected > 0 {
			time.Sleep(time.Millisecond)
		}
	})
	t.Run("before Run", func(t *testing.T) {
		store := newMemoryStore()
		h := &system{t: t, store: store}
		s, err := New(&fakeHandler{}, store, central.NewNotifier(), Config{Audience: audience, Rand: rand.Reader, Logger: logger()})
		if err != nil {
			t.Fatal(err)
		}
		web := httptest.NewServer(s.Handler())
		defer web.Close()
		h.url = "ws" + strings.TrimPrefix(web.URL, "http") + Path
		_, resp, _ := h.open(http.Header{"Authorization": {"Bearer " + h.enrol().token(claims())}})
		check(t, resp)
	})
}
